import { NO_POLICY, ownPolicy } from '../../agent/policies/own-policy.js';
import { sum } from '../../core/base/stats.js';
import type { Transcript } from '../../core/model/transcript.js';
import type { RecordedBill } from '../../core/run/recorded-bill.js';
import { hasUses, usesOf } from '../../core/uses/find-uses.js';
import type { RunFacts } from '../../metrics/facts.js';
import { recordedUsd } from '../../metrics/metric.js';
import { TTL_1H_MS } from '../../provider/cache/ttl.js';
import type { ModelBook } from '../../provider/prices/model-book.js';
import { modelsOf } from '../../provider/prices/models.js';
import { pricesFor } from '../../provider/prices/price.js';
import { recordedBill } from '../../provider/prices/recorded-bill.js';
import type { LeftOut } from '../../transcripts/files/find-sessions.js';
import { callKeys } from '../../transcripts/sessions/copy-keys.js';
import { predictRequests, type Walk } from '../validate/predict.js';
import { isShort } from '../validate/providers/hit-fit.js';
import { predictByProvider, providerOfRecording } from '../validate/providers/predict-provider.js';
import { type ProviderRequest, providerRequests } from '../validate/providers/provider-requests.js';
import { recordedTruth, type Truth } from '../validate/truth.js';
import { changedPlan } from '../what-if.js';
import {
  type AttributedRequest,
  attributeRequests,
  type LossOf,
  type PaidPart,
  PER_TOKEN_NANO,
  type SummaryRequest,
} from './attribute.js';
import { ChangedRun, type ChangeOutcome, tryChanges } from './changes.js';
import { type ContextTape, TapeRecorder } from './context-tape.js';
import { type JudgedCompaction, judgeCompactions } from './judge-compactions.js';

/** What entries of an hour would have kept of a request's cost, and what they would have added to it; nano-dollars. */
interface HourOutcome {
  readonly keptNano: number;
  readonly premiumNano: number;
}

/** True for content that an entry of an hour would still have held. */
function isRescued({ cause }: PaidPart, { gapMs, isBrokenAnyway }: AttributedRequest): boolean {
  return cause === 'lifetime-5m' && gapMs! <= TTL_1H_MS && !isBrokenAnyway;
}

function hourOutcome(request: AttributedRequest, truth: Truth, models: ModelBook): HourOutcome {
  const { threadId, number, model, prompt, parts } = request;
  const { usage, pricedAtMs } = truth.threads.get(threadId)![number - 1]!;
  const { cacheRead, cacheWrite5m, cacheWrite1h } = pricesFor(models.orUnknown(model), prompt, pricedAtMs);
  const rescued = parts.filter((part) => isRescued(part, request));
  const tokens = sum(rescued.map(({ written }) => written));
  const nano = sum(rescued.map((part) => part.nano));
  return {
    keptNano: Math.max(0, nano - Math.round(tokens * cacheRead * PER_TOKEN_NANO)),
    premiumNano: Math.round(
      Math.max(0, usage.cacheWrite5m - tokens) * (cacheWrite1h - cacheWrite5m) * PER_TOKEN_NANO,
    ),
  };
}

/** Avoidable cost of 5-minute breaks by the better remedy: compacting before each, or 1-hour entries less what their writes add. */
function withBetterRemedy(
  requests: readonly AttributedRequest[],
  truth: Truth,
  models: ModelBook,
): readonly AttributedRequest[] {
  const outcomes = requests.map((request) => hourOutcome(request, truth, models));
  const kept = sum(outcomes.map(({ keptNano }) => keptNano));
  const net = kept - sum(outcomes.map(({ premiumNano }) => premiumNano));
  const compacted = sum(
    requests.flatMap((request) =>
      request.parts.filter((part) => isRescued(part, request)).map(({ avoidableNano }) => avoidableNano),
    ),
  );
  if (net <= compacted) return requests;
  return requests.map((request, i) => ({
    ...request,
    parts: request.parts.map((part) =>
      isRescued(part, request)
        ? { ...part, avoidableNano: Math.round((outcomes[i]!.keptNano * net) / kept) }
        : part,
    ),
  }));
}

/** How far the simulator is from a session. */
interface Reproduced {
  readonly kind: 'reproduced';
  /** Input cost, nano-dollars. */
  readonly predictedNano: number;
  readonly recordedNano: number;
}

/** The same, or why it is not known. */
export type Reproduction = Reproduced | { readonly kind: 'set-aside'; readonly reason: string };

/** One session with all of its money attributed. */
export interface SessionWhy {
  readonly file: string;
  readonly project: string;
  /** The agent that recorded it, and its version; null if the record does not tell. */
  readonly agent: string;
  readonly version: string | null;
  /** Wall-clock time of its beginning, ms since 1970; null if the record does not tell. */
  readonly startedAtMs: number | null;
  /** What its recording tells. */
  readonly carries: Transcript['carries'];
  readonly bill: RecordedBill;
  readonly requests: readonly AttributedRequest[];
  /** What its compactions are known by in other files. */
  readonly compactionKeys: readonly string[];
  /** Its compactions with what was needed again behind them; empty if it carries no text. */
  readonly compactions: readonly JudgedCompaction[];
  /** What its prompts consist of. */
  readonly tape: ContextTape;
  readonly reproduction: Reproduction;
  /** Empty where no change can be tried. */
  readonly changes: readonly ChangeOutcome[];
}

/** Why a session cannot be counted at all. */
export type Uncounted = LeftOut;

const ANTHROPIC = 'anthropic';
const CODEX = 'codex';

/** Why requests read what they read, as the walk through a session of Claude sees it. */
function lossIn({ predictions, breaks }: Walk): LossOf {
  const missed = new Map(
    breaks.map(({ request, expectedRead }) => [request.key, expectedRead - request.read]),
  );
  return ({ key }) => {
    const { cause = null, besides = null } = predictions.get(key) ?? {};
    return { cause, missed: missed.get(key) ?? 0, besides };
  };
}

/** The same by the rules of another provider. Reasoning that was left out explains what stood behind it, however likely more was to be lost. */
function lossByProvider(requests: readonly ProviderRequest[]): LossOf {
  const { predictions } = predictByProvider(requests, 'given');
  const short = requests.filter(isShort);
  const missed = new Map(short.map(({ request, reachable }) => [request.key, reachable - request.read]));
  return ({ key }) => {
    const cause = predictions.get(key)?.cause ?? null;
    return { cause, missed: cause === 'reasoning' ? (missed.get(key) ?? 0) : 0, besides: null };
  };
}

/** What a session is called, and how much of it is kept. */
interface ExplainOptions {
  readonly file: string;
  readonly project: string;
  /** Whether the usage of each request under each change is kept, for limits: it is large. */
  readonly changedUsage?: 'kept';
}

/** Explains one session; a string where there is nothing that could be explained. */
export function explainSession(
  recording: Transcript,
  { file, project, changedUsage }: ExplainOptions,
): SessionWhy | Uncounted {
  const transcript = withUses(recording);
  const bill = recordedBill(transcript);
  if (bill === null) return { file, reason: 'it carries no usage' };
  if (recordedUsd(bill) === null)
    return { file, reason: `no price is known for ${Object.keys(bill.unpriced).join(', ')}` };
  const truth = recordedTruth(transcript);
  const provider = providerOfRecording(transcript);
  const given = provider === ANTHROPIC ? predictRequests(transcript, truth, 'recorded') : null;
  const lossOf =
    given === null ? lossByProvider(providerRequests(transcript, truth, provider)) : lossIn(given);
  const attributed = attributeRequests(transcript, truth, lossOf, summaryRequest(transcript));
  const requests = withBetterRemedy(attributed, truth, modelsOf(transcript));
  const { startedAtMs } = transcript;
  const recorder = new TapeRecorder(transcript);
  const base = new ChangedRun(changedPlan(transcript), transcript, { onRequest: recorder.onRequest });
  const shared = {
    file,
    project,
    agent: transcript.source,
    version: transcript.agentVersion,
    startedAtMs,
    carries: recording.carries,
    bill,
    requests,
    compactionKeys: compactionKeys(transcript),
    compactions: judgeCompactions(transcript, truth),
    tape: recorder.tape,
  };
  const isKnown = ownPolicy(transcript).use !== NO_POLICY;
  if (!isKnown || (provider !== ANTHROPIC && transcript.source !== CODEX)) {
    const reason = `no policy is known to run it forward (${transcript.source})`;
    return { ...shared, reproduction: { kind: 'set-aside', reason }, changes: [] };
  }
  const reproduction = reproductionBy(base.facts);
  const changed = (): readonly ChangeOutcome[] => {
    const outcomes = tryChanges({ transcript, truth, requests, base });
    return changedUsage === 'kept' ? outcomes : outcomes.map(({ usage: _, ...outcome }) => outcome);
  };
  const isTried = (given !== null || transcript.source === CODEX) && reproduction.kind === 'reproduced';
  return {
    ...shared,
    reproduction,
    changes: isTried ? changed() : [],
  };
}

/** Replays look at copies with other prefixes or compactions: what calls need is found once for all of them. */
export function withUses(recording: Transcript): Transcript {
  const isDone = recording.uses !== undefined || !hasUses(recording);
  return isDone ? recording : { ...recording, uses: () => usesOf(recording)! };
}

/** How the client of a recording asks for a summary; the more expensive way where it is not known. */
function summaryRequest(transcript: Transcript): SummaryRequest {
  return changedPlan(transcript).policy.params['compact.summariser'] === 'fork'
    ? 'same-prompt'
    : 'own-prompt';
}

function compactionKeys(transcript: Transcript): readonly string[] {
  return callKeys(transcript).flatMap(({ thread, step, key }) =>
    transcript.threads[thread]!.steps[step]!.kind === 'event' ? [key] : [],
  );
}

/** How well the recording is reproduced by its own client. */
function reproductionBy(facts: RunFacts): Reproduction {
  const found = facts.run?.transcript.reproduced;
  if (found === undefined) return { kind: 'set-aside', reason: 'it carries no usage' };
  if (facts.callsLost > 0)
    return { kind: 'set-aside', reason: `the run lost ${facts.callsLost} of its calls` };
  return { kind: 'reproduced', recordedNano: found.recordedNano, predictedNano: found.simulatedNano };
}

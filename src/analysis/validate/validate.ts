import { clientOfVersion, clientRegistry } from '../../agent/client/client.js';
import { BARE_API } from '../../agent/client/clients.generated.js';
import { claudeCodeVersion } from '../../agent/client/recorded-client.js';
import { codexProfile, type KnownProfile, rangeOf } from '../../agent/policies/own-policy.js';
import { type Digest, digestText } from '../../core/base/digest.js';
import { addTo, groupBy } from '../../core/base/groups.js';
import { quantile, ratio, sum } from '../../core/base/stats.js';
import type { Transcript } from '../../core/model/transcript.js';
import type { Usage } from '../../core/model/usage.js';
import { TTL_1H_MS, TTL_5M_MS } from '../../provider/cache/ttl.js';
import { callKeys } from '../../transcripts/sessions/copy-keys.js';
import { changedPlan, runChanged } from '../what-if.js';
import {
  type Comparison,
  compareRequests,
  type FidelityFigures,
  figuresOf,
  type Tally,
  tally,
} from './compare.js';
import { type CrashedSession, type ForwardOutcome, type ForwardSession, runForward } from './forward.js';
import { type ForwardFigures, forwardFigures } from './forward-figures.js';
import { type Prediction, predictRequests, type UnexplainedBreak, type Walk } from './predict.js';
import { predictPrompts } from './prompt-size.js';
import { type BestEffort, bestEffort } from './providers/best-effort.js';
import { ANTHROPIC, providerOfRecording, validateByProvider } from './providers/predict-provider.js';
import type { ServableRequest } from './providers/provider-requests.js';
import {
  checkCodexTriggers,
  checkTriggers,
  countTriggers,
  NO_TRIGGERS,
  type TriggerCounts,
  type TriggerReport,
} from './triggers.js';
import {
  type LeftOut,
  planRequests,
  type RecordedRequest,
  recordedTruth,
  startsMidSession,
  type Truth,
} from './truth.js';

/** The ways of predicting that stand side by side. */
export const WAYS = ['blind', 'given', 'baseline'] as const;

/** One of the ways of predicting. */
export type Way = (typeof WAYS)[number];

/** How far the simulator is from one recording. */
export interface FileFidelity {
  readonly file: string;
  readonly provider: string;
  readonly version: string | null;
  /** The profile that stands for its agent, and what says so; null if none is known. */
  readonly profile: KnownProfile | null;
  readonly requests: number;
  /** Digests of what its calls are known by. */
  readonly callIds: ReadonlySet<Digest>;
  readonly comparisons: Readonly<Record<Way, readonly Comparison[]>>;
  readonly tallies: Readonly<Record<Way, Tally>>;
  /** Blind, by model. */
  readonly byModel: ReadonlyMap<string, Tally>;
  readonly figures: Readonly<Record<Way, FidelityFigures>>;
  readonly breaks: readonly UnexplainedBreak[];
  readonly triggers: TriggerReport;
  /** The recording run forward. */
  readonly forward: ForwardOutcome;
  /** As the base of a what-if; null if no policy is known, or nothing can be taken from it. */
  readonly whatIf: WhatIfSession | null;
  /** Requests whose hits are chance; null if nothing is left to it. */
  readonly chance: readonly ServableRequest[] | null;
  readonly leftOut: readonly LeftOut[];
}

/** How far the simulator is from some recordings. */
interface GroupFigures extends Readonly<Record<Way, FidelityFigures>> {
  readonly requests: number;
  readonly triggers: TriggerCounts;
  readonly forward: ForwardFigures;
  readonly whatIf: WhatIfFigures;
}

/** How far the simulator is from all recordings together; `forward` is of Claude Code, others stand with their provider. */
export interface TotalFidelity extends GroupFigures {
  readonly unexplainedBreaks: number;
  /** The same by generation of the client. */
  readonly byClient: Readonly<Record<string, ForwardFigures>>;
  /** The same by provider. */
  readonly byProvider: Readonly<Record<string, ProviderFigures>>;
}

/** How far the simulator is from the recordings of one provider. */
export interface ProviderFigures extends GroupFigures {
  /** By model, blind. */
  readonly byModel: Readonly<Record<string, FidelityFigures>>;
  /** Expectation and interval, half by half; null if nothing is left to chance or the sessions are too few. */
  readonly bestEffort: BestEffort | null;
}

/** What is known of a recording once its provider or its client has been asked. */
type Judged = Pick<FileFidelity, 'profile' | 'comparisons' | 'breaks' | 'triggers' | 'chance' | 'leftOut'>;

/** Predicts every request of a recording in all ways and compares with what was recorded. */
export function validateTranscript(transcript: Transcript, file: string): FileFidelity {
  const truth = recordedTruth(transcript);
  const provider = providerOfRecording(transcript);
  const isForeign = provider !== ANTHROPIC;
  const judged = isForeign ? judgeForeign(transcript, truth, provider) : judge(transcript, truth);
  const tallies = eachWay((way) => tally(judged.comparisons[way]));
  const keys = callKeys(transcript).map(({ key }) => key);
  // Of other agents that use these models no policy is known.
  const isKnown = transcript.source === (isForeign ? 'codex' : 'claude-code');
  return {
    ...judged,
    file,
    provider,
    version: transcript.agentVersion,
    requests: judged.comparisons.blind.length,
    callIds: new Set(keys.filter((key) => key.startsWith('call ')).map((key) => digestText(key))),
    tallies,
    byModel: talliesByModel(judged.comparisons.blind),
    figures: eachWay((way) => figuresOf([tallies[way]])),
    forward: isKnown ? runForward(transcript, truth, file) : { kind: 'empty' },
    whatIf: isKnown ? runWhatIf(transcript) : null,
  };
}

/** A recording of Claude: all threads through one cache, with the behaviours of the client. */
function judge(transcript: Transcript, truth: Truth): Judged {
  const isClaudeCode = transcript.source === 'claude-code';
  const { profile: name, evidence } = rangeOf(transcript.agentVersion);
  const learnt = predictPrompts(transcript, truth, 'learnt');
  const given = predictRequests(transcript, truth, 'recorded');
  const blind = predictRequests(transcript, truth, 'none');
  const rough = predictPrompts(transcript, truth, 'chars-4');
  const triggers = isClaudeCode ? checkTriggers(transcript, truth, blind, learnt) : NO_TRIGGERS;
  return {
    profile: isClaudeCode ? { name, evidence } : null,
    comparisons: {
      blind: compareRequests(truth, blind, learnt),
      given: compareRequests(truth, given, learnt),
      baseline: compareRequests(truth, predictByBaseline(transcript, truth), rough),
    },
    breaks: given.breaks,
    triggers,
    chance: null,
    leftOut: [...truth.leftOut, ...unseenParts(transcript, truth, triggers)],
  };
}

/** The same for a recording of another provider: its cache by its rules, its policy where one is known. */
function judgeForeign(transcript: Transcript, truth: Truth, provider: string): Judged {
  const { breaks, chance, ...comparisons } = validateByProvider(transcript, truth, provider);
  const isCodex = transcript.source === 'codex';
  return {
    profile: isCodex ? codexProfile(transcript) : null,
    comparisons,
    breaks,
    triggers: isCodex ? checkCodexTriggers(transcript, truth) : NO_TRIGGERS,
    chance,
    leftOut: truth.leftOut,
  };
}

function unseenParts(transcript: Transcript, truth: Truth, { unchecked }: TriggerReport): readonly LeftOut[] {
  const inside = transcript.threads.filter(
    (thread) => truth.threads.get(thread.id)?.[0] !== undefined && startsMidSession(thread),
  );
  const left = [
    {
      what: 'threads that start in mid-session',
      why: 'only the size of what came before is known; system and tools are assumed to be typical',
      count: inside.length,
    },
    {
      what: 'recorded compactions without the requests before them',
      why: 'what the client counted is unknown',
      count: unchecked,
    },
  ];
  return left.filter(({ count }) => count > 0);
}

/** The figures of all files together. */
export function totalFidelity(files: readonly FileFidelity[]): TotalFidelity {
  const figures = eachWay((way) => figuresOf(files.map((file) => file.tallies[way])));
  const { sessions, crashed } = forwardOf(files.filter(({ provider }) => provider === ANTHROPIC));
  return {
    requests: files.reduce((sum, file) => sum + file.requests, 0),
    unexplainedBreaks: files.reduce((sum, file) => sum + file.breaks.length, 0),
    ...figures,
    triggers: countTriggers(files.map((file) => file.triggers)),
    forward: forwardFigures(sessions, crashed),
    whatIf: whatIfOf(files.filter(({ provider }) => provider === ANTHROPIC)),
    byProvider: Object.fromEntries(
      [...new Set(files.map(({ provider }) => provider))].map((provider) => [
        provider,
        providerFigures(files.filter((file) => file.provider === provider)),
      ]),
    ),
    byClient: Object.fromEntries(
      clientsIn(sessions).map((client) => [
        client,
        forwardFigures(
          sessions.filter((session) => session.client === client),
          crashed.filter(({ version }) => clientOfVersion(version).name === client),
        ),
      ]),
    ),
  };
}

/** The sessions that were run forward, and those whose run failed. */
function forwardOf(files: readonly FileFidelity[]): {
  readonly sessions: readonly ForwardSession[];
  readonly crashed: readonly CrashedSession[];
} {
  return {
    sessions: files.flatMap(({ forward }) => (forward.kind === 'ran' ? [forward.session] : [])),
    crashed: files.flatMap(({ forward }) => (forward.kind === 'crashed' ? [forward.session] : [])),
  };
}

function whatIfOf(files: readonly FileFidelity[]): WhatIfFigures {
  return whatIfFigures(files.flatMap(({ whatIf }) => whatIf ?? []));
}

function providerFigures(files: readonly FileFidelity[]): ProviderFigures {
  const { sessions, crashed } = forwardOf(files);
  return {
    requests: files.reduce((sum, file) => sum + file.requests, 0),
    ...eachWay((way) => figuresOf(files.map((file) => file.tallies[way]))),
    triggers: countTriggers(files.map((file) => file.triggers)),
    forward: forwardFigures(sessions, crashed),
    whatIf: whatIfOf(files),
    byModel: figuresByModel(files),
    bestEffort: bestEffort(
      files.flatMap(({ file, chance }) => (chance === null ? [] : [{ file, requests: chance }])),
    ),
  };
}

/** The requests of each model, blind; a session in which several answered is one of each. */
function figuresByModel(files: readonly FileFidelity[]): Readonly<Record<string, FidelityFigures>> {
  const models = new Map<string, Tally[]>();
  for (const { byModel } of files) for (const [model, own] of byModel) addTo(models, model, own);
  return Object.fromEntries([...models].map(([model, tallies]) => [model, figuresOf(tallies)]));
}

function talliesByModel(comparisons: readonly Comparison[]): ReadonlyMap<string, Tally> {
  const models = groupBy(comparisons, ({ request }) => request.model);
  return new Map([...models].map(([model, own]) => [model, tally(own)]));
}

/** The clients of sessions, the oldest first. */
function clientsIn(sessions: readonly { readonly client: string }[]): readonly string[] {
  const present = new Set(sessions.map(({ client }) => client));
  return clientRegistry.names.filter((name) => present.has(name));
}

function eachWay<T>(make: (way: Way) => T): Record<Way, T> {
  return { blind: make('blind'), given: make('given'), baseline: make('baseline') };
}

function lifetimeOf(usage: Usage, beforeMs: number): number {
  if (usage.cacheWrite1h > 0) return TTL_1H_MS;
  return usage.cacheWrite5m > 0 ? TTL_5M_MS : beforeMs;
}

function predictionOf(
  request: RecordedRequest,
  read: number,
  lifetimeMs: number,
  cause: Prediction['cause'],
): Prediction {
  const { output } = request.usage;
  const cacheRead = Math.min(read, request.cached);
  const written = request.cached - cacheRead;
  const long = lifetimeMs === TTL_1H_MS;
  const usage: Usage = {
    input: request.prompt - request.cached,
    cacheRead,
    cacheWrite5m: long ? 0 : written,
    cacheWrite1h: long ? written : 0,
    output,
  };
  return { usage, cause, risk: { chance: 0, cost: 0 } };
}

/**
 * The one-line rule (E7): a request reads the whole cached prefix of the previous one when the gap is within the
 * lifetime of the last write, else what the first request read; after a compaction that too; after a model switch nothing.
 */
function predictByBaseline(transcript: Transcript, truth: Truth): Walk {
  const predictions = new Map<string, Prediction>();
  for (const thread of transcript.threads) {
    const plans = planRequests(thread, truth, () => BARE_API, claudeCodeVersion(transcript));
    let lifetimeMs = TTL_5M_MS;
    let prefix = 0;
    for (const plan of plans) {
      const { request } = plan;
      const { previous } = request;
      const writtenForMs = lifetimeMs;
      lifetimeMs = lifetimeOf(request.usage, lifetimeMs);
      if (previous === null) {
        prefix = request.read;
        predictions.set(request.key, predictionOf(request, request.read, lifetimeMs, 'first'));
      } else {
        const alive = request.gapMs! <= writtenForMs;
        const compacted = plan.cause === 'compaction' || plan.cause === 'microcompaction';
        const switched = request.model !== previous.model;
        const read = switched ? 0 : compacted || !alive ? prefix : previous.cached;
        const late = writtenForMs === TTL_1H_MS ? 'ttl-1h' : 'ttl-5m';
        const cause = switched ? 'model' : compacted ? plan.cause! : alive ? 'hit' : late;
        predictions.set(request.key, predictionOf(request, read, lifetimeMs, cause));
      }
    }
  }
  return { predictions, breaks: [] };
}

/** A recording as the base of a what-if, and with its compactions left to the policy; nano-dollars of input. */
interface WhatIfSession {
  readonly recordedNano: number;
  readonly simulatedNano: number;
  /** What the policy makes of it when it decides for itself, and how far that may be off; 0 where it never compacts. */
  readonly freeNano: number;
  readonly offNano: number;
}

/** How well what-ifs start from what happened, as shares; null if there is nothing to compare. */
export interface WhatIfFigures
  extends Pick<ForwardFigures, 'sessions' | 'costErrorMedian' | 'costErrorP90' | 'intervalCoverage90'> {
  /** Signed error of all sessions together. */
  readonly net: number | null;
  /** Sessions that the policy compacts by itself: of them the coverage of the interval is. */
  readonly compacted: number;
}

/** Runs a recording as the base of a what-if; null if nothing can be taken from it. @internal */
export function runWhatIf(transcript: Transcript): WhatIfSession | null {
  const plan = changedPlan(transcript);
  const found = runChanged(plan, transcript).run?.transcript.reproduced;
  if (found === undefined || found.recordedNano === 0) return null;
  let freeNano = 0;
  const { costInterval } = runChanged(plan, transcript, {
    course: 'free',
    onEntry(entry) {
      if (entry.type === 'request' && (entry.purpose === 'main' || entry.purpose === 'subagent'))
        freeNano += entry.cost - entry.outputCost;
    },
  });
  const offNano = costInterval === null ? 0 : (costInterval.high - costInterval.low) / 2;
  return { recordedNano: found.recordedNano, simulatedNano: found.simulatedNano, freeNano, offNano };
}

/** The figures of several sessions. @internal */
export function whatIfFigures(sessions: readonly WhatIfSession[]): WhatIfFigures {
  const errors = sessions.map(({ recordedNano, simulatedNano }) =>
    Math.abs(simulatedNano / recordedNano - 1),
  );
  const recorded = sum(sessions.map(({ recordedNano }) => recordedNano));
  const simulated = sum(sessions.map(({ simulatedNano }) => simulatedNano));
  const compacted = sessions.filter(({ offNano }) => offNano > 0);
  const held = compacted.filter(
    ({ recordedNano, freeNano, offNano }) => Math.abs(freeNano - recordedNano) <= offNano,
  );
  return {
    sessions: sessions.length,
    costErrorMedian: quantile(errors, 0.5),
    costErrorP90: quantile(errors, 0.9),
    net: ratio(simulated - recorded, recorded),
    compacted: compacted.length,
    intervalCoverage90: ratio(held.length, compacted.length),
  };
}

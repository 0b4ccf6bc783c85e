import { clientOfVersion } from '../../agent/client/client.js';
import { ownPlan } from '../../agent/policies/own-policy.js';
import { messageOf } from '../../core/base/errors.js';
import { ratio } from '../../core/base/stats.js';
import { isSummaryFork, type Transcript } from '../../core/model/transcript.js';
import type { LayerEntry, RequestEntry } from '../../core/run/log-entries.js';
import type { EndEntry, LogEntry } from '../../core/run/run-log.js';
import type { RunPlan } from '../../core/run/run-plan.js';
import { replay } from '../../engine/run/replay.js';
import { type CostInterval, chanceInterval, RiskTally } from '../../metrics/cost-interval.js';
import { modelOrUnknown } from '../../provider/prices/models.js';
import { withUntoldWrites } from '../../provider/providers/providers.js';
import { inputNano } from './compare.js';
import type { Place, RecordedRequest, Truth } from './truth.js';

/** A number that was simulated beside the recorded one. */
export interface Beside {
  readonly predicted: number;
  readonly recorded: number;
}

/** One recording run forward: what would have happened, beside what did. */
export interface ForwardSession {
  readonly file: string;
  readonly version: string | null;
  readonly profile: string;
  readonly client: string;
  readonly requests: number;
  /** Recorded calls that the run did not get to. */
  readonly callsLost: number;
  /** Input cost of the requests that the recording shows too, in nano-dollars. */
  readonly cost: Beside;
  /** Tokens that were written, as the recording tells; or as its provider's rules have it, which bill them, where it tells none. */
  readonly recordedWrites: 'told' | 'assumed';
  /** The same with the average cost of unpredictable breaks, and the 90 % interval; one number where nothing is left to chance. */
  readonly interval: CostInterval;
  readonly hitRate: { readonly predicted: number | null; readonly recorded: number | null };
  readonly compactions: Beside;
  /** The request that each compaction came before, by its place in the thread. */
  readonly compactedAt: { readonly predicted: readonly Place[]; readonly recorded: readonly Place[] };
  /** The first request behind each compaction that both made, in order: its prompt and what it read. */
  readonly contextAfter: readonly Beside[];
  readonly firstReadAfter: readonly Beside[];
}

/** A recording whose run failed. */
export interface CrashedSession extends Pick<ForwardSession, 'file' | 'version'> {
  readonly message: string;
}

/** What came of running a recording forward; null for one without a request that can be priced. */
export type ForwardOutcome =
  | { readonly kind: 'ran'; readonly session: ForwardSession }
  | { readonly kind: 'crashed'; readonly session: CrashedSession }
  | { readonly kind: 'empty' };

/** The plan that a recording is run forward under: that of its own client, with nothing known of what happened. */
export function forwardPlan(transcript: Transcript): RunPlan {
  return { ...ownPlan(transcript), name: 'forward', mode: 'predict' };
}

class ForwardSink {
  predictedNano = 0;
  prompt = 0;
  read = 0;
  requests = 0;
  lost = 0;
  readonly compactedAt: Place[] = [];
  readonly risks = new RiskTally();
  chance: EndEntry['chance'];
  /** The first request of a thread behind each of its compactions. */
  readonly after: RequestEntry[] = [];
  readonly #compacted = new Set<string>();
  readonly #placed = new Map<string, number>();

  /** Requests at the start of each thread that a fork copied. */
  constructor(private readonly copied: number) {}

  write(entry: LogEntry): void {
    if (entry.type === 'request') this.#request(entry);
    else if (entry.type === 'layer') this.#layer(entry);
    else if (entry.type === 'lost') this.lost += entry.calls;
    else if (entry.type === 'end') this.chance = entry.chance;
  }

  #request(entry: RequestEntry): void {
    if (entry.purpose !== 'main' && entry.purpose !== 'subagent') return;
    const place = this.#place(entry.thread);
    this.#placed.set(entry.thread, place + 1);
    if (place < this.copied) return;
    this.requests++;
    this.predictedNano += entry.cost - entry.outputCost;
    this.prompt += entry.prompt;
    this.read += entry.read;
    if (entry.risk !== undefined) this.risks.add(entry.risk);
    if (this.#compacted.delete(entry.thread)) this.after.push(entry);
  }

  #layer({ action, outcome, thread }: LayerEntry): void {
    if (action !== 'compact' || outcome !== 'done' || this.#place(thread) < this.copied) return;
    this.compactedAt.push({ thread, request: this.#place(thread) });
    this.#compacted.add(thread);
  }

  get interval(): CostInterval {
    const cost = this.predictedNano;
    const compactions = this.compactedAt.length > 0 ? 'some' : 'none';
    if (this.chance !== undefined) return chanceInterval(cost, this.chance, compactions);
    return this.risks.interval(cost, compactions) ?? { expected: cost, low: cost, high: cost };
  }

  #place(thread: string): number {
    return this.#placed.get(thread) ?? 0;
  }
}

/** The first recorded request behind each compaction, in the order of the threads. */
function recordedAfter({ compactedAt, threads }: Truth): readonly RecordedRequest[] {
  const found = compactedAt.flatMap(({ thread, request }) => threads.get(thread)![request] ?? []);
  return [...new Set(found)];
}

/** Runs a recording forward under the profile of its version, without a look at its automatic compactions. */
export function runForward(transcript: Transcript, truth: Truth, file: string): ForwardOutcome {
  const version = transcript.agentVersion;
  const summaries = new Set(transcript.threads.filter(isSummaryFork).map(({ id }) => id));
  const recorded = [...truth.threads].flatMap(([id, requests]) =>
    summaries.has(id) ? [] : requests.slice(truth.copied),
  );
  const hasWrites = transcript.carries.includes('cache-writes');
  const usages = recorded.map(({ usage }) => usage);
  const billed = hasWrites
    ? usages
    : recorded.map(({ model, usage }) => withUntoldWrites(modelOrUnknown(model), usage));
  const recordedNano = recorded.reduce((sum, request, i) => sum + inputNano(request, billed[i]!), 0);
  if (recorded.length < FEWEST_REQUESTS || recordedNano === 0) return { kind: 'empty' };
  const plan = forwardPlan(transcript);
  const sink = new ForwardSink(truth.copied);
  try {
    replay(plan, transcript, sink);
  } catch (error) {
    const message = messageOf(error);
    return { kind: 'crashed', session: { file, version, message } };
  }
  const cost = { predicted: sink.predictedNano, recorded: recordedNano };
  const behind = recordedAfter(truth);
  const pairs = Math.min(behind.length, sink.after.length);
  const beside = (pick: (run: RequestEntry) => number, own: (request: RecordedRequest) => number): Beside[] =>
    behind.slice(0, pairs).map((request, i) => ({ predicted: pick(sink.after[i]!), recorded: own(request) }));
  const prompt = recorded.reduce((sum, request) => sum + request.prompt, 0);
  const read = recorded.reduce((sum, request) => sum + request.read, 0);
  const compactedAt = { predicted: sink.compactedAt, recorded: truth.compactedAt };
  const compactions = { predicted: sink.compactedAt.length, recorded: compactedAt.recorded.length };
  return {
    kind: 'ran',
    session: {
      file,
      version,
      profile: plan.policy.name,
      client: transcript.source === 'codex' ? transcript.source : clientOfVersion(version).name,
      requests: recorded.length,
      callsLost: sink.lost,
      cost,
      recordedWrites: billed.every((usage, i) => usage === usages[i]) ? 'told' : 'assumed',
      interval: sink.interval,
      hitRate: { predicted: ratio(sink.read, sink.prompt), recorded: ratio(read, prompt) },
      compactions,
      compactedAt,
      contextAfter: beside(
        (entry) => entry.prompt,
        (request) => request.prompt,
      ),
      firstReadAfter: beside(
        (entry) => entry.read,
        (request) => request.read,
      ),
    },
  };
}

/** A single request tells nothing about what a session costs. */
const FEWEST_REQUESTS = 2;

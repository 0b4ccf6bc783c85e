import { groupBy } from '../../../core/base/groups.js';
import { ratio, sum, sumKnown } from '../../../core/base/stats.js';
import {
  callsIn,
  compactionsIn,
  countCalls,
  isOutputEstimated,
  outputOf,
  type Thread,
  type Transcript,
} from '../../../core/model/transcript.js';
import { promptTokens } from '../../../core/model/usage.js';
import type { RecordedBill } from '../../../core/run/recorded-bill.js';
import { billedCalls, recordedUsd } from '../../../metrics/metric.js';
import { findModel } from '../../../provider/prices/models.js';
import { recordedBill } from '../../../provider/prices/recorded-bill.js';
import { callKeys } from '../../../transcripts/sessions/copy-keys.js';

/** Calls of one kind of step, and what their prompts found in the cache. */
interface StepHits {
  readonly calls: number;
  readonly promptTokens: number;
  readonly cachedTokens: number;
  /** The sum over the calls of each one's share. */
  readonly shares: number;
}

/** The calls of main conversations by what they answer, and the compactions before a call that answers a tool. */
interface StepFacts {
  readonly afterPrompt: StepHits;
  readonly afterTools: StepHits;
  readonly midLoopCompactions: number;
}

const NO_HITS: StepHits = { calls: 0, promptTokens: 0, cachedTokens: 0, shares: 0 };

function addHits(a: StepHits, b: StepHits): StepHits {
  return {
    calls: a.calls + b.calls,
    promptTokens: a.promptTokens + b.promptTokens,
    cachedTokens: a.cachedTokens + b.cachedTokens,
    shares: a.shares + b.shares,
  };
}

/** What each call answers: the first thing that came in since the response before, a prompt or the result of a tool. @internal */
export function stepFacts(threads: readonly Pick<Thread, 'parentId' | 'steps'>[]): StepFacts {
  const hits = { human: NO_HITS, tool: NO_HITS };
  let midLoopCompactions = 0;
  for (const { steps } of threads.filter(({ parentId }) => parentId === null)) {
    let answers: 'human' | 'tool' | null = null;
    let compactions = 0;
    for (const step of steps) {
      if (step.kind === 'message') {
        const { origin } = step.message;
        if (origin === 'human' || origin === 'tool') answers ??= origin;
      } else if (step.kind === 'event') {
        if (step.event.kind === 'recorded-compaction') compactions++;
      } else {
        if (answers === 'tool') midLoopCompactions += compactions;
        const { usage } = step.call;
        if (answers !== null && usage !== null) {
          const tokens = promptTokens(usage);
          hits[answers] = addHits(hits[answers], {
            calls: 1,
            promptTokens: tokens,
            cachedTokens: usage.cacheRead,
            shares: ratio(usage.cacheRead, tokens) ?? 0,
          });
        }
        answers = null;
        compactions = 0;
      }
    }
  }
  return { afterPrompt: hits.human, afterTools: hits.tool, midLoopCompactions };
}

/** How much of the prompts came from the cache: of all their tokens, and in the mean over the calls. */
interface HitRates {
  readonly calls: number;
  readonly hitRate: number | null;
  readonly meanHitRate: number | null;
}

/** The sessions of one provider: how many compact, how many compactions come in the middle of a tool loop, and the hit rates by step. */
export interface ProviderSteps {
  readonly provider: string | null;
  readonly sessions: number;
  readonly compactedSessions: number;
  readonly compactions: number;
  readonly midLoopCompactions: number;
  readonly afterPrompt: HitRates;
  readonly afterTools: HitRates;
}

function ratesOf(all: readonly StepHits[]): HitRates {
  const { calls, promptTokens: tokens, cachedTokens, shares } = all.reduce(addHits, NO_HITS);
  return { calls, hitRate: ratio(cachedTokens, tokens), meanHitRate: ratio(shares, calls) };
}

/** Sessions by provider, those with the most sessions first. */
export function stepsByProvider(
  sessions: readonly Pick<SessionFacts, 'provider' | 'compactions' | 'steps'>[],
): readonly ProviderSteps[] {
  return [...groupBy(sessions, ({ provider }) => provider)]
    .map(([provider, own]) => ({
      provider,
      sessions: own.length,
      compactedSessions: own.filter(({ compactions }) => compactions > 0).length,
      compactions: sum(own.map(({ compactions }) => compactions)),
      midLoopCompactions: sum(own.map(({ steps }) => steps.midLoopCompactions)),
      afterPrompt: ratesOf(own.map(({ steps }) => steps.afterPrompt)),
      afterTools: ratesOf(own.map(({ steps }) => steps.afterTools)),
    }))
    .sort((a, b) => b.sessions - a.sessions || (String(a.provider) < String(b.provider) ? -1 : 1));
}

/** A session in one row: what `inspect --json` calls `sessions`. */
export interface SessionFacts {
  readonly file: string;
  /** The agent that recorded it: the name of its reader. */
  readonly agent: string;
  /** Whose models answered: of most calls if they differ; null if unknown. */
  readonly provider: string | null;
  readonly models: readonly string[];
  /** Responses with usage; all responses where the recording holds no usage. */
  readonly calls: number;
  readonly promptTokens: number | null;
  readonly cachedTokens: number | null;
  /** Null if the source does not tell. */
  readonly writtenTokens: number | null;
  /** What is priced: estimated where the recording holds a placeholder. */
  readonly outputTokens: number | null;
  /** The tokens in it of calls whose output is estimated. */
  readonly estimatedOutputTokens: number | null;
  /** At list prices, of the calls whose model has one; null if none has, or nothing was recorded. */
  readonly costUsd: number | null;
  /** Calls of models without a price: the cost is without them. */
  readonly unpricedCalls: number;
  readonly from: string | null;
  readonly to: string | null;
  readonly compactions: number;
  readonly steps: StepFacts;
  /** Responses without usage: in no other figure. */
  readonly withoutUsage: number;
  /** Calls whose recorded output is a placeholder: output and cost are estimated for them. */
  readonly estimatedOutputs: number;
  /** Calls that another session before it holds too: counted there. */
  readonly repeatedCalls: number;
}

/** A session with what its calls cost together. */
export interface SessionReading {
  readonly row: SessionFacts;
  readonly bill: RecordedBill | null;
}

/** The model of responses that a client made up itself. */
const NO_MODEL = '<synthetic>';

function mostCommon(names: readonly string[]): string | null {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  const [first] = [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  return first?.[0] ?? null;
}

function isoTime(ms: number | null): string | null {
  return ms === null || Math.abs(ms) > 8.64e15 ? null : new Date(ms).toISOString();
}

/** When the last thing of a session happened, from its beginning on. */
function lastMs({ threads }: Transcript): number {
  let last = 0;
  for (const { steps } of threads)
    for (const step of steps) {
      if (step.kind === 'call') last = Math.max(last, step.call.endMs);
      else if (step.kind === 'event') last = Math.max(last, step.event.at);
    }
  return last;
}

/** The transcript without the calls and compactions that were seen before; what is new is remembered. */
function withoutSeen(transcript: Transcript, seen: Set<string>): Pick<Transcript, 'threads'> {
  const repeated = transcript.threads.map(() => new Set<number>());
  for (const { thread, step, key } of callKeys(transcript)) {
    if (seen.has(key)) repeated[thread]!.add(step);
    else seen.add(key);
  }
  return {
    threads: transcript.threads.map((thread, t) => ({
      ...thread,
      steps: thread.steps.filter((_, s) => !repeated[t]!.has(s)),
    })),
  };
}

/** Sums up a session; calls whose keys were seen in earlier ones are left out, its own are added to them. */
export function sessionFacts(
  transcript: Transcript,
  source: { readonly file: string; readonly format: string },
  seen: Set<string>,
): SessionReading {
  const own = withoutSeen(transcript, seen);
  const all = callsIn(transcript.threads);
  const calls = callsIn(own.threads);
  const bill = recordedBill({ ...transcript, ...own });
  const hasUsage = all.some(({ usage }) => usage !== null);
  const started = transcript.carries.includes('timestamps') ? transcript.startedAtMs : null;
  const total = (pick: (bill: RecordedBill) => number): number | null =>
    bill === null ? (hasUsage ? 0 : null) : pick(bill);
  const row: SessionFacts = {
    file: source.file,
    agent: source.format,
    provider: transcript.provider ?? mostCommon(all.flatMap(({ model }) => findModel(model)?.provider ?? [])),
    models: [...new Set(all.map(({ model }) => model))].filter((name) => name !== NO_MODEL).sort(),
    calls: hasUsage ? (bill?.calls ?? 0) : countCalls(own),
    promptTokens: total(({ tokens }) => promptTokens(tokens)),
    cachedTokens: total(({ tokens }) => tokens.cacheRead),
    writtenTokens: transcript.carries.includes('cache-writes')
      ? total(({ tokens }) => tokens.cacheWrite5m + tokens.cacheWrite1h)
      : null,
    outputTokens: total(({ tokens }) => tokens.output),
    estimatedOutputTokens: hasUsage
      ? sum(calls.filter((call) => call.usage !== null && isOutputEstimated(call)).map(outputOf))
      : null,
    costUsd: bill === null ? (hasUsage ? 0 : null) : recordedUsd(bill),
    unpricedCalls: bill === null ? 0 : billedCalls(bill).unpricedCalls,
    from: isoTime(started),
    to: isoTime(started === null ? null : started + lastMs(transcript)),
    compactions: compactionsIn(own.threads).length,
    steps: stepFacts(own.threads),
    withoutUsage: hasUsage ? calls.filter(({ usage }) => usage === null).length : 0,
    estimatedOutputs: bill?.estimatedOutputs ?? 0,
    repeatedCalls: all.length - calls.length,
  };
  return { row, bill };
}

/** All sessions together. */
export interface SessionsTotal
  extends Pick<
    SessionFacts,
    | 'calls'
    | 'promptTokens'
    | 'cachedTokens'
    | 'writtenTokens'
    | 'outputTokens'
    | 'estimatedOutputTokens'
    | 'costUsd'
    | 'unpricedCalls'
    | 'compactions'
  > {
  readonly sessions: number;
  readonly hitRate: number | null;
  /** Sessions that do not report writes. */
  readonly withoutWrites: number;
  /** Calls with usage: those of them whose model has a price are the cost. */
  readonly costCalls: number;
  /** Sessions without such a call. */
  readonly withoutCost: number;
}

/** Adds sessions up, each figure over those that report it. */
export function sessionsTotal(rows: readonly SessionFacts[]): SessionsTotal {
  const total = (pick: (row: SessionFacts) => number | null): number | null => sumKnown(rows.map(pick));
  const prompts = total((row) => row.promptTokens);
  const cached = total((row) => row.cachedTokens);
  return {
    sessions: rows.length,
    calls: sum(rows.map((row) => row.calls)),
    promptTokens: prompts,
    cachedTokens: cached,
    hitRate: prompts === null || cached === null ? null : ratio(cached, prompts),
    writtenTokens: total((row) => row.writtenTokens),
    withoutWrites: rows.filter((row) => row.writtenTokens === null).length,
    outputTokens: total((row) => row.outputTokens),
    estimatedOutputTokens: total((row) => row.estimatedOutputTokens),
    costUsd: total((row) => row.costUsd),
    costCalls: sum(rows.map((row) => (row.promptTokens === null ? 0 : row.calls))),
    withoutCost: rows.filter((row) => row.costUsd === null).length,
    unpricedCalls: sum(rows.map((row) => row.unpricedCalls)),
    compactions: sum(rows.map((row) => row.compactions)),
  };
}

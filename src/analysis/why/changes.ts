import type { Settings } from '../../agent/policies/own-policy.js';
import type { Step, Thread, Transcript } from '../../core/model/transcript.js';
import { NO_USAGE, type Usage } from '../../core/model/usage.js';
import type { RequestEntry } from '../../core/run/log-entries.js';
import type { LogEntry } from '../../core/run/run-log.js';
import type { CallPurpose, RunPlan } from '../../core/run/run-plan.js';
import type { RequestListener } from '../../engine/requests/run-env.js';
import { changedRecording } from '../../engine/run/what-if.js';
import { deltaError } from '../../metrics/cost-interval.js';
import type { RunFacts } from '../../metrics/facts.js';
import { heldNano } from '../../metrics/metric.js';
import { modelsOf } from '../../provider/prices/models.js';
import { type PriceTimes, pricesFor, priceTimes } from '../../provider/prices/price.js';
import type { Truth } from '../validate/truth.js';
import { type Change, changedPlan, runChanged } from '../what-if.js';
import type { AttributedRequest } from './attribute.js';
import { SWITCH_CAUSES } from './causes.js';
import { partings } from './pauses.js';

/** The changes that are tried. */
export const CHANGES = [
  '1-hour lifetime',
  '5-minute lifetime',
  '/compact before long pauses',
  'compact at half the window',
  'no mid-session switches',
] as const;

/** One of them. */
export type ChangeName = (typeof CHANGES)[number];

/** The usage of one request of a run. */
export interface UsageAt {
  /** Time in its session, less what a change delays it by. */
  readonly atMs: number;
  readonly purpose: CallPurpose;
  readonly model: string;
  /** List price of its input, dollars per million tokens. */
  readonly inputUsd: number;
  readonly usage: Usage;
}

/** What a change would have saved on one session, and how far that may be off; nano-dollars, negative where it costs. */
export interface ChangeOutcome {
  readonly name: ChangeName;
  readonly savedNano: number;
  readonly offNano: number;
  /** What it saves besides on requests that no recording holds; not in what is saved, which is bounded by what was recorded. */
  readonly unrecordedNano?: number;
  /** The part of what is saved at the first request behind each pause, the summaries taken off; absent for other changes. */
  readonly atPausesNano?: number;
  /** What fetching again costs that compactions of it forget, as fitted and at most; not taken off what is saved. */
  readonly refetchNano?: number;
  readonly refetchMostNano?: number;
  /** Why it did nothing where it was due; null if it acted, or was never due. */
  readonly heldBack: string | null;
  /** The context window of the session's client; null if none is known, absent if none was asked for. */
  readonly window?: number | null;
  /** The requests without it and with it; absent if it could not have acted. */
  readonly usage?: { readonly before: readonly UsageAt[]; readonly after: readonly UsageAt[] };
}

/** A share of what a change does. */
export function partOfChange(change: ChangeOutcome, share: number): ChangeOutcome {
  const {
    savedNano,
    offNano,
    unrecordedNano = 0,
    atPausesNano,
    refetchNano = 0,
    refetchMostNano = 0,
  } = change;
  const part = (nano: number): number => Math.round(nano * share);
  return {
    ...change,
    savedNano: part(savedNano),
    offNano: part(offNano),
    unrecordedNano: part(unrecordedNano),
    ...(atPausesNano === undefined ? {} : { atPausesNano: part(atPausesNano) }),
    refetchNano: part(refetchNano),
    refetchMostNano: part(refetchMostNano),
  };
}

/** A session as far as its changes need it. */
export interface ChangeInput {
  readonly transcript: Transcript;
  readonly truth: Truth;
  readonly requests: readonly AttributedRequest[];
  /** Its run as it was. */
  readonly base: ChangedRun;
}

/** Half of the window, as the settings of the profiles take it: Claude Code's, and Codex's. */
const HALF = { 'window.percent': 50 };
const HALF_OF_CODEX = { 'base.times': 0.5 };

/** How far what switches cost may be off: it is known from the record. */
const SWITCH_ERROR = 0.03;

interface ChangedRunOptions {
  /** The run without the change: requests are dated as in it. */
  readonly base?: ChangedRun;
  readonly onRequest?: RequestListener;
}

/** A run of a session, as it was or under a change. */
export class ChangedRun {
  /** What each request of a conversation cost, by its turn, and summaries apart. */
  readonly costs = new Map<string, number>();
  summaryNano = 0;
  readonly usage: UsageAt[] = [];
  /** What the run says where a threshold was reached in vain. */
  heldBack: string | null = null;
  /** The window of its first conversation. */
  window: number | null = null;
  readonly facts: RunFacts;
  readonly #pricedAt: PriceTimes;
  readonly #base: ChangedRun | undefined;
  /** When each request of a conversation was sent, by its turn. */
  readonly #times = new Map<string, number>();
  /** By thread, how much later than without the change its latest request was sent. */
  readonly #delays = new Map<string, number>();

  constructor(
    readonly plan: RunPlan,
    transcript: Transcript,
    { base, onRequest }: ChangedRunOptions = {},
  ) {
    this.#base = base;
    this.#pricedAt = priceTimes(transcript, plan);
    this.facts = runChanged(plan, transcript, {
      onEntry: (entry) => this.#onEntry(entry),
      ...(onRequest === undefined ? {} : { onRequest }),
    });
  }

  #onEntry(entry: LogEntry): void {
    if (entry.type === 'warning' && entry.code === 'no-auto-compaction') this.heldBack = entry.message;
    if (entry.type === 'thread' && entry.parent === null) this.window ??= entry.window;
    if (entry.type !== 'request') return;
    const { t, thread } = entry;
    if (entry.purpose === 'main' || entry.purpose === 'subagent') {
      const key = `${thread} ${entry.turn}`;
      this.costs.set(key, entry.cost);
      this.#times.set(key, t);
      const before = this.#base === undefined ? t : this.#base.#times.get(key);
      if (before !== undefined) this.#delays.set(thread, t - before);
    } else this.summaryNano += entry.cost;
    this.usage.push(this.#usageOf(entry));
  }

  #usageOf(entry: RequestEntry): UsageAt {
    const { t, thread, purpose, model, prompt, input, read, write5m, write1h, output } = entry;
    const { input: inputUsd } = pricesFor(modelsOf(this.plan).orUnknown(model), prompt, this.#pricedAt(t));
    const usage = { input, cacheRead: read, cacheWrite5m: write5m, cacheWrite1h: write1h, output };
    return { atMs: t - (this.#delays.get(thread) ?? 0), purpose, model, inputUsd, usage };
  }

  /** What went to requests that the recording holds: no change saves more than they save. What others add is part of its cost. */
  get heldNano(): number {
    const { cost, run } = this.facts;
    return heldNano(cost, run?.transcript.recorded);
  }

  get ends() {
    const { total: cost } = this.facts.cost;
    const { low = cost, high = cost } = this.facts.costInterval ?? {};
    return { cost, low, high };
  }
}

/** What a change adds to the faults of a session; nothing if the session has no text, or the change takes nothing out. */
function refetched(
  { faults: before }: RunFacts,
  { faults: after }: RunFacts,
): Pick<ChangeOutcome, 'refetchNano' | 'refetchMostNano'> {
  if (before === null || after === null) return {};
  return {
    refetchNano: Math.max(0, after.refetchNano - before.refetchNano),
    refetchMostNano: Math.max(0, after.refetchMostNano - before.refetchMostNano),
  };
}

function outcome(name: ChangeName, before: ChangedRun, after: ChangedRun): ChangeOutcome {
  // As in a study: a run that loses calls is not compared, however little it costs.
  if (after.facts.callsLost > before.facts.callsLost)
    return { name, savedNano: 0, offNano: 0, heldBack: 'calls would have gone unanswered' };
  const saved = before.ends.cost - after.ends.cost;
  const savedNano = Math.min(saved, Math.max(0, before.heldNano - after.heldNano));
  return {
    name,
    savedNano,
    unrecordedNano: saved - savedNano,
    offNano: Math.round(deltaError(after.ends, before.ends)),
    ...refetched(before.facts, after.facts),
    heldBack: null,
    usage: { before: before.usage, after: after.usage },
  };
}

/** A user who compacts before leaving: wherever that was possible before a pause that outlasts the cache. */
function compactedBeforePauses(
  thread: Thread,
  truth: Truth,
): { readonly thread: Thread; readonly turns: readonly string[] } {
  const found = partings(thread, truth);
  const behind = new Map([...found.values()].map(({ step, at }) => [step, at]));
  const compaction = { instructions: null, partial: null };
  const turns: string[] = [];
  let turn = 0;
  const steps = thread.steps.flatMap((step, i): readonly Step[] => {
    if (step.kind === 'call') turn++;
    if (step.kind === 'call' && found.has(step.call.id)) turns.push(`${thread.id} ${turn}`);
    const at = behind.get(i);
    return at === undefined
      ? [step]
      : [step, { kind: 'event', event: { kind: 'manual-compact', at, compaction } }];
  });
  return { thread: behind.size === 0 ? thread : { ...thread, steps }, turns };
}

/** `/compact` before every pause that outlasts the cache; what it saves at the pauses, and by the smaller context behind them. */
function beforePauses({ transcript, truth, base }: ChangeInput): ChangeOutcome {
  const name = '/compact before long pauses';
  const compacted = transcript.threads.map((thread) => compactedBeforePauses(thread, truth));
  const turns = compacted.flatMap((each) => each.turns);
  if (turns.length === 0) return { name, savedNano: 0, offNano: 0, heldBack: null };
  const threads = compacted.map(({ thread }) => thread);
  const run = new ChangedRun(base.plan, changedRecording({ ...transcript, threads }, transcript), { base });
  const summaries = run.summaryNano - base.summaryNano;
  const at = turns.reduce((sum, key) => sum + (base.costs.get(key) ?? 0) - (run.costs.get(key) ?? 0), 0);
  const found = outcome(name, base, run);
  return { ...found, atPausesNano: at - summaries - (found.unrecordedNano ?? 0) };
}

/** What the events that a user can leave out have cost above reading the cache: known from the record. */
function switches({ requests }: ChangeInput): ChangeOutcome {
  let savedNano = 0;
  const before: UsageAt[] = [];
  const after: UsageAt[] = [];
  for (const { parts, startMs: atMs, model, inputUsd, writtenHour } of requests)
    for (const { cause, written, uncached, avoidableNano } of parts) {
      if (!SWITCH_CAUSES.includes(cause)) continue;
      savedNano += avoidableNano;
      const paid = { [writtenHour > 0 ? 'cacheWrite1h' : 'cacheWrite5m']: written, input: uncached };
      const at = { atMs, purpose: 'main' as const, model, inputUsd: inputUsd ?? 0 };
      before.push({ ...at, usage: { ...NO_USAGE, ...paid } });
      after.push({ ...at, usage: { ...NO_USAGE, cacheRead: written + uncached } });
    }
  const offNano = Math.round(savedNano * SWITCH_ERROR);
  return {
    name: 'no mid-session switches',
    savedNano,
    offNano,
    heldBack: null,
    usage: { before, after },
  };
}

/** Tries the changes on a session; one that could not have acted is not simulated and saves nothing. */
export function tryChanges(input: ChangeInput): readonly ChangeOutcome[] {
  const { transcript, base } = input;
  const under = (name: ChangeName, change: Change): ChangeOutcome =>
    outcome(name, base, new ChangedRun(changedPlan(transcript, change), transcript, { base }));
  // A run that writes for one lifetime only is the same run with that lifetime.
  const lasting = (name: ChangeName, lifetime: '1h' | '5m'): ChangeOutcome => {
    const other = lifetime === '1h' ? 'cacheWrite5m' : 'cacheWrite1h';
    return base.usage.some(({ usage }) => usage[other] > 0)
      ? under(name, { lifetime })
      : outcome(name, base, base);
  };
  const half = (set: Settings): ChangeOutcome => {
    const run = new ChangedRun(changedPlan(transcript, { set }), transcript, { base });
    const found = outcome('compact at half the window', base, run);
    const heldBack = found.heldBack ?? (found.savedNano === 0 ? run.heldBack : null);
    return { ...found, heldBack, window: base.window };
  };
  // Its cache has one lifetime, and neither pauses nor switches are priced there.
  if (transcript.source === 'codex') return [half(HALF_OF_CODEX)];
  return [
    lasting('1-hour lifetime', '1h'),
    lasting('5-minute lifetime', '5m'),
    switches(input),
    beforePauses(input),
    half(HALF),
  ];
}

import type { Step, Thread, Transcript } from '../../core/model/transcript.js';
import { Limits } from '../../core/run/limit.js';
import type { LogEntry, RequestEntry } from '../../core/run/run-log.js';
import type { RunPlan } from '../../core/run/run-plan.js';
import { NO_TIMING } from '../../engine/requests/run-env.js';
import { replay } from '../../engine/run/replay.js';
import { modelError } from '../../metrics/cost-interval.js';
import { modelOrUnknown } from '../../provider/prices/models.js';
import { priceUsage } from '../../provider/prices/price.js';
import { forwardPlan } from '../validate/forward.js';
import { predictRequests, type Walk } from '../validate/predict.js';
import type { Truth } from '../validate/truth.js';
import type { AttributedRequest } from './attribute.js';
import { SWITCH_CAUSES } from './causes.js';
import { partings } from './pauses.js';

/** The changes that are tried. */
export const CHANGES = [
  '1-hour lifetime',
  '5-minute lifetime',
  '/compact before long pauses',
  'compact at half the window',
  'no switches in mid-session',
] as const;

/** One of them. */
export type ChangeName = (typeof CHANGES)[number];

/** What a change would have saved on one session, and how far that may be off; nano-dollars, negative where it costs. */
export interface ChangeOutcome {
  readonly name: ChangeName;
  readonly savedNano: number;
  readonly offNano: number;
  /** Why it did nothing where it was due; null where it acted, or was never due. */
  readonly heldBack: string | null;
}

/** A session as far as its changes need it. */
export interface ChangeInput {
  readonly transcript: Transcript;
  readonly truth: Truth;
  readonly requests: readonly AttributedRequest[];
  /** The session as recorded, with the unexplained breaks given. */
  readonly given: Walk;
  /** How far the session run forward is from its record, as a share; 0 where it cannot be run. */
  readonly forwardError: number;
}

/** Half of the window, as the setting of the profiles takes it. */
const HALF_PERCENT = 50;

/** Costs by request, so that what two runs share cancels out. */
type Costs = ReadonlyMap<string, number>;

function outcome(name: ChangeName, before: Costs, after: Costs, error: number): ChangeOutcome {
  let savedNano = 0;
  let moved = 0;
  for (const key of new Set([...before.keys(), ...after.keys()])) {
    const saved = (before.get(key) ?? 0) - (after.get(key) ?? 0);
    savedNano += saved;
    moved += Math.abs(saved);
  }
  return { name, savedNano: Math.round(savedNano), offNano: Math.round(moved * error), heldBack: null };
}

function walkCosts(truth: Truth, { predictions }: Walk): Costs {
  const costs = new Map<string, number>();
  for (const requests of truth.threads.values())
    for (const { key, model } of requests)
      costs.set(
        key,
        priceUsage(modelOrUnknown(model), { ...predictions.get(key)!.usage, output: 0 }).totalNano,
      );
  return costs;
}

class CostSink {
  readonly costs = new Map<string, number>();
  /** What the run says where a threshold was reached in vain. */
  heldBack: string | null = null;

  write(entry: LogEntry): void {
    if (entry.type === 'warning' && entry.code === 'no-auto-compaction') this.heldBack = entry.message;
    if (entry.type === 'request') this.#add(entry);
  }

  #add({ thread, turn, purpose, cost, risk }: RequestEntry): void {
    const key = `${thread} ${turn} ${purpose}`;
    const expected = risk === undefined ? 0 : risk.chance * risk.cost;
    this.costs.set(key, (this.costs.get(key) ?? 0) + cost + expected);
  }
}

function run(plan: RunPlan, transcript: Transcript, limits = new Limits(plan.policy)): CostSink {
  const sink = new CostSink();
  replay(plan, transcript, sink, NO_TIMING, { limits });
  return sink;
}

/** Lifetimes by the walk that `ttl` takes: as it happened, unexplained breaks given. */
function lifetimes(input: ChangeInput): readonly ChangeOutcome[] {
  const { transcript, truth, given } = input;
  const breaks = new Set(given.breaks.map(({ request }) => request.key));
  const before = walkCosts(truth, given);
  const error = errorOf(input, 'none');
  const at = (lifetime: '5m' | '1h'): Costs =>
    walkCosts(truth, predictRequests(transcript, truth, { breaks, lifetime }));
  return [
    outcome('1-hour lifetime', before, at('1h'), error),
    outcome('5-minute lifetime', before, at('5m'), error),
  ];
}

/** The error that nine of ten recorded sessions stay within, or that of this session where it is larger. */
function errorOf({ forwardError }: ChangeInput, compactions: 'none' | 'some'): number {
  return Math.max(modelError(compactions), forwardError);
}

/** A user who compacts before leaving: wherever that was possible before a pause that outlasts the cache. */
function compactedBeforePauses(thread: Thread, truth: Truth): Thread {
  const behind = new Map([...partings(thread, truth).values()].map(({ step, at }) => [step, at]));
  const compaction = { instructions: null, partial: null };
  const steps = thread.steps.flatMap((step, i): readonly Step[] => {
    const at = behind.get(i);
    return at === undefined
      ? [step]
      : [step, { kind: 'event', event: { kind: 'manual-compact', at, compaction } }];
  });
  return behind.size === 0 ? thread : { ...thread, steps };
}

function pausesCompacted({ transcript, truth }: ChangeInput): Transcript | null {
  const threads = transcript.threads.map((thread) => compactedBeforePauses(thread, truth));
  return threads.every((thread, i) => thread === transcript.threads[i]) ? null : { ...transcript, threads };
}

/** What the events that a user can leave out have cost above reading the cache: known from the record. */
function switches(input: ChangeInput): ChangeOutcome {
  let savedNano = 0;
  for (const { parts } of input.requests)
    for (const { cause, avoidableNano } of parts)
      if (SWITCH_CAUSES.includes(cause)) savedNano += avoidableNano;
  const offNano = Math.round(savedNano * errorOf(input, 'none'));
  return { name: 'no switches in mid-session', savedNano, offNano, heldBack: null };
}

/** The changes that need no run: they are tried also where a session cannot be run forward. */
export function tryWithoutRun(input: ChangeInput): readonly ChangeOutcome[] {
  return [...lifetimes(input), switches(input)];
}

/** Tries the five changes on a session; one that could not have acted is not simulated and saves nothing. */
export function tryChanges(input: ChangeInput): readonly ChangeOutcome[] {
  const { transcript } = input;
  const plan = forwardPlan(transcript);
  const limits = new Limits(plan.policy);
  const base = run(plan, transcript, limits);
  const against = (name: ChangeName, { costs }: CostSink): ChangeOutcome =>
    outcome(name, base.costs, costs, errorOf(input, 'some'));
  const paused = pausesCompacted(input);
  const halfPlan = forwardPlan(transcript, { 'window.percent': HALF_PERCENT });
  const isSame = limits.under(halfPlan.policy, new Map()) !== null;
  const half = isSame ? base : run(halfPlan, transcript);
  return [
    ...tryWithoutRun(input),
    against('/compact before long pauses', paused === null ? base : run(plan, paused)),
    { ...against('compact at half the window', half), heldBack: half.heldBack },
  ];
}

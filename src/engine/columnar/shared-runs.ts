import { hasJitter } from '../../agent/policy-file/expression.js';
import { getOrMake, oncePer } from '../../core/base/once.js';
import type { Transcript } from '../../core/model/transcript.js';
import { LimitSpans } from '../../core/run/limit.js';
import type { ParamValues } from '../../core/run/params.js';
import {
  COUNTED_NAMES,
  type Comparison,
  type PolicyRules,
  type RulePart,
  type TestPart,
} from '../../core/run/policy-rules.js';
import type { LogSink } from '../../core/run/run-log.js';
import type { PlannedPolicy, RunPlan } from '../../core/run/run-plan.js';
import { replayParts } from '../run/replay.js';
import { isSumming, type RunTrace, SharedRun } from './shared-run.js';

/** Parameters that have no effect but through the auto-compact threshold, which is a limit of the run (WIN-3, WIN-4). */
const OPEN_PARAMS: ReadonlySet<string> = new Set(['window.percent', 'window.compactOffset']);

/** Conditions that do nothing with their amount but hold a count against it. */
const OPEN_TESTS: ReadonlySet<TestPart['kind']> = new Set(['tokens', 'growth', ...COUNTED_NAMES]);

/** What plans have in common that differ in nothing but their name and their limits. @internal */
export class OpenShape {
  private readonly baseIsOpen: boolean;
  private readonly paramNames: readonly string[];
  /** Their values, in a list: looking up 150 of them by name takes longer than comparing them. */
  private readonly paramValues: readonly unknown[];

  constructor(private readonly plan: RunPlan) {
    const { rules, params } = plan.policy;
    this.paramNames = Object.keys(params);
    this.paramValues = Object.values(params);
    this.baseIsOpen = rules !== undefined && !isAboutBase(rules);
  }

  /** Whether a plan has this shape; plans with plug-ins have none, since these may read any parameter for themselves. */
  fits(plan: RunPlan): boolean {
    if (plan.plugins !== undefined) return false;
    return isEqual(this.plan, plan, (key, own, other) => {
      if (key === 'name') return true;
      return key === 'policy' && this.isSamePolicy(own as PlannedPolicy, other as PlannedPolicy);
    });
  }

  private isSamePolicy(own: PlannedPolicy, other: PlannedPolicy): boolean {
    return isEqual(own, other, (key, a, b) => {
      if (key === 'params') return this.hasSameParams(b as ParamValues);
      return key === 'rules' && this.areSameRules(a as PolicyRules, b as PolicyRules);
    });
  }

  private hasSameParams(other: ParamValues): boolean {
    const { paramNames, paramValues } = this;
    for (let i = 0; i < paramNames.length; i++) {
      const name = paramNames[i]!;
      const value = other[name];
      if (value === undefined && !Object.hasOwn(other, name)) return false;
      if (paramValues[i] === value || OPEN_PARAMS.has(name)) continue;
      if (!isEqual(paramValues[i], value)) return false;
    }
    return countOf(other) === paramNames.length;
  }

  private areSameRules(own: PolicyRules, other: PolicyRules): boolean {
    return isEqual(own, other, (key, a, b) => {
      if (key === 'base') return this.baseIsOpen;
      return key === 'rules' && areAlike(a as RulePart[], b as RulePart[], isSameRule);
    });
  }
}

/** How many parameters a policy has, counted once for all sessions that it is tried on. */
const countOf = oncePer((params: ParamValues): number => Object.keys(params).length);

function isSameRule(own: RulePart, other: RulePart): boolean {
  return isEqual(
    own,
    other,
    (key, a, b) =>
      key === 'when' &&
      areAlike(a as RulePart['when'], b as RulePart['when'], (one, two) =>
        isEqual(
          one,
          two,
          (name, x, y) => name === 'tests' && areAlike(x as TestPart[], y as TestPart[], isSameTest),
        ),
      ),
  );
}

function isSameTest(own: TestPart, other: TestPart): boolean {
  return isEqual(own, other, (key, a, b) => {
    if (key !== 'is' || !OPEN_TESTS.has(own.kind)) return false;
    const [one, two] = [a as Comparison, b as Comparison];
    return one.op === two.op && !hasJitter(one.amount) && !hasJitter(two.amount);
  });
}

/** Whether some amount besides those of open conditions names what they are shares of. */
function isAboutBase({ base: _base, ...rest }: PolicyRules): boolean {
  const text = JSON.stringify(rest, (_key, value: unknown) => (isOpenTest(value) ? null : value));
  return /(?<![A-Za-z])B(?![A-Za-z])/.test(text);
}

function isOpenTest(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { kind, is } = value as { readonly kind?: TestPart['kind']; readonly is?: Partial<Comparison> };
  return kind !== undefined && OPEN_TESTS.has(kind) && is?.amount !== undefined && !hasJitter(is.amount);
}

function areAlike<T>(own: readonly T[], other: readonly T[], alike: (a: T, b: T) => boolean): boolean {
  return own.length === other.length && own.every((item, i) => alike(item, other[i]!));
}

/** Whether two plain values are equal, but for members that `excused` lets differ. */
function isEqual(
  own: unknown,
  other: unknown,
  excused?: (key: string, own: unknown, other: unknown) => boolean,
): boolean {
  if (own === other) return true;
  if (typeof own !== 'object' || typeof other !== 'object' || own === null || other === null) return false;
  const a = own as Readonly<Record<string, unknown>>;
  const b = other as Readonly<Record<string, unknown>>;
  let count = 0;
  for (const key in a) {
    count++;
    if (!Object.hasOwn(b, key)) return false;
    if (a[key] !== b[key] && excused?.(key, a[key], b[key]) !== true && !isEqual(a[key], b[key]))
      return false;
  }
  for (const _ in b) count--;
  return count === 0 && Array.isArray(own) === Array.isArray(other);
}

/** What is kept of runs per transcript, in entries or parts of them: about thirty megabytes where they are summed up. */
const MAX_ITEMS = 200_000;

/** What is kept of traces per transcript, in entries that they and their checkpoints hold: some tens of megabytes. */
const MAX_TRACE_ITEMS = 100_000;

/** Shapes remembered per transcript, those met only once included. */
const MAX_SHAPES = 64;

/** The runs of one shape, those used last after the others. */
interface PlanGroup {
  readonly shape: OpenShape;
  readonly runs: SharedRun[];
  /** Those of the runs, of forgotten ones too. */
  readonly spans: LimitSpans;
  /** The trace of the run that was made last. */
  trace: RunTrace | null;
}

/** The runs over a transcript, the shapes used last in front. */
class RunCache {
  private readonly groups: PlanGroup[] = [];
  private items = 0;

  /** The runs of plans of a shape; null when it is met for the first time. */
  groupOf(plan: RunPlan): PlanGroup | null {
    const { groups } = this;
    const at = groups.findIndex(({ shape }) => shape.fits(plan));
    if (at < 0) {
      groups.unshift({ shape: new OpenShape(plan), runs: [], spans: new LimitSpans(), trace: null });
      for (const run of groups.length > MAX_SHAPES ? groups.pop()!.runs : []) this.items -= run.size;
      return null;
    }
    const group = groups[at]!;
    if (at > 0) {
      groups.splice(at, 1);
      groups.unshift(group);
    }
    return group;
  }

  /** Keeps the trace of the run that was made last, and forgets those of shapes that were not used for longest. */
  keepTrace(trace: RunTrace | null, group: PlanGroup): void {
    group.trace = trace;
    let items = 0;
    for (const other of this.groups) {
      items += other.trace?.size ?? 0;
      if (items > MAX_TRACE_ITEMS) other.trace = null;
    }
  }

  /** Keeps a run, and forgets those that were not used for longest. */
  add(run: SharedRun, group: PlanGroup): void {
    if (run.size > MAX_ITEMS || !this.groups.includes(group)) return;
    group.runs.push(run);
    group.spans.add(run.limits);
    this.items += run.size;
    for (let i = this.groups.length - 1; i >= 0; i--) {
      const { runs } = this.groups[i]!;
      while (this.items > MAX_ITEMS && runs.length > 0) this.items -= runs.shift()!.size;
    }
  }
}

/** Runs whose entries were kept, and runs that were summed up. */
const caches = { entries: new WeakMap<Transcript, RunCache>(), sum: new WeakMap<Transcript, RunCache>() };

/**
 * Replays a plan, or writes the log of another plan's run in which the same happens. From the second plan of a shape on the runs
 * are kept.
 */
export function* sharedParts(
  plan: RunPlan,
  transcript: Transcript,
  sink: LogSink,
): Generator<void, void, void> {
  const keeps = isSumming(sink) ? 'sum' : 'entries';
  const cache = getOrMake(caches[keeps], transcript, () => new RunCache());
  const group = cache.groupOf(plan);
  if (group === null) {
    yield* replayParts(plan, transcript, sink);
    return;
  }
  const { runs } = group;
  const known = new Map<string, number>();
  // What limits are under the plan is known from the first run on.
  for (let i = runs.length - 1; i >= 0 && group.spans.mayHold(known); i--) {
    const run = runs[i]!;
    const limits = run.limits.under(plan.policy, known);
    if (limits === null) continue;
    runs.splice(i, 1);
    runs.push(run);
    yield* run.logFor(plan, limits, sink);
    return;
  }
  const run = new SharedRun(plan, keeps);
  const fork = group.trace?.forkPointFor(plan, known) ?? null;
  group.trace = null; // a checkpoint is resumed once, and may be stopped before its end
  const recording = fork === null ? run.record(transcript, sink) : run.recordFrom(fork, transcript, sink);
  cache.keepTrace(yield* recording, group);
  cache.add(run, group);
}

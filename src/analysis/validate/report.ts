import { CcbenchError } from '../../core/base/errors.js';
import { createRandom } from '../../core/base/random.js';
import { mean, quantile } from '../../core/base/stats.js';
import type { RequestTrace } from '../../core/model/request-trace.js';
import { objectOf } from '../../transcripts/lines/narrow.js';
import { lifetimeCurve, traceSession } from '../lifetime/lifetime-curve.js';
import type { Comparison, FidelityFigures } from './compare.js';
import type { ServableRequest } from './providers/provider-requests.js';
import { countTriggers } from './triggers.js';
import { withoutSession } from './truth.js';
import { type FileFidelity, type TotalFidelity, totalFidelity, type Way } from './validate.js';

/** A figure that is worse than it was. */
interface WorseFigure {
  readonly figure: string;
  readonly before: number;
  readonly now: number | null;
}

const FIGURES: readonly (readonly [keyof FidelityFigures, 'more' | 'less'])[] = [
  ['classAgreement', 'more'],
  ['classAgreementOver60s', 'more'],
  ['promptError', 'less'],
  ['readError', 'less'],
  ['creationError', 'less'],
  ['costErrorMedian', 'less'],
  ['costErrorWorst', 'less'],
];

/** Differences below this are rounding. */
const NOISE = 1e-9;

function isWorse(before: number, now: number | null, better: 'more' | 'less'): boolean {
  if (now === null) return true;
  return better === 'more' ? now < before - NOISE : now > before + NOISE;
}

/** What a saved result says, checked: only its totals matter. */
export function readSaved(text: string, file: string): TotalFidelity {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw notSaved(file, cause);
  }
  const total = objectOf(objectOf(value).total);
  if (!isTotal(total)) throw notSaved(file, null);
  return total as unknown as TotalFidelity;
}

/** True when every figure that is compared is there, at least one of them with a number, and triggers are counts. */
function isTotal(total: Readonly<Record<string, unknown>>): boolean {
  const figures = (['blind', 'given'] as const).flatMap((way) =>
    FIGURES.map(([name]) => objectOf(total[way])[name]),
  );
  const { recorded, matched, unrecorded } = objectOf(total.triggers);
  const counts = [recorded, matched, unrecorded];
  return (
    figures.every((figure) => figure === null || Number.isFinite(figure)) &&
    figures.some((figure) => figure !== null) &&
    counts.every((count) => Number.isSafeInteger(count) && (count as number) >= 0) &&
    (matched as number) <= (recorded as number)
  );
}

function notSaved(file: string, cause: unknown): CcbenchError {
  return new CcbenchError('bad-input', 'the file is not a saved result of ccbench validate', {
    hint: 'write one with ccbench validate <recording…> --save <file>',
    place: { file },
    cause,
  });
}

/** The figures of the simulator that are worse than in a saved result. */
export function worseFigures(before: TotalFidelity, now: TotalFidelity): readonly WorseFigure[] {
  const worse: WorseFigure[] = [];
  for (const way of ['blind', 'given'] as const) {
    for (const [name, better] of FIGURES) {
      const old = before[way][name];
      const current = now[way][name];
      if (typeof old === 'number' && isWorse(old, current, better))
        worse.push({ figure: `${way}.${name}`, before: old, now: current });
    }
  }
  const missed = (total: TotalFidelity): number => total.triggers.recorded - total.triggers.matched;
  if (missed(now) > missed(before))
    worse.push({ figure: 'triggers missed', before: missed(before), now: missed(now) });
  if (now.triggers.unrecorded > before.triggers.unrecorded) {
    worse.push({
      figure: 'triggers.unrecorded',
      before: before.triggers.unrecorded,
      now: now.triggers.unrecorded,
    });
  }
  return worse;
}

/** A statistic of a sample beside the published one, with the range that sampling alone explains. */
interface SampledStatistic {
  readonly name: 'median' | 'quartile' | 'mean';
  readonly value: number;
  /** 95 % of samples of this size, drawn from this one, lie between. */
  readonly low: number;
  readonly high: number;
  readonly published: number;
  readonly verdict: 'within' | 'outside';
}

/** Hit rates of recorded conversations at an unlimited lifetime. */
export interface TraceFidelity {
  readonly conversations: number;
  /** Traces without a second request say nothing about hits. */
  readonly leftOut: number;
  readonly minimum: number | null;
  readonly statistics: readonly SampledStatistic[];
}

/** Published for all 739 conversations (E1). */
const PUBLISHED_HIT_RATES = { median: 0.96, quartile: 0.92, mean: 0.93, minimum: 0.61 } as const;

/** Published figures are rounded to a hundredth. */
const ROUNDING = 0.005;
const BOOTSTRAP_ROUNDS = 2_000;
const TAIL = 0.025;

const MEASURES = {
  median: (values: readonly number[]) => quantile(values, 0.5)!,
  quartile: (values: readonly number[]) => quantile(values, 0.25)!,
  mean: (values: readonly number[]) => mean(values)!,
} as const;

/** The share of a conversation's prompt tokens that a cache with an unlimited lifetime serves (E1). */
export function traceHitRate(trace: RequestTrace): number | null {
  const requests = trace.threads.reduce((sum, thread) => sum + thread.requests.length, 0);
  if (requests < 2) return null;
  return lifetimeCurve([traceSession(trace)], [null])[0]!.hitRate;
}

/** Compares the hit rates of conversations with the published ones; the interval is a seeded bootstrap. */
export function validateTraces(rates: readonly (number | null)[]): TraceFidelity {
  const values = rates.filter((rate) => rate !== null);
  const random = createRandom('trace hit rates');
  const names = values.length === 0 ? [] : (['median', 'quartile', 'mean'] as const);
  return {
    conversations: values.length,
    leftOut: rates.length - values.length,
    minimum: values.length === 0 ? null : Math.min(...values),
    statistics: names.map((name) => {
      const measure = MEASURES[name];
      const draw = random.split(name);
      const drawn = Array.from({ length: BOOTSTRAP_ROUNDS }, () =>
        measure(values.map(() => draw.pick(values))),
      );
      const low = quantile(drawn, TAIL)!;
      const high = quantile(drawn, 1 - TAIL)!;
      const published = PUBLISHED_HIT_RATES[name];
      const within = published + ROUNDING >= low && published - ROUNDING <= high;
      return { name, value: measure(values), low, high, published, verdict: within ? 'within' : 'outside' };
    }),
  };
}

/** One request of a chart of predicted against recorded. */
export type FidelityPoint = Readonly<ReturnType<typeof pointOf>>;

function pointOf(file: string, way: Way, comparison: Comparison) {
  const { request, predicted, predictedPrompt, recordedClass, predictedClass, cause } = comparison;
  return {
    file,
    thread: request.threadId,
    index: request.index,
    way,
    startMs: request.startMs,
    gapMs: request.gapMs!,
    recordedPrompt: request.prompt,
    predictedPrompt,
    recordedRead: request.read,
    predictedRead: predicted.cacheRead,
    recordedCreation: request.creation,
    predictedCreation: predicted.cacheWrite5m + predicted.cacheWrite1h,
    recordedClass,
    predictedClass,
    cause,
    recordedReason: request.missReason,
  };
}

/** The plain numbers behind a chart: every compared request of a file, one way of predicting. */
export function fidelityPoints({ file, comparisons }: FileFidelity, way: Way): readonly FidelityPoint[] {
  return comparisons[way].map((comparison) => pointOf(file, way, comparison));
}

function alone(each: Comparison): Comparison {
  const { previousPrefix, predictedPrompt, predicted, cause, risk, recordedClass, predictedClass } = each;
  const request = withoutSession(each.request);
  return {
    request,
    previousPrefix,
    predictedPrompt,
    predicted,
    cause,
    risk,
    recordedClass,
    predictedClass,
  };
}

function readOff({ predicted, request }: Comparison): number {
  return Math.abs(predicted.cacheRead - request.read);
}

/**
 * What a report over many sessions needs of one: the compared requests that are furthest off, or all of them where a chart shows
 * each, and nothing of the recording itself.
 */
export function condensed(file: FileFidelity, worst: number, requests: 'worst' | 'all'): FileFidelity {
  const kept = (way: Way): readonly Comparison[] => {
    const all = file.comparisons[way];
    const least = all.map(readOff).sort((a, b) => b - a)[worst - 1] ?? 0;
    return all
      .filter((each) => requests === 'all' || (readOff(each) > 0 && readOff(each) >= least && worst > 0))
      .map(alone);
  };
  return {
    ...file,
    comparisons: { blind: kept('blind'), given: kept('given'), baseline: [] },
    breaks: file.breaks.map((each) => ({ ...each, request: withoutSession(each.request) })),
    chance: file.chance?.map(judgedByChance) ?? null,
  };
}

/** Members are named one by one: copies made by spreading take three times the memory. */
function judgedByChance(each: ServableRequest, index: number): ServableRequest {
  const { promptBefore, rules, reachable, head, gapMs, cause, dropped } = each;
  const { model, pricedAtMs, usage, prompt, read } = each.request;
  const { input, cacheRead, cacheWrite5m, cacheWrite1h, output } = usage;
  const own = { input, cacheRead, cacheWrite5m, cacheWrite1h, output };
  const request = { key: String(index), model, pricedAtMs, usage: own, prompt, read };
  return { request, promptBefore, rules, reachable, head, gapMs, cause, dropped };
}

/** The requests whose reads were furthest off, largest first; ties keep their order. @internal */
export function worstPoints(
  files: readonly FileFidelity[],
  way: Way,
  count: number,
): readonly FidelityPoint[] {
  const off = (point: FidelityPoint): number => Math.abs(point.predictedRead - point.recordedRead);
  return files
    .flatMap((file) => fidelityPoints(file, way))
    .filter((point) => off(point) > 0)
    .sort((a, b) => off(b) - off(a))
    .slice(0, count);
}

/** Everything `ccbench validate` has to say, ready for JSON. */
export interface FidelityReport {
  readonly files: readonly object[];
  readonly total: TotalFidelity;
  /** The requests furthest off in each way, largest first. */
  readonly worst: { readonly blind: readonly FidelityPoint[]; readonly given: readonly FidelityPoint[] };
  readonly traces: TraceFidelity | null;
}

function fileJson(file: FileFidelity): object {
  return {
    file: file.file,
    version: file.version,
    profile: file.profile?.name ?? null,
    profileEvidence: file.profile?.evidence ?? null,
    requests: file.requests,
    ...file.figures,
    unexplainedBreaks: file.breaks.map(({ request, expectedRead, reason }) => ({
      thread: request.threadId,
      request: request.index,
      startMs: request.startMs,
      gapMs: request.gapMs,
      expectedRead,
      recordedRead: request.read,
      reason,
    })),
    triggers: {
      ...countTriggers([file.triggers]),
      checks: file.triggers.checks,
      unrecordedAt: file.triggers.unrecorded,
    },
    forward: file.forward.kind === 'empty' ? null : file.forward,
    whatIf: file.whatIf,
    leftOut: file.leftOut,
  };
}

/** Puts the results of several files together. */
export function fidelityReport(
  files: readonly FileFidelity[],
  traces: TraceFidelity | null,
  worst: number,
): FidelityReport {
  return {
    files: files.map(fileJson),
    total: totalFidelity(files),
    worst: { blind: worstPoints(files, 'blind', worst), given: worstPoints(files, 'given', worst) },
    traces,
  };
}

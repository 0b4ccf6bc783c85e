import { formatCount, formatCounted, formatDecimal, formatValue } from '../../../core/base/format.js';
import { ownValue } from '../../../core/base/own-value.js';
import { isWorthActing, NOT_WORTH_ACTING } from '../../../metrics/cost-interval.js';
import { findMetric } from '../../../metrics/registry.js';
import type { ComparisonTable } from '../../../report/page-data/page-data.js';
import { refetchSentence } from '../../../report/text/as-recorded.js';
import type { Conclusion } from '../../../report/text/conclusion.js';
import { metricWords } from '../../../report/text/metric-words.js';
import type { Comparison, CostDelta, Difference } from '../../../study/comparison.js';
import { type Completeness, isApart, isLeast, leavesOutMore } from '../../../study/completeness.js';
import type { MetricRecord } from '../../../study/job.js';
import type { StudyRow, SweptPoint } from '../../../study/run-rows.js';
import type { Closing } from '../../terminal/present.js';
import { type RowNoun, whyNoneRanked } from './completeness-notes.js';

/** What to do where nothing meets the constraints. */
export const LOOSEN = 'Relax --subject-to, or vary something else.';

/** A value of a metric with its unit. */
export function figure(value: number | null | undefined, metric: string): string {
  return formatValue(value ?? null, findMetric(metric)!.unit);
}

/** The same of a row with these metrics: `at least` this where it leaves out what has no price. */
export function measured(metrics: MetricRecord, metric: string): string {
  return `${isLeast(metrics, metric) ? 'at least ' : ''}${figure(ownValue(metrics, metric), metric)}`;
}

/** What is said instead of what costs least where that row may cost more than is known. */
export function priceless(name: string, cost: string): Conclusion {
  return {
    result: `What costs least is unknown: some requests of ${name} use models without a price; it costs ${cost}.`,
    advice: 'Give these models a price, with `models:` in a scenario.',
  };
}

/** Over how many sessions a mean is taken, behind it. */
export function over(sessions: number): string {
  return sessions === 1 ? '' : `, the mean over ${formatCounted(sessions, 'session')}`;
}

/** A conclusion on costs with what these leave out: fetching again what its rows forgot, where their runs do not do that. */
export function withRefetch<Told extends Conclusion>(
  conclusion: Told,
  metric: string,
  rows: readonly { readonly name: string; readonly refetchUsd: number | null }[],
): Told {
  if (findMetric(metric)!.unit !== 'usd') return conclusion;
  const sentence = refetchSentence(rows.map(({ name, refetchUsd }) => ({ name, usd: refetchUsd ?? 0 })));
  return sentence === null ? conclusion : { ...conclusion, advice: `${conclusion.advice} ${sentence}` };
}

/** Whether the runs of a row fetch again what they forgot: then it is in their cost. */
export function fetchesAgain({ runs }: StudyRow): boolean {
  return runs.some(({ plan }) => plan.faults?.refetch === 'on');
}

/** How much a difference can be trusted. */
function doubtOf({ verdict, low, high }: Difference, metric: string): string {
  if (low === null || high === null)
    return 'This is one session: add more with --transcripts to see whether the difference holds.';
  const interval = `${figure(low, metric)} to ${figure(high, metric)} a session`;
  return verdict === 'within-noise'
    ? `This may be noise: the 95 % interval is ${interval}; more sessions would narrow it.`
    : `The 95 % interval is ${interval}, if your next sessions are like these.`;
}

/** The variant whose first metric is best beside the baseline's; without a better direction, the first that differs. */
function rival({ variants, metrics: [metric] }: Comparison) {
  const sign = findMetric(metric!)!.better === 'higher' ? -1 : 1;
  const [best] = variants
    .flatMap(({ name, differences, broken }) => {
      const difference = ownValue(differences, metric!);
      const isShown =
        broken.length === 0 &&
        difference !== undefined &&
        difference.mean !== null &&
        difference.verdict !== 'unranked';
      return isShown ? [{ name, difference, mean: difference.mean }] : [];
    })
    .sort((a, b) => sign * (a.mean - b.mean));
  return best ?? null;
}

/** What to do where rows did not finish, or where each has sessions of its own. */
function rankMore(completeness: Completeness, noun: RowNoun): string {
  return isApart(completeness)
    ? 'The varied setting generates the sessions, so each point has its own. To compare the other settings, run ccbench sweep … --results <folder>, then ccbench results <folder> --group <setting> --mean <metric>.'
    : `Leave out the ${noun}s or the sessions that did not finish, and try again.`;
}

function nameAnother(metric: string): string {
  return `name another metric first in --metrics, such as ${metric === 'costUsd' ? 'cacheHitRate' : 'costUsd'}.`;
}

/** Why nothing is compared with the baseline in the first metric: runs did not finish, or have no value. */
function noRival({ baseline, completeness, metrics: [metric] }: Comparison): Conclusion {
  const { variants, transcripts } = completeness;
  const ranked = variants.filter(({ standing }) => standing === 'ranked').map(({ name }) => name);
  const everything = (of: string): string =>
    transcripts.length === 1 ? '' : ` every session that ${of} finished`;
  const why =
    ranked.length === 0
      ? whyNoneRanked(completeness, 'variant')
      : !ranked.includes(baseline)
        ? `${baseline} did not finish${everything('another one')}`
        : ranked.length === 1
          ? `no other variant finished${everything(baseline)}`
          : `no other variant has a value in a session in which ${baseline} has one`;
  return {
    result: `No variant is ranked against ${baseline} in ${metricWords(metric!)}: ${why}.`,
    advice:
      ranked.length > 1 && ranked.includes(baseline)
        ? `To compare the variants, ${nameAnother(metric!)}`
        : ranked.length > 1
          ? `Choose a --baseline that finished, such as "${ranked[0]}".`
          : rankMore(completeness, 'variant'),
  };
}

/** Whether a difference in cost is one to act on; true if none is known. */
export function isWorth(
  { deltaUsd, deltaLowUsd, deltaHighUsd }: CostDelta,
  costUsd: number | null = null,
): boolean {
  if (deltaUsd === null || deltaLowUsd === null || deltaHighUsd === null || costUsd === null) return true;
  return isWorthActing({ delta: deltaUsd, low: deltaLowUsd, high: deltaHighUsd }, costUsd);
}

/** What a comparison came to in its first metric; `fetching` names the variants whose runs fetch again what they forgot. */
export function comparisonConclusion(
  comparison: Comparison,
  deltas: ReadonlyMap<string, CostDelta> = new Map(),
  fetching: ReadonlySet<string> = new Set(),
): Conclusion {
  const { variants, baseline, metrics } = comparison;
  const found = rival(comparison);
  const best = found?.name;
  const pair = variants.filter(({ name }) => name === best || name === baseline);
  const cheaper = pair.find(({ name }) => name === (found !== null && found.mean < 0 ? best : baseline))!;
  const metric = metrics[0]!;
  const all = pair.map((row) => row.metrics);
  if (leavesOutMore(cheaper.metrics, all, metric))
    return priceless(cheaper.name, measured(cheaper.metrics, metric));
  const rows = pair.filter(({ name }) => !fetching.has(name));
  return withRefetch(
    comparedConclusion(comparison, deltas),
    metric,
    rows.map((row) => ({ name: row.name, refetchUsd: row.metrics.refetchUsd ?? null })),
  );
}

function comparedConclusion(comparison: Comparison, deltas: ReadonlyMap<string, CostDelta>): Conclusion {
  const { variants, baseline, completeness } = comparison;
  const metric = comparison.metrics[0]!;
  const base = measured(variants.find(({ name }) => name === baseline)!.metrics, metric);
  const best = rival(comparison);
  const sessions = best?.difference.pairs ?? completeness.compared.length;
  if (variants.length === 1)
    return {
      result: `${baseline}: ${metricWords(metric)} ${base}${over(sessions)}.`,
      advice:
        'There is nothing to compare it with: add variants with --set cache.ttl=5m,1h or several names in --policy.',
    };
  const rules = [...new Set(variants.flatMap(({ broken }) => broken.map(({ rule }) => rule)))].join(' and ');
  const isBarred = variants.find(({ name }) => name === baseline)!.broken.length > 0;
  if (best === null && rules !== '')
    return {
      result: isBarred
        ? `No compared variant meets ${rules}.`
        : `No other variant that meets ${rules} is ranked with ${baseline}: ${metricWords(metric)} ${base}${over(sessions)}.`,
      advice: LOOSEN,
    };
  if (best === null) return noRival(comparison);
  const { mean, relative, verdict } = best.difference;
  const value = measured(variants.find(({ name }) => name === best.name)!.metrics, metric);
  if (isBarred)
    return {
      result: `${best.name} has the best ${metricWords(metric)} of those that meet ${rules}: ${value}, against ${base} for ${baseline}, which does not${over(sessions)}.`,
      advice: doubtOf(best.difference, metric),
    };
  if (verdict === 'same' || mean === 0)
    return {
      result: `No variant is better than ${baseline} in ${metricWords(metric)}, which is ${base}${over(sessions)}.`,
      advice: `${best.name} comes nearest, with the same value: other sessions may show a difference.`,
    };
  const costs = metric === 'costUsd' ? deltas.get(best.name) : undefined;
  if (costs !== undefined && !isWorth(costs, variants.find(({ name }) => name === baseline)!.metrics.costUsd))
    return {
      result: `${NOT_WORTH_ACTING}${best.name}, the nearest to ${baseline}, differs by ${figure(mean, metric)}${over(sessions)}.`,
      advice: 'A difference counts if its 90 % interval excludes zero and it is more than 1 % of the cost.',
    };
  const subject = rules === '' ? '' : `Subject to ${rules}: `;
  const share = relative === null ? '' : ` (${formatDecimal(Math.abs(relative) * 100, 1)} %)`;
  const more = `${figure(Math.abs(mean!), metric)}${share} ${mean! < 0 ? 'less' : 'more'}`;
  const isBetter =
    findMetric(metric)!.better === null || mean! < 0 === (findMetric(metric)!.better === 'lower');
  return {
    result: isBetter
      ? `${subject}${best.name} has ${metricWords(metric)} ${value}, ${more} than ${baseline}${over(sessions)}.`
      : `${subject}No variant is better than ${baseline} in ${metricWords(metric)}: ${best.name}, the nearest, has ${more}${over(sessions)}.`,
    advice: doubtOf(best.difference, metric),
  };
}

/** The best of several settings in words. */
export interface BestSetting {
  readonly settings: string;
  readonly value: number | null;
  /** Its cost in words, where that leaves out what has no price; `unsure` where it leaves out more than another one. */
  readonly atLeast?: string;
  readonly unsure?: boolean;
  /** Other points that are ranked and as good; none if absent. */
  readonly equal?: number;
  /** Largest context, where none of the points compacts; absent if one does. */
  readonly idleAt?: number | null;
  /** What fetching again costs that it forgets; null if that is in its cost, or not known. */
  readonly refetchUsd?: number | null;
}

/** The value of the best setting in words. */
export function valueText({ value, atLeast }: BestSetting, metric: string): string {
  return atLeast ?? figure(value, metric);
}

/** The best of several points, beside the others that are ranked. */
export function bestSetting(
  best: SweptPoint,
  points: readonly SweptPoint[],
  metric: string,
): BestSetting & { readonly equal: number } {
  const value = ownValue(best.metrics, metric) ?? null;
  const ranked = points.filter(({ completeness }) => completeness.standing === 'ranked');
  const equal = ranked.filter(({ metrics }) => ownValue(metrics, metric) === value).length - 1;
  const isIdle = ranked.every(({ metrics }) => metrics.compactions === 0);
  return {
    settings: best.point.set.join(', '),
    value,
    ...(isLeast(best.metrics, metric) ? { atLeast: measured(best.metrics, metric) } : {}),
    unsure: leavesOutMore(
      best.metrics,
      ranked.map(({ metrics }) => metrics),
      metric,
    ),
    equal,
    refetchUsd: fetchesAgain(best.point) ? null : (best.metrics.refetchUsd ?? null),
    ...(isIdle ? { idleAt: best.metrics.peakContextTokens ?? null } : {}),
  };
}

/** What a study comes to in which nothing that was varied makes a difference; null if something does. */
export function allEqual(
  { equal = 0, value, idleAt }: BestSetting,
  points: number,
  noun: RowNoun,
  metric: string,
  sessions: number,
): Conclusion | null {
  if (points < 2 || equal < points - 1) return null;
  const context = idleAt == null || sessions > 1 ? '' : `: the largest context is ${formatCount(idleAt)}`;
  const why = idleAt === undefined ? '' : ` No ${noun} compacts${context}.`;
  return {
    result: `All ${formatCounted(points, noun)} have the same ${metricWords(metric)}, ${figure(value, metric)}${over(sessions)}.${why}`,
    advice: 'The varied settings had no effect on it here: widen the range, or vary something else.',
  };
}

/** What a sweep came to in its first metric. */
export function sweepConclusion(
  metric: string,
  best: BestSetting | null,
  completeness: Completeness,
  sessions = completeness.compared.length,
): Conclusion {
  const ranked = completeness.variants.filter(({ standing }) => standing === 'ranked');
  if (ranked.length === 0)
    return {
      result: `No point is best: ${whyNoneRanked(completeness, 'point')}.`,
      advice: rankMore(completeness, 'point'),
    };
  if (best === null)
    return {
      result: `No point is best in ${metricWords(metric)}: ${findMetric(metric)!.better === null ? 'neither higher nor lower is better' : 'no point has a value'}.`,
      advice: `To rank the points, ${nameAnother(metric)}`,
    };
  if (ranked.length === 1)
    return {
      result: `Only ${best.settings} is ranked: ${metricWords(metric)} ${valueText(best, metric)}${over(sessions)}.`,
      advice:
        completeness.variants.length > 1
          ? rankMore(completeness, 'point')
          : 'There is nothing to compare it with: give --vary several values.',
    };
  if (best.unsure === true) return priceless(best.settings, best.atLeast!);
  const same = allEqual(best, ranked.length, 'point', metric, sessions);
  if (same !== null) return same;
  const { equal = 0 } = best;
  const others = equal === 0 ? '' : ` and ${formatCounted(equal, 'other point')}`;
  const conclusion = {
    result: `The best ${metricWords(metric)} of ${formatCounted(ranked.length, 'point')} is ${valueText(best, metric)}, at ${best.settings}${others}${over(sessions)}.`,
    advice:
      sessions === 1
        ? 'It is best on one session: add more with --transcripts to see whether that holds.'
        : 'The best of many points looks better than it is: ccbench tune tests its choice on held-out sessions.',
  };
  return withRefetch(conclusion, metric, [{ name: best.settings, refetchUsd: best.refetchUsd ?? null }]);
}

/** A table that says below what it comes to, for files that are read by themselves. */
export function concluded(
  table: ComparisonTable,
  { result, advice, repeat = null }: Closing,
): ComparisonTable {
  const again = repeat === null ? [] : [`repeat: ${repeat}`];
  return { ...table, notes: [result, advice, ...again, ...table.notes] };
}

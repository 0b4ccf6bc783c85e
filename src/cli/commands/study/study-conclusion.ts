import {
  formatCount,
  formatCounted,
  formatDecimal,
  formatShare,
  formatValue,
} from '../../../core/base/format.js';
import { findMetric } from '../../../metrics/registry.js';
import type { ComparisonTable } from '../../../report/page-data/page-data.js';
import type { Conclusion } from '../../../report/text/conclusion.js';
import type { Comparison, Difference } from '../../../study/comparison.js';
import { type Completeness, isApart } from '../../../study/completeness.js';
import type { OutOfSample, Saving } from '../../../study/out-of-sample.js';
import type { Closing } from '../../terminal/closing.js';
import { type RowNoun, whyNoneRanked } from './completeness-notes.js';

function figure(value: number | null | undefined, metric: string): string {
  return formatValue(value ?? null, findMetric(metric)!.unit);
}

function over(sessions: number): string {
  return sessions === 1 ? '' : `, the mean over ${formatCounted(sessions, 'session')}`;
}

/** How much a difference can be trusted. */
function doubtOf({ verdict, low, high }: Difference, metric: string): string {
  if (low === null || high === null)
    return 'It is one session: --transcripts with more of them says whether the difference would last.';
  const interval = `${figure(low, metric)} to ${figure(high, metric)} a session`;
  return verdict === 'within-noise'
    ? `That may be noise: the difference lies anywhere from ${interval}, and more sessions would narrow it.`
    : `The difference lies anywhere from ${interval} (95 %), if your next sessions are like these.`;
}

/** The variant whose first metric is best beside the baseline's; without a better direction, the first that differs. */
function rival({ variants, metrics: [metric] }: Comparison) {
  const sign = findMetric(metric!)!.better === 'higher' ? -1 : 1;
  const [best] = variants
    .flatMap(({ name, metrics, differences }) => {
      const difference = differences?.[metric!];
      const isShown =
        difference !== undefined && difference.mean !== null && difference.verdict !== 'unranked';
      return isShown ? [{ name, value: metrics[metric!], difference, mean: difference.mean }] : [];
    })
    .sort((a, b) => sign * (a.mean - b.mean));
  return best ?? null;
}

/** Why nothing stands beside the baseline in the first metric: somebody did not finish, or nobody has a value. */
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
          : `no other one has a value of it in a session in which ${baseline} has one`;
  return {
    result: `No variant is ranked against ${baseline} in ${metric}: ${why}.`,
    advice:
      ranked.length > 1 && ranked.includes(baseline)
        ? '--metrics with another one first, such as costUsd, compares the variants.'
        : ranked.length > 1
          ? `--baseline with one that finished, such as "${ranked[0]}", compares the others with that.`
          : 'Leave out the variants or the sessions that did not finish, and compare again.',
  };
}

/** What a comparison came to in its first metric. */
export function comparisonConclusion(comparison: Comparison): Conclusion {
  const { variants, baseline, completeness } = comparison;
  const metric = comparison.metrics[0]!;
  const base = figure(variants.find(({ name }) => name === baseline)!.metrics[metric], metric);
  const sessions = completeness.compared.length;
  if (variants.length === 1)
    return {
      result: `${baseline}: ${metric} ${base}${over(sessions)}.`,
      advice:
        'Nothing stands beside it: --set cache.ttl=5m,1h or --policy with several names makes variants.',
    };
  const best = rival(comparison);
  if (best === null) return noRival(comparison);
  const { mean, relative, verdict } = best.difference;
  if (verdict === 'same' || mean === 0)
    return {
      result: `No variant is better than ${baseline} in ${metric}, which is ${base}${over(sessions)}.`,
      advice: `${best.name} comes nearest, with the same: sessions of another kind may tell them apart.`,
    };
  const share = relative === null ? '' : ` (${formatDecimal(Math.abs(relative) * 100, 1)} %)`;
  const more = `${figure(Math.abs(mean!), metric)}${share} ${mean! < 0 ? 'less' : 'more'}`;
  const isBetter =
    findMetric(metric)!.better === null || mean! < 0 === (findMetric(metric)!.better === 'lower');
  return {
    result: isBetter
      ? `${best.name} has ${metric} ${figure(best.value, metric)}, ${more} than ${baseline}${over(sessions)}.`
      : `No variant is better than ${baseline} in ${metric}: ${best.name}, the nearest, has ${more}${over(sessions)}.`,
    advice: doubtOf(best.difference, metric),
  };
}

/** The best of several settings in words. */
export interface BestSetting {
  readonly settings: string;
  readonly value: number | null;
  /** Other points that are ranked and as good; none where absent. */
  readonly equal?: number;
}

function noneRanked(completeness: Completeness, noun: RowNoun): Conclusion {
  return {
    result: `No ${noun} is best: ${whyNoneRanked(completeness, noun)}.`,
    advice: isApart(completeness)
      ? 'What was varied makes the sessions themselves: ccbench sweep … --results <folder>, then ccbench results <folder> --group <setting> --mean <metric> compares the other settings over them.'
      : `Leave out the ${noun}s or the sessions that did not finish, and try again.`,
  };
}

/** What a sweep came to in its first metric. */
export function sweepConclusion(
  metric: string,
  best: BestSetting | null,
  completeness: Completeness,
): Conclusion {
  const ranked = completeness.variants.filter(({ standing }) => standing === 'ranked');
  if (ranked.length === 0) return noneRanked(completeness, 'point');
  if (best === null)
    return {
      result: `No point is best in ${metric}: ${findMetric(metric)!.better === null ? 'neither more nor less of it is better' : 'no point has a value of it'}.`,
      advice: '--metrics with another one first, such as costUsd, ranks the points.',
    };
  const sessions = completeness.compared.length;
  if (ranked.length === 1)
    return {
      result: `Only ${best.settings} is ranked: ${metric} ${figure(best.value, metric)}${over(sessions)}.`,
      advice: 'Nothing stands beside it: --vary with several values makes points.',
    };
  const { equal = 0 } = best;
  if (equal === ranked.length - 1)
    return {
      result: `All ${formatCounted(ranked.length, 'point')} have the same ${metric}, ${figure(best.value, metric)}${over(sessions)}.`,
      advice: 'What was varied changed nothing in it here: vary it further, or something else.',
    };
  const others = equal === 0 ? '' : ` and ${formatCounted(equal, 'other point')}`;
  return {
    result: `The best ${metric} of ${formatCounted(ranked.length, 'point')} is ${figure(best.value, metric)}, at ${best.settings}${others}${over(sessions)}.`,
    advice:
      sessions === 1
        ? 'It is best on one session: --transcripts with more of them says whether it stays so.'
        : 'The best of many looks better than it is: ccbench tune tries its choice on sessions that it was not chosen on.',
  };
}

/** What a saving on sessions that the search did not see is worth. */
function realisedAdvice(realised: Saving | null): string {
  if (realised === null)
    return 'None of the sessions that the search did not see can be compared: take what it promises as the most it may bring.';
  const { low, high } = realised;
  if (low === null || high === null)
    return 'It was tried on one session that the search did not see: that says little about others.';
  if (low > 0)
    return 'It was tried on sessions that the search did not see: the realised saving is the one to count on.';
  if (high < 0)
    return 'On the sessions that the search did not see it is worse than the scenario as it is: do not count on it.';
  return 'On the sessions that the search did not see its saving is within the noise: the interval holds 0, so nothing shows that it saves, and more sessions would narrow it.';
}

/** What a search came to. */
export function tuneConclusion(
  metric: string,
  best: BestSetting | null,
  why: string,
  held: OutOfSample | null,
): Conclusion {
  if (best === null)
    return {
      result: `No setting is chosen: ${why}.`,
      advice:
        held === null
          ? 'Loosen what --subject-to asks, or vary something else.'
          : 'Stay with the scenario as it is, or vary something else.',
    };
  return {
    result: `The best ${metric} is ${figure(best.value, metric)}, at ${best.settings}.`,
    advice:
      held === null
        ? 'It was chosen and judged on the same sessions: take what it promises as the most it may bring.'
        : realisedAdvice(held.realised),
  };
}

function savingText(saving: Saving | null, metric: string, meanOf: string): string {
  if (saving === null) return 'nothing to compare';
  const { unit } = findMetric(metric)!;
  const share = saving.share === null ? '' : ` (${formatShare(saving.share)})`;
  const interval =
    saving.low === null || saving.high === null
      ? ''
      : `, 95 % interval for the mean of ${meanOf} ${formatValue(saving.low, unit)} to ${formatValue(saving.high, unit)}`;
  return `${formatValue(saving.mean, unit)} a session${share}${interval}, over ${formatCounted(saving.sessions, 'session')}`;
}

/** The promise and the outcome in lines. */
export function holdoutNotes(result: OutOfSample, metric: string): readonly string[] {
  const { promised, realised, isWithin } = result;
  return [
    `searched on ${formatCounted(result.searched.length, 'session')}, tried on ${result.heldOut.length} others, against the scenario as it is (${metric}):`,
    `  promised saving: ${savingText(promised, metric, `the ${formatCount(realised?.sessions ?? result.heldOut.length)} others`)}`,
    `  realised saving: ${savingText(realised, metric, 'such sessions')}`,
    ...(isWithin === null
      ? []
      : [`  the realised saving lies ${isWithin ? 'within' : 'outside'} the promised interval`]),
  ];
}

/** A table that says below what it comes to, for files that are read by themselves. */
export function concluded(
  table: ComparisonTable,
  { result, advice, repeat = null }: Closing,
): ComparisonTable {
  const again = repeat === null ? [] : [`repeat: ${repeat}`];
  return { ...table, notes: [result, advice, ...again, ...table.notes] };
}

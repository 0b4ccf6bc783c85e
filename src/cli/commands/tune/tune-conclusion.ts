import { formatCount, formatCounted, formatShare, formatValue } from '../../../core/base/format.js';
import { isWorthSaving, NOT_WORTH_ACTING } from '../../../metrics/cost-interval.js';
import { findMetric } from '../../../metrics/registry.js';
import type { Conclusion } from '../../../report/text/conclusion.js';
import { metricWords } from '../../../report/text/metric-words.js';
import type { CostDelta } from '../../../study/comparison.js';
import type { OutOfSample, Saving } from '../../../study/out-of-sample.js';
import {
  allEqual,
  type BestSetting,
  figure,
  isWorth,
  LOOSEN,
  over,
  priceless,
  valueText,
  withRefetch,
} from '../study/study-conclusion.js';

/** What a search found, beside the best setting itself. */
export interface FoundSaving {
  /** Why nothing qualifies; null if something does. */
  readonly refusal: string | null;
  /** What the best setting saves on the sessions that chose it; null if nothing qualifies, or they cannot be compared. */
  readonly saving: Saving | null;
  /** What it costs more than the unchanged scenario, with the interval; null if the goal is another or nothing was recorded. */
  readonly delta: (CostDelta & { readonly baseUsd: number | null }) | null;
  /** What fetching again costs that the unchanged scenario forgets; null if that is in its cost, or not known. */
  readonly baseRefetchUsd: number | null;
  readonly held: OutOfSample | null;
  /** Whether the goal has a value in any setting. */
  readonly isValued: boolean;
  /** Settings that were searched, and sessions that they were compared on. */
  readonly settings: number;
  readonly sessions: number;
}

interface Verdict {
  readonly isRecommended: boolean;
  readonly advice: string;
}

const no = (advice: string): Verdict => ({ isRecommended: false, advice });

/** What speaks against a saving however sure it is: its size, what the simulator may be off, and what must be fetched again. */
function tooSmall(saving: Saving, metric: string, best: BestSetting, found: FoundSaving, on: string) {
  const { mean, share } = saving;
  const usual = share === null ? 0 : mean / share;
  if (share !== null && !isWorthSaving(mean, usual))
    return no(`${NOT_WORTH_ACTING}${on}the saving is ${formatShare(share)}.`);
  if (found.delta !== null && !isWorth(found.delta, found.delta.baseUsd))
    return no(`${NOT_WORTH_ACTING}the simulator may be off by more than the saving.`);
  const moreUsd = (best.refetchUsd ?? 0) - (found.baseRefetchUsd ?? 0);
  if (findMetric(metric)!.unit === 'usd' && moreUsd > 0 && !isWorthSaving(mean - moreUsd, usual))
    return no(`${NOT_WORTH_ACTING}${on}fetching forgotten content again would use up the saving.`);
  return null;
}

/** Whether a saving is one to act on that was found and judged on the same sessions, and why. */
function verdictHere(metric: string, best: BestSetting, found: FoundSaving): Verdict {
  const { saving, refusal } = found;
  if (refusal !== null) return no(`Stay with the unchanged scenario: ${refusal}.`);
  if (saving === null)
    return {
      isRecommended: true,
      advice: 'No saving can be shown: the unchanged scenario has no finished run of the same sessions.',
    };
  if (saving.low !== null && saving.low <= 0)
    return no(`${NOT_WORTH_ACTING}the interval of the saving contains 0; more sessions would narrow it.`);
  return (
    tooSmall(saving, metric, best, found, '') ?? {
      isRecommended: true,
      advice: 'It was chosen and judged on the same sessions, so the saving shown is the most to expect.',
    }
  );
}

/** Whether a saving on sessions that the choice did not see is one to act on, and why. */
function verdictAhead(
  { realised, refusal }: OutOfSample,
  metric: string,
  best: BestSetting,
  found: FoundSaving,
) {
  if (refusal !== null) return no(`Stay with the unchanged scenario: ${refusal}.`);
  const on = 'on the held-out sessions ';
  const { low = null, high = null } = realised ?? {};
  if (realised === null) return no(`${NOT_WORTH_ACTING}${on}nothing can be compared.`);
  if (low === null || high === null)
    return no(`${NOT_WORTH_ACTING}${on}there is only one comparison, which says little.`);
  if (high < 0) return no(`Do not take it: ${on}it is worse than the unchanged scenario.`);
  if (low <= 0)
    return no(
      `${NOT_WORTH_ACTING}${on}the interval of the saving contains 0; more sessions would narrow it.`,
    );
  return (
    tooSmall(realised, metric, best, found, on) ?? {
      isRecommended: true,
      advice: 'Take it: it also saves on the held-out sessions, and that saving is the one to expect.',
    }
  );
}

/** A saving with its share and its interval. */
function saves(saving: Saving | null, metric: string): string {
  if (saving === null) return 'nothing to compare';
  const { mean, share, low, high } = saving;
  const parts = [
    ...(share === null ? [] : [formatShare(share)]),
    ...(low === null || high === null ? [] : [`95 %: ${figure(low, metric)} to ${figure(high, metric)}`]),
  ];
  return `${figure(mean, metric)}${parts.length === 0 ? '' : ` (${parts.join('; ')})`}`;
}

/** How the best setting compares with the unchanged scenario. */
function besideText(saving: Saving | null, metric: string): string {
  if (saving === null) return '';
  const each = saving.sessions === 1 ? '' : ' a session';
  const beside = 'than the unchanged scenario by';
  if (saving.mean > 0) return ` It is better ${beside} ${saves(saving, metric)}${each}.`;
  return saving.mean < 0 ? ` It is worse ${beside} ${figure(-saving.mean, metric)}${each}.` : '';
}

/** What half of the sessions would choose, and what comes of it on the others. */
function heldOutText(
  { settings, promised, realised, searched, heldOut }: OutOfSample,
  metric: string,
): string {
  if (settings === null) return ` ${formatCount(searched.length)} of them alone lead to no choice.`;
  const set = Object.entries(settings).map(([path, value]) => `${path}=${value}`);
  const there = promised === null ? null : { ...promised, low: null };
  return ` Chosen on ${formatCount(searched.length)} of them alone, it is ${set.join(', ')}, which saves ${saves(there, metric)} a session there and ${saves(realised, metric)} on the ${formatCount(heldOut.length)} others.`;
}

/** What a search came to: the optimum, what of it holds on sessions that did not choose it, and whether it is recommended. */
export function tuneConclusion(
  metric: string,
  best: BestSetting | null,
  found: FoundSaving,
): Conclusion & { readonly isRecommended: boolean } {
  const { refusal, held, saving } = found;
  if (best === null) {
    const other = metric === 'costUsd' ? '--maximise cacheHitRate' : '--minimise costUsd';
    const advice = found.isValued ? LOOSEN : `To choose one, name another goal, such as ${other}.`;
    return { isRecommended: false, result: `No setting is chosen: ${refusal}.`, advice };
  }
  if (best.unsure === true) return { isRecommended: false, ...priceless(best.settings, best.atLeast!) };
  // Settings that are alike may still differ from the unchanged scenario.
  const isSame = saving === null || saving.mean === 0;
  const same = isSame ? allEqual(best, found.settings, 'setting', metric, found.sessions) : null;
  if (same !== null) return { isRecommended: false, ...same };
  const result = `The best ${metricWords(metric)} of ${formatCounted(found.settings, 'setting')} is ${valueText(best, metric)}, at ${best.settings}${over(found.sessions)}.`;
  const conclusion =
    held === null
      ? { result: `${result}${besideText(saving, metric)}`, ...verdictHere(metric, best, found) }
      : { result: `${result}${heldOutText(held, metric)}`, ...verdictAhead(held, metric, best, found) };
  return withRefetch(conclusion, metric, [
    { name: 'the unchanged scenario', refetchUsd: found.baseRefetchUsd },
    { name: best.settings, refetchUsd: best.refetchUsd ?? null },
  ]);
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

/** The optimum, the promise and the outcome in lines. */
export function holdoutNotes(result: OutOfSample, metric: string): readonly string[] {
  const { inSample, promised, realised, isWithin, searched, heldOut } = result;
  return [
    `savings against the unchanged scenario (${metricWords(metric)}); chosen on ${formatCounted(searched.length, 'session')}, tested on ${formatCount(heldOut.length)} others:`,
    `  the best setting, over all sessions: ${savingText(inSample, metric, 'such sessions')}`,
    `  promised saving: ${savingText(promised, metric, `the ${formatCount(realised?.sessions ?? heldOut.length)} others`)}`,
    `  realised saving: ${savingText(realised, metric, 'such sessions')}`,
    ...(isWithin === null
      ? []
      : [`  the realised saving lies ${isWithin ? 'within' : 'outside'} the promised interval`]),
  ];
}

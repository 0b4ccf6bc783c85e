import type { LifetimeCostReport, LifetimeReport } from '../../analysis/lifetime/lifetime-report.js';
import { formatCount, formatCounted, formatMoney } from '../../core/base/format.js';
import { formatAtLeast } from '../../report/text/at-least.js';
import type { Conclusion } from '../../report/text/conclusion.js';
import type { ProviderLifetimes } from '../runs/provider-lifetimes.js';

/** Differences below this are rounding, not money. */
const EQUAL_USD = 1e-9;

function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

/** What the provider's rule leaves to do. */
function ruledConclusion(ruled: readonly ProviderLifetimes[]): Conclusion {
  const saves = ruled.some(({ lifetimes }) =>
    lifetimes.some(({ savesUsd }) => savesUsd !== null && savesUsd >= EQUAL_USD),
  );
  const isPriced = ruled.some(({ averageUsd }) => averageUsd !== null);
  const advice = saves
    ? 'Only shorter pauses save what a longer lifetime would.'
    : isPriced
      ? 'Shorter pauses would gain as little as a longer lifetime.'
      : 'What a longer lifetime would save cannot be told without prices.';
  return {
    result: `These sessions leave no lifetime to choose: the rules of ${listed(ruled.map(({ label }) => label))} decide.`,
    advice,
  };
}

/** Which part of the calls a difference is of; nothing where it is of all. */
function ofPriced({ calls, unpricedCalls }: LifetimeCostReport): string {
  if (unpricedCalls === 0) return '';
  return ` on the ${formatCount(calls - unpricedCalls)} of ${formatCounted(calls, 'call')} whose models have a price`;
}

/** Which lifetime is the cheaper one; where a provider leaves no choice, that there is none. */
export function lifetimeConclusion(
  { cost, sessions }: LifetimeReport,
  byProvider: Readonly<Record<string, ProviderLifetimes>>,
): Conclusion {
  const own = cost.perSession.length;
  const ruled = Object.values(byProvider);
  const { total5mUsd, total1hUsd } = cost;
  if (cost.calls === 0 && ruled.length > 0) return ruledConclusion(ruled);
  if (total5mUsd === null || total1hUsd === null)
    return {
      result: 'Which lifetime is cheaper cannot be told: no model of these sessions has a price.',
      advice: 'How long entries should live, the hit rates say: they need no price.',
    };
  const difference = Math.abs(total1hUsd - total5mUsd);
  if (difference < EQUAL_USD)
    return {
      result: `Both lifetimes cost the same: ${formatAtLeast(total5mUsd, cost)}${ofPriced(cost)}.`,
      advice: 'Either will do for sessions like these.',
    };
  const who = own === sessions ? 'All sessions' : `${formatCounted(own, 'session')} with a choice`;
  const isShort = total5mUsd < total1hUsd;
  return {
    result: `${who}: ${formatAtLeast(total5mUsd, cost)} with 5 minutes, ${formatAtLeast(total1hUsd, cost)} with 1 hour; ${isShort ? '5 minutes' : '1 hour'} saves ${formatMoney(difference)}${ofPriced(cost)}.`,
    advice: isShort
      ? 'Choose 5 minutes as long as pauses between 5 minutes and 1 hour stay as rare as here.'
      : 'Choose 1 hour as long as pauses between 5 minutes and 1 hour stay as common as here.',
  };
}

import type { LifetimeReport } from '../../cache/lifetime-report.js';
import type { Conclusion } from '../../report/conclusion.js';
import { formatCounted, formatMoney } from '../../report/format.js';
import type { ProviderLifetimes } from '../runs/provider-lifetimes.js';

/** Differences below this are rounding, not money. */
const EQUAL_USD = 1e-9;

function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

/** Which lifetime is the cheaper one; where a provider leaves no choice, that there is none. */
export function lifetimeConclusion(
  { cost, sessions }: LifetimeReport,
  byProvider: Readonly<Record<string, ProviderLifetimes>>,
): Conclusion {
  const own = cost.perSession.length;
  const ruled = Object.values(byProvider).map(({ label }) => label);
  if (own === 0 && ruled.length > 0)
    return {
      result: `These sessions leave no lifetime to choose: the rules of ${listed(ruled)} decide.`,
      advice: 'Only shorter pauses save what a longer lifetime would.',
    };
  const { total5mUsd, total1hUsd } = cost;
  const difference = Math.abs(total1hUsd - total5mUsd);
  if (difference < EQUAL_USD)
    return {
      result: `Both lifetimes cost the same: ${formatMoney(total5mUsd)}.`,
      advice: 'Either will do for sessions like these.',
    };
  const who = own === sessions ? 'All sessions' : `${formatCounted(own, 'session')} with a choice`;
  const isShort = total5mUsd < total1hUsd;
  return {
    result: `${who}: ${formatMoney(total5mUsd)} with 5 minutes, ${formatMoney(total1hUsd)} with 1 hour; ${isShort ? '5 minutes' : '1 hour'} saves ${formatMoney(difference)}.`,
    advice: isShort
      ? 'Choose 5 minutes as long as pauses between 5 minutes and 1 hour stay as rare as here.'
      : 'Choose 1 hour as long as pauses between 5 minutes and 1 hour stay as common as here.',
  };
}

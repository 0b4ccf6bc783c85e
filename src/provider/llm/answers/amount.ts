import type { Random } from '../../../core/base/random.js';
import type { Amount } from '../../../core/run/run-plan.js';

/** The standard normal quantile at 0.9. */
const Z90 = 1.2815515655446004;

/** A whole number as planned: the fixed one, or a draw from a log-normal held between its limits. */
export function drawAmount(amount: Amount, random: Random): number {
  if ('fixed' in amount) return Math.round(amount.fixed);
  const { median, p90, min, max } = amount;
  if (median <= 0) return Math.round(min);
  const sigma = Math.log(Math.max(p90, median) / median) / Z90;
  const drawn = median * Math.exp(sigma * random.normal());
  return Math.round(Math.min(max, Math.max(min, drawn)));
}

import type { WarningList } from '../../../core/run/warning.js';
import { isObject, type JsonObject, listOf } from '../../lines/narrow.js';

/** What makes a response cost something else than its counts at the list price (api.md §1.8). */
export type BilledOtherwise = 'fast' | 'us' | 'batch' | 'priority' | 'iterations';

/** What most responses are: billed as they are counted. */
const AS_COUNTED: readonly BilledOtherwise[] = Object.freeze([]);

/** What a usage record says of the price besides its counts. */
export function billedOtherwise(usage: JsonObject): readonly BilledOtherwise[] {
  const { speed, inference_geo: geo, service_tier: tier, iterations } = usage;
  const found: BilledOtherwise[] = [];
  if (speed === 'fast') found.push('fast');
  if (geo === 'us') found.push('us');
  if (tier === 'batch' || tier === 'priority') found.push(tier);
  if (listOf(iterations).some((one) => isObject(one) && one.type !== undefined && one.type !== 'message'))
    found.push('iterations');
  return found.length === 0 ? AS_COUNTED : found;
}

const OWN_PRICES = 'give the model its real prices under `models:` in a scenario';

const TOLD: Readonly<Record<BilledOtherwise, readonly [message: string, remedy: string | null]>> = {
  fast: [
    'responses came in fast mode, which costs more; they are priced at standard speed, so costs are too low',
    OWN_PRICES,
  ],
  us: [
    'responses were computed in the United States only, which costs 1.1 ×; they are priced without it, so costs are too low',
    OWN_PRICES,
  ],
  batch: [
    'responses came from a batch at half the price; they are priced in full, so costs are too high',
    OWN_PRICES,
  ],
  priority: ['responses came by a priority tier, whose price is not known here', OWN_PRICES],
  iterations: [
    'responses were billed for more than their own counts (a compaction or another model behind them); that is not counted, so costs are too low',
    null,
  ],
};

/** Says how many responses cost something else than what they are priced at. */
export function tellBilledOtherwise(
  responses: Iterable<readonly BilledOtherwise[]>,
  warnings: WarningList,
): void {
  const counts = new Map<BilledOtherwise, number>();
  for (const kinds of responses) for (const kind of kinds) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  for (const [kind, count] of counts) {
    const [message, remedy] = TOLD[kind];
    warnings.add(`billed-${kind}`, message, remedy, count);
  }
}

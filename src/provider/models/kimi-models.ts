import type { ModelRow } from '../prices/model-row.js';
import { type OtherModel, otherRow } from './other-row.js';

const LITELLM = 'litellm price table, 8 August 2026';

function kimi(model: Pick<OtherModel, 'id' | 'prices'> & Partial<OtherModel>): ModelRow {
  return otherRow({ provider: 'kimi', window: 262_144, maxOutput: 262_144, source: LITELLM, ...model });
}

const LONG_WRITE = 'Entries that live an hour cost twice input to write; five minutes cost input.';

/** The models of Moonshot, newest first. */
export const KIMI_MODELS: readonly ModelRow[] = [
  kimi({
    id: 'kimi-k3.1-pro',
    aliases: ['kimi-k3.1'],
    window: 1_048_576,
    maxOutput: 131_072,
    prices: { input: 2, output: 10, read: 0.2, write: 2, writeLong: 4 },
    source: 'price page of a reseller at official prices, 25 October 2026',
    notes: `${LONG_WRITE} Window and longest output assumed as those of kimi-k3.`,
  }),
  kimi({
    id: 'kimi-k3',
    aliases: ['k3'],
    window: 1_048_576,
    maxOutput: 131_072,
    prices: { input: 3, output: 15, read: 0.3, write: 3, writeLong: 6 },
    source: 'models.dev price table, 17 July 2026, after the vendor’s page',
    notes: `${LONG_WRITE} Longest output: 131,072 at a reseller, 1,048,576 in the table.`,
  }),
  kimi({ id: 'kimi-k2.6', prices: { input: 0.95, output: 4, read: 0.16 } }),
  kimi({ id: 'kimi-k2.5', prices: { input: 0.6, output: 3, read: 0.1 } }),
  kimi({
    id: 'kimi-k2-thinking',
    prices: { input: 0.6, output: 2.5, read: 0.15 },
    notes: 'Retired in May 2026.',
  }),
  kimi({
    id: 'kimi-k2',
    aliases: ['kimi-k2-0905', 'kimi-k2-0711', 'kimi-k2-instruct', 'kimi-k2-instruct-0905'],
    prices: { input: 0.6, output: 2.5, read: 0.15 },
    notes:
      'Retired in May 2026. The window is that of the version of September 2025; the one of July had half of it.',
  }),
];

import type { ModelRow } from '../prices/model-row.js';
import { type OtherModel, otherRow } from './other-row.js';

/** Cached reads cost a quarter of input, writes what input costs. */
function nova(
  model: Pick<OtherModel, 'id' | 'prices' | 'window' | 'maxOutput'> & Partial<OtherModel>,
): ModelRow {
  return otherRow({
    provider: 'bedrock',
    minimum: 1_000,
    source: 'litellm price table, 8 August 2026',
    ...model,
  });
}

const READ_NOTE =
  'Cache read: a quarter of input, as newer models of the family have it; the table names none.';

/** The models of Amazon. */
export const AMAZON_MODELS: readonly ModelRow[] = [
  nova({
    id: 'nova-2-lite',
    window: 1_000_000,
    maxOutput: 64_000,
    prices: { input: 0.3, output: 2.5, read: 0.075 },
    notes: 'The price without a region; a tenth more where the name begins with one.',
  }),
  nova({
    id: 'nova-pro',
    window: 300_000,
    maxOutput: 10_000,
    prices: { input: 0.8, output: 3.2, read: 0.2 },
    notes: READ_NOTE,
  }),
  nova({
    id: 'nova-lite',
    window: 300_000,
    maxOutput: 10_000,
    prices: { input: 0.06, output: 0.24, read: 0.015 },
    notes: READ_NOTE,
  }),
];

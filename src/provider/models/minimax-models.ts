import type { ModelRow } from '../prices/model-row.js';
import { type OtherModel, otherRow } from './other-row.js';

const NOTE = 'Served through an interface like Anthropic’s: its cache is assumed to work as that one does.';

function minimax(model: Pick<OtherModel, 'id' | 'prices'> & Partial<OtherModel>): ModelRow {
  const { notes, ...rest } = model;
  return otherRow({
    provider: 'anthropic',
    window: 204_800,
    maxOutput: 131_072,
    source: 'price list of a gateway, 2026',
    ...rest,
    notes: notes === undefined ? NOTE : `${notes} ${NOTE}`,
  });
}

const M2 = { input: 0.3, output: 1.2, read: 0.03, write: 0.375 };

/** The models of MiniMax, newest first. */
export const MINIMAX_MODELS: readonly ModelRow[] = [
  minimax({
    id: 'minimax-m3',
    window: 1_000_000,
    prices: { input: 0.3, output: 1.2, read: 0.06 },
    notes: 'models.dev has 0.35, 1.4, 0.07 and 0.4 for writes.',
  }),
  minimax({ id: 'minimax-m2.5', prices: M2 }),
  minimax({ id: 'minimax-m2.1', prices: M2 }),
  minimax({ id: 'minimax-m2', prices: M2 }),
];

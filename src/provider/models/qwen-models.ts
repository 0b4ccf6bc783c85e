import type { ModelRow } from '../prices/model-row.js';
import { type OtherModel, otherRow } from './other-row.js';

/** Implicit caching reads at a fifth of input and writes for nothing more than input. */
function qwen(
  model: Pick<OtherModel, 'id' | 'prices' | 'window' | 'maxOutput'> & Partial<OtherModel>,
): ModelRow {
  const { notes, ...rest } = model;
  return otherRow({
    provider: 'qwen',
    minimum: 256,
    source: 'models.dev price table, 2026, after the vendor’s international prices',
    ...rest,
    notes: [notes, MINIMUM_NOTE].filter((note) => note !== undefined).join(' '),
  });
}

const MINIMUM_NOTE =
  'Minimum cacheable size: 256 on the international page, 1,024 on the newest Chinese one.';
const READ_NOTE = 'Cache read: a fifth of input, as for the vendor’s other models; the table names none.';

/** The models of Alibaba, newest first. */
export const QWEN_MODELS: readonly ModelRow[] = [
  qwen({
    id: 'qwen3.5-plus',
    window: 1_000_000,
    maxOutput: 65_536,
    prices: { input: 0.4, output: 2.4, read: 0.08 },
    steps: [{ above: 256_000, input: 0.5, output: 3, read: 0.1 }],
    source: 'litellm price table, 8 August 2026',
    notes: READ_NOTE,
  }),
  qwen({
    id: 'qwen3-coder-plus',
    window: 1_000_000,
    maxOutput: 65_536,
    prices: { input: 1, output: 5, read: 0.2 },
    steps: [
      { above: 32_000, input: 1.8, output: 9, read: 0.36 },
      { above: 128_000, input: 3, output: 15, read: 0.6 },
      { above: 256_000, input: 6, output: 60, read: 1.2 },
    ],
    notes: 'Cache read: litellm lists that of explicit caching, half as much.',
  }),
  qwen({
    id: 'qwen3-coder-flash',
    window: 1_000_000,
    maxOutput: 65_536,
    prices: { input: 0.3, output: 1.5, read: 0.06 },
    steps: [
      { above: 32_000, input: 0.5, output: 2.5, read: 0.1 },
      { above: 128_000, input: 0.8, output: 4, read: 0.16 },
      { above: 256_000, input: 1.6, output: 9.6, read: 0.32 },
    ],
    notes: 'Cache read: litellm lists 0.08, 0.12, 0.2 and 0.4.',
  }),
  qwen({
    id: 'qwen3-max',
    window: 262_144,
    maxOutput: 65_536,
    prices: { input: 1.2, output: 6, read: 0.24 },
    steps: [
      { above: 32_000, input: 2.4, output: 12, read: 0.48 },
      { above: 128_000, input: 3, output: 15, read: 0.6 },
    ],
  }),
  qwen({
    id: 'qwen-plus',
    window: 1_000_000,
    maxOutput: 32_768,
    prices: { input: 0.4, output: 1.2, read: 0.08 },
    steps: [{ above: 256_000, input: 1.2, output: 3.6, read: 0.24 }],
    notes: 'Output without thinking; with thinking it costs 4 and 12.',
  }),
  qwen({
    id: 'qwen-flash',
    window: 1_000_000,
    maxOutput: 32_768,
    prices: { input: 0.05, output: 0.4, read: 0.01 },
    steps: [{ above: 256_000, input: 0.25, output: 2, read: 0.05 }],
    source: 'litellm price table, 8 August 2026',
    notes: READ_NOTE,
  }),
];

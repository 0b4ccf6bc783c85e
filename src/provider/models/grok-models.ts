import type { ModelRow } from '../prices/model-row.js';
import { type OtherModel, otherRow } from './other-row.js';

const LITELLM = 'litellm price table, 8 August 2026';

function grok(
  model: Pick<OtherModel, 'id' | 'prices' | 'window' | 'maxOutput'> & Partial<OtherModel>,
): ModelRow {
  return otherRow({ provider: 'grok', source: LITELLM, ...model });
}

const GROK_45 = {
  window: 500_000,
  maxOutput: 500_000,
  prices: { input: 2, output: 6, read: 0.5 },
  steps: [{ above: 200_000, input: 4, output: 12, read: 1 }],
};
const READ_STEP = 'The read price above the step is not listed: the one below it is used.';

/** The models of xAI, newest first. */
export const GROK_MODELS: readonly ModelRow[] = [
  grok({
    ...GROK_45,
    id: 'grok-4.7',
    source: 'models.dev price table, autumn 2026, after the vendor’s page',
    notes: 'Window and longest output assumed as those of grok-4.5.',
  }),
  grok({ ...GROK_45, id: 'grok-4.5' }),
  grok({
    id: 'grok-4.3',
    window: 1_000_000,
    maxOutput: 30_000,
    prices: { input: 1.25, output: 2.5, read: 0.2 },
    steps: [{ above: 200_000, input: 2.5, output: 5, read: 0.4 }],
  }),
  grok({
    id: 'grok-4-1-fast',
    aliases: [
      'grok-4.1-fast',
      'grok-4-1-fast-reasoning',
      'grok-4-1-fast-non-reasoning',
      'grok-4.1-fast-reasoning',
      'grok-4.1-fast-non-reasoning',
      'grok-4-fast',
      'grok-4-fast-reasoning',
      'grok-4-fast-non-reasoning',
    ],
    window: 2_000_000,
    maxOutput: 30_000,
    prices: { input: 0.2, output: 0.5, read: 0.05 },
    steps: [{ above: 128_000, input: 0.4, output: 1, read: 0.05 }],
    notes: READ_STEP,
  }),
  grok({
    id: 'grok-4',
    aliases: ['grok-4-0709'],
    window: 256_000,
    maxOutput: 256_000,
    prices: { input: 3, output: 15, read: 0.75 },
    steps: [{ above: 128_000, input: 6, output: 30, read: 0.75 }],
    notes: `Cache read from models.dev, July 2025; the step is listed for the dated name alone. ${READ_STEP}`,
  }),
  grok({
    id: 'grok-code-fast-1',
    aliases: ['grok-code-fast', 'grok-code-fast-1-0825'],
    window: 256_000,
    maxOutput: 10_000,
    prices: { input: 0.2, output: 1.5, read: 0.02 },
  }),
];

import type { ModelRow } from '../prices/model-row.js';
import { type OtherModel, otherRow } from './other-row.js';

const LITELLM = 'litellm price table, 8 August 2026';
const MODELS_DEV = 'models.dev price table, after the vendor’s pages of autumn 2026';

type Named = Pick<OtherModel, 'id' | 'prices'> & Partial<OtherModel>;

/** Implicit caching: nothing is paid for writing. */
function gemini(model: Named): ModelRow {
  return otherRow({
    provider: 'gemini',
    window: 1_048_576,
    maxOutput: 65_536,
    minimum: 1_024,
    source: LITELLM,
    ...model,
  });
}

const PRO_3 = {
  prices: { input: 2, output: 12, read: 0.2 },
  steps: [{ above: 200_000, input: 4, output: 18, read: 0.4 }],
  minimum: 4_096,
  source: 'models.dev price table, February 2026',
};
const ASSUMED_SIZE = 'Window and longest output assumed as those of gemini-3.5-flash.';

/** The models of Google, newest first. */
export const GOOGLE_MODELS: readonly ModelRow[] = [
  gemini({
    id: 'gemini-3.8-flash',
    prices: { input: 0.75, output: 3.75, read: 0.075 },
    source: MODELS_DEV,
    notes: `Introductory price until the end of 2026, then twice as much. ${ASSUMED_SIZE}`,
  }),
  gemini({
    id: 'gemini-3.7-flash',
    prices: { input: 1.5, output: 7.5, read: 0.15 },
    source: MODELS_DEV,
    notes: ASSUMED_SIZE,
  }),
  gemini({
    id: 'gemini-3.5-flash',
    prices: { input: 1.5, output: 9, read: 0.15 },
    source: 'models.dev price table, May 2026',
  }),
  gemini({ ...PRO_3, id: 'gemini-3.1-pro', aliases: ['gemini-3.1-pro-preview-customtools'] }),
  gemini({
    id: 'gemini-3.1-flash-lite',
    prices: { input: 0.25, output: 1.5, read: 0.025 },
    notes: 'Cache read: a gateway’s list rounds it to 0.03.',
  }),
  gemini({ ...PRO_3, id: 'gemini-3-pro', source: 'models.dev price table, November 2025' }),
  gemini({
    id: 'gemini-3-flash',
    prices: { input: 0.5, output: 3, read: 0.05 },
    source: 'models.dev price table, December 2025',
  }),
  gemini({
    id: 'gemini-2.5-pro',
    prices: { input: 1.25, output: 10, read: 0.125 },
    steps: [{ above: 200_000, input: 2.5, output: 15, read: 0.25 }],
    minimum: 4_096,
  }),
  gemini({ id: 'gemini-2.5-flash', prices: { input: 0.3, output: 2.5, read: 0.03 } }),
  gemini({ id: 'gemini-2.5-flash-lite', prices: { input: 0.1, output: 0.4, read: 0.01 } }),
  gemini({
    id: 'gemini-2.0-flash',
    maxOutput: 8_192,
    prices: { input: 0.1, output: 0.4, read: 0.025 },
    notes:
      'Retired in June 2026. The vendor’s cloud lists a dated version at one and a half times the price.',
  }),
];

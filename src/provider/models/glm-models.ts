import type { ModelRow } from '../prices/model-row.js';
import { type OtherModel, otherRow } from './other-row.js';

const LITELLM = 'litellm price table, 8 August 2026';

function glm(model: Pick<OtherModel, 'id' | 'prices'> & Partial<OtherModel>): ModelRow {
  return otherRow({ provider: 'glm', window: 200_000, maxOutput: 128_000, source: LITELLM, ...model });
}

const GLM_51 = { input: 1.4, output: 4.4, read: 0.26 };

/** The models of Z.ai, newest first. */
export const GLM_MODELS: readonly ModelRow[] = [
  glm({
    id: 'glm-5.3',
    window: 1_048_576,
    maxOutput: 131_072,
    prices: GLM_51,
    source: 'pages of a router and of a developer blog, 19 August 2026, after the vendor’s price table',
  }),
  glm({
    id: 'glm-5.2',
    window: 1_000_000,
    prices: GLM_51,
    source: 'release notes of a coding agent, 20 August 2026, after the vendor’s price table',
    notes: 'A gateway’s list has 1.5, 4.5 and 0.3.',
  }),
  glm({ id: 'glm-5.1', prices: GLM_51, notes: 'A gateway’s list has 1.3, 4.3 and 0.26.' }),
  glm({
    id: 'glm-5',
    prices: { input: 1, output: 3.2, read: 0.2 },
    notes: 'A gateway’s list has 0.95, 3.15 and 0.2.',
  }),
  glm({
    id: 'glm-4.7',
    prices: { input: 0.6, output: 2.2, read: 0.11 },
    notes: 'Cache read: 0.12 in a gateway’s list.',
  }),
  glm({ id: 'glm-4.6', prices: { input: 0.6, output: 2.2, read: 0.11 } }),
  glm({
    id: 'glm-4.5',
    window: 128_000,
    maxOutput: 96_000,
    prices: { input: 0.6, output: 2.2, read: 0.11 },
    notes: 'Cache read from a gateway’s list; litellm names none and has 32,000 for the longest output.',
  }),
  glm({
    id: 'glm-4.5-air',
    window: 128_000,
    maxOutput: 96_000,
    prices: { input: 0.2, output: 1.1, read: 0.03 },
    source: 'price list of a gateway, 2026',
  }),
];

import { ANTHROPIC_MODELS } from './anthropic-models.js';
import type { ModelRow } from './model-row.js';
import { OTHER_MODELS } from './other-models.js';

export type { ModelRow, Prices } from './model-row.js';

/** Day on which the rows were last checked against their sources. */
export const MODEL_TABLE_DATE = '2026-11-15';

/** The models of all providers, Anthropic's first. */
export const MODEL_TABLE: readonly ModelRow[] = [...ANTHROPIC_MODELS, ...OTHER_MODELS];

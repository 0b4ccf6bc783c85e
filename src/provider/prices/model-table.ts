import { AMAZON_MODELS } from '../models/amazon-models.js';
import { DEEPSEEK_MODELS } from '../models/deepseek-models.js';
import { GLM_MODELS } from '../models/glm-models.js';
import { GOOGLE_MODELS } from '../models/google-models.js';
import { GROK_MODELS } from '../models/grok-models.js';
import { KIMI_MODELS } from '../models/kimi-models.js';
import { MINIMAX_MODELS } from '../models/minimax-models.js';
import { OPENAI_MODELS } from '../models/openai-models.js';
import { QWEN_MODELS } from '../models/qwen-models.js';
import { ANTHROPIC_MODELS } from './anthropic-models.js';
import type { ModelRow } from './model-row.js';

/** Models of other providers than Anthropic, by provider. */
const OTHER_MODELS: readonly ModelRow[] = [
  ...OPENAI_MODELS,
  ...GOOGLE_MODELS,
  ...AMAZON_MODELS,
  ...DEEPSEEK_MODELS,
  ...QWEN_MODELS,
  ...KIMI_MODELS,
  ...GROK_MODELS,
  ...GLM_MODELS,
  ...MINIMAX_MODELS,
];

export type { ModelRow, Prices } from './model-row.js';

/** Day on which the rows were last checked against their sources. */
export const MODEL_TABLE_DATE = '2026-11-15';

/** The models of all providers, Anthropic's first. */
export const MODEL_TABLE: readonly ModelRow[] = [...ANTHROPIC_MODELS, ...OTHER_MODELS];

import { AMAZON_MODELS } from '../models/amazon-models.js';
import { DEEPSEEK_MODELS } from '../models/deepseek-models.js';
import { GLM_MODELS } from '../models/glm-models.js';
import { GOOGLE_MODELS } from '../models/google-models.js';
import { GROK_MODELS } from '../models/grok-models.js';
import { KIMI_MODELS } from '../models/kimi-models.js';
import { MINIMAX_MODELS } from '../models/minimax-models.js';
import { OPENAI_MODELS } from '../models/openai-models.js';
import { QWEN_MODELS } from '../models/qwen-models.js';
import type { ModelRow } from './model-row.js';

/** Models of other providers than Anthropic, by provider. */
export const OTHER_MODELS: readonly ModelRow[] = [
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

import type { ModelRow } from './model-row.js';
import { AMAZON_MODELS } from './other-models/amazon-models.js';
import { DEEPSEEK_MODELS } from './other-models/deepseek-models.js';
import { GLM_MODELS } from './other-models/glm-models.js';
import { GOOGLE_MODELS } from './other-models/google-models.js';
import { GROK_MODELS } from './other-models/grok-models.js';
import { KIMI_MODELS } from './other-models/kimi-models.js';
import { MINIMAX_MODELS } from './other-models/minimax-models.js';
import { OPENAI_MODELS } from './other-models/openai-models.js';
import { QWEN_MODELS } from './other-models/qwen-models.js';

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

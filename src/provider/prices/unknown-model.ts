import { otherRow } from '../models/other-row.js';
import type { ModelRow } from './model-row.js';

/** Whose cache a model has, by the beginning of its name. */
const FAMILIES: readonly (readonly [RegExp, string])[] = [
  [/^gpt-(?:5\.[6-9]|[6-9]|\d{2})/, 'openai-5.6'],
  [/^(?:gpt|codex|o\d)(?:-|$)/, 'openai'],
  [/^gemini/, 'gemini'],
  [/^deepseek/, 'deepseek'],
  [/^(?:qwen|qwq)/, 'qwen'],
  [/^(?:kimi|moonshot)/, 'kimi'],
  [/^grok/, 'grok'],
  [/^glm/, 'glm'],
];

/** The row of a model that nobody knows: of typical size, without prices, with the cache that its name speaks of. */
export function unknownModel(name: string): ModelRow {
  const own = name.toLowerCase().slice(name.lastIndexOf('/') + 1);
  const provider = FAMILIES.find(([family]) => family.test(own))?.[1] ?? 'anthropic';
  return {
    ...otherRow({
      id: name,
      provider,
      window: 200_000,
      maxOutput: 64_000,
      prices: { input: 0, output: 0, read: 0 },
      minimum: 1_024,
      source: 'nothing: the model is not in the table',
    }),
    pricesAreKnown: false,
  };
}

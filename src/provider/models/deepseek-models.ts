import type { ModelRow } from '../prices/model-row.js';
import { type OtherModel, otherRow } from './other-row.js';

const LITELLM = 'litellm price table, 8 August 2026';
const VENDOR = 'vendor price page, October 2026';
const OFF_PEAK =
  'Off-peak price, which holds for about four of five hours; from 01:00 to 04:00 and from 06:00 to 10:00 UTC on weekdays everything costs twice as much.';

function deepseek(model: Omit<OtherModel, 'provider'>): ModelRow {
  return otherRow({ provider: 'deepseek', ...model });
}

/** The models of DeepSeek, newest first. */
export const DEEPSEEK_MODELS: readonly ModelRow[] = [
  deepseek({
    id: 'deepseek-v4-pro',
    window: 1_000_000,
    maxOutput: 384_000,
    prices: { input: 0.66, output: 1.98, read: 0.022 },
    source: VENDOR,
    notes: `${OFF_PEAK} Until 16 August 2026: 0.435 input, 0.87 output, 0.0036 read.`,
  }),
  deepseek({
    id: 'deepseek-v4-flash',
    aliases: ['deepseek-flash', 'deepseek-v4.1-flash'],
    window: 1_000_000,
    maxOutput: 384_000,
    prices: { input: 0.15, output: 0.6, read: 0.003 },
    source: VENDOR,
    notes: `${OFF_PEAK} The name is billed as deepseek-flash since 10 September 2026; before that 0.22 input, 0.66 output, 0.007 read, and until 16 August 0.14, 0.28 and 0.0028.`,
  }),
  deepseek({
    id: 'deepseek-chat',
    aliases: ['deepseek-v3.2'],
    window: 131_072,
    maxOutput: 8_192,
    prices: { input: 0.28, output: 0.42, read: 0.028 },
    source: LITELLM,
  }),
  deepseek({
    id: 'deepseek-reasoner',
    window: 131_072,
    maxOutput: 65_536,
    prices: { input: 0.28, output: 0.42, read: 0.028 },
    source: LITELLM,
  }),
  deepseek({
    id: 'deepseek-v3',
    window: 65_536,
    maxOutput: 8_192,
    prices: { input: 0.27, output: 1.1, read: 0.07 },
    source: LITELLM,
    notes: 'Last price of the first V3; deepseek-chat has the price of its successor.',
  }),
];

import type { ModelRow } from '../prices/model-row.js';
import { type OtherModel, type OtherPrices, otherRow } from './other-row.js';

const LITELLM = 'litellm price table, 8 August 2026';
const VENDOR = 'vendor model page, September 2026';
const METERS = 'release notes of two public usage meters, September 2026, after the vendor page';

/** Longest prompt at the ordinary price, from GPT-5.4 on. */
const STEP_TOKENS = 272_000;

const EARLY = { provider: 'openai', minimum: 1_024, source: LITELLM };
const LONG_NOTE = 'Of the window the vendor’s own coding agent uses 272,000 tokens.';

type Named = Pick<OtherModel, 'id' | 'prices'> & Partial<OtherModel>;

/** GPT-5 to 5.3: 272,000 tokens of prompt and 128,000 of output. */
function gpt5(model: Named): ModelRow {
  return otherRow({ ...EARLY, window: 400_000, maxOutput: 128_000, ...model });
}

const exact = (dollars: number): number => Math.round(dollars * 100_000) / 100_000;

/** Above the step input, read and write cost twice as much and output one and a half times. */
function stepOf({ input, output, read, write }: OtherPrices): OtherPrices & { readonly above: number } {
  const base = { above: STEP_TOKENS, input: input * 2, output: exact(output * 1.5), read: read * 2 };
  return write === undefined ? base : { ...base, write: write * 2 };
}

/** From GPT-5.4 on: a window of a million, and dearer above the step. */
function long(model: Named): ModelRow {
  const { notes, ...rest } = model;
  return otherRow({
    ...EARLY,
    window: 1_050_000,
    maxOutput: 128_000,
    steps: [stepOf(model.prices)],
    ...rest,
    notes: notes === undefined ? LONG_NOTE : `${notes} ${LONG_NOTE}`,
  });
}

/** From GPT-5.6 on writes cost 1.25 × input. */
function written(input: number, output: number, read: number): OtherPrices {
  return { input, output, read, write: input * 1.25 };
}

const GPT_5 = { input: 1.25, output: 10, read: 0.125 };
const GPT_5_MINI = { input: 0.25, output: 2, read: 0.025 };
const GPT_52 = { input: 1.75, output: 14, read: 0.175 };

const CUT = (launch: string): string =>
  `Price cut after the launch: ${launch} in July 2026, which is what recordings of that month paid.`;

/** The models of OpenAI, newest first. */
export const OPENAI_MODELS: readonly ModelRow[] = [
  long({
    id: 'gpt-6.1-sol',
    provider: 'openai-5.6',
    prices: written(2, 10, 0.1),
    source: 'price pages of two resellers, September and October 2026',
    notes: 'Step, window and write price assumed as those of gpt-6-sol.',
  }),
  long({ id: 'gpt-6-astra', provider: 'openai-5.6', prices: written(10, 50, 1), source: VENDOR }),
  long({ id: 'gpt-6-sol', provider: 'openai-5.6', prices: written(2, 10, 0.2), source: METERS }),
  long({ id: 'gpt-6-luna', provider: 'openai-5.6', prices: written(0.1, 0.5, 0.01), source: METERS }),
  long({
    id: 'gpt-5.6-sol',
    provider: 'openai-5.6',
    aliases: ['gpt-5.6'],
    prices: written(4, 20, 0.4),
    source: VENDOR,
    notes: `${CUT('5 and 30 dollars')} One later table lists 2 and 10.`,
  }),
  long({
    id: 'gpt-5.6-terra',
    provider: 'openai-5.6',
    prices: written(2, 12, 0.2),
    source: VENDOR,
    notes: CUT('2.50 and 15 dollars'),
  }),
  long({
    id: 'gpt-5.6-luna',
    provider: 'openai-5.6',
    prices: written(0.2, 1.2, 0.02),
    source: VENDOR,
    notes: CUT('1 and 6 dollars'),
  }),
  long({ id: 'gpt-5.5', prices: { input: 5, output: 30, read: 0.5 } }),
  long({ id: 'gpt-5.4', prices: { input: 2.5, output: 15, read: 0.25 } }),
  gpt5({
    id: 'gpt-5.4-mini',
    prices: { input: 0.75, output: 4.5, read: 0.075 },
    notes: 'Window: 400,000 in a gateway’s list, 1,050,000 in litellm; the smaller is used.',
  }),
  gpt5({
    id: 'gpt-5.4-nano',
    prices: { input: 0.2, output: 1.25, read: 0.02 },
    notes: 'Window: 400,000 in a gateway’s list, 1,050,000 in litellm; the smaller is used.',
  }),
  gpt5({ id: 'gpt-5.3-codex', prices: GPT_52 }),
  gpt5({
    id: 'gpt-5.3-codex-spark',
    prices: GPT_52,
    window: 128_000,
    maxOutput: 32_000,
    source: 'models.dev price table, February 2026',
    notes: 'Research preview without a price of the vendor: that of gpt-5.3-codex, as the table has it.',
  }),
  gpt5({ id: 'gpt-5.2', prices: GPT_52 }),
  gpt5({ id: 'gpt-5.2-codex', prices: GPT_52 }),
  gpt5({ id: 'gpt-5.1', prices: GPT_5 }),
  gpt5({ id: 'gpt-5.1-codex', prices: GPT_5 }),
  gpt5({ id: 'gpt-5.1-codex-max', prices: GPT_5 }),
  gpt5({ id: 'gpt-5.1-codex-mini', prices: GPT_5_MINI }),
  gpt5({ id: 'gpt-5', prices: GPT_5 }),
  gpt5({ id: 'gpt-5-codex', prices: GPT_5 }),
  gpt5({ id: 'gpt-5-mini', prices: GPT_5_MINI }),
  gpt5({ id: 'gpt-5-nano', prices: { input: 0.05, output: 0.4, read: 0.005 } }),
  gpt5({ id: 'gpt-4.1', window: 1_047_576, maxOutput: 32_768, prices: { input: 2, output: 8, read: 0.5 } }),
  gpt5({
    id: 'gpt-4.1-mini',
    window: 1_047_576,
    maxOutput: 32_768,
    prices: { input: 0.4, output: 1.6, read: 0.1 },
  }),
  gpt5({
    id: 'gpt-4.1-nano',
    window: 1_047_576,
    maxOutput: 32_768,
    prices: { input: 0.1, output: 0.4, read: 0.025 },
  }),
  gpt5({ id: 'gpt-4o', window: 128_000, maxOutput: 16_384, prices: { input: 2.5, output: 10, read: 1.25 } }),
  gpt5({
    id: 'gpt-4o-mini',
    window: 128_000,
    maxOutput: 16_384,
    prices: { input: 0.15, output: 0.6, read: 0.075 },
  }),
  gpt5({ id: 'o3', window: 200_000, maxOutput: 100_000, prices: { input: 2, output: 8, read: 0.5 } }),
  gpt5({
    id: 'o4-mini',
    window: 200_000,
    maxOutput: 100_000,
    prices: { input: 1.1, output: 4.4, read: 0.275 },
  }),
  gpt5({
    id: 'o3-mini',
    window: 200_000,
    maxOutput: 100_000,
    prices: { input: 1.1, output: 4.4, read: 0.55 },
  }),
];

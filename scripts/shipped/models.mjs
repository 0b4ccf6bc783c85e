// @ts-check
// The table of models: src/provider/prices/models.yaml, checked and with every field of a row (model-row.ts).
import { z } from 'zod';

const tokens = z.int().positive();
const dollars = z.number().min(0);
const priceList = z.union([
  z.tuple([dollars, dollars, dollars]),
  z.tuple([dollars, dollars, dollars, dollars]),
  z.tuple([dollars, dollars, dollars, dollars, dollars]),
]);
const step = z.tuple([tokens, dollars, dollars, dollars]);
/** A sentence each: a comma that a list of YAML takes as its own leaves one without its end. */
const sentences = z.array(z.string().regex(/[.]$/));

/** What holds from a day on; a row has its newest. */
const PRICES = {
  from: z.iso.date().nullable().default(null),
  prices: priceList,
  steps: z.array(step).default([]),
  fast: priceList.optional(),
  pricesOf: z.string().nullable().default(null),
  source: z.union([z.string().min(1), z.array(z.string().min(1))]),
  checked: z.iso.date(),
};

const FIELDS = {
  ...PRICES,
  provider: z.string(),
  window: tokens,
  maxOutput: tokens,
  beta1m: z.enum(['supported', 'unsupported']).default('unsupported'),
  writes: z.number().positive().default(1),
  hourWrites: z.number().positive().optional(),
  regional: z.number().min(1).optional(),
  minimum: z.int().min(0).default(0),
  thinking: z.enum(['keep-all', 'keep-last-turn', 'keep-open-turn']).default('keep-all'),
  preservedThinking: z.boolean().default(false),
  defaults: z
    .strictObject({ thinking: z.enum(['disabled', 'adaptive']), effort: z.string() })
    .default({ thinking: 'adaptive', effort: 'medium' }),
  tokenizerScale: z.number().positive().default(1),
  latency: z.strictObject({
    overheadMs: z.number().min(0),
    prefillTokensPerSecond: z.number().positive(),
    decodeTokensPerSecond: z.number().positive(),
  }),
  notes: sentences.default([]),
  closing: sentences.default([]),
  id: z.string().default(''),
  aliases: z.array(z.string()).default([]),
  earlier: z.array(z.strictObject(PRICES).partial({ checked: true })).default([]),
  tools: z.tuple([tokens, tokens]).optional(),
};

const table = z.strictObject({
  checkedOn: z.iso.date(),
  // What anchors are made of; the rows refer to them.
  texts: z.unknown(),
  latencies: z.unknown(),
  shared: z.unknown(),
  anthropic: z.unknown(),
  unknown: z.record(z.string(), z.unknown()),
  groups: z.array(z.looseObject({ models: z.array(z.record(z.string(), z.unknown())) })),
});

const exact = (/** @type {number} */ price) => Math.round(price * 100_000) / 100_000;

/** A row with every field, of one that leaves out what is usual. */
function fullRow(/** @type {Record<string, unknown>} */ given, /** @type {string} */ checkedOn) {
  const row = z.strictObject(FIELDS).parse({ checked: checkedOn, ...given });
  /** @param {readonly number[]} prices */
  const prices = ([input = 0, output = 0, cacheRead = 0, write, hourWrite]) => {
    const cacheWrite5m = write ?? exact(input * row.writes);
    const cacheWrite1h = hourWrite ?? write ?? exact(input * (row.hourWrites ?? row.writes));
    return { input, output, cacheRead, cacheWrite5m, cacheWrite1h };
  };
  const period = (/** @type {z.infer<z.ZodObject<typeof PRICES>>} */ given) => ({
    from: given.from,
    pricesOf: given.pricesOf,
    pricesPerMTok: prices(given.prices),
    priceSteps: given.steps.map(([overPromptTokens, ...step]) => ({
      overPromptTokens,
      prices: prices(step),
    })),
    fastPricesPerMTok: given.fast === undefined ? null : prices(given.fast),
    source: typeof given.source === 'string' ? given.source : given.source.join('; '),
    checked: given.checked,
  });
  // As written newest first; the program asks for them oldest first.
  const earlier = row.earlier
    .map((given, i) => ({
      ...period({ ...given, checked: given.checked ?? checkedOn }),
      until: (row.earlier[i - 1] ?? row).from,
    }))
    .reverse();
  const days = [...earlier.map(({ from }) => from), row.from];
  days.forEach((day, i) => {
    if (i > 0 && (day === null || day <= (days[i - 1] ?? '')))
      throw new Error(`${row.id}: prices with others before them need \`from\`, a later day than theirs`);
  });
  return {
    id: row.id,
    provider: row.provider,
    aliases: row.aliases,
    window: row.window,
    beta1m: row.beta1m,
    maxOutput: row.maxOutput,
    pricesAreKnown: true,
    ...period(row),
    earlier,
    regional: row.regional,
    minCacheableTokens: row.minimum,
    thinking: row.thinking,
    preservedThinking: row.preservedThinking,
    defaults: row.defaults,
    toolOverheadTokens: row.tools === undefined ? null : { auto: row.tools[0], forced: row.tools[1] },
    tokenizerScale: row.tokenizerScale,
    latency: row.latency,
    notes: [...row.notes, ...row.closing].join(' '),
  };
}

/** The module of models.yaml: the day of the last check, and all rows as one JSON text that is parsed when it is asked for. */
export function modelsModule(/** @type {unknown} */ written) {
  const { checkedOn, unknown, groups } = table.parse(written);
  const rows = groups.flatMap(({ models, ...common }) =>
    models.map((model) => fullRow({ ...common, ...model }, checkedOn)),
  );
  const json = JSON.stringify({ rows, unknown: { ...fullRow(unknown, checkedOn), pricesAreKnown: false } });
  return `/** Day on which the rows were last checked against their sources. */
export const MODEL_TABLE_DATE = '${checkedOn}';

/** The rows of all models, and the one that stands for models that are not among them. */
export const MODEL_TABLE_JSON =
  ${JSON.stringify(json)};
`;
}

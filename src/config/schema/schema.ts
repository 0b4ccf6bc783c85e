import { z } from 'zod';
import { day, flag, number, orNull, refuse, text, whole } from '../../core/base/schema.js';
import { schemaMap } from '../../core/base/schema-problems.js';
import {
  type Amount,
  BETWEEN,
  CALL_PURPOSES,
  FAULT_KINDS,
  HOOK_EVENTS,
  SURVIVALS,
} from '../../core/run/run-plan.js';
import { modelsSchema } from './schema-models.js';
import { homeSchema, safeName, sessionsSchema } from './schema-sessions.js';
import { syntheticSchema } from './schema-synthetic.js';

const fileSchema = z
  .union([text('A file.'), z.array(text('A file.')).min(1)])
  .describe(
    'Recorded session or request trace, relative to this file; in a list, every file is a separate transcript.',
  );

const transcriptSchema = z
  .strictObject({ file: fileSchema.optional(), synthetic: syntheticSchema.optional() })
  .check((ctx) => {
    const given = Object.keys(ctx.value).length;
    if (given !== 1)
      refuse(
        ctx,
        `\`{path}\` takes \`file\` or \`synthetic\`; ${given === 0 ? 'neither is' : 'both are'} there`,
      );
  })
  .meta({ id: 'Transcript', minProperties: 1, maxProperties: 1 })
  .describe('What is replayed: recorded files or a generated session.');

const paramSetSchema = z
  .record(
    z.string(),
    z.union([
      z.number(),
      z.boolean(),
      z.string(),
      z.null(),
      z.array(z.string()),
      z.record(z.string(), z.number()),
    ]),
  )
  .meta({ id: 'ParamSet' })
  .describe('Policy parameters by path, such as `microcompact.timeBased.gapMinutes: 60`.');

const policyNameSchema = text('Name of a policy.').meta({ id: 'PolicyName' });

const policySchema = z
  .union([
    policyNameSchema,
    z.strictObject({ use: policyNameSchema.optional(), set: paramSetSchema.optional() }),
  ])
  .describe('The context management that is simulated: a name, or `{ use, set }` to change its numbers.');

const overridesSchema = z
  .strictObject({
    autoCompactPercent: z
      .number()
      .gt(0)
      .max(100)
      .nullable()
      .exactOptional()
      .describe('Compact at this share of the window, in percent; can only make compaction earlier.'),
    disableCompact: flag('No compaction at all, not even on request.').exactOptional(),
    disableAutoCompact: flag('No automatic compaction.').exactOptional(),
    contextWindow: orNull(
      whole(1_000, 100_000_000, 'Context window in tokens that the client is set to assume.'),
    ).exactOptional(),
  })
  .meta({ id: 'Overrides' })
  .describe("What a user's environment may override.");

const ttlSchema = z.enum(['5m', '1h', 'recorded']);

const cacheSchema = z
  .strictObject({
    mode: z.enum(['on', 'off']).exactOptional().describe('Whether there is a prompt cache.'),
    ttl: ttlSchema.exactOptional().describe('Lifetime of cache entries of the main thread.'),
    subagentTtl: ttlSchema.exactOptional().describe('Lifetime of cache entries of subagents.'),
    fade: z
      .enum(['client', 'off', 'expected', 'likely', 'sampled'])
      .exactOptional()
      .describe(
        'How five-minute entries end: as the client says, on time, when half are left, when most are left, or drawn.',
      ),
  })
  .meta({ id: 'Cache' })
  .describe('The simulated prompt cache.');

const tokens = (what: string) => whole(1, 10_000_000, what);

const amountSchema = z
  .union([
    whole(0, 10_000_000, 'Always this many.').transform((fixed): Amount => ({ fixed })),
    z
      .strictObject({
        median: tokens('Half of the draws are below.'),
        p90: tokens('Nine of ten draws are below.'),
        min: tokens('Never less.'),
        max: tokens('Never more.'),
      })
      .check((ctx) => {
        const { min, median, p90, max } = ctx.value;
        if (min > median || median > p90 || p90 > max)
          refuse(ctx, '`{path}` must rise: min ≤ median ≤ p90 ≤ max');
      }),
  ])
  .meta({ id: 'Amount' });

const fakeSchema = z
  .strictObject({
    summaryTokens: amountSchema.exactOptional().describe('Tokens of a summary.'),
    scratchpadTokens: amountSchema.exactOptional().describe('Tokens thought aloud before a summary.'),
    notesTokens: amountSchema.exactOptional().describe('Tokens of an update of the session notes.'),
    latencyScale: number(0, 1_000, 'Factor on every latency of the model table.').exactOptional(),
  })
  .describe('How the fake LLM answers what the transcript does not hold.');

const callCount = (what: string) => orNull(whole(1, 1_000_000, what)).default(null);
const seconds = (what: string) => orNull(number(0, 86_400, what)).default(null);

/** What goes wrong with calls of the LLM, and when. */
export const faultSchema = z
  .strictObject({
    call: z.enum(CALL_PURPOSES).describe('The calls that are counted, by purpose.'),
    error: z.enum(FAULT_KINDS).describe('What goes wrong.'),
    nth: callCount('Only the nth call of this purpose, counted from 1.'),
    every: callCount('Every nth call of this purpose.'),
    from: callCount('From this call on.'),
    to: callCount('Up to and including this call.'),
    probability: orNull(number(0, 1, 'Chance that a matching call is hit.')).default(null),
    between: z
      .string()
      .regex(BETWEEN)
      .meta({
        title: 'two times of the day, such as 14:00-20:00',
        description:
          'Only calls that begin between two times of the day, UTC; 22:00-06:00 spans midnight. A session that does not say when it began begins at midnight.',
      })
      .exactOptional(),
    gapTokens: orNull(whole(1, 10_000_000, 'Tokens over the limit that the error reports.')).default(null),
    retryAfterSeconds: seconds('Wait the error asks for.'),
    delaySeconds: seconds('Time lost before the fault shows.'),
  })
  .check((ctx) => {
    const { nth, every, from, to } = ctx.value;
    if (from !== null && to !== null && from > to)
      refuse(ctx, `\`{path}\` comes before \`from\` (${to} < ${from})`, { path: ['to'] });
    if (nth !== null && (every ?? from ?? to) !== null)
      refuse(ctx, '`{path}` names one call; `every`, `from` and `to` have no effect with it', {
        path: ['nth'],
      });
  })
  .describe('A fault: without a condition every call of the purpose is hit.');

const llmModeSchema = z.enum(['fake', 'live', 'cassette']).meta({
  id: 'LlmMode',
  description:
    'Who writes summaries: the fake LLM, a model behind the API whose answers are kept in a cassette, or the cassette alone, without network.',
});

const llmGroupSchema = z
  .strictObject({
    mode: llmModeSchema.optional(),
    cassette: text(
      'File of answers, relative to this one; `<name of the scenario>.cassette.jsonl` where absent.',
    ).optional(),
    budgetUsd: number(
      0,
      100_000,
      'What all answers of the cassette may cost together, in dollars; default: 1. `live` stops before exceeding it.',
    ).optional(),
    model: orNull(text('Model that writes the summaries; null: that of each request.')).optional(),
    fake: fakeSchema.optional(),
    faults: z.array(faultSchema).optional().describe('What goes wrong, and when.'),
  })
  .check((ctx) => {
    if (ctx.value.mode !== undefined) return;
    for (const key of ['cassette', 'budgetUsd', 'model'] as const)
      if (ctx.value[key] !== undefined)
        refuse(ctx, '`{path}` has no effect without `mode`', {
          path: [key],
          hint: 'write mode: live or mode: cassette',
        });
  });

const llmSchema = z
  .union([llmModeSchema.transform((mode): z.output<typeof llmGroupSchema> => ({ mode })), llmGroupSchema])
  .meta({ id: 'Llm' })
  .describe('The simulated LLM, or who writes summaries instead.');

/** Hooks of the user that run around compactions. */
const hooksSchema = z
  .array(
    z
      .strictObject({
        event: z
          .enum(HOOK_EVENTS)
          .describe('Before a compaction, when the session restarts after it, or when it is done.'),
        on: z
          .enum(['auto', 'manual', 'both'])
          .describe('Compactions it runs at, by who asked for them.')
          .default('both'),
        tokens: whole(0, 1_000_000, 'Tokens it prints.').default(0),
        prints: z
          .enum(['context', 'screen'])
          .describe(
            'Where they go: into the summary instruction (PreCompact) or the new context, or to the user alone.',
          )
          .default('context'),
        seconds: number(0, 86_400, 'Time it takes.').default(0),
        fails: z
          .union([z.boolean(), z.number().min(0).max(1)])
          .transform(Number)
          .describe('Whether it fails, or in which share of its runs; the compaction continues anyway.')
          .default(0),
      })
      .describe('A hook that runs at compactions.'),
  )
  .describe('Hooks of the user at compactions, in the order they run.');

/** YAML reads `on` and `off` as words or as truth values, by its version. */
const onOff = z.union([z.enum(['on', 'off']), z.boolean().transform((is) => (is ? 'on' : 'off'))]);

const faultsSchema = z
  .strictObject({
    survival: z
      .enum(SURVIVALS)
      .optional()
      .describe('What summaries keep of what they replace: nothing, everything, or as fitted to recordings.'),
    refetch: onOff
      .optional()
      .describe('Whether the run fetches needed content again, at its cost; off by default.'),
  })
  .describe('Content of a recording that is needed after a policy removed it from the context.');

/** Settings that a plan has under the same name. */
const planSettings = {
  model: orNull(text('Model of the main thread; null keeps what was recorded.')).optional(),
  provider: orNull(
    text(
      'Provider whose cache and prices count, or its file, relative to this one; null: that of each model.',
    ),
  ).optional(),
  window: orNull(
    whole(
      1_000,
      100_000_000,
      'Context window in tokens, of the model and as its client assumes it; default: the table of models.',
    ),
  ).optional(),
  timing: z
    .enum(['recorded', 'think-time'])
    .optional()
    .describe('Original gaps, or simulated latency plus the think time of the recording.'),
  estimatorFactor: z
    .number()
    .gt(0)
    .max(100)
    .optional()
    .describe("What the policy's token counter sees, as a factor on a quarter of the characters."),
  priceDay: orNull(
    day(
      'Day whose prices count for all requests; null: the day of each, or the newest prices where the session has none.',
    ),
  ).optional(),
};

/** Their names. */
export const PLAN_SETTINGS = Object.keys(planSettings) as readonly (keyof typeof planSettings)[];

const settings = {
  ...planSettings,
  policy: policySchema.optional(),
  overrides: overridesSchema.optional(),
  cache: cacheSchema.optional(),
  mode: z
    .enum(['what-if', 'predict'])
    .optional()
    .describe(
      'What is taken from a recording: everything that no policy decides (breaks and warmth from outside, unexplained sizes), or only its content.',
    ),
  llm: llmSchema.optional(),
  faults: faultsSchema.optional(),
  hooks: hooksSchema.optional(),
  expect: z
    .array(text('`metric op value`, such as `cacheHitRate >= 0.9`.'))
    .optional()
    .describe('What must hold at the end of the run, each as `metric op value`.'),
};

/** Names of variants begin and end with something visible. */
const VARIANT_NAME = /^(?=.{1,64}$)(?=.*[\p{L}\p{N}])[^\s./\\\p{Cc}](?:[^/\\\p{Cc}]*[^\s./\\\p{Cc}])?$/u;

const variantSchema = z
  .strictObject({
    name: z.string().regex(VARIANT_NAME).meta({
      title: 'one line of at most 64 characters with a letter or digit and without slashes',
      description: 'Name of the variant in reports.',
    }),
    description: z.string().optional().describe('One line for reports.'),
    set: paramSetSchema.optional(),
    ...settings,
  })
  .describe('A run that differs from the base: groups merge key by key, lists and single values replace.');

/** The scenario file. */
export const scenarioSchema = z
  .strictObject({
    name: safeName('Name of the scenario and of its report folder.'),
    description: z.string().optional().describe('One line for reports.'),
    transcript: transcriptSchema.optional(),
    transcripts: z
      .array(transcriptSchema)
      .min(1)
      .optional()
      .describe('Several transcripts, replayed one by one.'),
    sessions: sessionsSchema(transcriptSchema).optional(),
    home: homeSchema.optional(),
    plugins: z
      .array(text('A file.'))
      .optional()
      .describe('ES modules that add layers, policies, readers and metrics, relative to this file.'),
    models: modelsSchema.optional(),
    ...settings,
    variants: z.array(variantSchema).optional().describe('Further runs over the same transcripts.'),
    seed: whole(0, Number.MAX_SAFE_INTEGER, 'Seed of all random draws.').optional(),
  })
  .describe('A scenario: write at least `name:` and `transcript:`; `ccbench init` makes a starter file.');

/** A scenario as it was read: what only the whole scenario can fill in is still absent. */
export type Scenario = z.infer<typeof scenarioSchema>;
/** One entry of `variants`. */
export type ScenarioVariant = z.infer<typeof variantSchema>;
/** One transcript as written. */
export type ScenarioTranscript = z.infer<typeof transcriptSchema>;
/** One of several sessions as written. */
export type ScenarioSession = NonNullable<Scenario['sessions']>[number];
/** The keys a variant shares with the base. */
export type ScenarioSettings = Pick<Scenario, keyof typeof settings>;

/** Every key of the scenario as a dotted path; `[]` is a list position. */
export function scenarioPaths(): readonly string[] {
  return schemaMap(scenarioSchema).paths();
}

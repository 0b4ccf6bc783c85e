import { z } from 'zod';
import { orNull, text, whole } from '../../core/base/schema.js';
import { CALL_PURPOSES, FAULT_KINDS } from '../../core/run/run-plan.js';
import { hooksSchema } from './schema-hooks.js';
import { modelsSchema } from './schema-models.js';
import { homeSchema, sessionSchema } from './schema-sessions.js';
import { syntheticSchema } from './schema-synthetic.js';
import { safeName } from './schema-words.js';

const fileSchema = z
  .union([text('A file.'), z.array(text('A file.')).min(1)])
  .describe(
    'Recorded session or request trace, relative to this file; of a list, every file is a transcript of its own.',
  );

const transcriptSchema = z
  .strictObject({ file: fileSchema.optional(), synthetic: syntheticSchema.optional() })
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
      .optional()
      .describe('Compact at this share of the window, in percent; can only make compaction earlier.'),
    disableCompact: z.boolean().optional().describe('No compaction at all, not even by hand.'),
    disableAutoCompact: z.boolean().optional().describe('No automatic compaction.'),
    contextWindow: orNull(
      whole(1_000, 100_000_000, 'Context window in tokens that the client is told to assume.'),
    ).optional(),
  })
  .meta({ id: 'Overrides' })
  .describe("What a user's environment may override.");

const ttlSchema = z.enum(['5m', '1h', 'recorded']);

const cacheSchema = z
  .strictObject({
    mode: z.enum(['on', 'off']).optional().describe('Whether there is a prompt cache.'),
    ttl: ttlSchema.optional().describe('Lifetime of cache entries of the main thread.'),
    subagentTtl: ttlSchema.optional().describe('Lifetime of cache entries of subagents.'),
    fade: z
      .enum(['client', 'off', 'expected', 'likely', 'sampled'])
      .optional()
      .describe(
        'How five-minute entries end: as the client says, on time, where half are left, where most are left, or drawn.',
      ),
  })
  .meta({ id: 'Cache' })
  .describe('The simulated prompt cache.');

const tokens = (what: string) => whole(1, 10_000_000, what);

const amountSchema = z
  .union([
    whole(0, 10_000_000, 'Always this many.'),
    z.strictObject({
      median: tokens('Half of the draws are below.'),
      p90: tokens('Nine of ten draws are below.'),
      min: tokens('Never less.'),
      max: tokens('Never more.'),
    }),
  ])
  .meta({ id: 'Amount' });

const fakeSchema = z
  .strictObject({
    summaryTokens: amountSchema.optional().describe('Tokens of a summary.'),
    scratchpadTokens: amountSchema.optional().describe('Tokens thought aloud before a summary.'),
    notesTokens: amountSchema.optional().describe('Tokens of an update of the session notes.'),
    latencyScale: z
      .number()
      .min(0)
      .max(1_000)
      .optional()
      .describe('Factor on every latency of the model table.'),
  })
  .describe('How the fake LLM answers what the transcript does not hold.');

const callCount = (what: string) => orNull(whole(1, 1_000_000, what)).optional();

const faultSchema = z
  .strictObject({
    call: z.enum(CALL_PURPOSES).describe('The calls that are counted, by purpose.'),
    error: z.enum(FAULT_KINDS).describe('What goes wrong.'),
    nth: callCount('Only the nth call of this purpose, counted from 1.'),
    every: callCount('Every nth call of this purpose.'),
    from: callCount('From this call on.'),
    to: callCount('Up to and including this call.'),
    probability: z
      .number()
      .min(0)
      .max(1)
      .nullable()
      .optional()
      .describe('Chance that a matching call is hit.'),
    gapTokens: orNull(whole(1, 10_000_000, 'Tokens over the limit that the error tells of.')).optional(),
    retryAfterSeconds: z
      .number()
      .min(0)
      .max(86_400)
      .nullable()
      .optional()
      .describe('Wait the error asks for.'),
    delaySeconds: z
      .number()
      .min(0)
      .max(86_400)
      .nullable()
      .optional()
      .describe('Time lost before the fault shows.'),
  })
  .describe('A fault: without a condition every call of the purpose is hit.');

const llmSchema = z
  .strictObject({
    fake: fakeSchema.optional(),
    faults: z.array(faultSchema).optional().describe('What goes wrong, and when.'),
  })
  .meta({ id: 'Llm' })
  .describe('The simulated LLM.');

const settings = {
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
      'Context window in tokens, of the model and as its client assumes it; the table of models decides where it is absent.',
    ),
  ).optional(),
  policy: policySchema.optional(),
  overrides: overridesSchema.optional(),
  cache: cacheSchema.optional(),
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
  llm: llmSchema.optional(),
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

/** The scenario file. It accepts exactly what is written here and changes nothing. */
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
    sessions: z
      .array(sessionSchema(transcriptSchema))
      .min(1)
      .optional()
      .describe('Sessions on one clock that share home and cache, in the order of their starts.'),
    home: homeSchema.optional(),
    plugins: z
      .array(text('A file.'))
      .optional()
      .describe('ES modules that add tiers, policies, readers and metrics, relative to this file.'),
    models: modelsSchema.optional(),
    ...settings,
    variants: z.array(variantSchema).optional().describe('Further runs over the same transcripts.'),
    seed: whole(0, Number.MAX_SAFE_INTEGER, 'Seed of everything that is drawn.').optional(),
  })
  .describe('A scenario: at least `name:` and `transcript:`; `ccbench init` makes a starter file.');

/** A scenario as the user wrote it, once its shape is checked. */
export type Scenario = z.infer<typeof scenarioSchema>;
/** One entry of `variants`. */
export type ScenarioVariant = z.infer<typeof variantSchema>;
/** One transcript as written. */
export type ScenarioTranscript = z.infer<typeof transcriptSchema>;
/** One of several sessions as written. */
export type ScenarioSession = NonNullable<Scenario['sessions']>[number];
/** The keys a variant shares with the base. */
export type ScenarioSettings = Pick<Scenario, keyof typeof settings>;
/** A number of tokens as written. */
export type ScenarioAmount = z.infer<typeof amountSchema>;
/** A fault as written. */
export type ScenarioFault = z.infer<typeof faultSchema>;

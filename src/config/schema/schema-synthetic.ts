import { z } from 'zod';
import { CcbenchError, type Path } from '../../core/base/errors.js';
import { formatCount } from '../../core/base/format.js';
import { unknownName } from '../../core/base/registry.js';
import { number, orNull, refuse, text, whole } from '../../core/base/schema.js';
import { LETTER_SUBJECTS, LETTER_WAYS } from '../../core/model/transcript.js';
import { compileDistribution, type Distribution } from '../../transcripts/synthetic/distribution.js';
import { FORK_PARENTS, type SteadySpec, type SyntheticSpec } from '../../transcripts/synthetic/spec.js';
import { generateSteady } from '../../transcripts/synthetic/steady.js';
import { TOOL_PROFILES } from '../../transcripts/synthetic/synthetic.generated.js';

const MAX_TURNS = 1_000_000;

/** Workload and length of a generated session that names none. */
const DEFAULTS = { workload: 'bugfix', turns: 200, text: 'filler' } as const;

/** Tools whose share is weighed; the others have a share of their own in the shape. */
const TOOLS = TOOL_PROFILES.filter(({ group }) => group === 'plain' || group === 'mcp').map(
  ({ name }) => name,
);

/** Lets another module check a value; what it throws is refused at a path. */
function attempt(ctx: z.core.ParsePayload<unknown>, path: Path, work: () => unknown): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof CcbenchError)) throw error;
    const { code, message, hint } = error;
    refuse(ctx, message, { path, hint, code, side: code === 'unknown-name' ? 'key' : 'value' });
  }
}

const afterTurn = whole(1, MAX_TURNS, 'It happens after this turn, counted from 1.');

/** Largest sizes that one draw may give: far beyond anything recorded, and small enough to be made. */
const MOST = { chars: 1_000_000, tokens: 10_000_000, seconds: 1_000_000_000, calls: 1_000_000 };

/** Quantiles that a table may have. */
const MOST_QUANTILES = 1_000;

const distribution = (what: string, most: number, least = 0) => {
  const value = z.number().min(least).max(most);
  return z
    .union([
      value,
      z.strictObject({
        p: z
          .array(z.number().min(0).max(1))
          .min(2)
          .max(MOST_QUANTILES)
          .describe('Shares, rising from 0 to 1.'),
        v: z.array(value).min(2).max(MOST_QUANTILES).describe('Values, one for each share, never falling.'),
      }),
    ])
    .optional()
    .describe(`${what}: a number, or quantiles { p, v }.`);
};

const share = (what: string) => number(0, 1, what).optional();

const shapeSchema = z
  .strictObject({
    callsPerPrompt: distribution('API calls that one human prompt leads to', MOST.calls),
    humanIdleSeconds: distribution('From the last response to the next human prompt', MOST.seconds),
    humanPromptChars: distribution('Characters of a human prompt', MOST.chars),
    outputTokens: distribution('Tokens of a response', MOST.tokens),
    toolCallsPerResponse: distribution('Tool calls in a response that uses tools', 1_000),
    firstPromptTokens: distribution('System, tools, memory files and first prompt', MOST.tokens),
    charsPerToken: distribution('Characters per token', 1_000, 0.01),
    imageTokens: distribution('Tokens of an image', MOST.tokens),
    imagePromptShare: share('Share of human prompts that hold an image.'),
    statementShare: share('Share of human prompts that begin with a statement of the user.'),
    revisitShare: share('Share of file accesses that go to a file seen before.'),
    thinkingShare: share('Share of responses with a thinking block.'),
    thinkingPart: distribution('Share of the output that is thinking, if a response has any', 1),
    partialReadShare: share('Share of reads that ask for a part of a file.'),
    skillShare: share('Share of tool calls that invoke a skill; 0 also leaves out the listing of skills.'),
    skillChars: distribution("Characters of a skill's content", MOST.chars),
    skillListingChars: distribution('Characters of the listing of skills at the start', MOST.chars),
    planShare: share('Share of human prompts that begin plan mode.'),
    planChars: distribution('Characters of a plan', MOST.chars),
    todoShare: share('Share of tool calls on the todo list; 0 also leaves out reminders of it.'),
    todoReminderCalls: distribution(
      'Calls without the todo list before the client reminds of it, 0 for never',
      MOST.calls,
    ),
    mcpShare: share('Share of tool calls to MCP servers; 0 also leaves out their announcements.'),
    backgroundShare: share('Share of tool calls that start an agent or a command in the background.'),
    backgroundSeconds: distribution('How long background work runs', MOST.seconds),
    memoryWriteShare: share('Share of tool calls in which the agent writes its memory.'),
    memoryFolderShare: share('Share of the folders of the project that hold a memory file.'),
    memoryFileTokens: distribution('Tokens of such a memory file', MOST.tokens),
    resultScale: number(0, 10_000, 'Factor on the size of every tool result.').optional(),
    toolWeights: z
      .record(z.string(), z.number().min(0).max(1_000_000))
      .optional()
      .describe('Factors on how often tools are used, by name.'),
  })
  .check((ctx) => {
    for (const [name, value] of Object.entries(ctx.value))
      if (typeof value === 'object' && Object.hasOwn(value, 'p'))
        attempt(ctx, [name], () => compileDistribution(name, value as Distribution));
    for (const tool of Object.keys(ctx.value.toolWeights ?? {}))
      if (!TOOLS.includes(tool))
        attempt(ctx, ['toolWeights', tool], () => {
          throw unknownName('tool', tool, TOOLS);
        });
  })
  .describe('What the workload draws its sizes and times from.');

const steadySchema = z
  .strictObject({
    gapSeconds: z
      .number()
      .min(0)
      .max(10_000_000)
      .describe(
        'From the start of a call to the start of the next. The response takes the first half of it, so `idle`, which counts from its end, sees the other half: 400 s are 200 s of latency and 200 s of idleness.',
      ),
    tokensPerTurn: whole(0, 10_000_000, 'Growth of the prompt per turn: output + result.').optional(),
    outputTokens: whole(0, 10_000_000, 'Tokens of each response.').optional(),
    resultTokens: whole(0, 10_000_000, 'Tokens of each tool result.').optional(),
    promptTokens: whole(0, 10_000_000, 'Tokens of the human prompt at the beginning.').optional(),
    tool: text('Tool that every turn calls.').optional(),
    charsPerToken: z.number().gt(0).max(100).optional().describe('Characters per token.'),
  })
  .check((ctx) => {
    const spec = { workload: DEFAULTS.workload, turns: 1, seed: 0, text: 'none' } as const;
    attempt(ctx, [], () => generateSteady(spec, ctx.value as SteadySpec));
  })
  .describe('Equal turns without chance, for runs whose result can be calculated.');

const messagesSchema = z
  .array(
    z.strictObject({
      afterTurn,
      to: text('Name of the other agent, of a session for the bridge, or * for all.'),
      way: z.enum(LETTER_WAYS).optional().describe('In the process, through a mailbox, or across sessions.'),
      subject: z.enum(LETTER_SUBJECTS).optional().describe('What it is about.'),
      tokens: whole(1, 1_000_000, 'Size of the message.').optional(),
      rejections: whole(
        0,
        100,
        'For a plan-request: how often the plan is turned down before it is approved.',
      ).optional(),
    }),
  )
  .optional();

const forksSchema = z
  .array(
    z.strictObject({
      afterTurn: whole(1, MAX_TURNS, 'The turn that starts the children, counted from 1.'),
      children: whole(1, 1_000, 'Children that start at once.'),
      turns: whole(1, 100_000, 'Turns of each child.'),
      directiveTokens: whole(1, 1_000_000, 'Size of the directive of each child.').optional(),
      delayMinutes: number(0, 10_000_000, 'From the response to their start.').optional(),
      parent: z
        .enum(FORK_PARENTS)
        .optional()
        .describe('Whether the parent waits for them or continues its own work.'),
      messages: messagesSchema.describe('Messages that every child sends; turns are its own.'),
    }),
  )
  .optional();

/** A generated session with every default filled in; what is null in the scenario is absent here. */
export type NormalSynthetic = SyntheticSpec &
  Required<
    Pick<
      SyntheticSpec,
      'model' | 'text' | 'overrides' | 'idle' | 'compactAt' | 'modelAt' | 'resumeAt' | 'prefixChangeAt'
    >
  >;

/** Lists of a generated session whose entries point at turns. */
const LISTS = [
  'idle',
  'compactAt',
  'endDreamAt',
  'modelAt',
  'resumeAt',
  'prefixChangeAt',
  'messages',
] as const;

/** Calls that all threads of a session may make together. */
const MOST_CALLS = 2_000_000;

/** What the turns of a generated session are checked by. */
type Turns = {
  readonly [K in (typeof LISTS)[number]]?: readonly { readonly afterTurn: number }[] | undefined;
} & {
  readonly turns: number;
  readonly forks?: readonly { afterTurn: number; children: number; turns: number }[] | undefined;
  readonly subagents?: { readonly everyTurns: number; readonly turns: number } | null | undefined;
};

/** Checks that turns lie within the session, and that its threads do not make too many calls. */
function checkTurns(ctx: z.core.ParsePayload<unknown>, session: Turns): void {
  const { turns, forks = [], subagents } = session;
  for (const name of LISTS)
    session[name]?.forEach(({ afterTurn: turn }, i) => {
      if (turn > turns)
        refuse(ctx, `\`{path}\` is turn ${turn}, but the session has ${turns}`, {
          path: [name, i, 'afterTurn'],
        });
    });
  forks.forEach(({ afterTurn: turn }, i) => {
    if (turn >= turns)
      refuse(ctx, `children of turn ${turn} need a turn after it; the session has ${turns}`, {
        path: ['forks', i, 'afterTurn'],
      });
  });
  const beside = subagents == null ? 0 : Math.floor(turns / subagents.everyTurns) * subagents.turns;
  const calls = forks.reduce((sum, fork) => sum + fork.children * fork.turns, turns + beside);
  if (calls > MOST_CALLS)
    refuse(
      ctx,
      `the threads of the session would make ${formatCount(calls)} calls; at most ${formatCount(MOST_CALLS)} are possible`,
      {
        hint: 'give it fewer turns, subagents or children',
      },
    );
}

/** A generated session. */
export const syntheticSchema = z
  .strictObject({
    workload: text('Kind of work.').default(DEFAULTS.workload),
    turns: whole(1, MAX_TURNS, 'Length: API calls of the main thread.').default(DEFAULTS.turns),
    idle: z
      .array(
        z.strictObject({
          afterTurn,
          minutes: number(0, 10_000_000, 'Length of the pause.'),
        }),
      )
      .describe('When the human stays away.')
      .default([]),
    compactAt: z
      .array(
        z.strictObject({
          afterTurn,
          instructions: text('What the human asks to keep.').optional(),
          partial: z
            .strictObject({
              direction: z
                .enum(['from', 'up_to'])
                .describe('Summarise what follows the pivot, or what precedes it.'),
              messagesBack: whole(1, 100_000, 'Place of the pivot, counted back from the end.'),
            })
            .optional()
            .describe('Summarise one side of a pivot only.'),
          only: z.enum(['results']).describe('Clear old results, without a summary.').optional(),
        }),
      )
      .describe('When the human asks for a compaction.')
      .default([]),
    modelAt: z
      .array(z.strictObject({ afterTurn, model: text('Model from there on.') }))
      .describe('Switches of the model.')
      .default([]),
    endDreamAt: z
      .array(z.strictObject({ afterTurn }))
      .describe('When the human ends a running dream.')
      .default([]),
    resumeAt: z
      .array(z.strictObject({ afterTurn, reason: text('Why, for the log.').optional() }))
      .describe('When the process ends and the session is resumed.')
      .default([]),
    prefixChangeAt: z
      .array(
        z.strictObject({
          afterTurn,
          what: z.enum(['system', 'tools']).describe('What changes.'),
          label: text('Name of the change, for the log.').optional(),
          tools: z.array(text('Name of a tool.')).describe('The tools that change, for the log.').optional(),
        }),
      )
      .describe('Changes of the system prompt or the tools.')
      .default([]),
    prefixTokens: orNull(
      whole(0, 10_000_000, 'Tokens of tools and system prompt; null leaves them to the workload.'),
    ).optional(),
    text: z
      .enum(['filler', 'none'])
      .describe('Whether blocks carry a text or only a size.')
      .default(DEFAULTS.text),
    overrides: shapeSchema.default({}),
    subagents: z
      .strictObject({
        everyTurns: whole(1, MAX_TURNS, 'A subagent starts every N turns.'),
        turns: whole(1, 100_000, 'Turns of each subagent.'),
        model: text('Model of the subagents.').optional(),
      })
      .nullable()
      .optional()
      .describe('Subagents of the session; null for none.'),
    forks: forksSchema.describe(
      'Turns that start several children, each a copy of the session as it is then.',
    ),
    messages: messagesSchema.describe('Messages of the main agent to others.'),
    steady: orNull(steadySchema).optional(),
  })
  .check((ctx) => checkTurns(ctx, ctx.value))
  .transform((written) => {
    const { prefixTokens, subagents, steady, forks = [], messages = [], ...rest } = written;
    return {
      ...rest,
      ...(prefixTokens == null ? {} : { prefixTokens }),
      ...(subagents == null ? {} : { subagents }),
      ...(steady == null ? {} : { steady }),
      ...(forks.length === 0 ? {} : { forks }),
      ...(messages.length === 0 ? {} : { messages }),
    } as Omit<NormalSynthetic, 'seed' | 'model'>;
  })
  .meta({ id: 'Synthetic' })
  .describe('A generated session, the same for the same seed.');

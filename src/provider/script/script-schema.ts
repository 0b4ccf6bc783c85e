import * as z from 'zod';
import { duration, flag, group, list, refuse, text, whole, words } from '../../core/base/schema.js';
import { STOP_REASONS } from '../fake-api/answer.js';

const MANY = 10_000_000;
const tokens = (description: string) => whole(0, MANY, description);

/** Words, or their size. */
const said = (description: string) =>
  z
    .union([whole(1, MANY, 'Tokens of filler.'), z.string()])
    .describe(`${description} A number is a size in tokens: filler is made.`);

const pattern = (description: string) =>
  text(description).transform((written, ctx) => {
    try {
      return new RegExp(written, 'm');
    } catch {
      return refuse(ctx, `${JSON.stringify(written)} is not a regular expression`);
    }
  });

const ACTIONS = {
  read: text('File to read, with the tool that the client defines for it.'),
  run: text('Command to run in the shell.'),
  edit: group(
    'A change of a file.',
    {
      file: text('File.'),
      from: text('Words that are replaced.'),
      to: z.string().describe('Words instead.'),
    },
    {},
  ),
  write: group('A file to write.', { file: text('File.'), content: said('Its text.') }, {}),
  agent: text('The task of a subagent.'),
  call: group(
    'A call of a tool by its name.',
    { tool: text('Name of the tool.') },
    {
      input: z
        .record(z.string(), z.unknown())
        .describe('Its input; without it the smallest that the tool takes.'),
    },
  ),
};

const ACTION_NAMES = Object.keys(ACTIONS);

const FIELDS = {
  ...ACTIONS,
  calls: list(
    group('A call of a tool.', {}, ACTIONS).check(checkCall).meta({ id: 'Call' }),
    'Several calls at once.',
  ),
  text: said('The text.'),
  thinking: said('Thinking before it, if the request enables thinking.'),
  stop: words(STOP_REASONS, 'Why the answer ends; default: it is complete.'),
  outputTokens: tokens('Tokens of the answer, independent of its text.'),
  latency: duration('Time that the answer takes.'),
  usage: group(
    'Usage reported to the client, in place of the billed one.',
    {},
    {
      input: tokens('Tokens that are not cached.'),
      cacheRead: tokens('Tokens read from the cache.'),
      cacheWrite5m: tokens('Tokens written for five minutes.'),
      cacheWrite1h: tokens('Tokens written for an hour.'),
      output: tokens('Tokens of the answer.'),
    },
  ),
  wait: duration('Simulated time that passes before the next request of the thread.'),
};

function namesIn(value: object, names: readonly string[]): readonly string[] {
  return names.filter((name) => Object.hasOwn(value, name));
}

function checkCall(ctx: z.core.ParsePayload<object>): void {
  const found = namesIn(ctx.value, ACTION_NAMES);
  // An unknown key may be the one that is missing.
  if (ctx.issues.length > 0) return;
  if (found.length !== 1)
    refuse(ctx, found.length === 0 ? 'the call names no tool' : `${found.join(' and ')} are two calls`, {
      hint: `write one of ${ACTION_NAMES.join(', ')}`,
    });
}

function checkStep(ctx: z.core.ParsePayload<object>): void {
  const actions = namesIn(ctx.value, [...ACTION_NAMES, 'calls']);
  const loops = namesIn(ctx.value, ['repeat', 'each', 'steps']);
  if (ctx.issues.length > 0) return;
  if (loops.length > 0) {
    const others = Object.keys(ctx.value).filter((name) => !loops.includes(name));
    if (others.length > 0)
      refuse(ctx, `a loop has no \`${others[0]}\``, { hint: 'write it into one of its `steps`' });
    else if (!loops.includes('steps') || loops.length === 1)
      refuse(ctx, 'a loop needs `steps`, and `repeat` or `each`');
  } else if (actions.length > 1) {
    refuse(ctx, `a step makes one call, and this one has ${actions.join(' and ')}`, {
      hint: 'write several as a list under `calls`',
    });
  } else if (actions.length + namesIn(ctx.value, ['text', 'thinking', 'stop']).length === 0) {
    refuse(ctx, 'the step answers nothing', { hint: `write \`text\` or one of ${ACTION_NAMES.join(', ')}` });
  }
}

const plainStep = group('A step.', {}, FIELDS).check(checkStep).meta({ id: 'Step' });

/** A step, or a loop of other steps; editors know it by an id. */
function loopOf<S extends z.ZodType>(step: S, id: string) {
  return group(
    'A step, or a loop of steps.',
    {},
    {
      ...FIELDS,
      repeat: whole(1, 10_000, `How often the steps come; \${n} in them counts from 1.`),
      each: list(
        z.union([z.string(), z.number().transform(String)]),
        `What \${item} in the steps stands for, one after the other.`,
      ),
      steps: list(step, 'The steps of the loop.'),
    },
  )
    .check(checkStep)
    .meta({ id });
}

const loop = loopOf(loopOf(plainStep, 'InnerLoop'), 'Loop');
const steps = (description: string) => list(loop, description);

/** A script: what a server answers. */
export const scriptSchema = group(
  'What `ccbench serve` answers, request by request.',
  { steps: steps('Answers to the requests of the main thread, in order.') },
  {
    folder: text('Folder that relative paths are joined with, for tools that need absolute ones.'),
    files: z
      .record(
        z.string(),
        group(
          'Files of a size.',
          { chars: whole(0, MANY, 'Characters of each.') },
          {
            count: whole(1, 10_000, 'How many: `*` in the name counts from 1.'),
            begins: z.string().describe('How the text of each begins; filler follows.'),
          },
        ),
      )
      .describe('Files that the steps use, by name; you create them.'),
    summary: said('The answer to a summary request, in the tags that it asks for.'),
    agents: z
      .array(steps('Answers to the requests of one subagent.'))
      .describe('Steps of each subagent, in the order of the calls that start them.'),
    when: list(
      group(
        'An answer to requests that fit.',
        { answer: plainStep },
        {
          prompt: pattern('Regular expression on what the user says in the newest turn.'),
          result: pattern('Regular expression on the tool results of the newest turn.'),
          times: whole(1, MANY, 'How often it answers; default: always.'),
          consumes: flag('Whether it uses up a step; default: false.'),
        },
      ).check((ctx) => {
        if (namesIn(ctx.value, ['prompt', 'result']).length === 0)
          refuse(ctx, 'nothing says which requests it answers', { hint: 'write `prompt` or `result`' });
      }),
      'Answers by pattern, asked before the steps; the first that fits is given.',
    ),
    otherwise: plainStep,
  },
);

/** A step without loops as its file says it. */
export type WrittenStep = z.output<typeof plainStep>;

/** A call as its file says it. */
export type WrittenCall = Pick<WrittenStep, keyof typeof ACTIONS>;

/** A script as its file says it. */
export type WrittenScript = z.output<typeof scriptSchema>;

/** A step or a loop as its file says it. */
export interface WrittenLoop extends WrittenStep {
  readonly repeat?: number;
  readonly each?: readonly string[];
  readonly steps?: readonly WrittenLoop[];
}

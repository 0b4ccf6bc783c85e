import {
  type AcceptPart,
  ASK_SHAPES,
  type AskPart,
  type FailPart,
  type LayoutPart,
  type ShrinkPart,
} from '../model/parts.js';
import { amount, comparison, duration, plainAmount } from './amounts.js';
import {
  choice,
  either,
  flag,
  group,
  list,
  map,
  number,
  type Shape,
  shape,
  shownValue,
  text,
  wrongValue,
} from './shape.js';

const MANY = 1e9;

const resultsInput = map(
  group(
    {
      over: plainAmount(0, MANY, 'Longer ones are cut.'),
      chars: plainAmount(1, MANY, 'Characters that are left.'),
    },
    'Long results of the input are cut.',
    ['chars'],
  ),
  ({ over, chars = 1 }) => ({ over: over ?? chars, chars }),
);

const inputShape = either(
  map(
    choice(['all', 'since-last'], 'What is sent: all, or what came since the last summary, with it.'),
    (scope) => ({ scope }),
  ),
  map(
    group(
      {
        scope: choice(['all', 'since-last'], 'What is sent.'),
        last: plainAmount(1, MANY, 'Newest tokens that are sent.'),
        results: resultsInput,
        drop: list(choice(['media', 'thinking'], 'What is left out.'), 'What is left out.'),
      },
      'What the summary request sends of the history.',
    ),
    (written) => written,
  ),
) as Shape<{
  readonly scope?: 'all' | 'since-last';
  readonly last?: number;
  readonly results?: { readonly over: number; readonly chars: number };
  readonly drop?: readonly ('media' | 'thinking')[];
}>;

const chunks = map(
  group(
    {
      tokens: amount('Tokens of a chunk.'),
      depth: number(1, 10, 'How often summaries are summarised again.'),
    },
    'Several calls over pieces of the history, and one over their summaries.',
    ['tokens'],
  ),
  ({ tokens = '1', depth = 1 }) => ({ kind: 'chunks', tokens, depth }) as const,
);

const calls: Shape<AskPart['calls']> = shape(
  {
    anyOf: [
      { enum: [1, 2, 'one', 'verify', 'split-turn', 'per-pair'] },
      { type: 'object', properties: { chunks: chunks.schema }, required: ['chunks'] },
    ],
  },
  (value, path, problems) => {
    if (value === 1 || value === 'one') return { kind: 'one' };
    if (value === 2 || value === 'verify') return { kind: 'verify' };
    if (value === 'split-turn' || value === 'per-pair') return { kind: value };
    if (typeof value === 'object' && value !== null && Object.hasOwn(value, 'chunks'))
      return group({ chunks }, 'Several calls.').read(value, path, problems)?.chunks;
    problems(
      wrongValue(
        path,
        `${shownValue(value)} is not known here`,
        'known: 1, verify, split-turn, per-pair, { chunks: { tokens } }',
      ),
    );
    return undefined;
  },
);

const background = group(
  {
    background: either(
      map(choice(['when-ready'], 'As soon as the answer is there.'), () => ({})),
      group(
        {
          apply: either(
            map(choice(['when-ready'], 'As soon as the answer is there.'), () => null),
            group({ at: comparison('From this size on.') }, 'When the answer is used.'),
          ),
          stale: choice(['prefix-unchanged', 'ids-present'], 'What must hold for the answer to be used.'),
        },
        'The answer is used later.',
      ),
    ),
  },
  'The call runs beside the work.',
  ['background'],
);

const run: Shape<AskPart['run']> = either(
  map(choice(['wait', 'background'], 'Whether the work waits for the answer.'), (word): AskPart['run'] =>
    word === 'wait' ? { kind: 'wait' } : { kind: 'background', applyAt: null, stale: 'prefix-unchanged' },
  ),
  map(background, ({ background: written = {} }): AskPart['run'] => {
    const { apply, stale = 'prefix-unchanged' } = written as {
      apply?: { at?: ReturnType<typeof comparison> extends Shape<infer C> ? C : never } | null;
      stale?: 'prefix-unchanged' | 'ids-present';
    };
    return { kind: 'background', applyAt: apply?.at ?? null, stale };
  }),
);

const askShape = group(
  {
    shape: list(
      choice(
        [...ASK_SHAPES, 'none'],
        'extend and fork share the prefix of the main request; own has a system prompt of its own; text sends the history as one text; native leaves it to the provider.',
      ),
      'How the request relates to the main request; several are tried in turn.',
    ),
    model: text('`same`, or the name of a model: another one shares no cache.'),
    input: inputShape,
    output: plainAmount(1, MANY, 'Longest answer.'),
    system: plainAmount(0, MANY, 'Tokens of a system prompt of its own.'),
    tools: plainAmount(0, MANY, 'Tokens of tools of its own.'),
    calls,
    marks: flag('Whether the call marks what it sends for the cache.'),
    run,
  },
  'The request that writes the summary.',
  ['shape'],
);

/** Tokens of a summariser's own system prompt where nothing is said. */
const OWN_SYSTEM_TOKENS = 60;

/** The summary request in full; null where none is sent. */
export const ask: Shape<AskPart | null> = map(
  askShape,
  (written, path, problems): AskPart | null | undefined => {
    const shapes = written.shape!.filter((one) => one !== 'none');
    if (shapes.length < written.shape!.length) {
      if (written.shape!.length === 1) return null;
      problems(wrongValue([...path, 'shape'], '`none` stands alone'));
      return undefined;
    }
    const { input = {} } = written;
    const cold = shapes.every((one) => one === 'own' || one === 'text');
    return {
      shapes,
      model: written.model === undefined || written.model === 'same' ? null : written.model,
      input: {
        scope: input.scope ?? 'all',
        lastTokens: input.last ?? null,
        results: input.results ?? null,
        drop: input.drop ?? [],
      },
      output: written.output ?? null,
      systemTokens: written.system ?? OWN_SYSTEM_TOKENS,
      toolTokens: written.tools ?? 0,
      calls: written.calls ?? { kind: 'one' },
      marks: (written.marks ?? !cold) ? 'on' : 'off',
      run: written.run ?? { kind: 'wait' },
    };
  },
);

const PIECES = [
  'boundary',
  'first',
  'user-messages',
  'files',
  'todos',
  'tail',
  'last-prompt',
  'summary',
  'env',
  'ack',
  'trailer',
  'system',
] as const;
const PIECE_TOKENS = { env: 200, ack: 12, trailer: 60 } as const;

/** Pieces of the new history in their order; `system` stands there whatever happens and may be written for the reader. */
export const layout: Shape<readonly LayoutPart[]> = map(
  list(
    either(
      map(choice(PIECES, 'A piece of the new history.'), (kind): LayoutPart | null => {
        if (kind === 'system') return null;
        if (kind === 'summary') return { kind, role: 'user', frame: 'none' };
        if (kind === 'env' || kind === 'ack' || kind === 'trailer')
          return { kind, tokens: PIECE_TOKENS[kind] };
        return { kind };
      }),
      map(
        group(
          {
            summary: group(
              {
                role: choice(['user', 'assistant'], 'Who says it.'),
                frame: choice(
                  ['none', 'standard'],
                  'Sentences around it: none, or those that tell the model to go on.',
                ),
              },
              'The summary.',
            ),
            env: plainAmount(0, MANY, 'Tokens of facts about the environment.'),
            ack: plainAmount(0, MANY, 'Tokens of an acknowledgement by the model.'),
            trailer: plainAmount(0, MANY, 'Tokens of a closing message.'),
          },
          'A piece with its size.',
        ),
        (written, path, problems): LayoutPart | undefined => {
          const [kind] = Object.keys(written);
          if (Object.keys(written).length !== 1) {
            problems(wrongValue(path, 'one piece is wanted here'));
            return undefined;
          }
          if (kind === 'summary')
            return { kind, role: written.summary?.role ?? 'user', frame: written.summary?.frame ?? 'none' };
          return { kind: kind as 'env', tokens: written[kind as 'env']! };
        },
      ),
    ),
    'Order of the new history: it decides how much of the cached prefix survives.',
  ),
  (pieces) => pieces.filter((piece) => piece !== null),
);

/** When a summary is thrown away. */
export const accept: Shape<readonly AcceptPart[]> = list(
  either(
    map(
      choice(['larger', 'empty', 'cut', 'untagged', 'tool-call'], 'What is wrong with the answer.'),
      (kind): AcceptPart => ({ kind }),
    ),
    map(
      group(
        {
          above: amount('The new history is larger.'),
          'below-progress': number(0, 1, 'Less than this share was saved.'),
        },
        'What is wrong with the new history.',
      ),
      (written, path, problems): AcceptPart | undefined => {
        if (written.above !== undefined) return { kind: 'above', amount: written.above };
        if (written['below-progress'] !== undefined)
          return { kind: 'below-progress', share: written['below-progress'] };
        problems(wrongValue(path, '`above` or `below-progress` is wanted here'));
        return undefined;
      },
    ),
  ),
  'Reasons to reject the summary.',
);

const shares = list(number(0, 1, 'A share.'), 'Shares, one after the other.');

const shrinkShape = group(
  {
    'drop-oldest': shape<number | 'item'>(
      { anyOf: [{ const: 'item' }, { type: 'number' }] },
      (value, path, problems) =>
        value === 'item' ? 'item' : number(0, 1, 'Share of the rounds.').read(value, path, problems),
    ),
    'drop-results': shares,
    'cap-messages': number(0.01, 1, 'Each message is cut to this share of the largest.'),
    keep: shares,
    times: number(1, 1_000, 'How often.'),
  },
  'One way to a shorter request.',
);

const shrink: Shape<readonly ShrinkPart[]> = map(
  list(shrinkShape, 'What is tried when the request is too long.'),
  (written) =>
    written.flatMap((step): readonly ShrinkPart[] => {
      const times = step.times ?? 1;
      const oldest = step['drop-oldest'];
      if (oldest !== undefined)
        return [
          {
            kind: 'drop-oldest',
            share: oldest === 'item' ? null : oldest,
            times: step.times ?? (oldest === 'item' ? MANY : 1),
          },
        ];
      if (step['drop-results'] !== undefined)
        return step['drop-results']
          .filter((share) => share > 0)
          .map((share) => ({ kind: 'drop-results', share }));
      if (step['cap-messages'] !== undefined)
        return Array.from({ length: times }, () => ({ kind: 'cap-messages', share: step['cap-messages']! }));
      return (step.keep ?? []).map((share) => ({ kind: 'keep', share }));
    }),
);

const elseShape: Shape<FailPart['else']> = either(
  map(text('go-on, stop, or the name of a rule.'), (word): FailPart['else'] =>
    word === 'go-on' || word === 'stop' ? { kind: word } : { kind: 'rule', name: word },
  ),
  map(
    group(
      {
        truncate: group(
          { keep: number(0.01, 1, 'Share of the conversation that stays.') },
          'The oldest rounds are dropped.',
        ),
      },
      'Another way out.',
      ['truncate'],
    ),
    ({ truncate }): FailPart['else'] => ({ kind: 'truncate', keep: truncate?.keep ?? 0.5 }),
  ),
);

const failShape = group(
  {
    retry: either(
      map(number(0, 100, 'Attempts.'), (n) => ({ n })),
      group(
        { n: number(0, 100, 'Attempts.'), backoff: duration('Time between them.') },
        'How often the request is repeated.',
      ),
    ),
    shrink,
    else: elseShape,
  },
  'What follows when no summary comes.',
);

/** What follows a failure where a rule says nothing. */
export const GO_ON: FailPart = { retry: { n: 0, backoffMs: 0 }, shrink: [], else: { kind: 'go-on' } };

/** What follows when no summary comes, in full. */
export const fail: Shape<FailPart> = map(failShape, (written) => {
  const { n = 0, backoff = 0 } = (written.retry ?? {}) as { n?: number; backoff?: number };
  return { retry: { n, backoffMs: backoff }, shrink: written.shrink ?? [], else: written.else ?? GO_ON.else };
});

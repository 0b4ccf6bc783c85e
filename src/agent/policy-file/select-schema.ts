import * as z from 'zod';
import { ownValue } from '../../core/base/own-value.js';
import { flag, group, list, number, refuse, refusedKey, text, whole, words } from '../../core/base/schema.js';
import {
  isOfBlocks,
  type KeepPart,
  SELECTABLE,
  type SelectPart,
  type UntilPart,
} from '../../core/run/policy-rules.js';
import { amount, comparison, MANY, plainAmount } from './amounts.js';

const LAST = /^\s*(\d+)\s*(results?|messages?|turns?|rounds?|items?|calls?)?\s*$/;
const LAST_UNITS: Readonly<Record<string, NonNullable<KeepPart['last']>['unit']>> = {
  message: 'messages',
  turn: 'turns',
  round: 'rounds',
};

/** `last: 3`, or with what is counted: `last: 1 round`. */
const last = z
  .union([z.int().min(0), z.string().regex(LAST)])
  .transform((value): NonNullable<KeepPart['last']> => {
    const [, n, unit = 'item'] = LAST.exec(String(value))!;
    return { n: Number(n), unit: ownValue(LAST_UNITS, unit.replace(/s$/, '')) ?? 'items' };
  })
  .meta({
    title: 'a number such as 3, 2 messages, 1 round or 3 turns',
    description: 'The newest that stay: a number of what is selected, or `2 messages`, `1 round`, `3 turns`.',
  });

const user = z.union([
  plainAmount(0, MANY, 'Tokens of messages of the user that stay verbatim, newest first.').transform(
    (tokens) => ({ tokens, head: 0 }),
  ),
  group(
    'Messages of the user that stay verbatim; the one that crosses the limit is cut.',
    {
      tokens: plainAmount(0, MANY, 'Tokens that stay, newest first.'),
      head: plainAmount(0, MANY, 'Of them, tokens from the beginning.').default(0),
    },
    {},
  ),
]);

const keepGroup = group(
  'What stays as it is. In a history the key that keeps most counts; for items, `tokens` and `chars` come on top of `last`.',
  {},
  {
    last,
    tokens: amount('Newest tokens that stay.'),
    share: number(0, 1, 'Share of the tokens that stay, newest first.'),
    chars: number(0, MANY, 'Characters that stay, newest first; up to 1, a share of all.'),
    max: amount('At most this many tokens stay.'),
    min: amount('At least this many tokens stay.'),
    first: z
      .union([whole(0, 1_000_000, 'Oldest messages that stay.'), z.enum(['opening'])])
      .describe('Oldest messages, or items, that stay; `opening`: all before the first response.'),
    user,
    'recent-files': group(
      'Files that were used last, restored after the summary.',
      {
        n: whole(1, 1_000, 'Files.'),
        each: plainAmount(1, MANY, 'Tokens of one at most.').default(MANY),
        total: plainAmount(1, MANY, 'Tokens of all together.').default(MANY),
      },
      {},
    ),
    'final-answers': flag('The latest answer that ended a prompt stays, with what follows it.'),
    errors: flag('Results that report an error stay.'),
    none: flag('Nothing stays.'),
  },
);

const keep = z.union([words(['none'], 'Nothing stays.').transform(() => ({ none: true })), keepGroup]);
type WrittenKeep = z.output<typeof keepGroup>;

function keepOf(written: WrittenKeep): KeepPart {
  const { last: newest, tokens, share, chars, max, min, first, user: said, errors } = written;
  return {
    last: newest ?? null,
    tokens: tokens ?? null,
    share:
      share !== undefined
        ? { of: 'tokens', is: share }
        : chars === undefined
          ? null
          : { of: 'chars', is: chars },
    atMost: max ?? null,
    atLeast: min ?? null,
    first: first ?? 0,
    user: said ?? null,
    recentFiles: written['recent-files'] ?? null,
    finalAnswers: written['final-answers'] ?? false,
    errors: errors ?? false,
  };
}

const names = list(text('Name of a tool.'), 'Tools by name.');

const IDLE_IN_HISTORY = ['of', 'except', 'minChars', 'except-media', 'order', 'count', 'keep.errors'];
const IDLE_IN_BLOCKS = ['boundary', 'move', 'keep.user', 'keep.recent-files', 'keep.final-answers'];
const IDLE_WITHOUT_TOOL = ['of', 'except', 'minChars', 'except-media', 'keep.errors'];

/** Keys of `select` that a kind of selection does not go by. */
function idleKeys(what: SelectPart['what']): readonly string[] {
  if (!isOfBlocks(what)) return IDLE_IN_HISTORY;
  const isOfTools = what !== 'thinking' && what !== 'media';
  return [
    ...IDLE_IN_BLOCKS,
    ...(isOfTools ? (what === 'tool-inputs' ? ['except-media'] : []) : IDLE_WITHOUT_TOOL),
  ];
}

const selectGroup = group(
  'What a rule touches.',
  { what: words(SELECTABLE, 'What it touches.') },
  {
    of: names,
    except: names,
    minChars: plainAmount(0, MANY, 'Shorter ones stay.'),
    'except-media': flag('Results that hold images or documents stay.'),
    keep,
    order: words(
      ['oldest', 'newest', 'largest', 'farthest-use'],
      'Which go first; `farthest-use`: what the rest of the recording needs last or never, which no client can know.',
    ),
    boundary: words(
      ['pair', 'user-turn', 'assistant', 'thinking-loop'],
      'Where the kept tail may begin; a call and its result are never separated, and with thinking-loop no loop of calls with thinking is.',
    ),
    move: words(['back', 'forward'], 'Which way an invalid start moves: `back` keeps more, `forward` less.', {
      split: {
        why: 'a tail that may begin inside a turn has the boundary `pair`',
        hint: 'write boundary: pair, and ask: { calls: split-turn } for a separate summary of the turn',
      },
    }),
    count: whole(1, 1_000_000, 'Items taken at a time.'),
  },
);

/** A selection with nothing left open. */
function selectionOf(written: z.output<typeof selectGroup>, kept: WrittenKeep): SelectPart {
  return {
    what: written.what,
    of: written.of ?? null,
    except: written.except ?? [],
    minChars: written.minChars ?? 0,
    exceptMedia: written['except-media'] ?? false,
    keep: keepOf(kept),
    order: written.order ?? 'oldest',
    boundary: written.boundary ?? 'pair',
    move: written.move ?? (kept.last === undefined ? 'forward' : 'back'),
    count: written.count ?? null,
  };
}

/** What a rule that says nothing touches. */
export const ALL_HISTORY = selectionOf({ what: 'history' }, {});

/** What a rule touches. */
export const select = selectGroup.transform((written, ctx): SelectPart => {
  const kept: WrittenKeep = written.keep ?? {};
  const keys = [...Object.keys(written), ...Object.keys(kept).map((key) => `keep.${key}`)];
  const has = (key: string): boolean => keys.includes(`keep.${key}`);
  const no = (key: string, message: string, hint: string | null = null) =>
    refuse(ctx, message, { path: key.split('.'), side: 'key', hint });
  const idle = idleKeys(written.what);
  for (const key of keys.filter((one) => idle.includes(one)))
    no(key, `\`{key}\` has no effect where \`what\` is ${written.what}`, 'remove it');
  if (has('share') && has('chars')) no('keep.chars', '`share` and `chars` exclude each other');
  if (has('none') && Object.keys(kept).length > 1) no('keep.none', '`none` excludes other keys');
  for (const key of ['min', 'max'])
    if (has(key) && !has('tokens') && !has('share'))
      no(`keep.${key}`, `\`${key}\` has no effect without tokens or share`);
  if (
    written.order === 'farthest-use' &&
    !['tool-results', 'pairs'].includes(written.what) &&
    isOfBlocks(written.what)
  )
    no(
      'order',
      `\`farthest-use\` has no effect where \`what\` is ${written.what}`,
      'it is for tool-results and pairs',
    );
  if (isOfBlocks(written.what) && kept.first === 'opening')
    no('keep.first', '`opening` has no effect where blocks are selected', 'give a number');
  return selectionOf(written, kept);
});

/** What replaces what was selected, as written. */
export const replace = group(
  'What replaces what was selected.',
  {
    with: words(
      ['placeholder', 'preview', 'reference', 'hash-ref', 'nothing', 'summary'],
      'What is there afterwards; `hash-ref` is a short reference to the file.',
    ),
  },
  {
    tokens: plainAmount(1, 1_000_000, 'True tokens of a fixed text, or of the frame around a preview.'),
    head: plainAmount(0, MANY, 'Characters of a preview from the beginning.'),
    tail: plainAmount(0, MANY, 'Characters of a preview from the end.'),
    lines: refusedKey(
      'not every transcript has the text that lines are counted in',
      'give `head` and `tail` in characters',
    ),
    sticky: flag('false: done again for each request, so that the client still counts what it leaves out.'),
    where: z.union([
      words(
        ['in-place', 'at-end', 'server'],
        'Where the replacement goes: in place, in one message at the end, or left out by the server; { at: 2 } puts a summary after the first two messages.',
      ),
      group(
        'Behind the oldest messages.',
        { at: whole(0, 1_000_000, 'Oldest messages that stay before it.') },
        {},
      ),
    ]),
  },
);

/** How far a rule goes. */
export const until = group(
  'Low watermark.',
  {},
  {
    tokens: comparison('Until the context is this small.', { otherwise: '<=', side: '<' }),
    chars: comparison('Until the tool results have so few characters.', { otherwise: '<=', side: '<' }),
    freed: comparison('Until this many tokens are freed.', { side: '>' }),
    target: amount('Until the context is this small.'),
    every: whole(1, 1_000_000, 'Items wait until this many are due.'),
  },
).transform((written, ctx): UntilPart => {
  if (Object.keys(written).length !== 1)
    return refuse(ctx, 'expected one of tokens, chars, freed, target and every');
  const { tokens, chars, freed, target, every } = written;
  if (tokens !== undefined) return { kind: 'tokens', is: tokens };
  if (chars !== undefined) return { kind: 'chars', is: chars };
  if (freed !== undefined) return { kind: 'freed', is: freed };
  if (target !== undefined) return { kind: 'tokens', is: { op: '<=', amount: target } };
  return { kind: 'every', n: every! };
});

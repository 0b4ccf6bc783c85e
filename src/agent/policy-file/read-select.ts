import {
  choice,
  either,
  flag,
  group,
  list,
  map,
  number,
  refusing,
  type Shape,
  shape,
  text,
  wanted,
  whole,
} from '../../core/base/shape.js';
import { type KeepPart, SELECTABLE, type Selectable, type SelectPart } from '../../core/run/parts.js';
import { amount, MANY, plainAmount } from './amounts.js';

const LAST = /^\s*(\d+)\s*(results?|messages?|turns?|rounds?|items?|calls?)?\s*$/;
const LAST_UNITS: Readonly<Record<string, 'items' | 'messages' | 'turns' | 'rounds'>> = {
  result: 'items',
  item: 'items',
  call: 'items',
  message: 'messages',
  turn: 'turns',
  round: 'rounds',
};

/** `last: 3`, or with what is counted: `last: 1 round`. */
const last: Shape<NonNullable<KeepPart['last']>> = shape(
  {
    anyOf: [{ type: 'integer', minimum: 0 }, { type: 'string' }],
    description: 'The newest that stay: a number of what is selected, or `2 messages`, `1 round`, `3 turns`.',
  },
  (value, path, problems) => {
    const match = LAST.exec(String(value));
    if (match !== null)
      return { n: Number(match[1]), unit: LAST_UNITS[(match[2] ?? 'item').replace(/s$/, '')]! };
    return wanted('a number', value, path, problems, 'for instance 3, 2 messages, 1 round or 3 turns');
  },
);

/** `first: 2`, or `first: opening`. */
const first: Shape<KeepPart['first']> = shape(
  {
    anyOf: [{ type: 'integer', minimum: 0 }, { const: 'opening' }],
    description: 'Oldest messages, or items, that stay; `opening`: all before the first response.',
  },
  (value, path, problems) =>
    value === 'opening'
      ? 'opening'
      : whole(0, 1_000_000, 'Oldest messages that stay.').read(value, path, problems),
);

const user = either(
  map(plainAmount(0, MANY, 'Tokens of messages of the user that stay verbatim, newest first.'), (tokens) => ({
    tokens,
    head: 0,
  })),
  map(
    group(
      {
        tokens: plainAmount(0, MANY, 'Tokens that stay, newest first.'),
        head: plainAmount(0, MANY, 'Of them, tokens from the beginning.'),
      },
      'Messages of the user that stay verbatim; the one that crosses the limit is cut.',
      ['tokens'],
    ),
    ({ tokens = 0, head = 0 }) => ({ tokens, head }),
  ),
);

const recentFiles = map(
  group(
    {
      n: whole(1, 1_000, 'Files.'),
      each: plainAmount(1, MANY, 'Tokens of one at most.'),
      total: plainAmount(1, MANY, 'Tokens of all together.'),
    },
    'Files that were worked on last, put back behind the summary.',
    ['n'],
  ),
  ({ n = 0, each = MANY, total = MANY }) => ({ n, each, total }),
);

const keepShape = group(
  {
    last,
    tokens: amount('Newest tokens that stay.'),
    share: number(0, 1, 'Share of the tokens that stay, newest first.'),
    chars: number(0, 1, 'Share of the characters that stay, newest first.'),
    max: amount('At most so many tokens stay.'),
    min: amount('At least so many tokens stay.'),
    first,
    user,
    'recent-files': recentFiles,
    'final-answers': flag('The latest answer that ended a prompt stays, with what follows it.'),
    errors: flag('Results that report an error stay.'),
    none: flag('Nothing stays.'),
  },
  'What stays as it is; several keys add up.',
);

const NOTHING_KEPT: KeepPart = {
  last: null,
  tokens: null,
  share: null,
  atMost: null,
  atLeast: null,
  first: 0,
  user: null,
  recentFiles: null,
  finalAnswers: false,
  errors: false,
};

const keep: Shape<KeepPart> = map(
  either(
    map(choice(['none'], 'Nothing stays.'), () => ({ none: true })),
    keepShape,
  ) as typeof keepShape,
  (written) => {
    const { share, chars } = written;
    return {
      last: written.last ?? null,
      tokens: written.tokens ?? null,
      share:
        share !== undefined
          ? { of: 'tokens', is: share }
          : chars !== undefined
            ? { of: 'chars', is: chars }
            : null,
      atMost: written.max ?? null,
      atLeast: written.min ?? null,
      first: written.first ?? 0,
      user: written.user ?? null,
      recentFiles: written['recent-files'] ?? null,
      finalAnswers: written['final-answers'] ?? false,
      errors: written.errors ?? false,
    };
  },
);

const names = list(text('Name of a tool.'), 'Tools by name.');

const selectShape = group(
  {
    what: choice(SELECTABLE, 'What it touches.'),
    of: names,
    except: names,
    minChars: plainAmount(0, MANY, 'Shorter ones stay.'),
    'except-media': flag('Results that hold images or documents stay.'),
    keep,
    order: choice(['oldest', 'newest', 'largest'], 'Which go first.'),
    boundary: choice(
      ['pair', 'user-turn', 'assistant', 'thinking-loop'],
      'Where the kept tail may begin; a call and its result are never parted, and with thinking-loop no loop of calls with thinking is.',
    ),
    move: refusing(
      choice(['back', 'forward'], 'Which way an unfit beginning moves: `back` keeps more, `forward` less.'),
      {
        split: {
          why: 'a tail that may begin inside a turn has the boundary `pair`',
          hint: 'write boundary: pair, and ask: { calls: split-turn } for a summary of the turn apart',
        },
      },
    ),
    count: whole(1, 1_000_000, 'Items taken at a time.'),
  },
  'What a rule touches.',
  ['what'],
);

/** What a rule touches, in full. */
export const select: Shape<SelectPart> = map(selectShape, (written) => {
  const kept = written.keep ?? NOTHING_KEPT;
  return {
    what: written.what!,
    of: written.of ?? null,
    except: written.except ?? [],
    minChars: written.minChars ?? 0,
    exceptMedia: written['except-media'] ?? false,
    keep: kept,
    order: written.order ?? 'oldest',
    boundary: written.boundary ?? 'pair',
    move: written.move ?? (kept.last === null ? 'forward' : 'back'),
    count: written.count ?? null,
  };
});

/** What a rule that says nothing touches. */
export const ALL_HISTORY: SelectPart = {
  what: 'history',
  of: null,
  except: [],
  minChars: 0,
  exceptMedia: false,
  keep: NOTHING_KEPT,
  order: 'oldest',
  boundary: 'pair',
  move: 'forward',
  count: null,
};

/** Whether a selection is of blocks inside messages, and not of messages. */
export function isOfBlocks(what: Selectable): boolean {
  return what !== 'messages' && what !== 'history';
}

import {
  choice,
  flag,
  group,
  list,
  number,
  type PartPath,
  type Problems,
  refusing,
  type Shape,
  shape,
  wanted,
  wrongValue,
} from '../../core/base/shape.js';
import {
  COUNTED,
  type Comparison,
  type GroupPart,
  PART_EVENTS,
  PART_POINTS,
  type PartPoint,
  type TestPart,
} from '../../core/run/parts.js';
import { comparison, digits, timeComparison } from './amounts.js';

/** Where a rule is asked. */
export const at = list(
  choice(PART_POINTS, 'A point of the loop; `prompt` is the first request of each prompt.'),
  'Where in the loop it is asked; before each request where nothing is said.',
);

const counted = Object.fromEntries(
  COUNTED.map((name) => [name, comparison(COUNTED_HELP(name), '>')]),
) as Record<(typeof COUNTED)[number], ReturnType<typeof comparison>>;

function COUNTED_HELP(name: (typeof COUNTED)[number]): string {
  const help = {
    messages: 'Messages of the conversation.',
    turns: 'Responses of the model in the conversation.',
    toolResults: 'Tool results that still have their content.',
    toolChars: 'Characters of those.',
    images: 'Images of the conversation.',
  } as const;
  return help[name];
}

/** `prunable: ">= 50000 chars"`: an amount of tokens, or of characters. */
const prunable: Shape<Extract<TestPart, { kind: 'prunable' }>> = (() => {
  const inner = comparison('What this rule would free.');
  return shape(inner.schema, (value, path, problems) => {
    const isChars = typeof value === 'string' && /\s*chars?\s*$/.test(value);
    const is = inner.read(isChars ? value.replace(/\s*chars?\s*$/, '') : value, path, problems);
    return is === undefined ? undefined : { kind: 'prunable', is, unit: isChars ? 'chars' : 'tokens' };
  });
})();

/** `growth: "> 5000"`, or with what it is counted from: `"> 5000 since last"`. */
const growth = (() => {
  const inner = comparison('Tokens that came since the rule last acted.', '>');
  return shape(inner.schema, (value, path, problems) =>
    inner.read(typeof value === 'string' ? value.replace(/\s+since last\s*$/, '') : value, path, problems),
  );
})();

/** `jitter: [0.78, 0.82]`: the bound on tokens times a factor that is drawn from the seed. */
const jitter: Shape<readonly [number, number]> = shape(
  {
    type: 'array',
    items: { type: 'number' },
    minItems: 2,
    maxItems: 2,
    description: 'The bound on tokens times a factor from this range, drawn from the seed.',
  },
  (value, path, problems) => {
    const [from, to] = Array.isArray(value) && value.length === 2 ? (value as readonly unknown[]) : [];
    if (typeof from === 'number' && typeof to === 'number' && from > 0 && from <= to && to <= 10)
      return [from, to];
    return wanted('a pair of factors', value, path, problems, 'for instance [0.78, 0.82]');
  },
);

const event = refusing(choice(PART_EVENTS, 'Something that happened.'), {
  'memory-pressure': {
    why: 'no transcript records the memory of the machine',
    hint: 'take the group out; what the agent frees by size it frees by `tokens`',
  },
});

const groupShape = group(
  {
    at,
    tokens: comparison('Tokens as the client counts them.'),
    ...counted,
    events: comparison('Messages of the conversation, under another name.', '>'),
    growth,
    piled: comparison(
      'Tokens of tool results that came in behind what is kept, on the running total: each multiple counts once.',
    ),
    prunable,
    idle: timeComparison('Time since the latest response.', '>='),
    expiresIn: timeComparison('Time that the cache entry has left.', '<='),
    warm: flag('Whether the cache entry of the conversation is alive.'),
    event,
    chance: number(0, 1, 'Drawn from the seed each time it is asked.'),
    jitter,
  },
  'Conditions that must hold together.',
);

type Written = NonNullable<ReturnType<typeof groupShape.read>>;

/** Where a group is asked when it says nothing itself. */
function pointsOf(written: Written, ofRule: readonly PartPoint[] | undefined): readonly PartPoint[] {
  if (written.at !== undefined) return written.at;
  if (written.event === 'refused' || written.event === 'manual') return [written.event];
  if (written.expiresIn !== undefined) return ['wake'];
  const usual = ofRule?.filter((point) => point !== 'refused' && point !== 'manual');
  return usual === undefined || usual.length === 0 ? ['before-request'] : usual;
}

/** Cheap tests go first: what they rule out costs nothing more. */
function testsOf(written: Written): readonly TestPart[] {
  const tests: TestPart[] = [];
  if (written.event !== undefined) tests.push({ kind: 'event', is: written.event });
  if (written.warm !== undefined) tests.push({ kind: 'warm', is: written.warm });
  if (written.idle !== undefined) tests.push({ kind: 'idle', is: written.idle });
  if (written.expiresIn !== undefined) tests.push({ kind: 'expiresIn', is: written.expiresIn });
  if (written.tokens !== undefined)
    tests.push({ kind: 'tokens', is: spread(written.tokens, written.jitter) });
  if (written.events !== undefined) tests.push({ kind: 'messages', is: written.events });
  for (const kind of COUNTED) if (written[kind] !== undefined) tests.push({ kind, is: written[kind] });
  if (written.growth !== undefined) tests.push({ kind: 'growth', is: written.growth });
  if (written.piled !== undefined) tests.push({ kind: 'piled', is: written.piled });
  if (written.prunable !== undefined) tests.push(written.prunable);
  if (written.chance !== undefined) tests.push({ kind: 'chance', is: written.chance });
  return tests;
}

/** A bound times a factor that is drawn. */
function spread({ op, amount }: Comparison, factors: readonly [number, number] | undefined): Comparison {
  return factors === undefined
    ? { op, amount }
    : { op, amount: `jitter(${factors.map(digits).join(', ')})·(${amount})` };
}

/** A group, or `never` in the place of all. */
const condition: Shape<Written | 'never'> = shape(
  { anyOf: [{ const: 'never' }, groupShape.schema] },
  (value, path, problems) => (value === 'never' ? 'never' : groupShape.read(value, path, problems)),
);

/** When a rule acts: groups of which any must hold; `never` leaves it to rules that fall back on it. */
export const when: Shape<readonly (Written | 'never')[]> = list(
  condition,
  'Groups of conditions, any of which must hold; `never` for a rule that others fall back on.',
);

/** The groups of a rule in full. */
export function groupsOf(
  written: readonly (Written | 'never')[],
  ofRule: readonly PartPoint[] | undefined,
  path: PartPath,
  problems: Problems,
): readonly GroupPart[] {
  const groups: GroupPart[] = [];
  written.forEach((item, i) => {
    if (item === 'never') return;
    const at = written.length === 1 ? path : [...path, i];
    if (item.jitter !== undefined && item.tokens === undefined)
      problems(wrongValue([...at, 'jitter'], '`jitter` has no effect without `tokens`', 'take it out'));
    if (item.events !== undefined && item.messages !== undefined)
      problems(wrongValue([...at, 'events'], '`events` and `messages` are the same', 'take one of them out'));
    const tests = testsOf(item);
    if (tests.length === 0)
      problems(
        wrongValue(
          at,
          'a group without a condition would fire at every turn',
          'write tokens, messages, idle, event or another condition',
        ),
      );
    else groups.push({ at: pointsOf(item, ofRule), tests });
  });
  return groups;
}

import * as z from 'zod';
import { flag, group, list, number, refuse, words } from '../../core/base/schema.js';
import {
  COUNTED,
  COUNTED_NAMES,
  type Comparison,
  type Counted,
  type GroupPart,
  PART_EVENTS,
  RULE_POINTS,
  type RulePoint,
  type TestPart,
} from '../../core/run/policy-rules.js';
import { boundBy, comparison, digits, readBound, timeComparison } from './amounts.js';

/** Where a rule is asked. */
export const at = list(
  words(RULE_POINTS, 'A point of the loop; `prompt` is the first request of each prompt.'),
  'Where in the loop it is checked: before each request by default.',
);

const ABOVE = { otherwise: '>' } as const;

const counted = Object.fromEntries(
  COUNTED_NAMES.map((name) => [name, comparison(COUNTED[name].help, ABOVE)]),
) as Record<Counted, ReturnType<typeof comparison>>;

/** `jitter: [0.78, 0.82]`: the bound on tokens times a factor that is drawn from the seed. */
const jitter = z
  .tuple([z.number().gt(0), z.number().max(10)])
  .refine(([from, to]) => from <= to, 'the factors must rise')
  .meta({
    title: 'a pair of factors such as [0.78, 0.82]',
    description: 'The bound on tokens times a factor from this range, drawn from the seed.',
  });

/** `event: turn-end`: where clients look that never compact between tool calls. */
const TURN_END = 'turn-end' as const;
const TURN_END_POINTS: readonly RulePoint[] = ['prompt', 'end-of-loop'];
const EVENT_HELP =
  'Something that happened; `turn-end` is the answer that ends a turn, and the first request of the next prompt.';

const conditions = group(
  'Conditions that must hold together.',
  {},
  {
    at,
    tokens: comparison('Tokens as the client counts them.'),
    ...counted,
    events: comparison('Messages of the conversation, under another name.', ABOVE),
    growth: boundBy('Tokens that came since the rule last acted.', (ctx, value) =>
      readBound(ctx, typeof value === 'string' ? value.replace(/\s+since last\s*$/, '') : value, ABOVE),
    ),
    piled: comparison(
      'Tokens of tool results that arrived after what is kept, as a running total: each multiple counts once.',
    ),
    prunable: boundBy('What this rule would free.', (ctx, value): TestPart => {
      const isChars = typeof value === 'string' && /\s*chars?\s*$/.test(value);
      const is = readBound(ctx, isChars ? value.replace(/\s*chars?\s*$/, '') : value);
      return { kind: 'prunable', is, unit: isChars ? 'chars' : 'tokens' };
    }),
    idle: timeComparison('Time since the latest response.', '>='),
    expiresIn: timeComparison('Time that the cache entry has left.', '<='),
    warm: flag('Whether the cache entry of the conversation is alive.'),
    event: words([...PART_EVENTS, TURN_END] as const, EVENT_HELP, {
      'memory-pressure': {
        why: 'no transcript records the memory of the machine',
        hint: 'remove the group; what the agent frees by size it frees by `tokens`',
      },
    }),
    chance: number(0, 1, 'Drawn from the seed each time it is asked.'),
    jitter,
  },
).check((ctx) => {
  const { jitter: factors, tokens, events, messages, at: points, ...others } = ctx.value;
  if (factors !== undefined && tokens === undefined)
    refuse(ctx, '`jitter` has no effect without `tokens`', { path: ['jitter'], hint: 'remove it' });
  if (others.event === TURN_END && points !== undefined)
    refuse(ctx, '`at` has no effect with `event: turn-end`', {
      path: ['at'],
      hint: 'remove one of them',
    });
  if (events !== undefined && messages !== undefined)
    refuse(ctx, '`events` and `messages` are the same', { path: ['events'], hint: 'remove one of them' });
  // A condition whose key is misspelt is reported already.
  const isEmpty = (tokens ?? events ?? messages) === undefined && Object.keys(others).length === 0;
  if (isEmpty && ctx.issues.length === 0)
    refuse(ctx, 'a group without a condition would fire at every turn', {
      hint: 'write tokens, messages, idle, event or another condition',
    });
});

type Written = z.output<typeof conditions>;

/** When a rule acts: groups of which any must hold; `never` leaves it to rules that fall back on it. */
export const when = list(
  z.union([z.enum(['never']), conditions]),
  'Groups of conditions, any of which must hold; `never` for a rule that others fall back on.',
);

/** Where a group is asked when it says nothing itself. */
function pointsOf(written: Written, ofRule: readonly RulePoint[] | undefined): readonly RulePoint[] {
  if (written.event === TURN_END) return TURN_END_POINTS;
  if (written.at !== undefined) return written.at;
  if (written.event === 'refused' || written.event === 'manual') return [written.event];
  if (written.expiresIn !== undefined) return ['wake'];
  const usual = ofRule?.filter((point) => point !== 'refused' && point !== 'manual');
  return usual === undefined || usual.length === 0 ? ['before-request'] : usual;
}

/** Cheap tests go first: what they rule out costs nothing more. */
function testsOf(written: Written): readonly TestPart[] {
  const tests: TestPart[] = [];
  if (written.event !== undefined && written.event !== TURN_END)
    tests.push({ kind: 'event', is: written.event });
  if (written.warm !== undefined) tests.push({ kind: 'warm', is: written.warm });
  for (const kind of ['idle', 'expiresIn'] as const)
    if (written[kind] !== undefined) tests.push({ kind, is: written[kind] });
  if (written.tokens !== undefined)
    tests.push({ kind: 'tokens', is: spread(written.tokens, written.jitter) });
  if (written.events !== undefined) tests.push({ kind: 'messages', is: written.events });
  for (const kind of [...COUNTED_NAMES, 'growth', 'piled'] as const)
    if (written[kind] !== undefined) tests.push({ kind, is: written[kind] });
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

/** The groups of a rule in full. */
export function groupsOf(
  written: z.output<typeof when>,
  ofRule: readonly RulePoint[] | undefined,
): readonly GroupPart[] {
  return written
    .filter((item) => item !== 'never')
    .map((item) => ({ at: pointsOf(item, ofRule), tests: testsOf(item) }));
}

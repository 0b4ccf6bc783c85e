import { duration } from '../../core/base/duration-shape.js';
import {
  choice,
  either,
  group,
  list,
  map,
  number,
  type Shape,
  shape,
  text,
  whole,
  wrongValue,
} from '../../core/base/shape.js';
import type { AcceptPart, FailPart, ShrinkPart } from '../../core/run/parts.js';
import { amount, MANY, plainAmount } from './amounts.js';

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
        const { above, 'below-progress': share } = written;
        if (above !== undefined && share === undefined) return { kind: 'above', amount: above };
        if (share !== undefined && above === undefined) return { kind: 'below-progress', share };
        problems(wrongValue(path, '`above` or `below-progress` is wanted here, one for each item'));
        return undefined;
      },
    ),
  ),
  'Reasons to reject the summary.',
);

const shares = list(number(0, 1, 'A share.'), 'Shares, one after the other.');

/** `0.8`, or `×0.8`. */
const factor: Shape<number> = (() => {
  const inner = number(0.01, 1, 'Each message is cut to this share of the largest.');
  return shape({ anyOf: [inner.schema, { type: 'string' }] }, (value, path, problems) => {
    const match = typeof value === 'string' ? /^\s*[×x*]\s*(\d*\.?\d+)\s*$/.exec(value) : null;
    return inner.read(match === null ? value : Number(match[1]), path, problems);
  });
})();

const WAYS = ['drop-oldest', 'drop-results', 'cap-messages', 'cap-event', 'keep', 'chars'] as const;

const shrinkShape = group(
  {
    'drop-oldest': shape<number | 'item'>(
      { anyOf: [{ const: 'item' }, { type: 'number' }] },
      (value, path, problems) =>
        value === 'item' ? 'item' : number(0, 1, 'Share of the rounds.').read(value, path, problems),
    ),
    'drop-results': shares,
    'cap-messages': factor,
    'cap-event': factor,
    keep: shares,
    chars: list(plainAmount(1, MANY, 'Newest characters that are sent.'), 'Limits, one after the other.'),
    times: whole(1, 1_000, 'How often.'),
  },
  'One way to a shorter request.',
);

type WrittenShrink = NonNullable<ReturnType<typeof shrinkShape.read>>;

/** The steps of one written way; null where none or several are written. */
function stepsOf(step: WrittenShrink): readonly ShrinkPart[] | null {
  const [way, ...more] = WAYS.filter((key) => step[key] !== undefined);
  if (way === undefined || more.length > 0) return null;
  const { 'drop-oldest': oldest, times } = step;
  if (oldest !== undefined)
    return [
      {
        kind: 'drop-oldest',
        share: oldest === 'item' ? null : oldest,
        times: times ?? (oldest === 'item' ? MANY : 1),
      },
    ];
  const cap = step['cap-messages'] ?? step['cap-event'];
  if (cap !== undefined)
    return Array.from({ length: times ?? 1 }, () => ({ kind: 'cap-messages', share: cap }));
  if (times !== undefined) return null;
  if (step['drop-results'] !== undefined)
    return step['drop-results']
      .filter((share) => share > 0)
      .map((share) => ({ kind: 'drop-results', share }));
  if (step.chars !== undefined) return step.chars.map((chars) => ({ kind: 'chars', chars }));
  return step.keep!.map((share) => ({ kind: 'keep', share }));
}

const shrink: Shape<readonly ShrinkPart[]> = map(
  list(
    map(shrinkShape, (step, path, problems): readonly ShrinkPart[] | undefined => {
      const steps = stepsOf(step);
      if (steps === null)
        problems(
          wrongValue(
            path,
            `one of ${WAYS.join(', ')} is wanted here`,
            '`times` stands beside drop-oldest or cap-messages alone',
          ),
        );
      return steps ?? undefined;
    }),
    'What is tried when the request is too long.',
  ),
  (steps) => steps.flat(),
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
      map(whole(0, 100, 'Attempts.'), (n) => ({ n })),
      group(
        { n: whole(0, 100, 'Attempts.'), backoff: duration('Time between them.') },
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

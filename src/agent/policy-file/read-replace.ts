import {
  choice,
  either,
  flag,
  group,
  map,
  refusedKey,
  type Shape,
  whole,
  wrongValue,
} from '../../core/base/shape.js';
import type { ReplacePart, UntilPart } from '../../core/run/parts.js';
import { amount, comparison, MANY, oneSided, plainAmount } from './amounts.js';

/** Tokens of fixed texts where nothing is said. */
const FIXED_TOKENS: Readonly<Record<string, number>> = { placeholder: 12, reference: 60, 'hash-ref': 20 };
const OTHER_TOKENS = 12;

const replaceShape = group(
  {
    with: choice(
      ['placeholder', 'preview', 'reference', 'hash-ref', 'nothing', 'summary'],
      'What stands there afterwards; `hash-ref` is a short reference to the file.',
    ),
    tokens: plainAmount(1, 1_000_000, 'True tokens of a fixed text.'),
    head: plainAmount(0, MANY, 'Characters of a preview from the beginning.'),
    tail: plainAmount(0, MANY, 'Characters of a preview from the end.'),
    lines: refusedKey(
      'not every transcript has the text that lines are counted in',
      'give `head` and `tail` in characters',
    ),
    sticky: flag('false: done anew for each request, so that the client still counts what it leaves out.'),
    where: either(
      choice(
        ['in-place', 'at-end', 'server'],
        'Where the replacement stands: in place, in one message at the end, or left out by the server; { at: 2 } puts a summary behind the first two messages.',
      ),
      group(
        { at: whole(0, 1_000_000, 'Oldest messages that stay before it.') },
        'Behind the oldest messages.',
        ['at'],
      ),
    ),
  },
  'What stands in the place of what was selected.',
  ['with'],
);

/** What stands in the place of blocks, in full, with what was written. */
export interface WrittenReplace {
  readonly part: ReplacePart;
  /** Oldest messages before a summary that is put at an index; null where none is. */
  readonly index: number | null;
  /** Keys that were written. */
  readonly keys: readonly string[];
}

/** What stands in the place, in full. */
export const replace: Shape<WrittenReplace> = map(replaceShape, (written) => {
  const { with: how = 'placeholder', where } = written;
  return {
    part: {
      with: how === 'hash-ref' ? 'reference' : how,
      tokens: written.tokens ?? FIXED_TOKENS[how] ?? OTHER_TOKENS,
      head: written.head ?? 0,
      tail: written.tail ?? 0,
      lasts: written.sticky === false ? 'each-request' : 'frozen',
      where: typeof where === 'string' ? where : 'in-place',
    },
    index: typeof where === 'object' ? where.at! : null,
    keys: Object.keys(written),
  };
});

const untilShape = group(
  {
    tokens: oneSided(comparison('Until the context is this small.', '<='), '<'),
    chars: oneSided(comparison('Until the tool results have so few characters.', '<='), '<'),
    freed: oneSided(comparison('Until so many tokens are freed.', '>='), '>'),
    target: amount('Until the context is this small.'),
    every: whole(1, 1_000_000, 'Items wait until so many are due.'),
  },
  'Low watermark.',
);

/** How far a rule goes. */
export const until: Shape<UntilPart> = map(untilShape, (written, path, problems): UntilPart | undefined => {
  if (Object.keys(written).length !== 1) {
    problems(wrongValue(path, 'one of tokens, chars, freed, target and every is wanted here'));
    return undefined;
  }
  const { tokens, chars, freed, target, every } = written;
  if (tokens !== undefined) return { kind: 'tokens', is: tokens };
  if (chars !== undefined) return { kind: 'chars', is: chars };
  if (freed !== undefined) return { kind: 'freed', is: freed };
  if (target !== undefined) return { kind: 'tokens', is: { op: '<=', amount: target } };
  return { kind: 'every', n: every! };
});

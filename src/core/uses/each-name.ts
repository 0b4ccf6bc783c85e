/** Shorter identifiers tell nothing. */
const NAME_CHARS = 8;

/** What a character is in an identifier; 0 for none of it. */
const LOWER = 1;
const UPPER = 2;
const MARK = 4;
const DIGIT = 8;
/** Between the parts of an identifier: `a.b`, `a-b`. */
const JOINT = 16;

const WORD = LOWER | UPPER | MARK | DIGIT;
const START = LOWER | UPPER | MARK;

const KINDS = new Uint8Array(128);
for (const [kind, characters] of [
  [LOWER, 'abcdefghijklmnopqrstuvwxyz'],
  [UPPER, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'],
  [MARK, '_$'],
  [DIGIT, '0123456789'],
  [JOINT, './:-'],
] as const)
  for (const character of characters) KINDS[character.charCodeAt(0)] = kind;

const HYPHEN = 45;

/**
 * Goes through the identifiers of a text: words, joined by `.`, `/`, `:` or `-`, with something that plain language has not: a digit,
 * an underscore, a joint other than a hyphen, a capital inside. One pass over the characters: two regular expressions take twice as long.
 */
export function eachName(text: string, take: (name: string) => void): void {
  const { length } = text;
  let i = 0;
  while (i < length) {
    const first = text.charCodeAt(i);
    let kind = first < 128 ? KINDS[first]! : 0;
    if ((kind & START) === 0) {
      i++;
      continue;
    }
    const from = i;
    let isMarked = false;
    for (;;) {
      if ((kind & (MARK | DIGIT)) !== 0) isMarked = true;
      const code = ++i < length ? text.charCodeAt(i) : 0;
      const next = code < 128 ? KINDS[code]! : 0;
      if ((next & WORD) !== 0) {
        if (next === UPPER && kind === LOWER) isMarked = true;
        kind = next;
        continue;
      }
      if (next !== JOINT || i + 1 >= length) break;
      const behind = text.charCodeAt(i + 1);
      kind = behind < 128 ? KINDS[behind]! : 0;
      if ((kind & WORD) === 0) break;
      if (code !== HYPHEN) isMarked = true;
      i++;
    }
    if (isMarked && i - from >= NAME_CHARS) take(text.slice(from, i));
  }
}

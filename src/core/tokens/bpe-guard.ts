/** Longest run, in characters without a token boundary between them, that reaches a BPE tokenizer uncut. @internal */
export const RUN_LIMIT_CHARS = 512;

const LOWER = 1;
const UPPER = 2;
const LETTER = 3;
const DIGIT = 4;
const SPACE = 5;
const NEWLINE = 6;
const SLASH = 7;
const PUNCTUATION = 8;
/** Marks and halves of surrogate pairs: they may belong to a word or to punctuation. */
const EITHER = 9;
const CLASSES = 10;

/**
 * 1 where a token of o200k may span the two classes, so that a run goes on. Newlines that end punctuation are a run of
 * their own, though one token may hold both: it stays below twice the limit.
 */
const JOINS = new Uint8Array(CLASSES * CLASSES);
function join(before: readonly number[], after: readonly number[]): void {
  for (const a of before) for (const b of after) JOINS[a * CLASSES + b] = 1;
}
join([LOWER, UPPER, LETTER, EITHER], [LOWER, LETTER, EITHER]);
join([UPPER, LETTER, EITHER], [UPPER]);
join([SPACE, NEWLINE], [SPACE, NEWLINE]);
join([SLASH, PUNCTUATION, EITHER], [SLASH, PUNCTUATION, EITHER]);
join([SLASH], [NEWLINE]);
join([NEWLINE], [SLASH]);

const CLASS_OF = new Uint8Array(0x1_0000);

function classify(unit: number): number {
  const character = String.fromCharCode(unit);
  if (unit >= 0xd800 && unit <= 0xdfff) return EITHER;
  if (character === '\n' || character === '\r') return NEWLINE;
  if (character === '/') return SLASH;
  if (/\s/u.test(character)) return SPACE;
  if (/[a-z]/.test(character)) return LOWER;
  if (/[A-Z]/.test(character)) return UPPER;
  if (/\p{L}/u.test(character)) return LETTER;
  if (/\p{N}/u.test(character)) return DIGIT;
  return /\p{M}/u.test(character) ? EITHER : PUNCTUATION;
}

function classAt(text: string, index: number): number {
  const unit = text.charCodeAt(index);
  let known = CLASS_OF[unit]!;
  if (known === 0) {
    known = classify(unit);
    CLASS_OF[unit] = known;
  }
  return known;
}

/** The last token boundary in (from, to], or from when a run reaches over the whole stretch. */
function lastBoundary(text: string, from: number, to: number): number {
  let after = classAt(text, to);
  for (let at = to; at > from; at--) {
    const before = classAt(text, at - 1);
    if (JOINS[before * CLASSES + after] === 0) return at;
    after = before;
  }
  return from;
}

/** The end of the run that covers a position. */
function runEnd(text: string, position: number): number {
  let end = position + 1;
  while (end < text.length && JOINS[classAt(text, end - 1) * CLASSES + classAt(text, end)] === 1) end++;
  return end;
}

/** The end of a chunk of this many UTF-8 bytes that starts in a run, never inside a surrogate pair. */
function chunkEnd(text: string, from: number, end: number, chunkBytes: number): number {
  let bytes = 0;
  let at = from;
  while (at < end) {
    const unit = text.charCodeAt(at);
    const isPair = (unit & 0xfc00) === 0xd800 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00;
    bytes += isPair ? 4 : unit < 0x80 ? 1 : unit < 0x800 ? 2 : 3;
    if (bytes > chunkBytes && at > from) return at;
    at += isPair ? 2 : 1;
  }
  return end;
}

/**
 * Counts a text with a tokenizer whose cost grows with the square of a run: runs over the limit are cut into chunks
 * of this many UTF-8 bytes. Steps back from every 512th character to the boundary before it, so that ordinary text
 * costs a few looks per window.
 */
export function countGuarded(text: string, count: (part: string) => number, chunkBytes: number): number {
  let total = 0;
  let start = 0;
  let from = 0;
  let lastPart = '';
  let lastCount = 0;
  while (from + RUN_LIMIT_CHARS < text.length) {
    const boundary = lastBoundary(text, from, from + RUN_LIMIT_CHARS);
    if (boundary > from) {
      from = boundary;
      continue;
    }
    const end = runEnd(text, from + RUN_LIMIT_CHARS);
    for (;;) {
      from = chunkEnd(text, from, end, chunkBytes);
      if (from === end) break;
      const part = text.slice(start, from);
      if (part !== lastPart) {
        lastPart = part;
        lastCount = count(part);
      }
      total += lastCount;
      start = from;
    }
  }
  return total + count(start === 0 ? text : text.slice(start));
}

import { createRegistry } from '../base/registry.js';
import { CHARS_PER_TOKEN } from '../model/block.js';
import { estimateText } from './heuristic.js';

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
 * costs a few looks per window. @internal
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

/** Counts the tokens of a text (TOK-10). */
export interface TextCounter {
  count(text: string): number;
}

/** Names of the counters a scenario may ask for. */
export const COUNTER_NAMES = ['heuristic', 'gpt-tokenizer', 'js-tiktoken', 'recorded'] as const;

/** Name of a counter. */
export type CounterName = (typeof COUNTER_NAMES)[number];

/** Chunk for the fast tokenizer: whole multiples of the longest repeated-character tokens. */
const FAST_CHUNK_BYTES = 512;
/** Chunk for the oracle, which merges byte pairs with far more work per pair. */
const ORACLE_CHUNK_BYTES = 128;

type CountText = TextCounter['count'];

const LOADERS: Readonly<Record<CounterName, () => Promise<CountText>>> = {
  /** Characters over four, as clients guess (TOK-1). */
  heuristic: async () => (text) => estimateText(text.length),
  /** o200k by the fast library; special tokens count as the text they are. */
  async 'gpt-tokenizer'() {
    const { countO200k } = await import('./count-o200k.js');
    return (text) => countGuarded(text, countO200k, FAST_CHUNK_BYTES);
  },
  /** o200k by the reference port: the oracle for the fast one. */
  async 'js-tiktoken'() {
    const { Tiktoken } = await import('js-tiktoken/lite');
    const { default: ranks } = await import('js-tiktoken/ranks/o200k_base');
    const encoding = new Tiktoken(ranks);
    const count: CountText = (part) => encoding.encode(part, [], []).length;
    return (text) => countGuarded(text, count, ORACLE_CHUNK_BYTES);
  },
  /** Median characters per token of recorded sessions (E6): a first size, to be fitted to the recorded usage. */
  recorded: async () => (text) => Math.ceil(text.length / CHARS_PER_TOKEN),
};

const COUNTERS = createRegistry(
  'token counter',
  COUNTER_NAMES.map((name) => [name, async (): Promise<TextCounter> => ({ count: await LOADERS[name]() })]),
);

/** Loads a counter with the library behind it; an unknown name is an error that lists the known ones. */
export async function loadCounter(name: string): Promise<TextCounter> {
  return COUNTERS.get(name)();
}

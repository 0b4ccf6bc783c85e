import { isProse } from './prose.js';

/** Characters of a prompt that are looked at: what somebody states stands at its start, what is pasted stands behind. */
export const LOOK_CHARS = 4_000;

/** Longer sentences are pasted text rather than something said. */
const MAX_SENTENCE_CHARS = 400;
const MIN_SENTENCE_CHARS = 8;

const FENCE = '```';
const CLOSERS = '"\')]”’*_`';

/** The sentences of a text that somebody said: without code, logs, listings, quotations and what a client put in. */
export function sentencesOf(text: string): readonly string[] {
  const sentences: string[] = [];
  let isFenced = false;
  let depth = 0;
  for (const line of text.slice(0, LOOK_CHARS).split('\n')) {
    const trimmed = line.trim();
    if (trimmed.startsWith(FENCE)) {
      isFenced = !isFenced;
      continue;
    }
    if (isFenced) continue;
    const tag = tagChange(trimmed);
    depth = Math.max(0, depth + tag);
    if (depth > 0 || tag !== 0 || !isProse(line)) continue;
    splitLine(trimmed, sentences);
  }
  return sentences;
}

/** +1 for a line that opens a tag of a client (`<system-reminder>`), -1 for one that closes it, 0 for any other. */
function tagChange(line: string): number {
  const match = /^<(\/?)[a-z][a-z-]{2,40}>/.exec(line);
  if (match === null) return 0;
  if (match[1] === '/') return -1;
  return line.includes('</') ? 0 : 1;
}

/** Cuts a line behind each mark that ends a sentence and is followed by white space. */
function splitLine(line: string, into: string[]): void {
  let from = 0;
  for (let i = 0; i < line.length; i++) {
    const char = line[i]!;
    if (char !== '.' && char !== '!' && char !== '?' && char !== ';') continue;
    let to = i + 1;
    while (to < line.length && CLOSERS.includes(line[to]!)) to++;
    if (to < line.length && line[to] !== ' ' && line[to] !== '\t') continue;
    add(line.slice(from, to), into);
    from = to;
    i = to;
  }
  add(line.slice(from), into);
}

const BULLET = /^(?:[-*•]|\d{1,3}[.)])\s+/;

function add(part: string, into: string[]): void {
  const sentence = part.trim().replace(BULLET, '');
  if (sentence.length >= MIN_SENTENCE_CHARS && sentence.length <= MAX_SENTENCE_CHARS) into.push(sentence);
}

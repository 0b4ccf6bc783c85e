/** Shorter lines tell nothing: `return null;`, `else {`. */
const LINE_CHARS = 12;

/** Longer lines are minified code or data: nobody looks for them as a line. */
const LONGEST_LINE = 400;

/** Letters in a row that make a word. Lines without one are rulers and figures. */
const WORD_CHARS = 3;

const [TAB, CARRIAGE_RETURN, SPACE] = [0x09, 0x0d, 0x20];
const [SLASH, ZERO, NINE, SMALL_A, SMALL_Z] = [0x2f, 0x30, 0x39, 0x61, 0x7a];
const CASE_BIT = 0x20;

/** Behind the line numbers that a reader of files shows: an arrow, a tab, `:`, `|` or `-`. */
const BEHIND_NUMBER: ReadonlySet<number> = new Set([0x2192, TAB, 0x3a, 0x7c, 0x2d]);

const OTHER_SPACE = /\s/;

function isSpace(code: number): boolean {
  if (code < 128) return code === SPACE || (code >= TAB && code <= CARRIAGE_RETURN);
  return OTHER_SPACE.test(String.fromCharCode(code));
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE;
}

/**
 * Goes through the lines of a text that tell something, without the numbers that a reader of files puts in front and without
 * space around them: `from` and `to` are their places. Paths name things without needing them and are left out. One pass over the
 * characters, which makes no text: regular expressions take three times as long.
 */
export function eachLine(text: string, take: (from: number, to: number) => void): void {
  for (let start = 0; start < text.length; ) {
    const next = text.indexOf('\n', start);
    const end = next === -1 ? text.length : next;
    if (end - start >= LINE_CHARS && end - start <= LONGEST_LINE) {
      const from = firstOf(text, start, end);
      let to = end;
      while (to > from && isSpace(text.charCodeAt(to - 1))) to--;
      if (to - from >= LINE_CHARS && hasWord(text, from, to) && !isPath(text, from, to)) take(from, to);
    }
    start = end + 1;
  }
}

/** Where the text of a line begins. */
function firstOf(text: string, start: number, end: number): number {
  const first = behindSpace(text, start, end);
  let behind = first;
  while (behind < end && isDigit(text.charCodeAt(behind))) behind++;
  if (behind === first || behind === end || !BEHIND_NUMBER.has(text.charCodeAt(behind))) return first;
  return behindSpace(text, behind + 1, end);
}

function behindSpace(text: string, start: number, end: number): number {
  let at = start;
  while (at < end && isSpace(text.charCodeAt(at))) at++;
  return at;
}

function hasWord(text: string, from: number, to: number): boolean {
  let letters = 0;
  for (let i = from; i < to; i++) {
    const small = text.charCodeAt(i) | CASE_BIT;
    letters = small >= SMALL_A && small <= SMALL_Z ? letters + 1 : 0;
    if (letters === WORD_CHARS) return true;
  }
  return false;
}

function isPath(text: string, from: number, to: number): boolean {
  let hasSlash = false;
  for (let i = from; i < to; i++) {
    const code = text.charCodeAt(i);
    if (isSpace(code)) return false;
    hasSlash ||= code === SLASH;
  }
  return hasSlash;
}

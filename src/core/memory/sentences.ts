import type { MemoryType } from '../model/memory.js';
import { EXCLUDING, type Exclusion, KEEPING, type SentenceRule } from './heuristics.generated.js';

/** A sentence as rules are asked of it: in small letters, and as it was written. */
function askable(sentence: string): readonly [string, string] {
  const written = withoutOpening(
    sentence
      .replaceAll('’', "'")
      .trim()
      .replace(/[.!]{1,3}$/, ''),
  );
  return [written.toLowerCase(), written];
}

/**
 * The written rule (docs/memory-rules.md) that decides on a sentence: one that excludes it (AUT-2), else one that keeps it as a
 * memory of a type. Null when it states nothing worth keeping. @internal
 */
export function decidingRule(sentence: string): SentenceRule<Exclusion | MemoryType> | null {
  const asked = askable(sentence);
  return firstFit(EXCLUDING, ...asked) ?? firstFit(KEEPING, ...asked);
}

/** Words in front of what is said. */
const OPENING =
  /^(?:please|pls|and|also|so|fyi|btw|note|note that|heads up|by the way|for context|for the record|just so you know|just to be clear|personally|to be clear|one more thing|important)[,:]? /i;

function withoutOpening(sentence: string): string {
  let text = sentence;
  for (let match = OPENING.exec(text); match !== null; match = OPENING.exec(text))
    text = text.slice(match[0].length);
  return text;
}

function firstFit<V>(
  rules: readonly SentenceRule<V>[],
  text: string,
  written: string,
): SentenceRule<V> | null {
  for (const rule of rules)
    if (rule.when.test(text) && rule.unless?.test(text) !== true && rule.written?.test(written) !== false)
      return rule;
  return null;
}

/** Something the user stated that is worth keeping. */
interface Statement {
  /** The sentence as it was said. */
  readonly text: string;
  readonly type: MemoryType;
}

/** What the sentences of a text state, in order. */
export function statementsIn(text: string): readonly Statement[] {
  const found: Statement[] = [];
  for (const sentence of sentencesOf(text)) {
    // Most state nothing: what is never kept need not be asked of them.
    const keeping = firstFit(KEEPING, ...askable(sentence));
    if (keeping !== null && decidingRule(sentence) === keeping)
      found.push({ text: sentence, type: keeping.verdict });
  }
  return found;
}

/** Characters of a line that tell what it is. */
const TELLING_CHARS = 400;

/** Begins like the output of a program: a time, a level, a place in a stack, a mark of a test runner. */
const LOG =
  /^\s*(?:\[?\d{4}-\d\d-\d\d|\[?\d{1,2}:\d\d\b|\[?(?:INFO|WARN|WARNING|ERROR|DEBUG|TRACE|FATAL|FAIL|PASS)\b|npm (?:WARN|ERR)|Traceback\b|at [\w.<>$]+ ?\(|\w*(?:Error|Exception): |error TS\d|[✓✔✗×✖●]|warning:|error:)/;

/** Begins like a line of a listing: permissions, a tree, a state of version control. */
const LISTING = /^\s*(?:[d-][rwx-]{9}|[├└│]|[MADRU?]{1,2} \S+\/\S*$)/;

/** Begins or ends like code or a command. */
const CODE_START =
  /^\s*(?:(?:const|let|var|import|export|return|def|async|public|private|function|class) [^.?!]*[(){};:=<>]|(?:if|for|while|switch) ?\(|for \w+ in |SELECT |INSERT |DELETE FROM|CREATE TABLE|[<{}[\]#$@]|\/\/|(?:npm|npx|pnpm|yarn|git|docker|kubectl|cargo|pip|curl|sudo) (?:-|install|run|test|ci|add|commit|push|pull|checkout|status|log|rebase|build|exec|compose|get|apply|start)\b)/;
const CODE_END = /(?:[{};]|=>|\(\))\s*$/;

/** Quoted from elsewhere, or set off as code. */
const SET_OFF = /^(?:\s*>| {4}|\t)/;

/** A file's name. */
const FILE_NAME = /^[\w@.~-]+\.[a-z]{1,5}$/;

/** Characters that prose hardly has. */
const SYMBOLS = '{}()[]<>=;$|&\\^~_%@';

/** Share of such characters above which a line is no prose (assumed). */
const MAX_SYMBOL_SHARE = 0.08;

/** True for a line that somebody wrote as a sentence: neither code nor log nor listing nor quotation. */
function isProse(whole: string): boolean {
  const line = whole.slice(0, TELLING_CHARS);
  if (line.trim() === '' || SET_OFF.test(line) || LOG.test(line) || LISTING.test(line)) return false;
  if (CODE_START.test(line) || CODE_END.test(line) || isListOfPaths(line)) return false;
  return symbolsIn(line) <= line.length * MAX_SYMBOL_SHARE;
}

function isListOfPaths(line: string): boolean {
  const words = line.split(' ').filter((word) => word !== '' && word !== '-' && word !== '*');
  return words.every((word) => word.includes('/') || FILE_NAME.test(word));
}

function symbolsIn(line: string): number {
  let count = 0;
  for (const char of line) if (SYMBOLS.includes(char)) count++;
  return count;
}

/** Characters of a prompt that are looked at: what somebody states stands at its start, what is pasted stands behind. */
export const LOOK_CHARS = 4_000;

/** Longer sentences are pasted text rather than something said. */
const MAX_SENTENCE_CHARS = 400;
const MIN_SENTENCE_CHARS = 8;

const FENCE = '```';
const CLOSERS = '"\')]”’*_`';

/** The sentences of a text that somebody said: without code, logs, listings, quotations and what a client put in. @internal */
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

/**
 * What must not be in a memory (AUT-2), as a list of its own: it shares nothing with the rules that decide what is kept, so that
 * it can find what they let through (C49). Each kind has words that give it away.
 */
const POLLUTION: Readonly<Record<string, RegExp>> = {
  'code pattern':
    /=>|\bfunction \w+\(|\bimport .+ from\b|\w+\(\w*\)|\b(?:singleton|factory|observer) pattern\b/i,
  architecture:
    /\barchitecture\b(?! decisions?\b)|\b(?:monolith|micro-?services?|tech stack|module structure)\b/i,
  'file path':
    /(?:^|[\s`"'(])(?:\.{0,2}\/)?(?:[\w@.-]+\/){2,}[\w.-]*|\b[\w-]+\.(?:tsx?|jsx?|py|go|rs|java|rb|css)\b/,
  'git history':
    /\b(?:commit [0-9a-f]{7,40}|merged (?:pr|pull request)|rebased|cherry-picked|last commit)\b/i,
  fix: /\b(?:fixed|solved|the (?:bug|cause|culprit) (?:was|is)|root cause|workaround for the)\b/i,
  'small talk': /^(?:thanks|thank you|great|perfect|nice|ok(?:ay)?|yes|no problem)\b|\?\s*$/i,
  output:
    /^\s*(?:\[?\d{4}-\d\d-\d\d|\[?(?:ERROR|WARN(?:ING)?|INFO|DEBUG|FAIL|PASS)\b|npm (?:ERR|WARN)|[>$] )|[{};]\s*$/,
  'ephemeral state':
    /\b(?:right now|currently|at the moment|for now|today|in progress|still (?:failing|running|open))\b/i,
};

/** The kind of content that a memory must not hold; null when none is found. */
export function pollutionOf(line: string): string | null {
  for (const [kind, words] of Object.entries(POLLUTION)) if (words.test(line)) return kind;
  return null;
}

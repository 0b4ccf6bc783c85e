import type { MemoryType } from '../model/memory.js';
import { EXCLUDING, type Exclusion, KEEPING, type SentenceRule } from './heuristics.generated.js';
import { sentencesOf } from './sentences.js';

/** What a sentence is taken for: worth keeping as a memory of a type, left out for a reason, or nothing of either. */
export interface Verdict {
  /** Null when nothing worth keeping is stated. */
  readonly keep: MemoryType | null;
  /** The exclusion rule that forbids it (AUT-2); null when none does. */
  readonly excluded: Exclusion | null;
  /** The rule that decided; null when none fits. */
  readonly rule: string | null;
}

const NOTHING: Verdict = { keep: null, excluded: null, rule: null };

/** Judges one sentence by the written rules (docs/memory-rules.md). @internal */
export function judge(sentence: string): Verdict {
  const written = withoutOpening(
    sentence
      .replaceAll('’', "'")
      .trim()
      .replace(/[.!]{1,3}$/, ''),
  );
  const text = written.toLowerCase();
  const no = firstFit(EXCLUDING, text, written);
  if (no !== null) return { keep: null, excluded: no.verdict, rule: no.id };
  const yes = firstFit(KEEPING, text, written);
  return yes === null ? NOTHING : { keep: yes.verdict, excluded: null, rule: yes.id };
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
export interface Statement {
  /** The sentence as it was said. */
  readonly text: string;
  readonly type: MemoryType;
}

/** What the sentences of a text state, in order. */
export function statementsIn(text: string): readonly Statement[] {
  const found: Statement[] = [];
  for (const sentence of sentencesOf(text)) {
    const { keep } = judge(sentence);
    if (keep !== null) found.push({ text: sentence, type: keep });
  }
  return found;
}

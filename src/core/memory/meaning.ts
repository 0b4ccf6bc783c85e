import { CHOICES, SUBJECTS } from './heuristics.generated.js';

/** Results that are kept at hand; beyond that they are computed again. */
const MAX_KEPT = 20_000;

/** The same work on sentences, done once for each: a session says the same again with every replay. */
function remembered<T extends object>(workOut: (sentence: string) => T): (sentence: string) => T {
  const known = new Map<string, T>();
  return (sentence) => {
    let result = known.get(sentence);
    if (result === undefined) {
      result = workOut(sentence);
      if (known.size >= MAX_KEPT) known.clear();
      known.set(sentence, result);
    }
    return result;
  };
}

const SUBJECT_OF = new Map<string, string>();
for (const [subject, words] of Object.entries(SUBJECTS))
  for (const word of words) if (!SUBJECT_OF.has(word)) SUBJECT_OF.set(word, subject);

const CHOICE_OF = new Map<string, number>();
for (const [i, words] of CHOICES.entries()) for (const word of words) CHOICE_OF.set(word, i);

/** What some words are about: the subject that most of them name, the first of equals; else their first two. */
function subjectOf(words: readonly string[]): string {
  const hits = new Map<string, number>();
  let best: string | null = null;
  for (const word of words) {
    const subject = SUBJECT_OF.get(word);
    if (subject !== undefined) hits.set(subject, (hits.get(subject) ?? 0) + 1);
  }
  for (const [subject, count] of hits) if (best === null || count > hits.get(best)!) best = subject;
  return best ?? words.slice(0, 2).join('-');
}

/** A choice that is made: from which list, and what. */
export interface Choice {
  readonly list: number;
  readonly word: string;
}

/** The first choice among some words; null when none is made. */
function choiceIn(words: readonly string[]): Choice | null {
  for (const word of words) {
    const list = CHOICE_OF.get(word);
    if (list !== undefined) return { list, word };
  }
  return null;
}

/** What a sentence says, as far as two of them can be compared. */
export interface Meaning {
  /** What it is about. */
  readonly subject: string;
  readonly stance: 'for' | 'against';
  readonly choice: Choice | null;
  readonly words: ReadonlySet<string>;
}

/** Words that say nothing of what a sentence is about. */
const EMPTY_WORDS = new Set(
  "a an the and or but so of in on at to for from with by as is are was were be been it its this that these those we our us i my me you your they them their he she please always never don do not no never stop avoid prefer use uses using used from now ever every each all any only must should shall will would can may if when whenever before after while because since until there here have has had get keep make sure want wants like likes than then just also very more most some such don't doesn't isn't can't actually instead rather going forward general rule next time remember i'm i've i'd".split(
    ' ',
  ),
);

const AGAINST =
  /\b(?:never|don't|do not|doesn't|does not|stop|stopped|avoid|no longer|not|no|without|against|hate|dislike|can't stand|forbids?|forbidden|refuse)\b/;

/** What comes after these words is what is not chosen. */
const REJECTED = /(?:, (?:and )?(?:not|never) | and not |,? instead of |,? rather than | over ).*$/;
const LEFT_BEHIND = /\bfrom [a-z0-9.+-]+ to\b/g;

const WORD = /[a-z0-9#][a-z0-9#+./'-]*/g;

/** Words in small letters without those that say nothing, and without marks at their ends. */
export function contentWords(text: string): readonly string[] {
  const words: string[] = [];
  for (const match of text.toLowerCase().replaceAll('’', "'").matchAll(WORD)) {
    const word = match[0].replace(/[.'/-]+$/, '');
    if (word !== '' && !EMPTY_WORDS.has(word)) words.push(word);
  }
  return words;
}

/** Each content word of a sentence, once. */
export const wordsIn = remembered((sentence): ReadonlySet<string> => new Set(contentWords(sentence)));

/** What a sentence says. */
export const meaningOf = remembered(workOut);

function workOut(sentence: string): Meaning {
  const text = sentence
    .toLowerCase()
    .replaceAll('’', "'")
    .replace(/^(?:no|nope|actually)[,:]? /, '');
  const chosen = text.replace(REJECTED, '').replace(LEFT_BEHIND, 'to');
  const words = contentWords(chosen);
  return {
    subject: subjectOf(words.length === 0 ? contentWords(text) : words),
    stance: AGAINST.test(chosen) ? 'against' : 'for',
    choice: choiceIn(words),
    words: new Set(words.map(stem)),
  };
}

/** A word without the ending that only grammar gives it. */
function stem(word: string): string {
  return word.length > 4 ? word.replace(/(?:ing|ed|es|s)$/, '') : word;
}

/** Share of words that two sentences on one subject have in common to say the same, or the opposite (assumed). */
const SAME_SHARE = 0.6;
const OPPOSITE_SHARE = 0.5;

/** How two sentences stand to each other. */
export type Relation = 'same' | 'contradicts' | 'apart';

/** Compares what two sentences say: only those about one subject can agree or disagree (C32). */
export function relate(a: Meaning, b: Meaning): Relation {
  if (a.subject !== b.subject) return 'apart';
  if (a.choice !== null && b.choice !== null && a.choice.list === b.choice.list) {
    const isSameWord = a.choice.word === b.choice.word;
    if (a.stance === b.stance) return isSameWord ? 'same' : a.stance === 'for' ? 'contradicts' : 'apart';
    return isSameWord ? 'contradicts' : 'apart';
  }
  const common = overlap(a.words, b.words);
  if (a.stance === b.stance) return common >= SAME_SHARE ? 'same' : 'apart';
  return common >= OPPOSITE_SHARE ? 'contradicts' : 'apart';
}

/** Share of the smaller set that the larger one holds as well. */
export function overlap(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const [small, large] = a.size <= b.size ? [a, b] : [b, a];
  if (small.size === 0) return 0;
  let common = 0;
  for (const word of small) if (large.has(word)) common++;
  return common / small.size;
}

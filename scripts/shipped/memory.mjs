// @ts-check
// What is kept as a memory, and what sentences are about: src/core/memory/heuristics.yaml, checked.
import { z } from 'zod';

const expression = z.string().refine((source) => {
  new RegExp(source);
  return true;
});

/** @param {z.ZodType<string>} verdict */
const rules = (verdict) =>
  z.array(
    z.strictObject({
      id: z.string(),
      verdict,
      when: expression,
      unless: expression.optional(),
      written: expression.optional(),
    }),
  );

const words = z.string().transform((text) => text.split(' '));

const table = z.strictObject({
  excluding: rules(z.string()),
  keeping: rules(z.enum(['user', 'feedback', 'project', 'reference'])),
  subjects: z.record(z.string(), words),
  choices: z.array(words),
});

/** The module of heuristics.yaml: the rules with their expressions, the subjects and the choices. */
export function memoryModule(/** @type {unknown} */ written) {
  const { excluding, keeping, subjects, choices } = table.parse(written);
  /** @param {(typeof excluding)[number]} rule */
  const ruleLine = ({ id, verdict, ...expressions }) => {
    const fields = Object.entries(expressions).map(
      ([name, source]) => `${name}: ${new RegExp(String(source))}`,
    );
    return `  { id: '${id}', verdict: '${verdict}', ${fields.join(', ')} },`;
  };
  const exclusions = [...new Set(excluding.map(({ verdict }) => `'${verdict}'`))];
  return `import type { MemoryType } from '../model/memory.js';

/** Why a sentence is not kept, whatever else it says (AUT-2). */
export type Exclusion = ${exclusions.join(' | ')};

/** A rule over one sentence in small letters; \`unless\` takes back what it would say. */
export interface SentenceRule<Verdict> {
  readonly id: string;
  readonly verdict: Verdict;
  readonly when: RegExp;
  readonly unless?: RegExp;
  /** Asked of the sentence as it was written, for names. */
  readonly written?: RegExp;
}

/** What is never kept, in the order in which it is asked (AUT-2). */
export const EXCLUDING: readonly SentenceRule<Exclusion>[] = [
${excluding.map(ruleLine).join('\n')}
];

/** What is kept, and as what (AUT-2); the first rule that fits counts. */
export const KEEPING: readonly SentenceRule<MemoryType>[] = [
${keeping.map(ruleLine).join('\n')}
];

/** What statements about software work are about: each subject with the words that name it. */
export const SUBJECTS: Readonly<Record<string, readonly string[]>> = ${JSON.stringify(subjects)};

/** Choices that exclude each other: two of one list cannot both hold. */
export const CHOICES: readonly (readonly string[])[] = ${JSON.stringify(choices)};
`;
}

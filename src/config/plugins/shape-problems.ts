import { CcbenchError, ProblemList } from '../../core/base/errors.js';

/** Collects what is wrong with the shape of something that comes from outside. */
export interface ShapeProblems {
  /** Says so unless it holds; tells whether it does. */
  need(holds: boolean, sentence: string): boolean;
  /** Throws one error that names every problem, if there are any. */
  settle(subject: string): void;
}

/** Starts an empty collection. */
export function shapeProblems(): ShapeProblems {
  const sentences: string[] = [];
  return {
    need(holds, sentence) {
      if (!holds) sentences.push(sentence);
      return holds;
    },
    settle(subject) {
      const errors = sentences.map((sentence) => new CcbenchError('bad-plugin', `${subject}: ${sentence}`));
      if (errors.length === 1) throw errors[0]!;
      if (errors.length > 1) throw new ProblemList('bad-plugin', subject, errors);
    },
  };
}

/** A value as messages show it. */
export function shown(value: unknown): string {
  if (typeof value === 'function') return 'a function';
  return value === undefined ? 'nothing' : (JSON.stringify(value) ?? typeof value);
}

/** Whether a value is an object with keys. */
export function isKeyed(value: unknown): value is Readonly<Record<string, unknown>> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

/** Whether a value is a text with something in it. */
export function isName(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

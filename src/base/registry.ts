import { CcbenchError } from './errors.js';
import { nearestName } from './nearest.js';

/** A closed, ordered set of named things of one kind. */
export interface Registry<T> {
  readonly kind: string;
  readonly names: readonly string[];
  has(name: string): boolean;
  get(name: string): T;
  all(): readonly T[];
}

/** Builds a registry; a duplicate name throws at once, an unknown one when asked for, listing what is known. */
export function createRegistry<T>(kind: string, entries: readonly (readonly [string, T])[]): Registry<T> {
  const byName = new Map<string, T>();
  for (const [name, value] of entries) {
    if (byName.has(name))
      throw new CcbenchError('duplicate-name', `two ${kind} entries are called "${name}"`);
    byName.set(name, value);
  }
  const names = [...byName.keys()];
  return {
    kind,
    names,
    has: (name) => byName.has(name),
    get(name) {
      const value = byName.get(name);
      if (value === undefined) throw unknownName(kind, name, names);
      return value;
    },
    all: () => [...byName.values()],
  };
}

/** The error for a name that is not among the known ones, with the nearest suggestion. */
export function unknownName(kind: string, name: string, known: readonly string[]): CcbenchError {
  const near = nearestName(name, known);
  const suggestion = near === null ? '' : `did you mean "${near}"? `;
  return new CcbenchError('unknown-name', `unknown ${kind} "${name}"`, {
    hint: `${suggestion}known: ${known.join(', ')}`,
  });
}

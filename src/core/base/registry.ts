import { CcbenchError } from './errors.js';
import { suggestName } from './nearest.js';

/** A closed, ordered set of named things of one kind. */
export interface Registry<T> {
  readonly kind: string;
  readonly names: readonly string[];
  has(name: string): boolean;
  get(name: string): T;
  all(): readonly T[];
}

/** A registry that plug-ins add to before anything runs; `names` and `all` then hold theirs too, behind its own. */
export interface OpenRegistry<T> extends Registry<T> {
  /** Adds entries from outside, all or none: a name that is taken throws. Calling what it gives back takes them out again. */
  add(entries: readonly (readonly [string, T])[]): () => void;
}

/** Builds a registry; a duplicate name throws at once, an unknown one when asked for, listing what is known. What is `later` is made when it is first asked for. */
export function createRegistry<T>(
  kind: string,
  entries: readonly (readonly [string, T])[],
  later: readonly (readonly [string, () => T])[] = [],
): OpenRegistry<T> {
  const byName = new Map<string, T>(entries);
  const makers = new Map<string, () => T>(later);
  const names = [...entries, ...later].map(([name]) => name);
  refuseTwice(kind, names);
  const get = (name: string): T => {
    const known = byName.get(name);
    if (known !== undefined) return known;
    const make = makers.get(name);
    if (make === undefined) throw unknownName(kind, name, names);
    const made = make();
    byName.set(name, made);
    return made;
  };
  const forget = (name: string): void => {
    byName.delete(name);
    names.splice(names.indexOf(name), 1);
  };
  return {
    kind,
    names,
    has: (name) => byName.has(name) || makers.has(name),
    get,
    all: () => names.map(get),
    add(more) {
      refuseTwice(kind, [...names, ...more.map(([name]) => name)]);
      for (const [name, item] of more) {
        byName.set(name, item);
        names.push(name);
      }
      return () => {
        for (const [name, item] of more) if (byName.get(name) === item) forget(name);
      };
    },
  };
}

function refuseTwice(kind: string, names: readonly string[]): void {
  const twice = names.find((name, i) => names.indexOf(name) < i);
  if (twice !== undefined)
    throw new CcbenchError('duplicate-name', `two ${kind} entries are called "${twice}"`);
}

/** The error for a name that is not among the known ones, with the nearest suggestion. */
export function unknownName(kind: string, name: string, known: readonly string[]): CcbenchError {
  return unknown(kind, name, known, `known: ${known.join(', ')}`);
}

/** The same for a dotted path among very many: those that begin alike, and what lists them all. */
export function unknownPath(
  kind: string,
  path: string,
  known: readonly string[],
  lists: string,
): CcbenchError {
  const [first] = path.split('.');
  const alike = known.filter((name) => name.startsWith(`${first}.`));
  return unknown(
    kind,
    path,
    known,
    alike.length === 0 ? lists : `${lists}; below ${first}: ${alike.join(', ')}`,
  );
}

function unknown(kind: string, name: string, known: readonly string[], rest: string): CcbenchError {
  const hint = `${suggestName(name, known)}${rest}`;
  return new CcbenchError('unknown-name', `unknown ${kind} "${name}"`, { hint });
}

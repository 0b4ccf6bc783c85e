import { CcbenchError } from './errors.js';

/**
 * Copies of state, in one place. State is what the fields of class instances hold: numbers, texts, arrays, maps, sets and other
 * instances; a new field is copied without being named anywhere. Three things are not copied:
 *
 * - a plain object is a value that nobody changes (a block, a message), so both sides share it: what changes in place is a class;
 * - functions, and plain objects with functions, belong to whoever made them: each side keeps its own;
 * - `#private` fields are wiring, not state.
 *
 * Where both sides have nothing yet, the target keeps its own empty list, map or set: no field may begin as a constant that
 * others share.
 */
export type Copied = Map<object, object>;

/** A class whose fields are not all state says itself how it is restored. */
interface Restorable {
  restoreFrom(source: object, copied: Copied): void;
}

type Fields = Record<string, unknown>;

/**
 * Gives an object the state of another of the same class. What of the source has become what of the target is kept in `copied`:
 * each is copied once, and whatever refers to it refers to the copy.
 */
export function restoreState<T extends object>(target: T, source: T, copied: Copied = new Map()): void {
  copied.set(source, target);
  if (isRestorable(target)) target.restoreFrom(source, copied);
  else restoreFields(target, source, copied);
}

/** The same without asking the object itself, for classes that have more to say. */
export function restoreFields<T extends object>(target: T, source: T, copied: Copied): void {
  const to = target as Fields;
  const from = source as Fields;
  // Prototypes of classes have nothing that can be listed, and a loop over names reads fields without looking them up.
  for (const name in from) {
    const value = from[name];
    if (value === to[name]) continue;
    if (typeof value !== 'function') to[name] = carry(value, to[name], copied);
    else if (!(name in to))
      throw new CcbenchError('internal', `${source.constructor.name}.${name} is a function: no copy of it`);
  }
}

/** An independent copy of an object with its state. */
export function copyState<T extends object>(source: T, copied: Copied = new Map()): T {
  const copy = Object.create(Object.getPrototypeOf(source) as object) as T;
  restoreState(copy, source, copied);
  return copy;
}

/** Gives the objects of a map the state of those of another, by name; those that are missing are copied. */
export function restoreEntries(
  target: Map<string, unknown>,
  source: ReadonlyMap<string, unknown>,
  copied: Copied = new Map(),
): void {
  copied.set(source, target);
  for (const [name, state] of source) {
    const own = target.get(name);
    if (own === undefined) target.set(name, copyState(state as object, copied));
    else restoreState(own as object, state as object, copied);
  }
}

/** A value as the target holds it; `own` is what stands in its place there now. */
function carry(value: unknown, own: unknown, copied: Copied): unknown {
  if (typeof value === 'function') return own;
  if (typeof value !== 'object' || value === null) return value;
  const known = copied.get(value);
  if (known !== undefined) return known;
  if (isPlain(value)) return hasFunctions(value) ? own : value;
  if (Array.isArray(value))
    return keep(value, copyArray(value, Array.isArray(own) ? own : [], copied), copied);
  if (value instanceof Map)
    return keep(value, copyMap(value, own instanceof Map ? own : new Map(), copied), copied);
  if (value instanceof Set)
    return keep(value, copySet(value, own instanceof Set ? own : new Set(), copied), copied);
  if (value instanceof Float64Array) return keep(value, value.slice(), copied);
  if (typeof own !== 'object' || own === null || !isSameClass(own, value)) return copyState(value, copied);
  restoreState(own, value, copied);
  return own;
}

function keep<T extends object>(source: object, copy: T, copied: Copied): T {
  copied.set(source, copy);
  return copy;
}

/** Lists hold things of one kind: the first tells whether they are values. */
function copyArray(list: readonly unknown[], own: unknown[], copied: Copied): unknown[] {
  if (list.length === 0 && own.length === 0) return own;
  if (isValue(list[0])) return list.slice();
  return list.map((item, i) => carry(item, own[i], copied));
}

function copyMap(
  map: ReadonlyMap<unknown, unknown>,
  own: Map<unknown, unknown>,
  copied: Copied,
): Map<unknown, unknown> {
  if (map.size === 0 && own.size === 0) return own;
  const copy = new Map<unknown, unknown>();
  let areValues: boolean | null = null;
  for (const [key, value] of map) {
    areValues ??= isValue(value);
    copy.set(key, areValues ? value : carry(value, own.get(key), copied));
  }
  return copy;
}

function copySet(set: ReadonlySet<unknown>, own: Set<unknown>, copied: Copied): Set<unknown> {
  if (set.size === 0 && own.size === 0) return own;
  const copy = new Set<unknown>();
  let areValues: boolean | null = null;
  for (const item of set) {
    areValues ??= isValue(item);
    copy.add(areValues ? item : carry(item, undefined, copied));
  }
  return copy;
}

/** Whether something can be shared between copies without being looked into; a list of nothing tells nothing. */
function isValue(value: unknown): boolean {
  if (typeof value === 'function' || value === null) return false;
  return typeof value !== 'object' || (isPlain(value) && !hasFunctions(value));
}

function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value) as unknown;
  return prototype === Object.prototype || prototype === null;
}

function hasFunctions(value: object): boolean {
  for (const name in value) if (typeof (value as Fields)[name] === 'function') return true;
  return false;
}

function isSameClass(one: object, other: object): boolean {
  return Object.getPrototypeOf(one) === Object.getPrototypeOf(other);
}

function isRestorable(value: object): value is Restorable {
  return 'restoreFrom' in value;
}

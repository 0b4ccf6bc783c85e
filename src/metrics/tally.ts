import { ownValue } from '../core/base/own-value.js';

/** Counts by name. */
export type Tally = Map<string, number>;

/** Adds to the count of a name. */
export function addTo(tally: Tally, name: string, amount: number): void {
  tally.set(name, (tally.get(name) ?? 0) + amount);
}

/** A map as a plain object with its names in code-unit order. */
export function sortedRecord<T>(map: ReadonlyMap<string, T>): Record<string, T> {
  return Object.fromEntries(map.size < 2 ? map : [...map].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
}

/** A plain object with one value per name, in the order given. */
export function recordOf<K extends string, T>(names: readonly K[], value: (name: K) => T): Record<K, T> {
  return Object.fromEntries(names.map((name) => [name, value(name)])) as Record<K, T>;
}

/** A number among a layer's details: a count as it is, a list by its length, null for anything else. */
export function detailAmount(details: Readonly<Record<string, unknown>>, key: string): number | null {
  const value = ownValue(details, key);
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  return Array.isArray(value) ? value.length : null;
}

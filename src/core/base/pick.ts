import { ownValue } from './own-value.js';

/** Some members of an object, as far as it has them, in the order of the names. */
export function pick<T extends object, Name extends keyof T & string>(
  from: T,
  names: readonly Name[],
): Pick<T, Name> {
  const members = from as Readonly<Record<string, unknown>>;
  const own = names.map((name) => [name, ownValue(members, name)] as const);
  return Object.fromEntries(own.filter(([, value]) => value !== undefined)) as Pick<T, Name>;
}

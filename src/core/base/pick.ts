/** Some members of an object, as far as it has them, in the order of the names. */
export function pick<T extends object, Name extends keyof T>(from: T, names: readonly Name[]): Pick<T, Name> {
  const own = names.filter((name) => Object.hasOwn(from, name)).map((name) => [name, from[name]]);
  return Object.fromEntries(own) as Pick<T, Name>;
}

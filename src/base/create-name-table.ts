/**
 * An empty object for names that are known only as they come. It is a table from the start: a plain object takes on another
 * hidden shape with each name, which costs far more than the name itself.
 */
export function createNameTable<T>(): Record<string, T> {
  return Object.create(null) as Record<string, T>;
}

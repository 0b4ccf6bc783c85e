/**
 * What an object itself has under a name. Names that come from files, arguments and requests are looked up with it: `table[name]`
 * would find `constructor` in every object.
 */
export function ownValue<T>(
  record: Readonly<Partial<Record<string, T>>> | null | undefined,
  name: string | number,
): T | undefined {
  return record !== null && record !== undefined && Object.hasOwn(record, name) ? record[name] : undefined;
}

declare const noPrototype: unique symbol;

/** An object without a prototype: whatever a name is, it is looked up and kept like any other. */
export type NameTable<T> = Record<string, T> & { readonly [noPrototype]: true };

/**
 * An empty object for names that are known only as they come. It is a table from the start: a plain object takes on another
 * hidden shape with each name, which costs far more than the name itself.
 */
export function createNameTable<T>(): NameTable<T> {
  return Object.create(null) as NameTable<T>;
}

/** A table of the same names; what is found when somebody reads it is still found then. */
export function copyNameTable(names: Readonly<Record<string, unknown>>): NameTable<unknown> {
  const copy = createNameTable<unknown>();
  for (const name of Object.keys(names)) {
    const property = Object.getOwnPropertyDescriptor(names, name)!;
    if (property.get === undefined) copy[name] = property.value;
    else Object.defineProperty(copy, name, property);
  }
  return copy;
}

/** Whether an object is such a table. */
export function isNameTable(names: Readonly<Record<string, unknown>>): names is NameTable<unknown> {
  return Object.getPrototypeOf(names) === null;
}

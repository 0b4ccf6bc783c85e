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

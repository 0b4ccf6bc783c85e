const LONG_SUFFIX = /\[1m\]$/i;
const DATE_SUFFIX = /-20\d{6}$/;

/** The name of a model without its date and without the `[1m]` of a long window. */
export function plainModelName(name: string): string {
  // Most names have neither, and are asked for at every compaction.
  if (!name.endsWith(']') && !DATE_SUFFIX.test(name)) return name;
  return name.replace(LONG_SUFFIX, '').replace(DATE_SUFFIX, '');
}

/** Whether a model is one of some, each named with or without its date and `[1m]`. */
export function isAmong(model: string, names: readonly string[]): boolean {
  const plain = plainModelName(model);
  return names.some((name) => plainModelName(name) === plain);
}

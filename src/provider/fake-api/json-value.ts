/** A JSON object as it came over the wire. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** The value as an object, or null. */
export function asObject(value: unknown): JsonObject | null {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as JsonObject) : null;
}

/** The value as a list, or null. */
export function asList(value: unknown): readonly unknown[] | null {
  return Array.isArray(value) ? value : null;
}

/** The value as a text, or null. */
export function asText(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

import { ownValue } from '../../core/base/own-value.js';

/** Values that are known by the name of their property; undefined where a name says nothing. */
type KnownValues = (name: string, schema: JsonObject) => unknown;

/** How deep a schema is followed: one that refers to itself has no smallest value. */
const MOST_LEVELS = 12;

function numberOf(schema: JsonObject): number {
  const bound = (name: string): number | null => {
    const value = ownValue(schema, name);
    return typeof value === 'number' ? value : null;
  };
  const step = bound('multipleOf') ?? 1;
  const above = bound('exclusiveMinimum');
  const least = bound('minimum') ?? (above === null ? null : above + step);
  const most = bound('maximum') ?? bound('exclusiveMaximum');
  const start = least ?? (most !== null && most < 0 ? most - step : 0);
  return Math.ceil(start / step) * step;
}

function textOf(schema: JsonObject): string {
  const least = Number(schema.minLength ?? 0);
  const most = Number(schema.maxLength ?? Number.POSITIVE_INFINITY);
  const formats: Readonly<Record<string, string>> = {
    date: '2026-01-01',
    'date-time': '2026-01-01T00:00:00Z',
    time: '00:00:00Z',
    email: 'a@example.com',
    uri: 'https://example.com',
    uuid: '00000000-0000-4000-8000-000000000000',
  };
  const said = ownValue(formats, asText(schema.format) ?? '') ?? 'text';
  return said.padEnd(least, '.').slice(0, most);
}

/** Makes a small value that a JSON schema allows: what is required, and what is known by name. */
export function minimalValue(schema: JsonObject, known: KnownValues = () => undefined): unknown {
  const root = schema;

  function follow(ref: string): JsonObject {
    let target: unknown = root;
    for (const part of ref.replace(/^#\/?/, '').split('/'))
      if (part !== '') target = ownValue(asObject(target) ?? {}, part);
    return asObject(target) ?? {};
  }

  function objectOf(node: JsonObject, level: number): JsonObject {
    const properties = asObject(node.properties) ?? {};
    const required = new Set((asList(node.required) ?? []).map(String));
    const entries: [string, unknown][] = [];
    for (const name of new Set([...Object.keys(properties), ...required])) {
      const property = asObject(ownValue(properties, name)) ?? {};
      const value = known(name, property);
      if (value !== undefined) entries.push([name, value]);
      else if (required.has(name)) entries.push([name, made(property, level + 1)]);
    }
    return Object.fromEntries(entries);
  }

  function made(node: JsonObject, level: number): unknown {
    if (level > MOST_LEVELS) return null;
    const ref = asText(node.$ref);
    if (ref !== null) return made(follow(ref), level + 1);
    if (node.const !== undefined) return node.const;
    const words = asList(node.enum);
    if (words !== null && words.length > 0) return words[0];
    const parts = asList(node.allOf);
    if (parts !== null) return made(merged(node, parts), level + 1);
    const options = asList(node.anyOf) ?? asList(node.oneOf);
    if (options !== null && options.length > 0) return made(asObject(options[0]) ?? {}, level + 1);
    const type = asText(node.type) ?? asText(asList(node.type)?.[0]);
    switch (type?.toLowerCase() ?? (node.properties === undefined ? 'string' : 'object')) {
      case 'object':
        return objectOf(node, level);
      case 'array':
        return Array.from({ length: Math.max(0, Number(node.minItems ?? 0)) }, () =>
          made(asObject(node.items) ?? {}, level + 1),
        );
      case 'integer':
      case 'number':
        return numberOf(node);
      case 'boolean':
        return false;
      case 'null':
        return null;
      default:
        return textOf(node);
    }
  }

  function merged({ allOf: _parts, ...node }: JsonObject, parts: readonly unknown[]): JsonObject {
    let whole: JsonObject = node;
    for (const item of parts) {
      const part = asObject(item) ?? {};
      const open = asText(part.$ref) === null ? part : follow(String(part.$ref));
      whole = {
        ...whole,
        ...open,
        properties: { ...asObject(whole.properties), ...asObject(open.properties) },
        required: [...(asList(whole.required) ?? []), ...(asList(open.required) ?? [])],
      };
    }
    return whole;
  }

  return made(schema, 0);
}

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

import { nearestName } from './nearest.js';

/** Keys and list positions from the top of a file. */
export type PartPath = readonly (string | number)[];

/** Something wrong in a policy or a provider as written: where, what, and a way out. */
export interface PartProblem {
  readonly path: PartPath;
  /** Whether the key is meant or what stands behind it. */
  readonly side: 'key' | 'value';
  /** Character of the value that is meant; null for all of it. */
  readonly offset: number | null;
  readonly message: string;
  readonly hint: string | null;
  /** A warning leaves the file usable. */
  readonly weight: 'error' | 'warning';
}

/** Takes in what is wrong. */
export type Problems = (problem: PartProblem) => void;

/** One kind of value of a file: how it is read, and how an editor is told of it. */
export interface Shape<T> {
  /** The value, or undefined after a problem was told. */
  read(value: unknown, path: PartPath, problems: Problems): T | undefined;
  /** JSON Schema of what may be written. */
  readonly schema: Readonly<Record<string, unknown>>;
}

type ReadBy<S> = S extends Shape<infer T> ? T : never;

/** A problem with the value at a path. */
export function wrongValue(
  path: PartPath,
  message: string,
  hint: string | null = null,
  offset: number | null = null,
): PartProblem {
  return { path, side: 'value', offset, message, hint, weight: 'error' };
}

/** A value as messages show it. */
export function shownValue(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}

/** A shape read by a function that returns the value or says what was wanted. */
export function shape<T>(
  schema: Readonly<Record<string, unknown>>,
  read: (value: unknown, path: PartPath, problems: Problems) => T | undefined,
): Shape<T> {
  return { schema, read };
}

/** Tells that something else is wanted; gives undefined, as a shape that could not read does. */
export function wanted(
  what: string,
  value: unknown,
  path: PartPath,
  problems: Problems,
  hint: string | null = null,
): undefined {
  problems(wrongValue(path, `${what} is wanted here, not ${shownValue(value)}`, hint));
  return undefined;
}

/** One word of several. */
export function choice<const T extends string>(values: readonly T[], description: string): Shape<T> {
  return shape({ enum: values, description }, (value, path, problems) => {
    if (values.includes(value as T)) return value as T;
    const near = typeof value === 'string' ? nearestName(value, values) : null;
    const said = near === null ? '' : `did you mean \`${near}\`? `;
    problems(
      wrongValue(path, `${shownValue(value)} is not known here`, `${said}known: ${values.join(', ')}`),
    );
    return undefined;
  });
}

/** Words that other agents have and that cannot be played here, each with the reason and a way out. */
export type Refused = Readonly<Record<string, { readonly why: string; readonly hint: string }>>;

/** A shape that refuses some words with a reason of their own. */
export function refusing<T>(inner: Shape<T>, words: Refused): Shape<T> {
  return shape(inner.schema, (value, path, problems) => {
    const known = typeof value === 'string' && Object.hasOwn(words, value) ? words[value]! : null;
    if (known === null) return inner.read(value, path, problems);
    problems(wrongValue(path, `\`${String(value)}\` cannot be played: ${known.why}`, known.hint));
    return undefined;
  });
}

/** A key that cannot be played, with the reason and a way out; editors are not told of it. */
export function refusedKey(why: string, hint: string): Shape<never> {
  return shape<never>({ not: {} }, (_value, path, problems) => {
    const message = `\`${String(path.at(-1))}\` cannot be played: ${why}`;
    problems({ path, side: 'key', offset: null, message, hint, weight: 'error' });
    return undefined;
  });
}

/** Other words for some of those that a shape knows. */
export function alias<T>(inner: Shape<T>, words: Readonly<Record<string, unknown>>): Shape<T> {
  return shape({ anyOf: [inner.schema, { enum: Object.keys(words) }] }, (value, path, problems) =>
    inner.read(
      typeof value === 'string' && Object.hasOwn(words, value) ? words[value] : value,
      path,
      problems,
    ),
  );
}

/** True or false. */
export function flag(description: string): Shape<boolean> {
  return shape({ type: 'boolean', description }, (value, path, problems) =>
    typeof value === 'boolean' ? value : wanted('true or false', value, path, problems),
  );
}

/** A text. */
export function text(description: string): Shape<string> {
  return shape({ type: 'string', minLength: 1, description }, (value, path, problems) =>
    typeof value === 'string' && value.trim() !== '' ? value : wanted('a text', value, path, problems),
  );
}

/** A number in a range. */
export function number(min: number, max: number, description: string): Shape<number> {
  return shape({ type: 'number', minimum: min, maximum: max, description }, (value, path, problems) =>
    typeof value === 'number' && value >= min && value <= max
      ? value
      : wanted(`a number from ${min} to ${max}`, value, path, problems),
  );
}

/** A whole number in a range. */
export function whole(min: number, max: number, description: string): Shape<number> {
  return shape({ type: 'integer', minimum: min, maximum: max, description }, (value, path, problems) =>
    Number.isInteger(value) && (value as number) >= min && (value as number) <= max
      ? (value as number)
      : wanted(`a whole number from ${min} to ${max}`, value, path, problems),
  );
}

/** A list; a single item may stand without brackets. */
export function list<T>(item: Shape<T>, description: string): Shape<readonly T[]> {
  const schema = { anyOf: [{ type: 'array', items: item.schema }, item.schema], description };
  return shape(schema, (value, path, problems) => {
    if (!Array.isArray(value)) {
      const one = item.read(value, path, problems);
      return one === undefined ? undefined : [one];
    }
    const read: T[] = [];
    let isWhole = true;
    value.forEach((entry, i) => {
      const one = item.read(entry, [...path, i], problems);
      if (one === undefined) isWhole = false;
      else read.push(one);
    });
    return isWhole ? read : undefined;
  });
}

/** Whether a value is a group of keys. */
export function isGroup(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

type Fields = Readonly<Record<string, Shape<unknown>>>;
/** A group of keys, each absent or read. */
export type Group<F extends Fields> = { readonly [K in keyof F]?: ReadBy<F[K]> };

/** A group of keys; an unknown one is refused with the nearest that is known. */
export function group<const F extends Fields>(
  fields: F,
  description: string,
  required: readonly (keyof F & string)[] = [],
): Shape<Group<F>> {
  const known = Object.keys(fields);
  const schema = {
    type: 'object',
    description,
    properties: Object.fromEntries(known.map((key) => [key, fields[key]!.schema])),
    additionalProperties: false,
    ...(required.length === 0 ? {} : { required }),
  };
  return shape(schema, (value, path, problems) => {
    if (!isGroup(value)) {
      const key = typeof value === 'object' ? undefined : known.find((one) => isReadBy(fields[one]!, value));
      const hint = key === undefined ? null : `write { ${key}: ${String(value)} }`;
      return wanted(`a group of keys (${known.join(', ')})`, value, path, problems, hint);
    }
    const read: Record<string, unknown> = {};
    let isWhole = true;
    for (const key of Object.keys(value)) {
      const field = Object.hasOwn(fields, key) ? fields[key]! : null;
      if (field === null) {
        problems(unknownKey([...path, key], known));
        isWhole = false;
        continue;
      }
      const one = field.read(value[key], [...path, key], problems);
      if (one === undefined) isWhole = false;
      else read[key] = one;
    }
    for (const key of required) {
      if (Object.hasOwn(value, key)) continue;
      problems({
        path,
        side: 'value',
        offset: null,
        message: `\`${key}\` is missing`,
        hint: descriptionOf(fields[key]!),
        weight: 'error',
      });
      isWhole = false;
    }
    return isWhole ? (read as Group<F>) : undefined;
  });
}

/** Whether a shape takes a value. */
function isReadBy(field: Shape<unknown>, value: unknown): boolean {
  let isTaken = true;
  field.read(value, [], () => {
    isTaken = false;
  });
  return isTaken;
}

/** What a shape is for; null where it does not say. */
function descriptionOf({ schema }: Shape<unknown>): string | null {
  const { description } = schema as { readonly description?: string };
  return description ?? null;
}

/** The problem of a key that nobody knows. */
function unknownKey(path: PartPath, known: readonly string[]): PartProblem {
  const key = String(path.at(-1));
  const near = nearestName(key, known);
  const said = near === null ? '' : `did you mean \`${near}\`? `;
  return {
    path,
    side: 'key',
    offset: null,
    message: `unknown key \`${key}\``,
    hint: `${said}known: ${known.join(', ')}`,
    weight: 'error',
  };
}

/** Another shape for words and for groups: what is written decides which one reads it. */
export function either<A, B>(words: Shape<A>, groups: Shape<B>): Shape<A | B> {
  return shape<A | B>({ anyOf: [words.schema, groups.schema] }, (value, path, problems) =>
    isGroup(value) ? groups.read(value, path, problems) : words.read(value, path, problems),
  );
}

/** What another shape reads, or `null`. */
export function orNull<T>(inner: Shape<T>): Shape<T | null> {
  return shape<T | null>({ anyOf: [inner.schema, { type: 'null' }] }, (value, path, problems) =>
    value === null ? null : inner.read(value, path, problems),
  );
}

/** What was read, made into something else; `make` may refuse it. */
export function map<A, B>(
  inner: Shape<A>,
  make: (value: A, path: PartPath, problems: Problems) => B | undefined,
): Shape<B> {
  return shape(inner.schema, (value, path, problems) => {
    const read = inner.read(value, path, problems);
    return read === undefined ? undefined : make(read, path, problems);
  });
}

/** `rules[0].when.tokens` as messages show it. */
export function formatPartPath(path: PartPath): string {
  let text = '';
  for (const part of path) text += typeof part === 'number' ? `[${part}]` : text === '' ? part : `.${part}`;
  return text;
}

import * as z from 'zod';
import { MS_PER_MINUTE, MS_PER_SECOND } from './clock.js';
import type { ErrorCode, Path } from './errors.js';
import { getOrMake } from './once.js';
import { ownValue } from './own-value.js';

/** What a schema says of itself. */
interface About {
  /** What messages say is expected, where the schema does not say it well. */
  readonly title?: string;
  readonly description?: string;
  readonly not?: object;
}

/** A schema with what it says of itself; `describe` and `meta` would make a copy of it, which takes time at start-up. */
export function described<T extends z.ZodType>(schema: T, about: About): T {
  z.globalRegistry.add(schema, { ...about });
  return schema;
}

/** A whole number in a range. */
export function whole(min: number, max: number, description: string) {
  return described(z.int().check(z.gte(min), z.lte(max)), { description });
}

/** A number in a range. */
export function number(min: number, max: number, description: string) {
  return described(z.number().check(z.gte(min), z.lte(max)), { description });
}

/** A text with something in it that can be seen. */
export function text(description: string) {
  return described(z.string().check(z.regex(/[^\s\p{Cc}]/u)), { title: 'a text', description });
}

/** A day of the calendar. */
export function day(description: string) {
  return described(z.iso.date(), { title: 'a day such as 2026-07-01', description });
}

/** True or false. */
export function flag(description: string) {
  return described(z.boolean(), { description });
}

/** Words that other programs know and that are not supported here, each with the reason and a way out. */
type Refused = Readonly<Record<string, { readonly why: string; readonly hint: string }>>;

/** Schemas with the words they refuse with a reason of their own: editors do not offer those. */
const refusedWords = new WeakMap<object, Refused>();

/** One word of several. */
export function words<const T extends string>(
  values: readonly T[],
  description: string,
  refused: Refused = {},
): z.ZodType<T, T> {
  if (Object.keys(refused).length === 0) return described(z.enum(values), { description }) as z.ZodType<T, T>;
  const schema = z.enum([...values, ...Object.keys(refused)]).check((ctx) => {
    const known = Object.hasOwn(refused, ctx.value) ? refused[ctx.value]! : null;
    if (known !== null) refuse(ctx, `\`${ctx.value}\` is not supported: ${known.why}`, { hint: known.hint });
  });
  refusedWords.set(schema, refused);
  return described(schema, { description }) as unknown as z.ZodType<T, T>;
}

/** A key that is not supported, with the reason and a way out; editors do not offer it. */
export function refusedKey(why: string, hint: string) {
  const schema = z
    .unknown()
    .check((ctx) => refuse(ctx, `\`{key}\` is not supported: ${why}`, { hint, side: 'key' }));
  return described(schema, { not: {} });
}

/** A list; a single item may be written without brackets. */
export function list<T extends z.ZodType>(item: T, description: string) {
  const single = item.transform((one): z.output<T>[] => [one as z.output<T>]);
  return described(z.union([z.array(item), single]), { description });
}

/** What another schema reads, or null; editors show its description either way. */
export function orNull<T extends z.ZodType>(schema: T) {
  return described(schema.nullable(), { description: schema.description ?? '' });
}

type Fields = Readonly<Record<string, z.ZodType>>;
type Optional<F extends Fields> = { [K in keyof F]: z.ZodExactOptional<F[K]> };

/** A group of keys: those that must be written, or have a default, then those that may be. */
export function group<R extends Fields, O extends Fields>(description: string, required: R, optional: O) {
  const may = Object.fromEntries(
    Object.entries(optional).map(([key, schema]) => [key, schema.exactOptional()]),
  ) as Optional<O>;
  return described(z.strictObject({ ...required, ...may }), { description });
}

/** What a refusal may say besides its sentence. */
interface Refusal {
  readonly hint?: string | null;
  /** From the value that is checked on. */
  readonly path?: Path;
  readonly side?: 'key' | 'value';
  readonly offset?: number | null;
  readonly code?: ErrorCode;
}

/** Refuses a value inside a check or a transform; in the sentence `{key}` is the key of the value and `{path}` its path. */
export function refuse(
  ctx: z.core.ParsePayload<unknown>,
  message: string,
  { path = [], ...params }: Refusal = {},
): never {
  // The value behind a check is what it should be, so that the checks above it go on; that behind a transform is not.
  const isCheck = !Object.hasOwn(ctx, 'addIssue');
  ctx.issues.push({
    code: 'custom',
    input: ctx.value,
    message,
    path: [...path],
    params,
    continue: isCheck,
  });
  return z.NEVER;
}

const TIME_UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: MS_PER_SECOND,
  sec: MS_PER_SECOND,
  m: MS_PER_MINUTE,
  min: MS_PER_MINUTE,
  h: 60 * MS_PER_MINUTE,
  d: 24 * 60 * MS_PER_MINUTE,
};

/** Milliseconds of a time such as `5min`, which begins at a character of the value. */
export function readDuration(ctx: z.core.ParsePayload<unknown>, written: string, offset = 0): number {
  const [, amount, unit] = /^\s*(\d+(?:\.\d+)?)\s*([a-z]+)\s*$/.exec(written) ?? [];
  const ms = unit === undefined ? undefined : ownValue(TIME_UNITS, unit);
  if (ms !== undefined) return Number(amount) * ms;
  return refuse(ctx, `expected a time, got ${JSON.stringify(written)}`, {
    hint: 'for instance 90s, 5min or 1h',
    offset,
  });
}

/** A time, such as `5min`. */
export function duration(description: string) {
  const schema = z.string().transform((written, ctx) => readDuration(ctx, written));
  return described(schema, { title: 'a time', description: `${description} For instance 90s, 5min or 1h.` });
}

/** The parts of JSON Schema that are used here. */
export interface SchemaNode {
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, SchemaNode>>;
  /** What messages call it. */
  readonly title?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly const?: string | number;
  readonly enum?: readonly (string | number)[];
  readonly anyOf?: readonly SchemaNode[];
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly additionalProperties?: boolean | SchemaNode;
  readonly required?: readonly string[];
  readonly items?: SchemaNode;
  readonly minItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
}

const trees = new WeakMap<z.ZodType, SchemaNode>();

/** The JSON Schema of what may be written. */
export function jsonSchema(schema: z.ZodType): SchemaNode {
  return getOrMake(
    trees,
    schema,
    () =>
      z.toJSONSchema(schema, {
        io: 'input',
        unrepresentable: 'any',
        override({ zodSchema, jsonSchema: node }) {
          const refused = refusedWords.get(zodSchema);
          if (refused !== undefined)
            node.enum = node.enum!.filter((word) => !Object.hasOwn(refused, String(word)));
        },
      }) as SchemaNode,
  );
}

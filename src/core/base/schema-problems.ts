import type * as z from 'zod';
import {
  formatPath,
  foundWords,
  type Path,
  type Problem,
  type ProblemDetails,
  type Problems,
  problemAt,
  valueAt,
} from './errors.js';
import { wordList } from './format.js';
import { nearestName, suggestName } from './nearest.js';
import { getOrMake } from './once.js';
import { ownValue } from './own-value.js';
import { jsonSchema, type SchemaNode } from './schema.js';

type Issue = z.core.$ZodIssue;

/** A number as people write it: 200,000. */
export function formatNumber(value: number): string {
  const [whole, fraction] = String(value).split('.');
  const grouped = whole!.replace(/\B(?=(\d{3})+$)/g, ',');
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

function isType(node: SchemaNode, type: string): boolean {
  return node.type === type || (Array.isArray(node.type) && node.type.includes(type));
}

function alternatives(node: SchemaNode): readonly SchemaNode[] {
  return node.anyOf === undefined ? [node] : node.anyOf.flatMap(alternatives);
}

function listWords(items: readonly string[]): string {
  return wordList([...new Set(items)], 'or');
}

/** The range of a number; that a whole number can only be so large is said where the value is larger. */
function rangeWords(node: SchemaNode, found: unknown): string {
  const isHuge = typeof found === 'number' && Math.abs(found) > Number.MAX_SAFE_INTEGER;
  const said = (end: number | undefined): number | undefined =>
    isHuge || Math.abs(end ?? Infinity) < Number.MAX_SAFE_INTEGER ? end : undefined;
  const high = said(node.maximum);
  if (node.exclusiveMinimum !== undefined)
    return ` above ${formatNumber(node.exclusiveMinimum)}${high === undefined ? '' : `, up to ${formatNumber(high)}`}`;
  const low = said(node.minimum);
  if (low !== undefined && high !== undefined) return ` from ${formatNumber(low)} to ${formatNumber(high)}`;
  return low === undefined ? '' : ` of ${formatNumber(low)} or more`;
}

/** What a schema accepts, in words, beside what was found; a list whose items may be written alone goes by these. */
function acceptsWords(node: SchemaNode, found: unknown): string {
  const wordsOf = (option: SchemaNode): string => acceptsWords(option, found);
  if (node.title !== undefined) return node.title;
  if (node.enum !== undefined) return listWords(node.enum.map(String));
  if (node.const !== undefined) return String(node.const);
  if (node.anyOf !== undefined) {
    const single = (list: SchemaNode) =>
      node.anyOf!.some((other) => JSON.stringify(other) === JSON.stringify(list.items));
    return listWords(node.anyOf.filter((option) => !single(option)).map(wordsOf));
  }
  if (Array.isArray(node.type)) return listWords(node.type.map((type) => wordsOf({ ...node, type })));
  switch (node.type) {
    case 'integer':
      return `a whole number${rangeWords(node, found)}`;
    case 'number':
      return `a number${rangeWords(node, found)}`;
    case 'boolean':
      return 'true or false';
    case 'null':
      return 'null';
    case 'array':
      return node.minItems === undefined ? 'a list' : `a list of at least ${node.minItems}`;
    case 'object': {
      const keys = Object.keys(node.properties ?? {});
      return keys.length === 0 ? 'a group of `name: value` lines' : `a group of keys (${keys.join(', ')})`;
    }
    case 'string':
      return 'a text';
    default:
      return 'something else';
  }
}

/** The description of a file: what may be written at each path of it. */
export class SchemaMap {
  readonly #root: SchemaNode;
  #paths: readonly string[] | null = null;

  constructor(schema: z.ZodType) {
    this.#root = jsonSchema(schema);
  }

  /** A node without references and with its alternatives resolved. */
  #open(node: SchemaNode): SchemaNode {
    const plain =
      node.$ref === undefined ? node : (ownValue(this.#root.$defs, node.$ref.replace('#/$defs/', '')) ?? {});
    if (plain.$ref !== undefined) return this.#open(plain);
    return plain.anyOf === undefined ? plain : { ...plain, anyOf: plain.anyOf.map((one) => this.#open(one)) };
  }

  #child(node: SchemaNode, part: string | number): SchemaNode {
    for (const option of alternatives(node)) {
      const next =
        typeof part === 'number'
          ? option.items
          : (ownValue(option.properties, part) ??
            (typeof option.additionalProperties === 'object' ? option.additionalProperties : undefined));
      if (next !== undefined) return this.#open(next);
    }
    return {};
  }

  /** What may be written at a path; of alternatives, the one that fits the value there. */
  at(path: Path, value: unknown): SchemaNode {
    let node = this.#open(this.#root);
    for (const part of path) node = this.#child(node, part);
    const found = valueAt(value, path);
    if (found === null || typeof found !== 'object') return node;
    const wanted = Array.isArray(found) ? 'array' : 'object';
    return alternatives(node).find((option) => isType(option, wanted)) ?? node;
  }

  /** What is said of a path, or of the nearest above it. */
  helpAt(path: Path): string {
    for (let length = path.length; length > 0; length--) {
      const node = this.at(path.slice(0, length), undefined);
      const { description } =
        [node, ...alternatives(node)].find((one) => one.description !== undefined) ?? {};
      if (description !== undefined) return description;
    }
    return '';
  }

  /** The first key of a group whose value may be this word or number; null when none takes it. */
  keyThatTakes(node: SchemaNode, value: unknown): string | null {
    const takes = (option: SchemaNode): boolean => {
      if (option.enum !== undefined) return option.enum.includes(value as string);
      if (typeof value === 'string') return isType(option, 'string') && option.title === 'a text';
      return typeof value === 'number' && (isType(option, 'number') || isType(option, 'integer'));
    };
    for (const group of alternatives(node))
      for (const [key, inner] of Object.entries(group.properties ?? {}))
        if (alternatives(this.#open(inner)).some(takes)) return key;
    return null;
  }

  /** Every key as a dotted path; `[]` is a list position. */
  paths(): readonly string[] {
    if (this.#paths === null) {
      const found = new Set<string>();
      const collect = (node: SchemaNode, prefix: string): void => {
        for (const option of alternatives(this.#open(node))) {
          for (const [key, value] of Object.entries(option.properties ?? {})) {
            const path = prefix === '' ? key : `${prefix}.${key}`;
            found.add(path);
            collect(value, path);
          }
          if (option.items === undefined) continue;
          found.add(`${prefix}[]`);
          collect(option.items, `${prefix}[]`);
        }
      };
      collect(this.#root, '');
      this.#paths = [...found];
    }
    return this.#paths;
  }
}

const maps = new WeakMap<z.ZodType, SchemaMap>();

/** The description of what a schema reads. */
export function schemaMap(schema: z.ZodType): SchemaMap {
  return getOrMake(maps, schema, () => new SchemaMap(schema));
}

/** Whether an issue refuses a value as a whole, so that another alternative may be meant. */
function refusesWhole(issue: Issue): boolean {
  if (issue.path.length > 0 || issue.code === 'unrecognized_keys' || issue.code === 'custom') return false;
  return issue.code !== 'invalid_union' || issue.errors.every((branch) => branch.some(refusesWhole));
}

/** Turns the issues of one schema into problems in plain words. */
class Explainer {
  readonly #map: SchemaMap;

  constructor(
    schema: z.ZodType,
    private readonly value: unknown,
    private readonly label: (path: Path) => string,
  ) {
    this.#map = schemaMap(schema);
  }

  explain(issue: Issue, prefix: Path): readonly Problem[] {
    const path = [...prefix, ...(issue.path as (string | number)[])];
    if (issue.code === 'custom') {
      const message = issue.message.replace('{key}', String(path.at(-1))).replace('{path}', formatPath(path));
      return [problemAt(path, message, issue.params as ProblemDetails)];
    }
    if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => this.#unknownKey(path, key));
    if (issue.code === 'invalid_union') {
      const branch = issue.errors.find((issues) => !issues.some(refusesWhole));
      if (branch !== undefined) return branch.flatMap((inner) => this.explain(inner, path));
    }
    return [this.#wrongValue(path)];
  }

  #unknownKey(path: Path, key: string): Problem {
    const known = Object.keys(this.#map.at(path, this.value).properties ?? {});
    const home = this.#map.paths().find((other) => other.endsWith(`.${key}`) || other === key);
    const hints = [
      home !== undefined && `\`${key}\` belongs ${home === key ? 'at the top of the file' : `to ${home}`};`,
      home === undefined && suggestName(key, known, '`').trimEnd(),
      `known here: ${known.join(', ')}`,
    ];
    const where = path.length === 0 ? '' : ` in \`${formatPath(path)}\``;
    return problemAt([...path, key], `unknown key \`${key}\`${where}`, {
      side: 'key',
      code: 'unknown-name',
      hint: hints.filter((part) => part !== false && part !== '').join(' '),
    });
  }

  #wrongValue(path: Path): Problem {
    const value = valueAt(this.value, path);
    const node = this.#map.at(path, this.value);
    const accepts = acceptsWords(node, value);
    if (value === undefined)
      return problemAt(path, `\`${formatPath(path)}\` is missing`, {
        hint: `expected ${accepts}${node.description === undefined ? '' : `: ${node.description}`}`,
      });
    return problemAt(path, `${this.label(path)}expected ${accepts}, got ${foundWords(value)}`, {
      hint: this.#hintFor(node, value, path) ?? node.description ?? null,
    });
  }

  /** How to write what was probably meant. */
  #hintFor(node: SchemaNode, value: unknown, path: Path): string | null {
    const known = alternatives(node).flatMap((option) => option.enum ?? []);
    if (typeof value === 'number' && isType(node, 'string'))
      return known.length === 0 || known.includes(String(value)) ? 'put it in quotes' : null;
    const near = typeof value === 'string' ? nearestName(value, known.map(String)) : null;
    if (near !== null) return `did you mean \`${near}\`?`;
    if (typeof value === 'object' || Number.isNaN(value) || path.length === 0) return null;
    const key = this.#map.keyThatTakes(node, value);
    const name = path.at(-1)!;
    const place = typeof name === 'number' ? '-' : `${String(name)}:`;
    return key === null ? null : `did you mean \`${place} { ${key}: ${String(value)} }\`?`;
  }
}

/** Reads a value by a schema; undefined after its problems were reported, each at its path below `path`. */
export function readBy<S extends z.ZodType>(
  schema: S,
  value: unknown,
  problems: Problems,
  { path = [], label = () => '' }: { readonly path?: Path; readonly label?: (path: Path) => string } = {},
): z.output<S> | undefined {
  // Compiling a parser takes longer than reading a file once.
  const result = schema.safeParse(value, { jitless: true });
  if (result.success) return result.data;
  const explainer = new Explainer(schema, value, label);
  for (const issue of result.error.issues)
    for (const problem of explainer.explain(issue, []))
      problems({ ...problem, path: [...path, ...problem.path] });
  return undefined;
}

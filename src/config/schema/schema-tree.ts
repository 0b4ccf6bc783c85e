import { z } from 'zod';
import type { Path } from '../files/document.js';
import { valueAt } from '../files/document.js';
import { scenarioSchema } from './schema.js';

/** The parts of JSON Schema that the scenario's schema uses. */
export interface SchemaNode {
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, SchemaNode>>;
  readonly type?: string | readonly string[];
  readonly description?: string;
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
  readonly pattern?: string;
}

let tree: SchemaNode | null = null;

/** The scenario's schema as JSON Schema. */
export function schemaTree(): SchemaNode {
  tree ??= z.toJSONSchema(scenarioSchema, { io: 'input' }) as SchemaNode;
  return tree;
}

function resolveRef(node: SchemaNode): SchemaNode {
  if (node.$ref === undefined) return node;
  const name = node.$ref.replace('#/$defs/', '');
  return resolveRef(schemaTree().$defs?.[name] ?? {});
}

function isType(node: SchemaNode, type: string): boolean {
  return node.type === type || (Array.isArray(node.type) && node.type.includes(type));
}

/** A node without references and with its alternatives resolved. */
function open(node: SchemaNode): SchemaNode {
  const plain = resolveRef(node);
  return plain.anyOf === undefined ? plain : { ...plain, anyOf: plain.anyOf.map(open) };
}

function alternatives(node: SchemaNode): readonly SchemaNode[] {
  return node.anyOf === undefined ? [node] : node.anyOf.flatMap(alternatives);
}

function child(node: SchemaNode, part: string | number): SchemaNode {
  for (const option of alternatives(node)) {
    if (typeof part === 'number' && isType(option, 'array') && option.items !== undefined)
      return open(option.items);
    if (typeof part === 'number') continue;
    const property = option.properties?.[part];
    if (property !== undefined) return open(property);
    if (typeof option.additionalProperties === 'object') return open(option.additionalProperties);
  }
  return {};
}

/** What the schema says about a path; of alternatives, the one that fits the value. */
export function schemaAt(path: Path, value: unknown): SchemaNode {
  let node = open(schemaTree());
  for (const part of path) node = child(node, part);
  const found = valueAt(value, path);
  if (found === null || typeof found !== 'object') return node;
  const wanted = Array.isArray(found) ? 'array' : 'object';
  return alternatives(node).find((option) => isType(option, wanted)) ?? node;
}

/** Keys that a group accepts. */
export function keysOf(node: SchemaNode): readonly string[] {
  const keys: string[] = [];
  for (const option of alternatives(node)) keys.push(...Object.keys(option.properties ?? {}));
  return keys;
}

/** The first key of a group whose value may be this text; null when none takes it. */
export function keyThatTakes(group: SchemaNode, text: string): string | null {
  const takes = ({ type, enum: names, pattern }: SchemaNode): boolean =>
    names === undefined ? type === 'string' && pattern === undefined : names.includes(text);
  for (const [key, node] of Object.entries(group.properties ?? {}))
    if (alternatives(open(node)).some(takes)) return key;
  return null;
}

function collect(node: SchemaNode, prefix: string, paths: string[]): void {
  for (const option of alternatives(open(node))) {
    for (const [key, value] of Object.entries(option.properties ?? {})) {
      const path = prefix === '' ? key : `${prefix}.${key}`;
      if (!paths.includes(path)) paths.push(path);
      collect(value, path, paths);
    }
    if (option.items !== undefined) {
      if (!paths.includes(`${prefix}[]`)) paths.push(`${prefix}[]`);
      collect(option.items, `${prefix}[]`, paths);
    }
  }
}

let knownPaths: readonly string[] | null = null;

/** Every key of the scenario as a dotted path; `[]` stands for a list position. */
export function scenarioPaths(): readonly string[] {
  if (knownPaths === null) {
    const paths: string[] = [];
    collect(schemaTree(), '', paths);
    knownPaths = paths;
  }
  return knownPaths;
}

import { stringify } from 'yaml';
import type { z } from 'zod';
import { CcbenchError } from '../../core/base/errors.js';
import { nearestName } from '../../core/base/nearest.js';
import { EMPTY_HINTS, formatPath, type Path, type ScenarioDocument, valueAt } from '../files/document.js';
import { keysOf, keyThatTakes, type SchemaNode, scenarioPaths, schemaAt } from '../schema/schema-tree.js';
import { PATTERN_WORDS } from '../schema/schema-words.js';

type Issue = z.core.$ZodIssue;

/** A problem and the path it concerns. */
export interface LocatedProblem {
  readonly path: Path;
  readonly error: CcbenchError;
}

/** A number as people write it: 200,000. */
export function formatNumber(value: number): string {
  const [whole, fraction] = String(value).split('.');
  const grouped = whole!.replace(/\B(?=(\d{3})+$)/g, ',');
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

function listWords(words: readonly string[], joiner: string): string {
  if (words.length < 2) return words.join('');
  return `${words.slice(0, -1).join(', ')} ${joiner} ${words[words.length - 1]}`;
}

function rangeWords(node: SchemaNode): string {
  const low = node.minimum ?? node.exclusiveMinimum;
  const high = node.maximum === Number.MAX_SAFE_INTEGER ? undefined : node.maximum;
  if (node.exclusiveMinimum !== undefined) {
    return ` above ${formatNumber(node.exclusiveMinimum)}${high === undefined ? '' : `, up to ${formatNumber(high)}`}`;
  }
  if (low !== undefined && high !== undefined) return ` from ${formatNumber(low)} to ${formatNumber(high)}`;
  return low === undefined ? '' : ` of ${formatNumber(low)} or more`;
}

function acceptsWords(node: SchemaNode): string {
  if (node.enum !== undefined) return listWords(node.enum.map(String), 'or');
  if (node.anyOf !== undefined) return listWords(node.anyOf.map(acceptsWords), 'or');
  if (Array.isArray(node.type))
    return listWords(
      node.type.map((type) => acceptsWords({ type })),
      'or',
    );
  switch (node.type) {
    case 'integer':
      return `a whole number${rangeWords(node)}`;
    case 'number':
      return `a number${rangeWords(node)}`;
    case 'boolean':
      return 'true or false';
    case 'null':
      return 'null';
    case 'array':
      return node.minItems === undefined ? 'a list' : `a list of at least ${node.minItems}`;
    case 'object': {
      const keys = keysOf(node);
      return keys.length === 0 ? 'a group of `name: value` lines' : `a group of keys (${keys.join(', ')})`;
    }
    case 'string':
      if (node.pattern !== undefined) return PATTERN_WORDS[node.pattern] ?? 'another text';
      return 'a text';
    default:
      return 'something else';
  }
}

function foundWords(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (typeof value === 'object') return 'a group of keys';
  if (typeof value === 'number' && !Number.isFinite(value)) return stringify(value).trim(); // as YAML writes it
  if (typeof value !== 'string') return String(value);
  return JSON.stringify(value.length > 60 ? `${value.slice(0, 57)}…` : value);
}

function unknownKey(document: ScenarioDocument, path: Path, key: string): LocatedProblem {
  const known = keysOf(schemaAt(path, document.value));
  const near = nearestName(key, known);
  const elsewhere = scenarioPaths().find((candidate) => candidate.endsWith(`.${key}`) || candidate === key);
  let hint = `known here: ${known.join(', ')}`;
  if (near !== null) hint = `did you mean \`${near}\`? ${hint}`;
  else if (elsewhere === key)
    hint = `\`${key}\` stands at the top of a scenario, for all its variants; ${hint}`;
  else if (elsewhere !== undefined) hint = `did you mean \`${elsewhere}\`? ${hint}`;
  const where = path.length === 0 ? '' : ` in \`${formatPath(path)}\``;
  const full = [...path, key];
  return {
    path: full,
    error: new CcbenchError('unknown-name', `unknown key \`${key}\`${where}`, {
      place: document.placeOfKey(full),
      hint,
    }),
  };
}

/** How to write what was probably meant. */
function hintFor(node: SchemaNode, value: unknown, path: Path): string | undefined {
  if (typeof value === 'number' && node.type === 'string')
    return node.enum === undefined || node.enum.includes(String(value)) ? 'put it in quotes' : undefined;
  if (typeof value !== 'string' || node.type !== 'object') return undefined;
  const key = keyThatTakes(node, value);
  return key === null ? undefined : `did you mean \`${String(path.at(-1))}: { ${key}: ${value} }\`?`;
}

function wrongValue(document: ScenarioDocument, path: Path): LocatedProblem {
  const value = valueAt(document.value, path);
  const node = schemaAt(path, document.value);
  const label = path.length === 0 ? 'a scenario' : `\`${formatPath(path)}\``;
  const place = document.placeOf(path);
  if (value === undefined) {
    const hint = `it must be ${acceptsWords(node)}`;
    return { path, error: new CcbenchError('bad-value', `${label} is missing`, { place, hint }) };
  }
  const hint = path.length === 0 ? EMPTY_HINTS.scenario : (hintFor(node, value, path) ?? node.description);
  const details = hint === undefined ? { place } : { place, hint };
  const sentence = `${label} must be ${acceptsWords(node)}; found ${foundWords(value)}`;
  return { path, error: new CcbenchError('bad-value', sentence, details) };
}

function branchFor(issues: readonly (readonly Issue[])[]): readonly Issue[] | null {
  for (const branch of issues) {
    const refusedWhole = branch.some(
      (issue) => issue.path.length === 0 && issue.code !== 'unrecognized_keys',
    );
    if (!refusedWhole) return branch;
  }
  return null;
}

/** Turns a validation issue into problems with places, in plain words. */
export function explainIssue(
  document: ScenarioDocument,
  issue: Issue,
  prefix: Path = [],
): readonly LocatedProblem[] {
  const path = [...prefix, ...issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part))];
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownKey(document, path, key));
  if (issue.code === 'invalid_union') {
    const branch = branchFor(issue.errors);
    if (branch !== null) return branch.flatMap((inner) => explainIssue(document, inner, path));
  }
  return [wrongValue(document, path)];
}

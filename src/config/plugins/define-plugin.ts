import * as z from 'zod';
import { type Policy, policyFrom } from '../../agent/policies/policy.js';
import { readPolicy } from '../../agent/policy-file/read-policy.js';
import {
  CcbenchError,
  foundWords,
  isGroup,
  type Problem,
  ProblemList,
  withPath,
} from '../../core/base/errors.js';
import { described, refuse, text, words } from '../../core/base/schema.js';
import { readBy } from '../../core/base/schema-problems.js';
import { CAPABILITIES } from '../../core/run/capability.js';
import type { LayerDefinition } from '../../core/run/layer.js';
import { LAYERS } from '../../core/run/log-entries.js';
import type { Hook } from '../../core/run/policy-rules.js';
import { readDocument } from '../files/document.js';
import { fullLayer, type LayerInput, type Plugin, type PolicySource } from './plugin.js';

/** What a policy that says no name is called. */
const UNNAMED = 'own-policy';

function isDefined(source: object): source is Policy {
  return Object.hasOwn(source, 'written') && Object.hasOwn(source, 'layers');
}

/** Checks a policy file, given as YAML text or as the same in an object; throws an error that lists every problem with its path. */
export function definePolicy(source: PolicySource): Policy {
  if (typeof source === 'object' && source !== null && isDefined(source)) return source;
  const problems: CcbenchError[] = [];
  let value: unknown = source;
  if (typeof source === 'string') {
    const read = readDocument(source, 'policy', 'policy');
    problems.push(...read.problems);
    value = read.document?.value;
  }
  const report = (problem: Problem): void => {
    const { hint, weight } = problem;
    if (weight === 'error')
      problems.push(new CcbenchError('bad-value', withPath(problem), hint === null ? {} : { hint }));
  };
  const read = value === undefined ? null : readPolicy(value, { name: UNNAMED }, report);
  if (read !== null && isGroup(value) && problems.length === 0) return policyFrom(read, value, 'file');
  throw new ProblemList('bad-value', nameOf(value), problems);
}

function nameOf(value: unknown): string {
  return isGroup(value) && typeof value.name === 'string' ? `policy "${value.name}"` : 'the policy';
}

const POINTS: Readonly<Record<Hook, true>> = {
  results: true,
  'before-request': true,
  refused: true,
  manual: true,
  'after-response': true,
  'end-of-loop': true,
  wake: true,
  'manual-clear': true,
  'end-dream': true,
  'thread-end': true,
  'session-end': true,
};

const PARAM_KINDS = ['integer', 'number', 'switch', 'text', 'model', 'choice', 'names', 'table'] as const;
const UNITS = ['tokens', 'usd', 'share', 'ratio', 'count', 'ms', 'hours'] as const;

const name = text('Its name.');
const help = text('One sentence.');

/** A function; messages say of what. */
const method = (of: string) =>
  z.unknown().check((ctx) => {
    if (typeof ctx.value !== 'function') refuse(ctx, `expected ${of}, got ${foundWords(ctx.value)}`);
  });

const paramKind = z.looseObject({ type: words(PARAM_KINDS, 'Kind of the parameter.') }).check((ctx) => {
  const { type, min, max, values } = ctx.value;
  const isRange = type === 'integer' || type === 'number';
  if (isRange && (typeof min !== 'number' || typeof max !== 'number'))
    refuse(ctx, 'expected `min` and `max`, both numbers');
  if (type === 'choice' && !Array.isArray(values)) refuse(ctx, 'expected `values`, a list of texts');
});

const param = z.looseObject({
  path: described(z.string().check(z.regex(/^[\w-]+(?:\.[\w-]+)+$/)), {
    title: 'names with dots, such as my-layer.keep',
  }),
  kind: paramKind,
  default: z.unknown().check((ctx) => {
    if (ctx.value === undefined) refuse(ctx, '`{path}` is missing');
  }),
  unit: text('Unit of its values; null for none.').nullable(),
  help,
});

const layer = z.looseObject({
  name,
  points: z.array(words(Object.keys(POINTS), 'A point of the loop.')).check((ctx) => {
    if (ctx.value.length === 0) refuse(ctx, 'expected at least one point: without any it is never asked');
  }),
  create: method('a function that gives { due, act }'),
  needs: z.array(words(CAPABILITIES, 'What a transcript must carry.')).optional(),
  layer: words(LAYERS, 'Under which layer the log counts what it does.').optional(),
  killSwitch: text('Path of the parameter that switches it off.').optional(),
  params: z.array(param).optional(),
});

const reader = z.looseObject({
  name,
  label: text('What a file of this format is called.').optional(),
  detect: method('a function of the beginning of a file'),
  read: method('a function of the text of a file'),
});

const metric = z.looseObject({
  name: described(z.string().check(z.regex(/^[A-Za-z]\w*$/)), { title: 'one word of letters and figures' }),
  unit: words(UNITS, 'Unit of the number.'),
  better: words(['lower', 'higher'], 'The better direction; null where neither is.').nullable(),
  help,
  value: method('a function of the facts of a run'),
});

const plugin = described(
  z.strictObject({
    name,
    layers: z.array(layer).optional(),
    policies: z.array(z.unknown()).optional(),
    readers: z.array(reader).optional(),
    metrics: z.array(metric).optional(),
  }),
  { title: '{ name, layers, policies, readers, metrics } or a function that gives it' },
);

/** Throws one error that names every problem of a value from outside, if there are any. */
function check(schema: z.ZodType, value: unknown, kind: string, nameless: string): void {
  const subject =
    isGroup(value) && typeof value.name === 'string' && value.name.trim() !== ''
      ? `${kind} "${value.name}"`
      : nameless;
  const errors: CcbenchError[] = [];
  readBy(schema, value, (problem) => {
    const details = problem.hint === null ? {} : { hint: problem.hint };
    errors.push(new CcbenchError('bad-plugin', `${subject}: ${withPath(problem)}`, details));
  });
  if (errors.length === 1) throw errors[0]!;
  if (errors.length > 1) throw new ProblemList('bad-plugin', subject, errors);
}

/** Checks a plug-in and returns it; throws an error that names every problem. */
export function definePlugin(input: Plugin): Plugin {
  check(plugin, input, 'plug-in', 'the plug-in');
  return input;
}

/** Checks a layer and returns it with nothing left open; throws an error that names every problem. */
export function defineLayer(input: LayerInput): LayerDefinition {
  check(layer, input, 'layer', 'layer without a name');
  return fullLayer(input);
}

import { CcbenchError } from '../../core/base/errors.js';
import { createRegistry, unknownName, unknownPath } from '../../core/base/registry.js';
import type { ParamKind, ParamSpec, ParamValue, ParamValues } from '../../core/run/params.js';
import type { PlannedPolicy } from '../../core/run/run-plan.js';
import type { TierDefinition } from '../../core/run/tier.js';
import { clientRegistry } from '../client/catalogue.js';
import { checkModel } from '../client/check-model.js';
import { RECORDED_CLIENT } from '../client/habits.js';
import { tierRegistry } from '../layers/registry.js';
import { isPolicyPath } from '../policy-file/paths.js';
import { CORE_PARAMS } from './core-params.js';
import { checkExclusive } from './exclusive.js';
import { isReadBy, layersOf } from './param-readers.js';
import { partsOf } from './parts-policy.js';
import type { Policy } from './policy.js';
import { shippedPolicies } from './shipped-policies.js';

/** Every policy, by name; adding one is one file in `bounds`, `claude-code`, `baselines` or `peers`. */
export const policyRegistry = createRegistry<Policy>('policy', [], shippedPolicies);

const specs = createRegistry<ParamSpec>(
  'parameter',
  [...CORE_PARAMS, ...tierRegistry.all().flatMap((tier) => tier.params)].map((spec) => [spec.path, spec]),
);

/** How many of them are of ccbench itself: those behind are of plug-ins. */
const ownSpecs = specs.names.length;

/** Every parameter a policy may set, in the order they are listed. */
export function paramSpecs(): readonly ParamSpec[] {
  return specs.all();
}

/** Adds tiers from outside with their parameters, all or none; calling what it gives back takes them out again. */
export function addTiers(tiers: readonly TierDefinition[]): () => void {
  const removeParams = specs.add(tiers.flatMap((tier) => tier.params.map((spec) => [spec.path, spec])));
  try {
    const removeTiers = tierRegistry.add(tiers.map((tier) => [tier.name, tier]));
    return () => {
      removeTiers();
      removeParams();
    };
  } catch (error) {
    removeParams();
    throw error;
  }
}

/** The parameters that the layers of a policy, or its client, go by. */
export function paramsOf(policy: Policy): readonly ParamSpec[] {
  return paramSpecs().filter((spec) => isReadBy(policy, spec.path));
}

/** The complete parameters of a policy with a user's changes; unknown paths, bad values and changes without effect are errors. */
export function resolvePolicy(name: string, set: Readonly<Record<string, unknown>>): ParamValues {
  return planPolicy(policyRegistry.get(name), set).params;
}

/** A policy as a run goes by it, with a user's changes: of its parameters, and of the values of its file. */
export function planPolicy(policy: Policy, set: Readonly<Record<string, unknown>>): PlannedPolicy {
  for (const tier of policy.tiers) tierRegistry.get(tier);
  const inFile = policy.written === undefined ? [] : Object.keys(set).filter(isPolicyPath);
  const pick = (paths: readonly string[]) => Object.fromEntries(paths.map((path) => [path, set[path]]));
  const parts = partsOf(policy, pick(inFile));
  const params = paramsFor(policy, pick(Object.keys(set).filter((path) => !inFile.includes(path))));
  if (parts === null) return { name: policy.name, params };
  const layers = policy.tiers.filter((tier) => tier !== 'parts');
  return { name: policy.name, params, parts, ...(layers.length === 0 ? {} : { layers }) };
}

/** The policy that a run goes by: one of a file is made of what the plan holds. */
export function policyOf({ name, params, parts, layers = [] }: PlannedPolicy): Policy {
  if (parts === undefined || policyRegistry.has(name)) return policyRegistry.get(name);
  return {
    name,
    kind: 'file',
    summary: '',
    tiers: [...layers, 'parts'],
    client: String(params['client.use']),
    set: {},
    sources: {},
  };
}

function paramsFor(policy: Policy, set: Readonly<Record<string, unknown>>): ParamValues {
  const values: Record<string, ParamValue> = {};
  for (const [i, spec] of paramSpecs().entries()) {
    if (i >= ownSpecs && !isReadBy(policy, spec.path)) continue;
    values[spec.path] = Object.hasOwn(policy.set, spec.path)
      ? (policy.set[spec.path] as ParamValue)
      : spec.default;
  }
  values['client.use'] = policy.client;
  for (const path of Object.keys(set)) {
    values[path] = checkParam(path, set[path]);
    checkEffect(policy, path);
  }
  checkClient(values['client.use']);
  checkExclusive(values);
  return values;
}

/** The client must be one of the known ones, or the recording's. */
function checkClient(name: ParamValue | undefined): void {
  const known = [...clientRegistry.names, RECORDED_CLIENT];
  if (!known.includes(String(name))) throw unknownName('client', String(name), known);
}

/** Refuses a parameter that no layer of a policy reads (C39). */
function checkEffect(policy: Policy, path: string): void {
  if (isReadBy(policy, path)) return;
  if (policy.written !== undefined && path.startsWith('counter.')) {
    throw new CcbenchError(
      'no-effect',
      `${path} has no effect under ${policy.name}: its file says how it counts`,
      {
        hint: 'set count.source, count.charsPerToken or another value of the file',
      },
    );
  }
  const layers = layersOf(path)!;
  const others = policyRegistry.all().filter((other) => isReadBy(other, path));
  throw new CcbenchError(
    'no-effect',
    `${path} has no effect under ${policy.name}: it belongs to ${anyOf(layers)}, which this policy does not have`,
    {
      hint: `take it out, or set it under a policy that has the layer: ${others.map(({ name }) => name).join(', ')}`,
    },
  );
}

function anyOf(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
}

/** The parameter at a path. */
function paramSpec(path: string): ParamSpec {
  if (!specs.has(path))
    throw unknownPath(
      'policy parameter',
      path,
      specs.names,
      'ccbench policies show <policy> lists the settings of a policy',
    );
  return specs.get(path);
}

function rangeText(kind: Extract<ParamKind, { readonly min: number }>): string {
  return kind.minIs === 'excluded'
    ? `above ${kind.min} and at most ${kind.max}`
    : `from ${kind.min} to ${kind.max}`;
}

/** How to write a percentage that has its sign; null for anything else. */
function withoutSign({ unit }: ParamSpec, value: unknown): string | null {
  const [, digits] = /^\s*(\d+(?:\.\d+)?)\s*%\s*$/.exec(String(value)) ?? [];
  return unit === '%' && digits !== undefined ? `write ${digits}, without the sign` : null;
}

/** A value checked against its parameter. */
function checkParam(path: string, value: unknown): ParamValue {
  const spec = paramSpec(path);
  const fail = (wanted: string): never => {
    throw new CcbenchError('bad-value', `${path} must be ${wanted}; found ${JSON.stringify(value)}`, {
      hint: withoutSign(spec, value) ?? spec.help,
    });
  };
  const kind = spec.kind;
  switch (kind.type) {
    case 'switch':
      return typeof value === 'boolean' ? value : fail('true or false');
    case 'choice':
      return typeof value === 'string' && kind.values.includes(value)
        ? value
        : fail(`one of ${kind.values.join(', ')}`);
    case 'text':
      return typeof value === 'string' ? value : fail('a text');
    case 'model':
      if (typeof value !== 'string') return fail('the name of a model');
      if (value !== kind.own) checkModel(value);
      return value;
    case 'names':
      return Array.isArray(value) && value.every((item) => typeof item === 'string')
        ? (value as readonly string[])
        : fail('a list of names');
    case 'table': {
      const isTable =
        value !== null &&
        typeof value === 'object' &&
        !Array.isArray(value) &&
        Object.values(value).every((item) => typeof item === 'number' && item >= 0);
      return isTable ? (value as Readonly<Record<string, number>>) : fail('a table of names and numbers');
    }
    default: {
      if (value === null && kind.nullable === true) return null;
      const whole = kind.type === 'integer';
      const ok =
        typeof value === 'number' &&
        Number.isFinite(value) &&
        (kind.minIs === 'excluded' ? value > kind.min : value >= kind.min) &&
        value <= kind.max &&
        (!whole || Number.isInteger(value));
      return ok
        ? (value as number)
        : fail(
            `a ${whole ? 'whole ' : ''}number ${rangeText(kind)}${kind.nullable === true ? ', or null' : ''}`,
          );
    }
  }
}

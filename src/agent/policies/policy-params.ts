import { CcbenchError, isGroup } from '../../core/base/errors.js';
import { wordList } from '../../core/base/format.js';
import { createNameTable, ownValue } from '../../core/base/own-value.js';
import { unknownName, unknownPath } from '../../core/base/registry.js';
import type { ParamSpec, ParamValue, ParamValues } from '../../core/run/params.js';
import type { PolicyRules } from '../../core/run/policy-rules.js';
import type { PlannedPolicy } from '../../core/run/run-plan.js';
import { resolveModel } from '../../provider/prices/models.js';
import { clientRegistry, RECORDED_CLIENT } from '../client/client.js';
import { layerRegistry } from '../layers/registry.js';
import { ownSpecs, paramSpecs, policyRegistry, specs } from './catalogue.js';
import { isReadBy, layersOf } from './param-readers.js';
import type { Policy } from './policy.js';
import { readsSettings } from './policy-window.js';

/** A policy as a run goes by it, with its rules and with changes of its parameters. */
export function withParams(
  policy: Policy,
  rules: PolicyRules | null,
  set: Readonly<Record<string, unknown>>,
): PlannedPolicy {
  for (const layer of policy.layers) layerRegistry.get(layer);
  const params = paramsFor(policy, set);
  const isOtherClient = Object.hasOwn(set, 'client.use') && params['client.use'] !== RECORDED_CLIENT;
  const planned = { name: policy.name, params, ...(isOtherClient ? { client: 'set' as const } : {}) };
  if (rules === null) return planned;
  const layers = policy.layers.filter((layer) => layer !== 'rules');
  return { ...planned, rules, ...(layers.length === 0 ? {} : { layers }) };
}

function paramsFor(policy: Policy, set: Readonly<Record<string, unknown>>): ParamValues {
  const values = createNameTable<ParamValue>();
  for (const [i, spec] of paramSpecs().entries()) {
    if (i >= ownSpecs && !isReadBy(policy, spec.path)) continue;
    values[spec.path] = Object.hasOwn(policy.set, spec.path)
      ? (ownValue(policy.set, spec.path) as ParamValue)
      : spec.default;
  }
  values['client.use'] = policy.client;
  for (const path of Object.keys(set)) {
    values[path] = checkParam(path, ownValue(set, path));
    checkEffect(policy, path);
  }
  checkSettings(values, set);
  checkClient(values['client.use']);
  checkExclusive(values);
  return values;
}

/** Refuses what cannot be on together (FLG-2). */
function checkExclusive(values: ParamValues): void {
  const collapses = values['collapse.enabled'] === true;
  if (!collapses || values['autoCompact.enabled'] !== true || values['compact.enabled'] !== true) return;
  throw new CcbenchError('bad-value', 'collapse.enabled and autoCompact.enabled exclude each other (FLG-2)', {
    hint: 'turn one of them off, for instance autoCompact.enabled: false',
  });
}

/** Refuses windows of the settings where the client reads none, and behind the environment, which wins over them (R1). */
function checkSettings(values: ParamValues, set: Readonly<Record<string, unknown>>): void {
  const path = ['window.setting', 'window.settingByModel'].find((each) => Object.hasOwn(set, each));
  if (path === undefined) return;
  if (readsSettings(values) && values['window.explicit'] === null) return;
  if (readsSettings(values))
    throw new CcbenchError('no-effect', `${path} has no effect: window.explicit wins over it`, {
      hint: 'remove one of them',
    });
  throw new CcbenchError('no-effect', `${path} has no effect: the client reads no window from its settings`, {
    hint: 'remove it, or set window.settings: all, as clients from 2.1.311 on do',
  });
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
    `${path} has no effect under ${policy.name}: it belongs to ${wordList(layers, 'or')}, which this policy does not have`,
    {
      hint: `remove it, or set it under a policy that has the layer: ${others.map(({ name }) => name).join(', ')}`,
    },
  );
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

function rangeText(kind: {
  readonly min: number;
  readonly minIs?: 'excluded';
  readonly max: number;
}): string {
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
export function checkParam(path: string, value: unknown): ParamValue {
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
      if (value !== kind.own) resolveModel(value);
      return value;
    case 'names':
      return Array.isArray(value) && value.every((item) => typeof item === 'string')
        ? (value as readonly string[])
        : fail('a list of names');
    case 'table': {
      const { min = 0, max = Number.POSITIVE_INFINITY } = kind;
      const isTable =
        isGroup(value) &&
        Object.values(value).every((item) => typeof item === 'number' && item >= min && item <= max);
      if (isTable) return value as Readonly<Record<string, number>>;
      const range = max === Number.POSITIVE_INFINITY ? '' : ` ${rangeText({ ...kind, min, max })}`;
      return fail(`a table of names and numbers${range}`);
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

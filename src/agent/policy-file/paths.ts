import { isGroup, type Path } from '../../core/base/errors.js';
import { ownValue } from '../../core/base/own-value.js';
import { unknownName } from '../../core/base/registry.js';

/** A policy as it was written: what YAML holds, before anything is read into it. */
export type WrittenPolicy = Readonly<Record<string, unknown>>;

/** A value of a written policy and the path a user names it by. */
export interface PolicyValue {
  /** `rules.compact.when.tokens`: rules by their names, a single group or item without its position. */
  readonly path: string;
  readonly value: unknown;
  /** Where it stands in the document. */
  readonly at: Path;
}

/** Keys that say who a policy is, and not what it does. */
const HEAD = ['name', 'description', 'sources', 'checked', 'client', 'layers', 'set'];

/** Every value of a written policy that can be set, in its order. */
export function policyValues(written: WrittenPolicy): readonly PolicyValue[] {
  const values: PolicyValue[] = [];
  const walk = (value: unknown, named: readonly string[], at: Path): void => {
    if (Array.isArray(value)) {
      value.forEach((item, i) => {
        const isRule = at.length === 1 && at[0] === 'rules';
        const name = isRule ? [ruleName(item, i)] : value.length === 1 && isGroup(item) ? [] : [String(i)];
        walk(item, [...named, ...name], [...at, i]);
      });
    } else if (isGroup(value)) {
      for (const key of Object.keys(value)) walk(ownValue(value, key), [...named, key], [...at, key]);
    } else values.push({ path: named.join('.'), value, at });
  };
  for (const key of Object.keys(written)) if (!HEAD.includes(key)) walk(ownValue(written, key), [key], [key]);
  return values.filter(({ at }) => !(at[0] === 'rules' && at.length === 3 && at[2] === 'name'));
}

function ruleName(item: unknown, index: number): string {
  const name = isGroup(item) ? item.name : undefined;
  return typeof name === 'string' ? name : `rule-${index + 1}`;
}

/** Whether a path is one of a written policy and not of a parameter. */
export function isPolicyPath(path: string): boolean {
  return path !== 'rules.enabled' && /^(?:count|base|rules|guards|cache)(?:\.|$)/.test(path);
}

const BOUND = /^\s*(>=|<=|>|<|≥|≤)\s*/;

/** A written policy with one value changed; a bound that is given without its sign keeps the one it had. */
export function withPolicyValue(written: WrittenPolicy, path: string, value: unknown): WrittenPolicy {
  const values = policyValues(written);
  const found = values.find((item) => item.path === path);
  if (found === undefined)
    throw unknownName(
      'value of the policy',
      path,
      values.map((item) => item.path),
    );
  const sign = typeof found.value === 'string' ? BOUND.exec(found.value)?.[0] : undefined;
  const keeps =
    sign !== undefined && (typeof value === 'number' || (typeof value === 'string' && !BOUND.test(value)));
  return replaced(written, found.at, keeps ? `${sign}${value}` : value) as WrittenPolicy;
}

function replaced(current: unknown, [part, ...rest]: Path, value: unknown): unknown {
  if (part === undefined) return value;
  if (typeof part === 'number')
    return (current as readonly unknown[]).map((item, i) =>
      i === part ? replaced(item, rest, value) : item,
    );
  return {
    ...(current as WrittenPolicy),
    [part]: replaced(ownValue(current as WrittenPolicy, part), rest, value),
  };
}

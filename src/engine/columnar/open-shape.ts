import { hasJitter } from '../../agent/policy-file/expression.js';
import type { ParamValues } from '../../core/run/params.js';
import {
  COUNTED_NAMES,
  type Comparison,
  type PolicyRules,
  type RulePart,
  type TestPart,
} from '../../core/run/policy-rules.js';
import type { PlannedPolicy, RunPlan } from '../../core/run/run-plan.js';

/** Parameters that have no effect but through the auto-compact threshold, which is a limit of the run (WIN-3, WIN-4). */
const OPEN_PARAMS: ReadonlySet<string> = new Set(['window.percent', 'window.compactOffset']);

/** Conditions that do nothing with their amount but hold a count against it. */
const OPEN_TESTS: ReadonlySet<TestPart['kind']> = new Set(['tokens', 'growth', ...COUNTED_NAMES]);

/** What plans have in common that differ in nothing but their name and their limits. */
export class OpenShape {
  private readonly baseIsOpen: boolean;
  private readonly paramNames: readonly string[];

  constructor(private readonly plan: RunPlan) {
    const { rules, params } = plan.policy;
    this.paramNames = Object.keys(params);
    this.baseIsOpen = rules !== undefined && !isAboutBase(rules);
  }

  /** Whether a plan has this shape; plans with plug-ins have none, since these may read any parameter for themselves. */
  fits(plan: RunPlan): boolean {
    if (plan.plugins !== undefined) return false;
    return isEqual(this.plan, plan, (key, own, other) => {
      if (key === 'name') return true;
      return key === 'policy' && this.isSamePolicy(own as PlannedPolicy, other as PlannedPolicy);
    });
  }

  private isSamePolicy(own: PlannedPolicy, other: PlannedPolicy): boolean {
    return isEqual(own, other, (key, a, b) => {
      if (key === 'params') return this.areSameParams(a as ParamValues, b as ParamValues);
      return key === 'rules' && this.areSameRules(a as PolicyRules, b as PolicyRules);
    });
  }

  private areSameParams(own: ParamValues, other: ParamValues): boolean {
    const { paramNames } = this;
    for (let i = 0; i < paramNames.length; i++) {
      const name = paramNames[i]!;
      const value = other[name];
      if (value === undefined && !Object.hasOwn(other, name)) return false;
      if (own[name] === value || OPEN_PARAMS.has(name)) continue;
      if (!isEqual(own[name], value)) return false;
    }
    return Object.keys(other).length === paramNames.length;
  }

  private areSameRules(own: PolicyRules, other: PolicyRules): boolean {
    return isEqual(own, other, (key, a, b) => {
      if (key === 'base') return this.baseIsOpen;
      return key === 'rules' && areAlike(a as RulePart[], b as RulePart[], isSameRule);
    });
  }
}

function isSameRule(own: RulePart, other: RulePart): boolean {
  return isEqual(
    own,
    other,
    (key, a, b) =>
      key === 'when' &&
      areAlike(a as RulePart['when'], b as RulePart['when'], (one, two) =>
        isEqual(
          one,
          two,
          (name, x, y) => name === 'tests' && areAlike(x as TestPart[], y as TestPart[], isSameTest),
        ),
      ),
  );
}

function isSameTest(own: TestPart, other: TestPart): boolean {
  return isEqual(own, other, (key, a, b) => {
    if (key !== 'is' || !OPEN_TESTS.has(own.kind)) return false;
    const [one, two] = [a as Comparison, b as Comparison];
    return one.op === two.op && !hasJitter(one.amount) && !hasJitter(two.amount);
  });
}

/** Whether some amount besides those of open conditions names what they are shares of. */
function isAboutBase({ base: _base, ...rest }: PolicyRules): boolean {
  const text = JSON.stringify(rest, (_key, value: unknown) => (isOpenTest(value) ? null : value));
  return /(?<![A-Za-z])B(?![A-Za-z])/.test(text);
}

function isOpenTest(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { kind, is } = value as { readonly kind?: TestPart['kind']; readonly is?: Partial<Comparison> };
  return kind !== undefined && OPEN_TESTS.has(kind) && is?.amount !== undefined && !hasJitter(is.amount);
}

function areAlike<T>(own: readonly T[], other: readonly T[], alike: (a: T, b: T) => boolean): boolean {
  return own.length === other.length && own.every((item, i) => alike(item, other[i]!));
}

/** Whether two plain values are equal, but for members that `excused` lets differ. */
function isEqual(
  own: unknown,
  other: unknown,
  excused?: (key: string, own: unknown, other: unknown) => boolean,
): boolean {
  if (own === other) return true;
  if (typeof own !== 'object' || typeof other !== 'object' || own === null || other === null) return false;
  const a = own as Readonly<Record<string, unknown>>;
  const b = other as Readonly<Record<string, unknown>>;
  let count = 0;
  for (const key in a) {
    count++;
    if (!Object.hasOwn(b, key)) return false;
    if (a[key] !== b[key] && excused?.(key, a[key], b[key]) !== true && !isEqual(a[key], b[key]))
      return false;
  }
  for (const _ in b) count--;
  return count === 0 && Array.isArray(own) === Array.isArray(other);
}

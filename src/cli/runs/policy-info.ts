import { paramSpecs, paramsOf, policyOf, policyRegistry } from '../../agent/policies/catalogue.js';
import type { Policy } from '../../agent/policies/policy.js';
import { chosenWindow, policyWindow } from '../../agent/policies/policy-window.js';
import { type NamedLimits, policyThresholds } from '../../agent/policies/shown-limits.js';
import { canonicalJson } from '../../core/base/digest.js';
import { ownValue } from '../../core/base/own-value.js';
import type { ParamSpec, ParamValue, ParamValues } from '../../core/run/params.js';
import type { PlannedPolicy, RunPlan } from '../../core/run/run-plan.js';
import type { RunFacts } from '../../metrics/facts.js';
import type { ModelBook } from '../../provider/prices/model-book.js';
import { modelsOf } from '../../provider/prices/models.js';
import type { NamedThreshold, PolicyInfo, PolicyParam } from '../../report/text/policy-info.js';

/** Limits under the names a reader knows, without those that no layer acts on. */
const THRESHOLD_NAMES: Readonly<Record<string, string>> = {
  warning: 'warning',
  autoCompact: 'auto-compact',
  blocking: 'blocking',
};

const same = (a: unknown, b: unknown): boolean => canonicalJson(a) === canonicalJson(b);

function paramOf(policy: Policy, params: ParamValues, spec: ParamSpec): PolicyParam {
  const value = (Object.hasOwn(params, spec.path) ? ownValue(params, spec.path) : spec.default) as ParamValue;
  const set = Object.hasOwn(policy.set, spec.path);
  const ofPolicy = set ? ownValue(policy.set, spec.path) : spec.default;
  const named = ownValue(policy.sources, spec.path) ?? null;
  const { path, unit, help } = spec;
  const common = { path, value, default: spec.default, unit, help };
  if (!same(value, ofPolicy)) return { ...common, from: 'scenario', source: 'the scenario' };
  if (set) return { ...common, from: 'policy', source: named ?? policy.sources['*'] ?? null };
  return named === null
    ? { ...common, from: 'default', source: null }
    : { ...common, from: 'policy', source: named };
}

function thresholdsOf(
  policy: Policy,
  planned: Pick<PlannedPolicy, 'params' | 'rules'>,
  model: NamedLimits,
): readonly NamedThreshold[] {
  if (!policy.layers.includes('auto-compact') && planned.rules === undefined) return [];
  const { warning, ...acting } = policyThresholds(policy, planned, model);
  const limits = Object.entries(planned.rules === undefined ? { warning, ...acting } : acting);
  return limits
    .flatMap(([key, tokens]): NamedThreshold[] => {
      const name = ownValue(THRESHOLD_NAMES, key);
      return name === undefined || typeof tokens !== 'number' ? [] : [{ name, tokens }];
    })
    .sort((a, b) => a.tokens - b.tokens);
}

/** What of the model decides a policy's limits: the window it believes in where it has a belief, else the conversation's. */
function modelOf(
  facts: RunFacts,
  { params, rules }: Pick<PlannedPolicy, 'params' | 'rules'>,
  models: ModelBook,
): NamedLimits | null {
  const given = facts.threads.find(({ parent }) => parent === null)?.window ?? null;
  const model = Object.keys(facts.models)[0];
  const isSet = model !== undefined && chosenWindow(params, model) !== null;
  const believes = isSet || params['window.models'] === 'suffix-only';
  const window =
    model !== undefined && (believes || given === null)
      ? policyWindow(params, model, { models, rules })
      : given;
  if (window === null) return null;
  return {
    ...(model === undefined ? {} : { name: model }),
    window,
    maxOutput: models.find(model ?? '')?.maxOutput ?? null,
  };
}

/** What is known of the policy that a log was made with; null when this version knows no such policy. */
export function policyInfoOf(facts: RunFacts): PolicyInfo | null {
  const plan = facts.run?.plan as Partial<RunPlan> | null | undefined;
  const name = facts.run?.policy;
  const rules = plan?.policy?.rules;
  const params = plan?.policy?.params ?? {};
  if (name === undefined || (rules === undefined && !policyRegistry.has(name))) return null;
  const policy = policyOf({ ...plan?.policy, name, params });
  const complete = Object.fromEntries(
    paramSpecs().map(({ path, default: value }) => [
      path,
      Object.hasOwn(params, path) ? ownValue(params, path)! : value,
    ]),
  );
  const planned = { params: complete, ...(rules === undefined ? {} : { rules }) };
  const model = modelOf(facts, planned, modelsOf(plan ?? {}));
  return {
    name,
    kind: policy.kind,
    summary: policy.summary,
    layers: policy.layers,
    params: paramsOf(policy).map((spec) => paramOf(policy, params, spec)),
    thresholds: model === null ? [] : thresholdsOf(policy, planned, model),
  };
}

import { paramSpecs, policyRegistry } from '../agent/policies/catalogue.js';
import { isReadBy } from '../agent/policies/param-readers.js';
import { planPolicy, resolvePolicy } from '../agent/policies/plan-policy.js';
import { policyWindow } from '../agent/policies/policy-window.js';
import type { ParamSpec, ParamValue, ParamValues } from '../core/run/params.js';
import type { PlannedPolicy } from '../core/run/run-plan.js';
import { type Expectation, parseExpectation } from '../metrics/expect.js';
import { resolveModel } from '../provider/prices/models.js';
import { providerRegistry } from '../provider/providers/providers.js';
import { WORKLOADS } from '../transcripts/synthetic/generate-transcript.js';

/** The policies a scenario may name and the parameters it may set. */
export interface PolicyCatalogue {
  readonly names: readonly string[];
  readonly specs: readonly ParamSpec[];
  /** Every parameter of a policy with the given ones replaced; throws for an unknown path, a value out of range or without effect. */
  resolve(name: string, set: Readonly<Record<string, unknown>>): ParamValues;
  /** The same as a run goes by it, with the rules of a policy file. */
  plan(name: string, set: Readonly<Record<string, unknown>>): PlannedPolicy;
  /** Whether anything in a policy reads a parameter. */
  reads(name: string, path: string): boolean;
  /** The window in tokens that a client with these parameters assumes for a model (WIN-1). */
  assumedWindow(params: ParamValues, model: string): number;
}

/** Keys of `overrides` that are policy parameters under another name. */
export type OverrideName = 'autoCompactPercent' | 'disableCompact' | 'disableAutoCompact' | 'contextWindow';

/** The parameter that an override sets; a switch that is turned on gives it `whenTrue`. */
export interface OverrideParam {
  readonly path: string;
  readonly whenTrue: ParamValue;
}

/** What a scenario's words are checked against. */
export interface ScenarioContext {
  readonly policies: PolicyCatalogue;
  readonly overrides: Readonly<Record<OverrideName, OverrideParam>>;
  readonly models: {
    /** Throws a CcbenchError for an unknown model. */
    check(name: string): void;
  };
  readonly providers: {
    /** Throws a CcbenchError for an unknown provider. */
    check(name: string): void;
  };
  readonly metrics: {
    /** Throws a CcbenchError for what is not `metric op value` with a known metric. */
    parse(text: string): Expectation;
  };
  readonly workloads: readonly string[];
}

/** Policies, models, metrics and workloads that ccbench has. */
export const builtinContext: ScenarioContext = {
  policies: {
    names: policyRegistry.names,
    get specs() {
      return paramSpecs();
    },
    resolve: resolvePolicy,
    plan: (name, set) => planPolicy(policyRegistry.get(name), set),
    reads: (name, path) => isReadBy(policyRegistry.get(name), path),
    assumedWindow: (params, model) => policyWindow(params, model),
  },
  overrides: {
    autoCompactPercent: { path: 'window.percent', whenTrue: null }, // WIN-4
    disableCompact: { path: 'compact.enabled', whenTrue: false }, // WIN-7
    disableAutoCompact: { path: 'autoCompact.disabled', whenTrue: true }, // WIN-7
    contextWindow: { path: 'window.explicit', whenTrue: null }, // WIN-1
  },
  models: { check: (name) => void resolveModel(name) },
  providers: { check: (name) => void providerRegistry.get(name) },
  metrics: { parse: (text) => parseExpectation(text, null) },
  workloads: WORKLOADS.names,
};

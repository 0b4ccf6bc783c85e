import { policyWindow } from '../agent/policies/policy-window.js';
import type { CcbenchError } from '../core/base/errors.js';
import { oncePer } from '../core/base/once.js';
import { createNameTable } from '../core/base/own-value.js';
import type { Provider } from '../core/run/provider.js';
import type { PlannedModel, PlannedPlugin, RunPlan } from '../core/run/run-plan.js';
import type { Expectation } from '../metrics/expect.js';
import type { ModelBook } from '../provider/prices/model-book.js';
import { MODELS } from '../provider/prices/models.js';
import { checkMeaning } from './check/check.js';
import { checkWindows, smallPercents } from './check/check-overrides.js';
import { assign, withoutVariants, withRecordings } from './check/set-path.js';
import type { OverrideName, ScenarioContext } from './context.js';
import { kindOfFile, wrongKind } from './files/document.js';
import { liftModels } from './files/lift-models.js';
import { liftPolicies, type ReadPolicyText } from './files/lift-policies.js';
import { liftProviders } from './files/lift-providers.js';
import type { FindRecordings } from './files/transcript-ref.js';
import { createProblems, loadScenario, readScenario, scenarioProblems } from './load.js';
import {
  type NormalOverrides,
  type NormalScenario,
  type NormalSettings,
  normaliseScenario,
  type SummarySource,
  type TranscriptRef,
} from './normalise.js';

/** A scenario's text, where it is from, and what the command line changes in it. */
export interface ScenarioSource {
  readonly text: string;
  /** Shown in messages; recordings are found beside it. */
  readonly file: string;
  /** `path=value`, in order; a later one wins. */
  readonly set: readonly string[];
  /** Those of `set` that a study takes one after the other; none if absent. */
  readonly varied?: readonly string[];
  /** Whether to include the variants; yes by default. */
  readonly runs?: 'base';
  /** Recordings instead of the scenario's transcripts, seen from the working folder; the scenario's own where absent. */
  readonly recordings?: readonly string[];
  /** Plug-ins that are registered for it; none if absent. */
  readonly plugins?: readonly PlannedPlugin[];
  /** Finds the recordings at paths; where absent, each path is one. */
  readonly findRecordings?: FindRecordings;
  /** Brings files of policies, models and providers; where absent, they are named alone. */
  readonly readPolicy?: ReadPolicyText;
  /** Called with what is doubtful in policies and their settings, such as a rule that can never act or a percentage below one. */
  readonly onWarning?: (doubt: CcbenchError) => void;
}

/** One run: a plan over a transcript, and what must hold at its end. */
export interface CompiledRun {
  readonly plan: RunPlan;
  /** null for the base. */
  readonly variant: string | null;
  readonly description: string;
  readonly transcript: TranscriptRef;
  /** Where summaries come from; null if the fake LLM writes them. */
  readonly summaries: SummarySource | null;
  readonly expectations: readonly Expectation[];
}

/** A scenario ready to run: for each transcript the base, then its variants in order. */
export interface CompiledScenario {
  readonly name: string;
  readonly description: string;
  readonly runs: readonly CompiledRun[];
  /** Names of policies by the files they come from. */
  readonly policyFiles: ReadonlyMap<string, string>;
}

/** A scenario that was read and checked, and what its runs are compiled with. */
export interface CheckedScenario {
  readonly normal: NormalScenario;
  readonly context: ScenarioContext;
  readonly plugins: readonly PlannedPlugin[];
  readonly models: readonly PlannedModel[] | null;
  readonly providers: ReadonlyMap<string, Provider>;
  /** Names of policies by the files they come from. */
  readonly policyFiles: ReadonlyMap<string, string>;
}

/** The parameters that overrides set; one that a variant inherits and its policy does not know is passed over. */
function overrideValues(
  policy: string,
  overrides: NormalOverrides,
  context: ScenarioContext,
): Record<string, unknown> {
  const values = createNameTable<unknown>();
  for (const key of Object.keys(context.overrides) as OverrideName[]) {
    const value = overrides[key];
    const param = context.overrides[key];
    if (!context.policies.reads(policy, param.path)) continue;
    if (typeof value === 'number') values[param.path] = value;
    else if (value === true) values[param.path] = param.whenTrue;
  }
  return values;
}

/** The provider of a scenario's own that a model of it has. */
function ownProviderOf(
  model: string | null,
  models: readonly PlannedModel[] | null,
  providers: ReadonlyMap<string, Provider>,
): string | undefined {
  const own = models?.find(({ id, aliases }) => model !== null && [id, ...aliases].includes(model));
  return own !== undefined && providers.has(own.provider) ? own.provider : undefined;
}

function compileSettings(
  checked: CheckedScenario,
  settings: NormalSettings,
): Omit<CompiledRun, 'transcript'> {
  const { normal: scenario, context, plugins, models, providers } = checked;
  const { variant, description, overrides, lifetime, summaries, expect, ...planned } = settings;
  const { mode, model, window, provider = ownProviderOf(model, models, providers), ...rest } = planned;
  const { policy: named, cache, timing, estimatorFactor, llm, faults, ...others } = rest;
  const set = { ...named.set, ...overrideValues(named.name, overrides, context) };
  const policy = context.policies.plan(named.name, set);
  const ttl = policy.rules?.cache.ttl ?? null;
  const ownProvider = provider === undefined ? undefined : providers.get(provider);
  return {
    // The log shows the plan in this order.
    plan: {
      name: variant === null ? scenario.name : `${scenario.name}/${variant}`,
      seed: scenario.seed,
      ...(mode === undefined ? {} : { mode }),
      model,
      window,
      ...(provider === undefined ? {} : { provider }),
      ...(ownProvider === undefined ? {} : { ownProvider }),
      policy,
      cache: ttl !== null && lifetime === 'default' ? { ...cache, ttl, subagentTtl: ttl } : cache,
      timing,
      estimatorFactor,
      llm,
      ...(faults === undefined ? {} : { faults }),
      ...(plugins.length === 0 ? {} : { plugins }),
      ...(models === null ? {} : { models }),
      ...others,
    },
    variant,
    description,
    summaries,
    expectations: expect.map((text) => context.metrics.parse(text)),
  };
}

/** A context that knows the models of a scenario. */
function withModels(context: ScenarioContext, book: ModelBook): ScenarioContext {
  return {
    ...context,
    models: { check: (name) => void book.resolve(name) },
    policies: {
      ...context.policies,
      assumedWindow: (params, model) => policyWindow(params, model, { models: book }),
    },
  };
}

/** A context that knows the providers of a scenario's files. */
function withProviders(context: ScenarioContext, own: ReadonlyMap<string, Provider>): ScenarioContext {
  if (own.size === 0) return context;
  return {
    ...context,
    providers: { check: (name) => (own.has(name) ? undefined : context.providers.check(name)) },
  };
}

/**
 * Compiles a scenario. Throws a ProblemList that holds every problem, each with its place.
 *
 *     text ─load─▶ ScenarioDocument ─assign (--set)─▶ ScenarioDocument ─check shape, check meaning─▶ Scenario
 *                  values + places                                                                    │
 *     CompiledScenario ◀─compile runs─ NormalScenario ◀─────────────────normalise (defaults, variants)┘
 *     plans, expectations              nothing optional
 */
export function compileScenario(source: ScenarioSource, world: ScenarioContext): CompiledScenario {
  const checked = checkScenario(source, world);
  const { name, description } = checked.normal;
  return { name, description, runs: compileRuns(checked), policyFiles: checked.policyFiles };
}

/** Compiles the runs of a scenario that holds; thousands over other transcripts have one plan. */
export function compileRuns(checked: CheckedScenario): readonly CompiledRun[] {
  const compiled = oncePer((settings: NormalSettings) => compileSettings(checked, settings));
  return checked.normal.runs.map(({ transcript, settings }) => {
    const { plan, variant, description, summaries, expectations } = compiled(settings);
    return { plan, variant, description, transcript, summaries, expectations };
  });
}

/** Reads a scenario and checks it. Throws a ProblemList. */
export function checkScenario(source: ScenarioSource, world: ScenarioContext): CheckedScenario {
  const problems = createProblems();
  const written = loadScenario(source.text, source.file, problems);
  if (kindOfFile(written.value) === 'policy' && source.recordings === undefined)
    throw wrongKind(
      source.file,
      'a policy file',
      'a scenario',
      `run a scenario under it: ccbench run my.yaml --policy ${source.file} (ccbench init makes a scenario)`,
    );
  const changed = assign(withRecordings(written, source.recordings), source.set, world, problems);
  const own = liftProviders(changed, source.readPolicy, problems);
  const { document: whole, models, book } = liftModels(own.document, source.readPolicy, own.names, problems);
  own.checkModels(book);
  const lifted = liftPolicies(
    source.runs === 'base' ? withoutVariants(whole) : whole,
    world.policies,
    source.readPolicy,
    problems,
    source.text,
    source.onWarning,
  );
  const { document } = lifted;
  const named = { ...withProviders(world, own.providers), policies: lifted.policies };
  const context = book === MODELS ? named : withModels(named, book);

  const scenario = readScenario(document, problems);
  checkMeaning(document, context, problems);
  const found = problems.list();
  if (found.length > 0 || scenario === undefined) throw scenarioProblems(source.file, found);

  const find = source.findRecordings ?? ((path: string) => [path]);
  const normal = normaliseScenario(scenario, document, context.policies.names, find);
  const varied = new Set((source.varied ?? []).map((change) => `--set ${change}`));
  checkWindows({ document, context, problems }, normal, varied);
  const empty = problems.list();
  if (empty.length > 0) throw scenarioProblems(source.file, empty);
  for (const doubt of smallPercents(context, normal)) source.onWarning?.(doubt);
  return {
    normal,
    context,
    plugins: source.plugins ?? [],
    models,
    providers: own.providers,
    policyFiles: lifted.files,
  };
}

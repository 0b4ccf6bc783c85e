import { CcbenchError } from '../base/errors.js';
import { homeFolder } from '../files/home.js';
import { openPlugins } from '../files/open-plugins.js';
import { policyTexts } from '../files/policy-text.js';
import { readTextInput } from '../files/read-input.js';
import { scenarioRecordings } from '../files/scenario-recordings.js';
import type { Policy } from '../policies/policy.js';
import type { ScenarioSource } from '../scenario/compile.js';
import { builtinContext, type ScenarioContext } from '../scenario/context.js';
import { withPolicies } from '../scenario/lift-policies.js';
import { pathOf, type Source, workingFolder } from './source.js';

/** What is changed in a scenario, and what it may name besides what ccbench has. */
export interface ScenarioOptions {
  /** Settings by path, as `--set path=value` on the command line. */
  readonly set?: Readonly<Record<string, unknown>>;
  /** Policies of `definePolicy` that the scenario may name. */
  readonly policies?: readonly Policy[];
  /** Files of plug-ins; they stay loaded. Those that the scenario names are loaded without being named here. */
  readonly plugins?: readonly string[];
}

/** What a scenario given as text is called in messages; files that it names are found from the working folder. */
const TEXT_NAME = 'scenario.yaml';

/** `path=value` as the scenario compiler takes it: the value as JSON, which YAML holds. */
export function settingsOf(set: Readonly<Record<string, unknown>> = {}): readonly string[] {
  return Object.entries(set).map(([path, value]) => `${path}=${JSON.stringify(value)}`);
}

/** A scenario's text with its plug-ins loaded, and the names it is checked against. */
export async function openScenario(
  source: Source,
  options: ScenarioOptions,
): Promise<{ readonly source: ScenarioSource; readonly world: ScenarioContext }> {
  const cwd = workingFolder();
  const path = pathOf(source);
  const text = path === null ? String(source) : readTextInput(path, { cwd });
  const file = path ?? TEXT_NAME;
  const plugins = await openPlugins([{ file, text }], options.plugins ?? [], cwd);
  return {
    source: {
      text,
      file,
      set: settingsOf(options.set),
      readPolicy: policyTexts(file, cwd),
      findRecordings: scenarioRecordings({ cwd, home: homeFolder() }),
      plugins: plugins.of(file),
    },
    world: worldWith(options.policies ?? []),
  };
}

function worldWith(policies: readonly Policy[]): ScenarioContext {
  const { names } = builtinContext.policies;
  const byName = new Map<string, Policy>();
  for (const policy of policies) {
    const other = byName.get(policy.name);
    if (names.includes(policy.name) || (other !== undefined && other !== policy))
      throw new CcbenchError('duplicate-name', `another policy is called "${policy.name}" already`);
    byName.set(policy.name, policy);
  }
  return { ...builtinContext, policies: withPolicies(builtinContext.policies, byName) };
}

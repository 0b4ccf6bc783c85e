import type { Policy } from '../agent/policies/policy.js';
import { compileScenario, type ScenarioSource } from '../config/compile.js';
import { builtinContext, type ScenarioContext } from '../config/context.js';
import { withPolicies } from '../config/files/lift-policies.js';
import { openPlugins } from '../config/files/open-plugins.js';
import { openRef } from '../config/files/open-ref.js';
import { policyTexts } from '../config/files/policy-text.js';
import { scenarioRecordings } from '../config/files/scenario-text.js';
import { blamePlugins } from '../config/plugins/register-plugin.js';
import { createSha256 } from '../core/base/digest.js';
import { CcbenchError } from '../core/base/errors.js';
import type { Transcript } from '../core/model/transcript.js';
import type { LogEntry } from '../core/run/run-log.js';
import type { RunPlan } from '../core/run/run-plan.js';
import { replay as replayPlan } from '../engine/run/replay.js';
import type { RunFacts } from '../metrics/facts.js';
import { createMetricsFold } from '../metrics/fold.js';
import { findMetric, metricNames } from '../metrics/registry.js';
import { logLines } from '../report/tables/summary-json.js';
import { homeFolder } from '../transcripts/files/home.js';
import { readTextInput } from '../transcripts/files/read-input.js';
import { loadTranscript } from '../transcripts/files/transcripts.js';
import { readTranscript as readBytes } from '../transcripts/read-transcript.js';
import { pathOf, type Source, textOf, withFullMessages, workingFolder } from './source.js';

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
  given: Source | object,
  options: ScenarioOptions,
): Promise<{ readonly source: ScenarioSource; readonly world: ScenarioContext }> {
  const cwd = workingFolder();
  const source = textOf(given);
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
      throw new CcbenchError('duplicate-name', `another policy is already called "${policy.name}"`);
    byName.set(policy.name, policy);
  }
  return { ...builtinContext, policies: withPolicies(builtinContext.policies, byName) };
}

/** One run of a scenario. */
export interface ScenarioRun {
  /** What `replay` goes by: plain JSON, complete. */
  readonly plan: RunPlan;
  /** Reads or generates what is replayed; each call does it again. */
  transcript(): Transcript;
  /** Name of the variant; null for the base. */
  readonly variant: string | null;
}

/** A scenario ready to run: for each transcript the base, then its variants in order. */
export interface LoadedScenario {
  readonly name: string;
  readonly description: string;
  readonly runs: readonly ScenarioRun[];
}

/**
 * Loads a scenario from a file, a text or an object, with the policy files and plug-ins that it names; throws an error that lists
 * every problem. Lines and columns of an object are those of `JSON.stringify(object, null, 2)`.
 */
export function loadScenario(
  source: Source | object,
  options: ScenarioOptions = {},
): Promise<LoadedScenario> {
  return withFullMessages(async () => {
    const opened = await openScenario(source, options);
    const { name, description, runs } = compileScenario(opened.source, opened.world);
    const cwd = workingFolder();
    return {
      name,
      description,
      runs: runs.map(({ plan, variant, transcript: ref }) => ({
        plan,
        variant,
        transcript: () => withFullMessages(() => openRef(ref, { cwd })),
      })),
    };
  });
}

/** How a replay is watched. */
export interface ReplayOptions {
  /** Hears of every entry of the log as it is made. */
  readonly onEntry?: (entry: LogEntry) => void;
  /** `dropped` keeps no entry, for logs that are too long; `kept` where absent. */
  readonly log?: 'kept' | 'dropped';
}

/** What a replay came to. */
export interface ReplayResult {
  readonly log: readonly LogEntry[];
  /** Every metric that `ccbench metrics` lists by name; null if the run has no data for it. */
  readonly metrics: Readonly<Record<string, number | null>>;
  /** Everything the log says, added up. */
  readonly facts: RunFacts;
  /** SHA-256 of the log: equal digests are equal runs, here and on the command line. */
  readonly digest: string;
}

/** Replays a transcript under a plan. The result depends on both alone. */
export function replay(plan: RunPlan, transcript: Transcript, options: ReplayOptions = {}): ReplayResult {
  return withFullMessages(() => {
    const log: LogEntry[] = [];
    const fold = createMetricsFold();
    const hash = createSha256();
    const write = (entry: LogEntry): void => {
      if (options.log !== 'dropped') log.push(entry);
      fold.write(entry);
      hash.add(logLines([entry]));
      options.onEntry?.(entry);
    };
    try {
      replayPlan(plan, transcript, { write });
    } catch (error) {
      throw blamePlugins(plan, error);
    }
    const facts = fold.finish();
    const metrics = Object.fromEntries(
      metricNames().map((name) => [name, findMetric(name)!.value(facts)] as const),
    );
    return { log, metrics, facts, digest: hash.hex() };
  });
}

/** Reads a recording in any format that ccbench or a plug-in knows: a file with the subagents beside it, a text, or bytes. */
export function readTranscript(
  source: Source | Uint8Array,
  options: { readonly id?: string } = {},
): Transcript {
  return withFullMessages(() => {
    const path = source instanceof Uint8Array ? null : pathOf(source);
    if (path !== null) return loadTranscript(path, { cwd: workingFolder() }).transcript;
    const bytes = source instanceof Uint8Array ? source : Buffer.from(String(source), 'utf8');
    return readBytes(bytes, { id: options.id ?? 'transcript', agents: [] }).transcript;
  });
}

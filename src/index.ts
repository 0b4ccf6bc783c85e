// What programs may import from 'ccbench'. Everything here keeps its meaning within a major version; nothing else does.

export { clearedBlock } from './agent/layers/support/compactable.js';
/** Helpers of layers: the placeholder of a cleared result, and the report of a change. */
export { changeReport, sizeBefore } from './agent/layers/support/compaction-report.js';
/** A policy: layers, client, numbers, sources. */
export type { Policy } from './agent/policies/policy.js';
/** A plug-in and its parts. */
export type {
  LayerInput,
  Plugin,
  PluginModule,
  PluginTools,
  PolicySource,
  ReaderInput,
} from './config/plugins/plugin.js';
/** The error of everything a user can act on: a stable `code`, a message, a `hint`, a `place`; `problems` where there are several. */
export { CcbenchError, ProblemList } from './core/base/errors.js';
/** Blocks and messages, as a layer sees them. */
export { type Block, createBlock } from './core/model/block.js';
export { createMessage, type Message } from './core/model/message.js';
/** A session to be replayed: its threads, and their steps. */
export type { Step, Thread, Transcript } from './core/model/transcript.js';
/** What a layer asks of the engine, and what came of it. */
export type { Action, Outcome } from './core/run/action.js';
/** A layer: where it is asked, what it sees, what it does. */
export type {
  ContextView,
  HookContext,
  LayerContext,
  LayerDefinition,
  LayerInstance,
} from './core/run/layer.js';
/** A parameter that a layer declares. */
export type { ParamSpec } from './core/run/params.js';
/** The log of a run, entry by entry. */
export type { LogEntry } from './core/run/run-log.js';
/** Everything a run depends on besides its transcript. */
export type { RunPlan } from './core/run/run-plan.js';
/** Many runs, held against each other. */
export {
  runStudy,
  type Study,
  type StudyOptions,
  type StudyRow,
  type StudyRun,
  type StudyVariant,
} from './library/run-study.js';
export type { ScenarioOptions } from './library/scenario.js';
/** A recording in any known format. */
/** One run: log, metrics, digest. */
/** A scenario with a plan and a transcript for each of its runs. */
export {
  type LoadedScenario,
  loadScenario,
  type ReplayOptions,
  type ReplayResult,
  readTranscript,
  replay,
  type ScenarioRun,
} from './library/scenario.js';
export type { Source } from './library/source.js';
/** Checks layers, policies and plug-ins; registers a plug-in in this program. */
export { defineLayer, definePlugin, definePolicy, usePlugin } from './library/source.js';
/** A number about a run, and the facts it is made of. */
export type { RunFacts } from './metrics/facts.js';
export type { Metric } from './metrics/metric.js';

import { CcbenchError, isGroup, messageOf } from '../../core/base/errors.js';
import type { Action, Outcome } from '../../core/run/action.js';
import type { ContextView, HookContext, LayerDefinition, LayerInstance } from '../../core/run/layer.js';
import { createWarnings } from '../../core/run/warning.js';
import type { Metric } from '../../metrics/metric.js';
import { decodeBytes } from '../../transcripts/lines/json-lines.js';
import type { TranscriptReader } from '../../transcripts/readers/reader.js';
import { actionProblem, shown, transcriptProblem } from './check-output.js';
import type { ReaderInput } from './plugin.js';

/** Actions that a layer may ask for at one point of a turn: one that never ends would not let the run end. */
const MOST_ACTIONS = 10_000;

/** The error for what a plug-in did wrong. */
function pluginFault(plugin: string, sentence: string, cause?: unknown): CcbenchError {
  return new CcbenchError(
    'bad-plugin',
    `plug-in "${plugin}": ${sentence}`,
    cause === undefined ? {} : { cause },
  );
}

/** Calls into a plug-in; what it throws is an error that names it. */
function callPlugin<T>(plugin: string, what: string, call: () => T): T {
  try {
    return call();
  } catch (error) {
    if (error instanceof CcbenchError && error.code === 'bad-plugin') throw error;
    throw pluginFault(plugin, `${what} threw: ${messageOf(error)}`, error);
  }
}

/** A layer of a plug-in whose errors name the plug-in. */
export function guardLayer(plugin: string, layer: LayerDefinition): LayerDefinition {
  const named = `the layer "${layer.name}"`;
  const call = <T>(method: string, work: () => T): T => callPlugin(plugin, `${method} of ${named}`, work);
  return {
    ...layer,
    create(context) {
      const inner = call('create', () => layer.create(context));
      if (!isGroup(inner) || typeof inner.due !== 'function' || typeof inner.act !== 'function')
        throw pluginFault(plugin, `create of ${named} must give { due, act }, not ${shown(inner)}`);
      return guardInstance(plugin, named, inner, call);
    },
  };
}

function guardInstance(
  plugin: string,
  named: string,
  inner: LayerInstance,
  call: <T>(method: string, work: () => T) => T,
): LayerInstance {
  const { observes } = inner;
  return {
    ...(observes === undefined ? {} : { observes }),
    ...(inner.observe === undefined
      ? {}
      : { observe: (message) => call('observe', () => inner.observe!(message)) }),
    ...(inner.reset === undefined
      ? {}
      : { reset: (messages) => call('reset', () => inner.reset!(messages)) }),
    ...(inner.resume === undefined
      ? {}
      : { resume: (messages, view) => call('resume', () => inner.resume!(messages, view)) }),
    due: (moment, view) => call('due', () => inner.due(moment, view)) === true,
    act: (moment, view) => guardedAct(plugin, named, inner, call, moment, view),
  };
}

function* guardedAct(
  plugin: string,
  named: string,
  inner: LayerInstance,
  call: <T>(method: string, work: () => T) => T,
  moment: HookContext,
  view: ContextView,
): Generator<Action, void, Outcome> {
  const actions = call('act', () => inner.act(moment, view));
  if (typeof (actions as Partial<typeof actions> | undefined)?.next !== 'function')
    throw pluginFault(plugin, `act of ${named} must be a generator: write *act(moment, view)`);
  try {
    let step = call('act', () => actions.next());
    for (let asked = 1; step.done !== true; asked++) {
      if (asked > MOST_ACTIONS)
        throw pluginFault(plugin, `act of ${named} requests more than ${MOST_ACTIONS} actions at once`);
      const problem = actionProblem(step.value);
      if (problem !== null) throw pluginFault(plugin, `act of ${named} requests ${problem}`);
      const outcome = yield step.value;
      step = call('act', () => actions.next(outcome));
    }
  } finally {
    actions.return();
  }
}

/** A metric of a plug-in whose errors name the plug-in. */
export function guardMetric(plugin: string, metric: Metric): Metric {
  const { name, unit, better, help } = metric;
  return {
    name,
    unit,
    better,
    help,
    value(facts) {
      const value: unknown = callPlugin(plugin, `the metric "${name}"`, () => metric.value(facts));
      if (value === null || (typeof value === 'number' && Number.isFinite(value))) return value;
      throw pluginFault(
        plugin,
        `the metric "${name}" must give a finite number or null, not ${shown(value)}`,
      );
    },
  };
}

/** A reader of a plug-in whose errors name the plug-in. */
export function guardReader(plugin: string, reader: ReaderInput): TranscriptReader {
  const named = `the reader "${reader.name}"`;
  return {
    label: reader.label ?? reader.name,
    carries: [],
    detect: (head) => callPlugin(plugin, `detect of ${named}`, () => reader.detect(head)) === true,
    read(bytes, { id }) {
      const text = decodeBytes(bytes, { name: id, warnings: createWarnings() }).toString('utf8');
      const transcript: unknown = callPlugin(plugin, `read of ${named}`, () => reader.read(text, { id }));
      const missing = transcriptProblem(transcript);
      if (missing !== null) throw pluginFault(plugin, `${named} gave no transcript: ${missing}`);
      return transcript as ReturnType<TranscriptReader['read']>;
    },
  };
}

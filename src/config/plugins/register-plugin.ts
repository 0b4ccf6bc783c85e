import { addLayers, policyOf, policyRegistry } from '../../agent/policies/catalogue.js';
import type { Policy } from '../../agent/policies/policy.js';
import { checkParam } from '../../agent/policies/policy-params.js';
import { CcbenchError, messageOf, ProblemList } from '../../core/base/errors.js';
import type { RunPlan } from '../../core/run/run-plan.js';
import { METRICS } from '../../metrics/registry.js';
import { transcriptReaders } from '../../transcripts/readers/readers.js';
import { guardLayer, guardMetric, guardReader } from './guard.js';
import { fullLayer, type Plugin } from './plugin.js';

/** Layers of plug-ins by name, with the plug-in each comes from. */
const owners = new Map<string, string>();

/** Errors of a plug-in's content name it. */
function inPlugin<T>(plugin: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof CcbenchError)) throw error;
    throw named(plugin, error);
  }
}

function named(plugin: string, error: CcbenchError): CcbenchError {
  if (error instanceof ProblemList)
    return new ProblemList(
      'bad-plugin',
      `plug-in "${plugin}"`,
      error.problems.map((problem) => named(plugin, problem)),
    );
  return new CcbenchError('bad-plugin', `plug-in "${plugin}": ${error.message}`, {
    ...(error.hint === null ? {} : { hint: error.hint }),
    cause: error,
  });
}

/**
 * Puts the layers, readers and metrics of a plug-in, and the policies that are made of it, beside those of ccbench; a name that is
 * taken is an error, and then nothing is added. Calling what it gives back takes them out again.
 */
export function registerPlugin(
  plugin: Plugin,
  policiesOf: (plugin: Plugin) => readonly Policy[],
): () => void {
  const { name } = plugin;
  const undo: (() => void)[] = [];
  const remove = (): void => {
    for (const step of undo.splice(0).reverse()) step();
  };
  try {
    inPlugin(name, () => {
      const layers = (plugin.layers ?? []).map((layer) => guardLayer(name, fullLayer(layer)));
      undo.push(addLayers(layers));
      for (const { path, default: value } of layers.flatMap(({ params }) => params)) checkParam(path, value);
      for (const layer of layers) owners.set(layer.name, name);
      undo.push(() => {
        for (const layer of layers) owners.delete(layer.name);
      });
      undo.push(
        transcriptReaders.add(
          (plugin.readers ?? []).map((reader) => [reader.name, guardReader(name, reader)] as const),
        ),
      );
      undo.push(
        METRICS.add(
          (plugin.metrics ?? []).map((metric) => [metric.name, guardMetric(name, metric)] as const),
        ),
      );
      undo.push(policyRegistry.add(policiesOf(plugin).map((policy) => [policy.name, policy] as const)));
    });
  } catch (error) {
    remove();
    throw error;
  }
  return remove;
}

/** Codes of errors that cannot come of ccbench's own layers. */
const OWN_FAULTS: readonly string[] = ['internal', 'invariant'];

/** The error of a run: where layers of plug-ins were at work, what would be a fault of ccbench is one of theirs. */
export function blamePlugins(plan: RunPlan, error: unknown): unknown {
  if (error instanceof CcbenchError && !OWN_FAULTS.includes(error.code)) return error;
  const layers = plan.plugins === undefined ? [] : policyOf(plan.policy).layers;
  const foreign = layers.flatMap((layer) => {
    const owner = owners.get(layer);
    return owner === undefined ? [] : [`"${layer}" of the plug-in "${owner}"`];
  });
  if (foreign.length === 0) return error;
  const said = messageOf(error);
  return new CcbenchError('bad-plugin', `a run with the layer ${foreign.join(' and ')} failed: ${said}`, {
    hint: 'an action of the layer is not what the simulation can carry out; --debug shows where',
    cause: error,
  });
}

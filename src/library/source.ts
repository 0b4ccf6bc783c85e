import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Policy } from '../agent/policies/policy.js';
import {
  defineLayer as checkLayer,
  definePlugin as checkPlugin,
  definePolicy as checkPolicy,
} from '../config/plugins/define-plugin.js';
import type { LayerInput, Plugin, PolicySource } from '../config/plugins/plugin.js';
import { type ActivePlugin, usePlugin as activatePlugin } from '../config/plugins/use-plugins.js';
import { CcbenchError, formatPlace, ProblemList } from '../core/base/errors.js';
import type { LayerDefinition } from '../core/run/layer.js';

/** A file by its path or URL, or a text: a string that begins with `{` or holds a line break. */
export type Source = string | URL;

/** Where relative paths start from. */
export function workingFolder(): string {
  return resolve();
}

/** A text that an object stands for: as JSON, which YAML holds. Anything else is left as it is. */
export function textOf(source: Source | object): Source {
  const isPlain = typeof source === 'object' && source !== null && !(source instanceof URL);
  return isPlain ? `${JSON.stringify(source, null, 2)}\n` : (source as Source);
}

/** The path of a source that is a file; null for a text. */
export function pathOf(source: Source): string | null {
  if (source instanceof URL) return fileURLToPath(source);
  if (typeof source !== 'string') throw new CcbenchError('bad-value', 'expected a path, a URL or a text');
  return source.includes('\n') || source.trimStart().startsWith('{') ? null : source;
}

/** An error whose message holds every problem with its place and hint: nobody else shows them. */
function withFullMessage(error: unknown): unknown {
  if (error instanceof ProblemList)
    error.message = [error.message, ...error.problems.map((problem) => `  ${lineOf(problem)}`)].join('\n');
  else if (error instanceof CcbenchError) error.message = lineOf(error);
  return error;
}

function lineOf({ message, place, hint }: CcbenchError): string {
  const at = place === null ? '' : `${formatPlace(place)}: `;
  return `${at}${message}${hint === null ? '' : ` (${hint})`}`;
}

/** Does the work of a call, which may be a promise; the message of what it throws holds everything. */
export function withFullMessages<T>(work: () => T): T {
  const fail = (error: unknown): never => {
    throw withFullMessage(error);
  };
  try {
    const result = work();
    return result instanceof Promise ? (result.catch(fail) as T) : result;
  } catch (error) {
    return fail(error);
  }
}

/** Checks a policy file, given as YAML text or as the same in an object; throws an error that lists every problem with its path. */
export function definePolicy(source: PolicySource): Policy {
  return withFullMessages(() => checkPolicy(source));
}

/** Checks a layer and returns it with nothing left open; throws an error that lists every problem. */
export function defineLayer(layer: LayerInput): LayerDefinition {
  return withFullMessages(() => checkLayer(layer));
}

/** Checks a plug-in and returns it; throws an error that lists every problem. */
export function definePlugin(plugin: Plugin): Plugin {
  return withFullMessages(() => checkPlugin(plugin));
}

/** Registers a plug-in: from here on scenarios may name what it holds, until `remove()` is called. */
export function usePlugin(plugin: Plugin): Pick<ActivePlugin, 'name' | 'remove'> {
  return withFullMessages(() => activatePlugin(plugin));
}

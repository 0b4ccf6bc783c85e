import type { Policy } from '../agent/policies/policy.js';
import {
  defineLayer as checkLayer,
  definePlugin as checkPlugin,
  definePolicy as checkPolicy,
} from '../config/plugins/define-plugin.js';
import type { LayerInput, Plugin, PolicySource } from '../config/plugins/plugin.js';
import { type ActivePlugin, usePlugin as activatePlugin } from '../config/plugins/use-plugins.js';
import type { LayerDefinition } from '../core/run/layer.js';
import { withFullMessages } from './source.js';

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

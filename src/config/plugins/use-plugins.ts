import { CcbenchError, type Place } from '../../core/base/errors.js';
import type { PlannedPlugin } from '../../core/run/run-plan.js';
import { definePlugin, definePolicy } from './define-plugin.js';
import { loadPlugin, placed } from './load-plugin.js';
import type { Plugin, PluginFile } from './plugin.js';
import { registerPlugin } from './register-plugin.js';

/** A plug-in that is registered. */
export interface ActivePlugin extends PlannedPlugin {
  /** Its file; null for one that the program itself made. */
  readonly file: PluginFile | null;
  /** Takes out what it registered. */
  remove(): void;
  /** Takes out what it registered for a while; calling what it gives back puts it in again. */
  hide(): () => void;
}

const active: ActivePlugin[] = [];

/** The plug-ins that are registered, in order. */
export function activePlugins(): readonly ActivePlugin[] {
  return active;
}

/** Registers a plug-in until it is removed; a name that is taken is an error. */
export function usePlugin(input: Plugin, file: PluginFile | null = null): ActivePlugin {
  const plugin = definePlugin(input);
  const { name } = plugin;
  if (active.some((other) => other.name === name))
    throw new CcbenchError('bad-plugin', `two plug-ins are called "${name}"`);
  const register = (): (() => void) =>
    registerPlugin(plugin, ({ policies = [] }) => policies.map(definePolicy));
  let take = register();
  const entry: ActivePlugin = {
    name,
    sha256: file?.sha256 ?? null,
    file,
    remove() {
      const at = active.indexOf(entry);
      if (at < 0) return;
      active.splice(at, 1);
      take();
    },
    hide() {
      take();
      return () => {
        take = register();
      };
    },
  };
  active.push(entry);
  return entry;
}

/** Loads a plug-in's file and registers what it holds; one that is registered already stays as it is. */
export async function usePluginFile(file: PluginFile, shown: string, place: Place): Promise<ActivePlugin> {
  const known = active.find((other) => other.file?.path === file.path && other.sha256 === file.sha256);
  if (known !== undefined) return known;
  const plugin = await loadPlugin(file, shown, place);
  try {
    return usePlugin(plugin, file);
  } catch (error) {
    throw error instanceof CcbenchError ? placed(error, place) : error;
  }
}

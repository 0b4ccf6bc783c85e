import { dirname, resolve } from 'node:path';
import { isGroup, type Place } from '../../core/base/errors.js';
import type { PlannedPlugin } from '../../core/run/run-plan.js';
import { list } from '../check/checker.js';
import { findPlugin } from '../plugins/load-plugin.js';
import { type ActivePlugin, activePlugins, usePluginFile } from '../plugins/use-plugins.js';
import { readDocument } from './document.js';

/** A plug-in that a scenario names, as it is written there. */
interface NamedPlugin {
  readonly written: string;
  readonly place: Place;
}

/** The plug-ins of a scenario's text, before anything of it is checked. */
function namedPlugins(text: string, file: string): readonly NamedPlugin[] {
  // Without the word, and without a backslash that could hide it, the text names none: it is not parsed twice.
  if (!/plugins|\\/.test(text)) return [];
  const { document } = readDocument(text, file);
  if (document === null || !isGroup(document.value)) return [];
  return list(document.value.plugins).flatMap((written, i) =>
    typeof written === 'string' ? [{ written, place: document.placeOf(['plugins', i]) }] : [],
  );
}

/** A scenario as far as its plug-ins are concerned. */
export interface ScenarioText {
  readonly file: string;
  readonly text: string;
}

/** Plug-ins that were loaded for a command or a call. */
export interface OpenPlugins {
  /** Those that the runs of a scenario are made with. */
  of(file: string): readonly PlannedPlugin[];
  /** Does something with those of a scenario alone in the registries. */
  within<T>(file: string, act: () => T | Promise<T>): Promise<T>;
  /** Takes out those that were not there before. */
  close(): void;
}

/** Loads the plug-ins that options and scenarios name, each once: those of options from a folder, those of a scenario beside it. */
export async function openPlugins(
  scenarios: readonly ScenarioText[],
  options: readonly string[],
  cwd: string,
): Promise<OpenPlugins> {
  const before = [...activePlugins()];
  const opened = new Set<ActivePlugin>();
  const close = (): void => {
    for (const plugin of [...opened].reverse()) if (!before.includes(plugin)) plugin.remove();
  };
  const open = async (written: string, from: string, place: Place): Promise<ActivePlugin> => {
    const plugin = await usePluginFile(findPlugin(resolve(from, written), written, place), written, place);
    opened.add(plugin);
    return plugin;
  };
  const shared: ActivePlugin[] = [];
  const own = new Map<string, readonly ActivePlugin[]>();
  try {
    for (const written of options) shared.push(await open(written, cwd, { file: `--plugin ${written}` }));
    for (const { file, text } of scenarios) {
      const named: ActivePlugin[] = [];
      for (const { written, place } of namedPlugins(text, file))
        named.push(await open(written, dirname(resolve(cwd, file)), place));
      own.set(file, named);
    }
  } catch (error) {
    close();
    throw error;
  }
  const usedBy = (file: string): ReadonlySet<ActivePlugin> =>
    new Set([...before, ...shared, ...(own.get(file) ?? [])]);
  return {
    of: (file) => [...usedBy(file)].map(({ name, sha256 }) => ({ name, sha256 })),
    async within(file, act) {
      const used = usedBy(file);
      const others = activePlugins().filter((plugin) => !used.has(plugin));
      const shows = others.map((plugin) => plugin.hide());
      try {
        return await act();
      } finally {
        for (const show of shows) show();
      }
    },
    close,
  };
}

import type { Plugin, PluginModule, PluginTools } from './plugin.js';
import { isKeyed, isName, type ShapeProblems, shapeProblems, shown } from './shape-problems.js';

const LISTS = ['tiers', 'policies', 'readers', 'metrics'] as const;
const KEYS: readonly string[] = ['name', ...LISTS];
const UNITS = ['tokens', 'usd', 'share', 'ratio', 'count', 'ms', 'hours'];

/** Checks the outer shape of a plug-in and returns it; throws an error that names every problem. */
export function definePlugin(plugin: Plugin): Plugin {
  const problems = shapeProblems();
  checkPlugin(plugin, problems);
  problems.settle(isKeyed(plugin) && isName(plugin.name) ? `plug-in "${plugin.name}"` : 'the plug-in');
  return plugin;
}

/** The plug-in behind a default export: itself, or what it gives when it is called. */
export async function openPlugin(module: PluginModule, tools: PluginTools): Promise<Plugin> {
  return definePlugin(typeof module === 'function' ? await module(tools) : module);
}

function checkPlugin(value: unknown, { need }: ShapeProblems): void {
  const shape = `{ ${KEYS.join(', ')} }`;
  if (
    !need(
      isKeyed(value),
      `the default export must be ${shape} or a function that gives it, not ${shown(value)}`,
    )
  )
    return;
  const plugin = value as Readonly<Record<string, unknown>>;
  need(isName(plugin.name), `\`name\` must be a text, not ${shown(plugin.name)}`);
  for (const key of Object.keys(plugin))
    need(KEYS.includes(key), `\`${key}\` is unknown; a plug-in has ${KEYS.join(', ')}`);
  for (const key of LISTS)
    need(plugin[key] === undefined || Array.isArray(plugin[key]), `\`${key}\` must be a list`);
  for (const [i, metric] of listOf(plugin.metrics).entries()) checkMetric(metric, `metrics[${i}]`, need);
  for (const [i, reader] of listOf(plugin.readers).entries()) checkReader(reader, `readers[${i}]`, need);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function checkMetric(value: unknown, at: string, need: ShapeProblems['need']): void {
  if (!need(isKeyed(value), `${at} must be { name, unit, better, help, value }`)) return;
  const { name, unit, better, help, value: fold } = value as Readonly<Record<string, unknown>>;
  need(
    isName(name) && /^[A-Za-z]\w*$/.test(name),
    `${at}.name must be one word of letters and figures, not ${shown(name)}`,
  );
  need(UNITS.includes(unit as string), `${at}.unit must be one of ${UNITS.join(', ')}`);
  need([null, 'lower', 'higher'].includes(better as null), `${at}.better must be "lower", "higher" or null`);
  need(isName(help), `${at}.help must be one sentence`);
  need(typeof fold === 'function', `${at}.value must be a function of the facts of a run`);
}

function checkReader(value: unknown, at: string, need: ShapeProblems['need']): void {
  if (!need(isKeyed(value), `${at} must be { name, detect, read }`)) return;
  const { name, label, detect, read } = value as Readonly<Record<string, unknown>>;
  need(isName(name), `${at}.name must be a text, not ${shown(name)}`);
  if (label !== undefined) need(isName(label), `${at}.label must be a text`);
  need(typeof detect === 'function', `${at}.detect must be a function of the beginning of a file`);
  need(typeof read === 'function', `${at}.read must be a function of the text of a file`);
}

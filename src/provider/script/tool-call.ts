import { ownValue } from '../../core/base/own-value.js';
import type { DefinedTool } from '../fake-api/api-request.js';
import { asList, asObject, asText, type JsonObject } from '../fake-api/json-value.js';
import { minimalValue } from '../fake-api/minimal-value.js';
import type { ScriptCall } from './script.js';
import { ACTIONS, type ActionName, type ActionRow } from './tools.generated.js';

/** A call as a client gets it. */
export interface ToolCall {
  readonly name: string;
  readonly input: JsonObject;
}

type Values = Readonly<Record<string, string>>;

function propertiesOf({ input }: DefinedTool): JsonObject {
  return asObject(input.properties) ?? {};
}

/** Whether a value is a list of words, as shells take their commands that start programs themselves. */
function isWordList(schema: JsonObject): boolean {
  return asText(schema.type)?.toLowerCase() === 'array' && asObject(schema.items)?.properties === undefined;
}

/** The input of a tool that does an action: known values by their names, fixed ones, and the smallest for what else is required. */
function inputOf(tool: DefinedTool, { arguments: names, fixed }: ActionRow, values: Values): JsonObject {
  const own = ownValue(fixed, tool.name) ?? {};
  const byName = new Map(
    Object.entries(names).flatMap(([key, candidates]) =>
      candidates.map((name) => [name, ownValue(values, key)] as const),
    ),
  );
  const hasSchema = Object.keys(propertiesOf(tool)).length > 0;
  if (!hasSchema)
    return Object.fromEntries(Object.entries(names).map(([key, [first]]) => [first!, ownValue(values, key)]));
  const made = minimalValue(tool.input, (name, schema) => {
    if (Object.hasOwn(own, name)) return ownValue(own, name);
    const value = byName.get(name);
    if (value === undefined) {
      // What is required beside the values, a list of changes say, is made of the same names.
      return asText(schema.type)?.toLowerCase() === 'array' && holdsNames(schema, byName)
        ? [minimalValue(asObject(schema.items)!, (inner) => byName.get(inner))]
        : undefined;
    }
    return isWordList(schema) ? ['bash', '-lc', value] : value;
  });
  return asObject(made) ?? {};
}

function holdsNames(schema: JsonObject, byName: ReadonlyMap<string, unknown>): boolean {
  const inner = asObject(asObject(schema.items)?.properties) ?? {};
  return Object.keys(inner).some((name) => byName.has(name));
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

/** The tool that does an action, and its input; null where none is defined. */
function actionCall(action: ActionName, values: Values, tools: readonly DefinedTool[]): ToolCall | null {
  const row = ACTIONS[action];
  for (const name of row.tools) {
    const tool = tools.find((other) => other.name === name);
    if (tool !== undefined) return { name, input: inputOf(tool, row, values) };
  }
  if (row.shell === null) return null;
  const command = row.shell.replace(/\$\{(\w+)\}/g, (_, key: string) => quoted(ownValue(values, key) ?? ''));
  return actionCall('run', { command }, tools);
}

/** The action that a tool of a known client does, with the values of its input; null where none fits. */
function actionOf(name: string, input: JsonObject): { action: ActionName; values: Values } | null {
  for (const action of Object.keys(ACTIONS) as ActionName[]) {
    const row = ACTIONS[action];
    const fixed = Object.entries(ownValue(row.fixed, name) ?? {});
    const isOther = fixed.some(([key, value]) => Object.hasOwn(input, key) && ownValue(input, key) !== value);
    if (!row.tools.includes(name) || isOther) continue;
    const found = Object.entries(row.arguments).map(([key, candidates]) => {
      const value = candidates.map((candidate) => ownValue(input, candidate)).find((one) => one != null);
      return [key, asText(value) ?? asText(asList(value)?.at(-1))] as const;
    });
    if (found.every(([, value]) => value !== null))
      return { action, values: Object.fromEntries(found) as Values };
  }
  return null;
}

/**
 * A call of a tool that a request defines; null where it defines none for it. A tool by name that is not defined may be another
 * client's: what it does is done with this client's.
 */
export function toolCall(
  call: Exclude<ScriptCall, { readonly action: ActionName }> | { action: ActionName; values: Values },
  tools: readonly DefinedTool[],
): ToolCall | null {
  if ('action' in call) return actionCall(call.action, call.values, tools);
  const tool = tools.find(({ name }) => name === call.tool);
  if (tool !== undefined)
    return { name: tool.name, input: call.input ?? asObject(minimalValue(tool.input)) ?? {} };
  const same = call.input === null ? null : actionOf(call.tool, call.input);
  return same === null ? null : actionCall(same.action, same.values, tools);
}

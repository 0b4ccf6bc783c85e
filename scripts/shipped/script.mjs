// @ts-check
// What scripts of `ccbench serve` need to know about clients: src/provider/script/tools.yaml and src/provider/fake-api/wordings.yaml.
import { z } from 'zod';

const action = z.strictObject({
  tools: z.array(z.string()).min(1),
  arguments: z.record(z.string(), z.array(z.string()).min(1)),
  fixed: z.record(z.string(), z.record(z.string(), z.unknown())).default({}),
  shell: z.string().nullable().default(null),
});

const tools = z.strictObject({ read: action, run: action, edit: action, write: action, agent: action });

/** The module of tools.yaml. */
export function toolsModule(/** @type {unknown} */ written) {
  const table = tools.parse(written);
  return `/** Something that a script asks for, whatever the client's tool for it is called. */
export type ActionName = ${Object.keys(table)
    .map((name) => `'${name}'`)
    .join(' | ')};

/** How known clients do an action. */
export interface ActionRow {
  /** Names of tools that do it; the first that is defined is called. */
  readonly tools: readonly string[];
  /** Argument names by value; the first that the tool has is used. */
  readonly arguments: Readonly<Record<string, readonly string[]>>;
  /** Arguments that have one value, by tool. */
  readonly fixed: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** The same in a shell; null where there is no such command. */
  readonly shell: string | null;
}

/** The actions of scripts. */
export const ACTIONS: Readonly<Record<ActionName, ActionRow>> = ${JSON.stringify(table, null, 2)};
`;
}

const wordings = z.strictObject({ summary: z.array(z.string()).min(1), side: z.array(z.string()).min(1) });

/** The module of wordings.yaml: one expression for each kind. */
export function wordingsModule(/** @type {unknown} */ written) {
  const { summary, side } = wordings.parse(written);
  /** @param {readonly string[]} list */
  const joined = (list) => new RegExp(list.map((words) => `(?:${words})`).join('|'), 'i');
  return `/** What asks for a summary of everything before it. */
export const ASKS_FOR_SUMMARY = ${joined(summary)};

/** What asks for something beside the work. */
export const ASKS_BESIDE = ${joined(side)};
`;
}

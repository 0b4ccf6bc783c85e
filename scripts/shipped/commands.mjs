// @ts-check
// The commands of ccbench: src/cli/commands.yaml, checked, with groups of options and texts put in their places.
import { z } from 'zod';

const words = z.string().transform((text) => text.split(' '));
const value = z
  .strictObject({
    help: z.string().min(1),
    read: z.string().optional(),
    oneOf: words.optional(),
    anyOf: words.optional(),
    default: z.union([z.string(), z.number()]).optional(),
    required: z.literal(true).optional(),
  })
  .refine(({ read, oneOf, anyOf }) => [read, oneOf, anyOf].filter(Boolean).length < 2, 'is read in two ways');
const one = z.record(z.string(), z.union([z.string().min(1), value])).transform((written) => {
  const [[flags = '', text] = [], ...more] = Object.entries(written);
  if (text === undefined || more.length > 0) throw new Error(`${flags}: one option in each entry`);
  return { flags, ...(typeof text === 'string' ? { help: text } : text) };
});
const options = z.array(z.union([z.string(), one]));
const leaf = {
  about: z.string().min(1),
  args: z.array(one).default([]),
  options: options.default([]),
  examples: z.array(z.string()).min(1),
};
const table = z.strictObject({
  texts: z.record(z.string(), z.string()),
  groups: z.record(z.string(), options),
  about: leaf.about,
  options,
  examples: leaf.examples,
  commands: z.record(
    z.string(),
    z.strictObject({
      ...leaf,
      below: z.record(z.string(), z.strictObject(leaf)).default({}),
    }),
  ),
});

/** @typedef {z.output<typeof one>} WrittenOption */

/** The module of commands.yaml. */
export function commandsModule(/** @type {unknown} */ written) {
  const { texts, groups, commands, ...ccbench } = table.parse(written);

  /** @type {(name: string) => readonly WrittenOption[]} */
  const group = (name) => {
    if (groups[name] === undefined) throw new Error(`there is no group of options "${name}"`);
    return expanded(groups[name]);
  };

  /** @type {(list: readonly (string | WrittenOption)[]) => readonly WrittenOption[]} */
  const expanded = (list) => list.flatMap((each) => (typeof each === 'string' ? group(each) : [each]));

  /** @type {(option: WrittenOption) => WrittenOption} */
  const complete = ({ help, ...option }) => {
    /** @type {Record<string, string>} */
    const known = { ...texts, words: (option.oneOf ?? option.anyOf ?? []).join(', ') };
    let text = help;
    while (/\{\w+\}/.test(text))
      text = text.replace(/\{(\w+)\}/g, (place, name) => {
        const found = known[name];
        if (found === undefined) throw new Error(`${option.flags}: there is no text ${place}`);
        return found;
      });
    return { ...option, help: text };
  };

  /** @type {(name: string, command: Partial<(typeof commands)[string]>) => object} */
  const command = (name, { args = [], options = [], below = {}, ...rest }) => ({
    name,
    ...rest,
    args: args.map(complete),
    options: [...group('common'), ...expanded(options)].map(complete),
    below: Object.entries(below).map(([child, each]) => command(child, each)),
  });
  const root = {
    ...ccbench,
    name: 'ccbench',
    args: [],
    options: expanded(ccbench.options).map(complete),
    below: Object.entries(commands).map(([name, each]) => command(name, each)),
  };
  const paths = Object.entries(commands).flatMap(([name, { below }]) => [
    name,
    ...Object.keys(below).map((child) => `${name} ${child}`),
  ]);
  return `import type { CommandDescription } from './describe-command.js';

/** A command by its path: \`fleet run\`. */
export type CommandPath = ${paths.map((path) => JSON.stringify(path)).join(' | ')};

/** ccbench itself, its commands in the order of its help. */
export const CCBENCH: CommandDescription = ${JSON.stringify(root)};
`;
}

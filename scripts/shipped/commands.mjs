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

/** Groups of options that the session of a command has taken before it runs. */
const OF_SESSION = ['common', 'output', 'detail', 'reads', 'github'];

/** Words as a type. */
const union = (/** @type {readonly string[]} */ list) => list.map((word) => JSON.stringify(word)).join(' | ');

/** What a value is read as. */
function typeOf(/** @type {WrittenOption} */ { read, oneOf, anyOf }) {
  if (oneOf !== undefined) return union(oneOf);
  if (anyOf !== undefined) return `readonly (${union(anyOf)})[]`;
  return read === undefined ? 'string' : `ValueOf<${JSON.stringify(read)}>`;
}

/** What a command gets as an argument: as many as there are, one, or one that may be absent. */
function argumentType(/** @type {WrittenOption} */ argument) {
  const type = typeOf(argument);
  if (/\.\.\.[\]>]$/.test(argument.flags)) return `readonly ${type}[]`;
  return argument.flags.startsWith('<') || argument.default !== undefined ? type : `${type} | undefined`;
}

/** An option as a member of a type; where `--no-x` stands beside `--x <value>`, it may be false. */
function optionMember(
  /** @type {WrittenOption} */ { flags, help, required, default: fallback, ...value },
  /** @type {readonly WrittenOption[]} */ all,
) {
  const [, no, dashed = ''] = /--(no-)?([\w-]+)/.exec(flags) ?? [];
  const name = dashed.replace(/-(.)/g, (_, letter) => letter.toUpperCase());
  const twin = all.find((other) =>
    other.flags.startsWith(no === undefined ? `--no-${dashed}` : `--${dashed} `),
  );
  if (no !== undefined && twin !== undefined) return '';
  const type = flags.includes('<') ? typeOf({ flags, help, ...value }) : 'boolean';
  const isThere = no !== undefined || required === true || fallback !== undefined;
  const member = `${name}${isThere ? '' : '?'}: ${type}${twin === undefined ? '' : ' | false'}`;
  return `/** \`${flags}\`: ${help.replaceAll('*/', '*\\/')} */ readonly ${member};`;
}

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

  /** The same without those of the session. @type {(list: readonly (string | WrittenOption)[]) => readonly WrittenOption[]} */
  const own = (list) =>
    list.flatMap((each) => {
      if (typeof each !== 'string') return [each];
      return OF_SESSION.includes(each) ? [] : own(groups[each] ?? []);
    });

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
  const byPath = Object.entries(commands).flatMap(([name, { below, ...each }]) => [
    { path: name, ...each },
    ...Object.entries(below).map(([child, inner]) => ({ path: `${name} ${child}`, ...inner })),
  ]);
  const members = byPath.map(({ path, options }) => {
    const all = own(options).map(complete);
    const lines = all.map((option) => optionMember(option, all)).filter((line) => line !== '');
    return `  readonly ${JSON.stringify(path)}: { ${lines.join(' ')} };`;
  });
  const values = byPath.map(({ path, args }) => {
    const name = JSON.stringify(path);
    return `  readonly ${name}: readonly [${[...args.map(argumentType), `CommandOptions[${name}]`].join(', ')}];`;
  });
  return `import type { CommandDescription } from './describe-command.js';
import type { OPTION_VALUES } from './option-values.js';

/** What a reader of values gives. */
type ValueOf<Reader extends keyof typeof OPTION_VALUES> = ReturnType<(typeof OPTION_VALUES)[Reader]>;

/** A command by its path: \`fleet run\`. */
export type CommandPath = keyof CommandOptions;

/** The options of each command, without those that its session has taken. */
export interface CommandOptions {
${members.join('\n')}
}

/** What each command gets after its session: its arguments and its options. */
export interface CommandValues {
${values.join('\n')}
}

/** ccbench itself, its commands in the order of its help. */
export const CCBENCH: CommandDescription = ${JSON.stringify(root)};
`;
}

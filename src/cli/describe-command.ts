import { Argument, type Command, Option } from 'commander';
import { ownValue } from '../core/base/own-value.js';
import type { ExitCode } from './exit-codes.js';
import { anyOf, OPTION_VALUES, type OptionValue, oneOf } from './option-values.js';
import type { CliSession } from './session.js';

/** An option or an argument as commands.yaml has it. */
export interface DescribedValue {
  /** How it is written. */
  readonly flags: string;
  readonly help: string;
  readonly read?: OptionValue;
  readonly oneOf?: readonly string[];
  readonly anyOf?: readonly string[];
  /** What it is where nobody gives it. */
  readonly default?: string | number;
  readonly required?: true;
}

/** A command of ccbench: its help, what shells complete and docs/cli.md are made of it. */
export interface CommandDescription {
  readonly name: string;
  readonly about: string;
  readonly args: readonly DescribedValue[];
  readonly options: readonly DescribedValue[];
  readonly examples: readonly string[];
  readonly below: readonly CommandDescription[];
}

/** What a command runs: it gets the session, its arguments and its options. */
export type CommandFunction = (session: CliSession, ...values: never[]) => ExitCode | Promise<ExitCode>;

/** Where commands are added. */
export interface CommandLine {
  readonly session: CliSession;
  /** Whether a command is, or may be, asked for. */
  isNamed(command: string): boolean;
  setExitCode(code: ExitCode): void;
}

/** Gives an option or an argument its reader and its default. */
function withValue<T extends Option | Argument>(made: T, described: DescribedValue): T {
  const { read, oneOf: one, anyOf: some, default: fallback } = described;
  const known = read === undefined ? undefined : OPTION_VALUES[read];
  const reader = one !== undefined ? oneOf(one) : some !== undefined ? anyOf(some) : known;
  if (reader !== undefined) made.argParser(reader as (text: string) => unknown);
  if (fallback !== undefined) made.default(fallback);
  return made;
}

/** An option as commander takes it. */
export function optionOf(described: DescribedValue): Option {
  const made = withValue(new Option(described.flags, described.help), described);
  return described.required === true ? made.makeOptionMandatory() : made;
}

/** Examples below the help of a command. */
export function examples(lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ ccbench ${line}`).join('\n')}`;
}

/** The options of a command, with the plug-ins that were named before it. */
function optionsOf(command: Command): object {
  const { plugin: above = [] } = command.parent?.opts() ?? {};
  const own = command.opts();
  return above.length === 0 ? own : { ...own, plugin: [...above, ...(own.plugin ?? [])] };
}

/** Adds a command, and those below it, to another one. One that the command line does not name is only listed: building all options takes longer than starting Node. */
export function addCommand(
  parent: Command,
  { name, about, args, options, examples: lines, below }: CommandDescription,
  line: CommandLine,
  loads: Readonly<Record<string, (() => Promise<CommandFunction>) | null>>,
  above = '',
): void {
  const { session, setExitCode } = line;
  const path = `${above}${name}`;
  const command = parent.command(name).description(about);
  for (const each of args) command.addArgument(withValue(new Argument(each.flags, each.help), each));
  if (!line.isNamed(name)) {
    command.addOption(optionOf(options[0]!));
    return;
  }
  command.addHelpText('after', examples(lines));
  for (const each of options) command.addOption(optionOf(each));
  // A command that has no longer form prints all it has.
  const hasBriefForm = options.some(({ flags }) => flags === '--verbose');
  const own: CliSession = hasBriefForm ? session : { ...session, detail: 'verbose' };
  const load = ownValue(loads, path) ?? null;
  if (load !== null)
    command.action(async () => {
      const run = (await load()) as (session: CliSession, ...values: unknown[]) => Promise<ExitCode>;
      setExitCode(await run(own, ...command.processedArgs, optionsOf(command)));
    });
  for (const each of below) addCommand(command, each, line, loads, `${path} `);
}

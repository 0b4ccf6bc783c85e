import { Argument, type Command, Option } from 'commander';
import type { ExitCode } from './exit-codes.js';
import { collect, count, day, threads } from './option-values.js';
import type { CliSession } from './session.js';

/** What a command runs: it gets the session, its arguments and its options. */
type CommandFunction = (session: CliSession, ...values: never[]) => ExitCode | Promise<ExitCode>;

/** A command of ccbench: its help, what shells complete and docs/cli.md are made of it. */
export interface CommandDescription {
  readonly name: string;
  readonly about: string;
  readonly args?: readonly Argument[];
  /** Besides those that all commands have. */
  readonly options?: readonly Option[] | undefined;
  readonly examples: readonly string[];
  /** Loads what it runs; absent where only the commands below it do something. */
  readonly load?: () => Promise<CommandFunction>;
  readonly below?: readonly CommandDescription[];
}

/** Reads the value of an option; one that may be repeated gets what came before. */
type ReadValue = (text: string, before: never) => unknown;

/** An option: how it is written, what it does, how its value is read, and what it is where nobody gives it. */
export function option(written: string, help: string, read?: ReadValue, fallback?: unknown): Option {
  const made = new Option(written, help);
  if (read !== undefined) made.argParser(read as (text: string, before: unknown) => unknown);
  return fallback === undefined ? made : made.default(fallback);
}

/** An option without which a command does nothing. */
export function required(written: string, help: string, read?: ReadValue): Option {
  return option(written, help, read).makeOptionMandatory();
}

/** An argument, described as options are. */
export function argument(
  written: string,
  help: string,
  read?: (text: string) => unknown,
  fallback?: unknown,
): Argument {
  const made = new Argument(written, help);
  if (read !== undefined) made.argParser(read);
  return fallback === undefined ? made : made.default(fallback);
}

/** Counters of texts that need no network. */
export const TEXT_COUNTERS = ['heuristic', 'gpt-tokenizer', 'js-tiktoken'] as const;

/** What names the scenarios that a command runs. */
export const SCENARIOS =
  'scenario files (YAML), or recordings, which are run as their clients would; - reads one from standard input';

/** What names the sessions that a command reads. */
export const SESSIONS =
  'recordings, request traces, folders of them (searched to the bottom), patterns such as "logs/**/*.jsonl", or - for standard input';

/** Options of commands that take sessions: those that were named, or those on this machine. */
export const CHOICE = [
  option('--since <day>', 'leave out sessions that ended before this day (2026-07-01, UTC)'),
  option('--project <text>', 'only sessions of projects with this in their folder’s name'),
  option('--agent <name>', 'only sessions of this agent, such as claude-code or codex'),
  option('--last <n>', 'only the newest n sessions', count),
];

/** What is taken where no session is named. */
export const ON_THIS_MACHINE = 'none: the sessions on this machine';

/** The same of commands that take their time for each session. */
export const NEWEST_ON_THIS_MACHINE = 'none: the newest 20 on this machine';

/** The options of ccbench itself that its commands have too. */
export const OUTPUT = [
  option('--debug', 'show stack traces'),
  option('--no-color', 'no colours (also: NO_COLOR; FORCE_COLOR has them in a pipe too)'),
];

/** Options of all commands. */
const COMMON = [option('--json', 'print one JSON object on stdout and nothing else'), ...OUTPUT];

/** Options of commands that come to an answer. */
export const DETAIL = [
  option('--notes', 'print the notes on the answer too'),
  option('--verbose', 'print everything: all tables, all rows, all notes'),
];

/** Options of commands that read transcripts. */
export const READS = [
  option('--no-cache', 'keep and use no compiled transcripts (ccbench cache shows them)'),
];

/** Options of commands that price requests. */
export const PRICES = [
  option(
    '--prices-of <day>',
    'price every request as of this day (2026-07-01), not as of its own (ccbench models --history)',
    day,
  ),
];

/** Options of commands that read sessions and price them. */
export const PRICED = [...READS, ...PRICES];

/** The setting of a scenario that `--prices-of` stands for. */
export function priceSettings({ pricesOf }: { readonly pricesOf?: string }): readonly string[] {
  return pricesOf === undefined ? [] : [`priceDay=${JSON.stringify(pricesOf)}`];
}

/** Options of commands that load plug-ins. */
export const PLUGINS = [
  option(
    '--plugin <file>',
    'ES module that adds layers, policies, readers and metrics (repeatable)',
    collect,
  ),
];

/** Options of commands that tell GitHub what they found. */
export const GITHUB = [
  option('--github', 'add to the step summary and mark lines (on by itself in GitHub Actions)'),
  option('--no-github', 'tell GitHub nothing'),
];

/** Options of commands that make many runs. */
export const STUDY = [
  ...DETAIL,
  ...PRICED,
  ...PLUGINS,
  option(
    '--transcripts <pattern>',
    'recordings instead of the scenario’s: a file, a folder, or "logs/**/*.jsonl" (repeatable)',
    collect,
  ),
  option('--workers <n>', 'worker threads; 0 uses none (default: all cores)', threads),
  option('--out <folder>', 'folder that holds the report folders', undefined, 'reports'),
  option('--no-files', 'write no report'),
];

/** What every run of a variant or setting must hold. */
export const SUBJECT_TO = option(
  '--subject-to <expectation>',
  'what must hold in every run, such as "faultsNone <= 20" or "contentRetention >= 40%" (repeatable); what breaks it comes last',
  collect,
);

/** All options of a command. */
export function allOptions({ options = [] }: Pick<CommandDescription, 'options'>): readonly Option[] {
  return [...COMMON, ...options];
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

/** Where commands are added. */
export interface CommandLine {
  readonly session: CliSession;
  /** Whether a command is, or may be, asked for. */
  isNamed(command: string): boolean;
  setExitCode(code: ExitCode): void;
}

/** Adds a command, and those below it, to another one. One that the command line does not name is only listed: building all options takes longer than starting Node. */
export function addCommand(
  parent: Command,
  { name, about, args = [], options, examples: lines, load, below = [] }: CommandDescription,
  line: CommandLine,
): void {
  const { session, setExitCode } = line;
  const command = parent.command(name).description(about);
  for (const each of args) command.addArgument(each);
  if (!line.isNamed(name)) {
    command.addOption(COMMON[0]!);
    return;
  }
  command.addHelpText('after', examples(lines));
  for (const each of allOptions({ options })) command.addOption(each);
  // A command that has no longer form prints all it has.
  const own: CliSession =
    options?.includes(DETAIL[0]!) === true ? session : { ...session, detail: 'verbose' };
  if (load !== undefined)
    command.action(async () => {
      const run = (await load()) as (session: CliSession, ...values: unknown[]) => Promise<ExitCode>;
      setExitCode(await run(own, ...command.processedArgs, optionsOf(command)));
    });
  for (const each of below) addCommand(command, each, line);
}

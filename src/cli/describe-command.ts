import { Argument, type Command, Option } from 'commander';
import { CcbenchError } from '../core/base/errors.js';
import { ownValue } from '../core/base/own-value.js';
import { anyOf, OPTION_VALUES, type OptionValue, oneOf } from './option-values.js';
import type { CliSession, ExitCode } from './session.js';

/** An option or an argument as commands.yaml has it. */
export interface DescribedValue {
  /** How it is written. */
  readonly flags: string;
  readonly help: string;
  readonly read?: OptionValue;
  readonly oneOf?: readonly string[];
  readonly anyOf?: readonly string[];
  /** Its default. */
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

/** Why an option has no effect with the others, to follow "has no effect"; null if it has one. */
type Idle = (command: Command) => string | null;

function isGiven(command: Command, name: string): boolean {
  return command.getOptionValueSource(name) === 'cli';
}

function has(command: Command, name: string): boolean {
  return command.options.some((option) => option.attributeName() === name);
}

const without =
  (name: string): Idle =>
  (command) =>
    isGiven(command, name) ? null : `without --${name}`;

const besides =
  (name: string, why = `with --${name}`): Idle =>
  (command) =>
    isGiven(command, name) ? why : null;

/** Only for people: JSON has it in any case. */
const inWords =
  (idle: Idle): Idle =>
  (command) =>
    isGiven(command, 'json') ? null : idle(command);

const withoutFiles = besides('files', 'with --no-files');
const withUpstream = besides('upstream', 'with --upstream: the real API answers, in real time');

/** Where a report is usual, a results folder takes its place, and a shard has none. */
function withResults(command: Command): string | null {
  if (!has(command, 'shard') || !has(command, 'files')) return null;
  if (isGiven(command, 'results')) return 'with --results, which writes no report';
  return isGiven(command, 'shard') ? 'with --shard, which writes no report' : null;
}

function withoutCharts(command: Command): string | null {
  if (isGiven(command, 'charts')) return 'with --no-charts';
  const results = withResults(command);
  if (results !== null) return results;
  return has(command, 'files') ? withoutFiles(command) : without('out')(command);
}

/** Besides a change of the same setting, which comes later and holds. */
const besidesSet =
  (...paths: readonly string[]): Idle =>
  (command) => {
    const { set = [] } = command.opts<{ readonly set?: readonly string[] }>();
    const twin = set.find((change) => paths.includes(change.slice(0, change.indexOf('='))));
    return twin === undefined ? null : `with --set ${twin}`;
  };

const EITHER = 'leave out one of them';
const REPORTS = 'name the reports to compare with: --baseline <folder>';
const RECORD = 'name the file to record to: --record session.jsonl';

/** Views of `why` with tables of their own, and no page. */
const OVERVIEWS = ['limits', 'trend', 'split'];

/** Options that may do nothing: why, and what to do about it. */
const IDLE: readonly (readonly [option: string, why: Idle, hint: string])[] = [
  ['tolerance', (command) => (has(command, 'baseline') ? without('baseline')(command) : null), REPORTS],
  ['guard', without('baseline'), REPORTS],
  ['noise', without('baseline'), 'name the result to compare with: --baseline <file>'],
  ...['svg', 'png'].map(
    (name) => [name, withoutCharts, 'charts are written with a report, into a folder'] as const,
  ),
  // Without a file `why` looks at the sessions on this machine.
  [
    'watch',
    (command) => (command.args.length === 0 && command.name() !== 'why' ? 'without a file to look at' : null),
    'name the scenario or the recording',
  ],
  ['limits', besides('share'), EITHER],
  ['observed', without('limits'), 'add --limits: readings are of the meters of limits'],
  ...OVERVIEWS.map((name) => ['top', besides(name), EITHER] as const),
  ...[...['share', 'fix', ...OVERVIEWS].map((name) => besides(name)), withResults, withoutFiles].map(
    (why) => ['out', why, EITHER] as const,
  ),
  ['page', without('record'), RECORD],
  ['keepText', without('record'), RECORD],
  ...['fault', 'midStream', 'latencyScale', 'clock'].map((name) => [name, withUpstream, EITHER] as const),
  ['by', besides('share'), 'leave out one of them; --share names kinds of content and nothing else'],
  ['by', besides('fix'), EITHER],
  ...OVERVIEWS.map((name) => ['by', inWords(besides(name)), EITHER] as const),
  ['files', withResults, EITHER],
  ['policy', besidesSet('policy', 'policy.use'), EITHER],
  ['seed', besidesSet('seed'), EITHER],
  ['model', besidesSet('model'), EITHER],
  ['pricesOf', besidesSet('priceDay'), EITHER],
];

/** Refuses options without effect: the user expects one. */
export function refuseWithoutEffect(command: Command): void {
  // What `exec` starts may take an empty argument.
  if (command.name() !== 'exec' && command.args.includes(''))
    throw new CcbenchError('bad-usage', 'an argument is empty', {
      hint: 'a shell variable may be empty; leave the argument out, or name a file',
    });
  for (const [name, why, hint] of IDLE) {
    const reason = isGiven(command, name) ? why(command) : null;
    const written = command.options.find((option) => option.attributeName() === name)?.long;
    if (reason !== null) throw new CcbenchError('bad-usage', `${written} has no effect ${reason}`, { hint });
  }
}

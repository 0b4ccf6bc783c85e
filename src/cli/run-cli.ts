import { Command, CommanderError } from 'commander';
import { CcbenchError } from '../core/base/errors.js';
import { newName } from '../core/base/nearest.js';
import { CCBENCH } from './commands.generated.js';
import { addCommand, type CommandLine, examples, optionOf, refuseWithoutEffect } from './describe-command.js';
import { reportFailure } from './fail.js';
import { cacheFolder } from './files/cache-folder.js';
import { rememberPage } from './files/last-page.js';
import { type Host, packageVersion, type TextStream } from './host.js';
import { LOADS } from './load-command.js';
import { type CliSession, EXIT, EXIT_MEANING, type ExitCode, githubChoice, note } from './session.js';
import { colorsOf, withOwnCodes } from './terminal/own-codes.js';

/** Columns of help texts where the terminal does not say. */
const HELP_WIDTH = 100;

/** Columns that a description needs to be broken into lines: those of help on the narrowest terminal that is thought of. */
const LEAST_WRAPPED = 20;

/** What the exit codes mean, broken into lines as options are. */
function exitCodes(program: Command, helpWidth: number): string {
  const help = program.createHelp();
  help.prepareContext({ helpWidth });
  const lines = EXIT_MEANING.map(([code, meaning]) => help.formatItem(String(code), 3, meaning, help));
  return `\nExit codes:\n${lines.join('\n')}\n`;
}

/** Builds the command line. Only commander and the descriptions are loaded for help; each command loads its own parts. @internal */
export function buildProgram(line: CommandLine, loads = LOADS): Command {
  const { stdout, stderr } = line.session.host;
  const [version, ...options] = CCBENCH.options;
  const program = new Command(CCBENCH.name)
    .description(CCBENCH.about)
    .version(packageVersion(), version?.flags, version?.help)
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [command]', 'show help for a command')
    .exitOverride()
    .showSuggestionAfterError()
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(text),
      outputError: () => {},
      getOutHelpWidth: () => stdout.columns ?? HELP_WIDTH,
      getErrHelpWidth: () => stderr.columns ?? HELP_WIDTH,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .configureHelp({ minWidthToWrap: LEAST_WRAPPED })
    .hook('preAction', async (_program, command) => {
      refuseWithoutEffect(command);
      const day = command.opts<{ pricesOf?: string }>().pricesOf;
      if (day === undefined) return;
      const text = (await import('../provider/prices/models.js')).priceDayText(day);
      if (text !== day) note(line.session, `prices of ${text}`);
    });
  for (const each of options) program.addOption(optionOf(each));
  program.addHelpText(
    'after',
    `${exitCodes(program, stdout.columns ?? HELP_WIDTH)}${examples(CCBENCH.examples)}`,
  );
  for (const each of CCBENCH.below) addCommand(program, each, line, loads);
  return program;
}

/** A stream on which text of files and arguments cannot speak to the terminal, whatever is in it. */
function guardText(stream: TextStream, onWritten?: () => void): TextStream {
  const write = (text: string): void => {
    onWritten?.();
    stream.write(withOwnCodes(text));
  };
  return { ...stream, write };
}

const SUGGESTION = /\n\(Did you mean (.*)\?\)$/s;

/** What comes before `--`, where options are. */
function optionsIn(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--');
  return end < 0 ? argv : argv.slice(0, end);
}

/** The value of an option, as commander takes it: the last one given. */
function lastValue(given: readonly string[], option: string): string | undefined {
  return given.reduce<string | undefined>((found, arg, i) => {
    if (arg === option) return given[i + 1];
    return arg.startsWith(`${option}=`) ? arg.slice(option.length + 1) : found;
  }, undefined);
}

/** The output settings of a session. */
interface OutputWatch {
  notWritten(): void;
  printed(): void;
}

function sessionOf(argv: readonly string[], host: Host, { notWritten, printed }: OutputWatch): CliSession {
  const given = optionsIn(argv);
  const has = (flag: string): boolean => given.includes(flag);
  const stdout = guardText(host.stdout, printed);
  const stderr = guardText(host.stderr);
  const priceDay = lastValue(given, '--prices-of');
  return {
    host: { ...host, stdout, stderr },
    debug: has('--debug'),
    json: has('--json'),
    detail: has('--verbose') ? 'verbose' : has('--notes') ? 'notes' : 'brief',
    heldNotes: [],
    atEnd: [],
    cache: has('--no-cache') ? 'off' : { folder: cacheFolder(host) },
    ...(priceDay === undefined ? {} : { priceDay }),
    colors: has('--no-color') ? 'never' : colorsOf(host.env),
    isGiven: (option) => has(option) || argv.some((arg) => arg.startsWith(`${option}=`)),
    notWritten,
    github: githubChoice({ on: has('--github'), off: has('--no-github') }, host.env),
  };
}

/** A single dash and more than one letter: no option of ccbench, but how folders of Claude Code's projects begin. */
const DASHED_NAME = /^-[A-Za-z][^\s=]+$/;

/** The error for a name that begins with a dash and was taken for an option. */
function dashedName(name: string, argv: readonly string[]): CcbenchError {
  const command = argv.find((arg) => /^[a-z]+$/.test(arg)) ?? 'why';
  return new CcbenchError('bad-usage', `${name} begins with a dash, so it is taken for an option`, {
    hint: `for a file or folder write ./${name}, or put -- before it: ccbench ${command} -- ${name}`,
  });
}

/** The long options of the command that a command line names. */
function optionsOf(program: Command, argv: readonly string[]): readonly string[] {
  let command = program;
  for (const arg of argv) command = command.commands.find((below) => below.name() === arg) ?? command;
  return command.options.flatMap(({ long }) => long ?? []);
}

/** Where the right form is shown. */
function howTo(program: Command, argv: readonly string[]): string {
  const first = argv.find((arg) => !arg.startsWith('-'));
  const named = program.commands.find((command) => command.name() === first);
  return named === undefined
    ? 'ccbench --help lists commands, ccbench <command> --help their options'
    : `ccbench ${named.name()} --help shows its arguments, options and examples`;
}

function usageError(error: CommanderError, argv: readonly string[], program: Command): CcbenchError {
  const option = /^error: unknown option '(.*)'/.exec(error.message)?.[1];
  if (option !== undefined && DASHED_NAME.test(option)) return dashedName(option, argv);
  const now = option === undefined ? null : newName(option, optionsOf(program, argv));
  const near = SUGGESTION.exec(error.message)?.[1];
  const sentence = error.message.replace(SUGGESTION, '').replace(/^error: /, '');
  const meant = near === undefined ? null : `did you mean ${near}?`;
  const hint = now === null ? (meant ?? howTo(program, argv)) : `"${option}" is now called "${now}"`;
  return new CcbenchError('bad-usage', sentence, { hint });
}

/** A name such as `-Volumes-work`, which would print the version; null without one. */
function namedLikeVersion(argv: readonly string[]): string | null {
  const isNamed = (arg: string, i: number): boolean => /^-V./.test(arg) && argv[i - 1] !== '--transcripts';
  return optionsIn(argv).find(isNamed) ?? null;
}

/** Whether a command line names no command, and nothing but how to print. */
function isBare(argv: readonly string[]): boolean {
  return argv.every((arg) => ['--json', '--debug', '--no-color'].includes(arg));
}

/** Runs a command line and returns its exit code; nothing is thrown, and the process is left alone. */
export async function runCli(argv: readonly string[], host: Host, loads = LOADS): Promise<ExitCode> {
  let exit: ExitCode = EXIT.fine;
  let isWritten = true;
  let isPrinted = false;
  const session = sessionOf(argv, host, {
    notWritten: () => {
      isWritten = false;
    },
    printed: () => {
      isPrinted = true;
    },
  });
  const line: CommandLine = {
    session,
    isNamed: (command) => argv.includes(command),
    setExitCode(code) {
      exit = code;
    },
  };
  const program = buildProgram(line, loads);
  try {
    const version = namedLikeVersion(argv);
    if (version !== null) throw dashedName(version, argv);
    if (isBare(argv)) exit = await (await import('./commands/overview.js')).overview(session);
    else await program.parseAsync([...argv], { from: 'user' });
    if (session.json && !isPrinted && exit === EXIT.fine)
      throw new CcbenchError('internal', 'the command ended without printing JSON');
    // What a command held back and did not count.
    if (!session.json) for (const text of session.heldNotes ?? []) note(session, text);
    return exit === EXIT.fine && !isWritten ? EXIT.input : exit;
  } catch (error) {
    if (!(error instanceof CommanderError)) return reportFailure(session, error);
    if (error.exitCode === 0) return EXIT.fine;
    return error.code === 'commander.help'
      ? EXIT.input
      : reportFailure(session, usageError(error, argv, program));
  } finally {
    for (const end of session.atEnd ?? []) end();
    rememberPage(cacheFolder(host));
  }
}

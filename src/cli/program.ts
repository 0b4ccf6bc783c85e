import { Command } from 'commander';
import { CCBENCH } from './commands.generated.js';
import { addCommand, type CommandLine, examples, optionOf } from './describe-command.js';
import { EXIT_MEANING } from './exit-codes.js';
import { LOADS } from './load-command.js';
import { packageVersion } from './version.js';
import { refuseWithoutEffect } from './without-effect.js';

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

/** Builds the command line. Only commander and the descriptions are loaded for help; each command loads its own parts. */
export function buildProgram(line: CommandLine): Command {
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
    .hook('preAction', (_program, command) => refuseWithoutEffect(command));
  for (const each of options) program.addOption(optionOf(each));
  program.addHelpText(
    'after',
    `${exitCodes(program, stdout.columns ?? HELP_WIDTH)}${examples(CCBENCH.examples)}`,
  );
  for (const each of CCBENCH.below) addCommand(program, each, line, LOADS);
  return program;
}

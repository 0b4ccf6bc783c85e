import { Command, Option } from 'commander';
import type { Shell } from './commands/completion/scripts.js';
import {
  addCommand,
  argument,
  type CommandDescription,
  type CommandLine,
  examples,
  OUTPUT,
} from './describe-command.js';
import { RECORDING_COMMANDS } from './descriptions/recordings.js';
import { STUDY_COMMANDS } from './descriptions/studies.js';
import { TOOL_COMMANDS } from './descriptions/tools.js';
import { EXIT_MEANING } from './exit-codes.js';
import { oneOf } from './option-values.js';
import type { CliSession } from './session.js';
import { packageVersion } from './version.js';
import { refuseWithoutEffect } from './without-effect.js';

/** Columns of help texts where the terminal does not say. */
const HELP_WIDTH = 100;

/** Columns that a description needs to be broken into lines: those of help on the narrowest terminal that is thought of. */
const LEAST_WRAPPED = 20;

const VERSION = ['-V, --version', 'print the version'] as const;

const COMPLETION: CommandDescription = {
  name: 'completion',
  about: 'Print the script that completes commands and options in a shell.',
  args: [argument('<shell>', 'bash, zsh, fish or powershell', oneOf('bash', 'zsh', 'fish', 'powershell'))],
  examples: [
    'completion bash >> ~/.bash_completion',
    'completion zsh >> ~/.zshrc',
    'completion fish > ~/.config/fish/completions/ccbench.fish',
    'completion powershell >> $PROFILE',
  ],
  load: async () => {
    const { completionCommand } = await import('./commands/completion/completion.js');
    return (session: CliSession, shell: Shell) => completionCommand(session, shell, CCBENCH);
  },
};

/** ccbench itself, its commands in the order of its help. */
const CCBENCH = {
  name: 'ccbench',
  about: 'Replays coding-agent sessions under context-management policies and shows what they cost.',
  options: [new Option(...VERSION), ...OUTPUT],
  examples: [
    'why',
    'init && ccbench run my-scenario.yaml',
    'inspect ~/.claude/projects',
    'ttl traces/*.json.gz',
  ],
  below: [
    RECORDING_COMMANDS.why,
    STUDY_COMMANDS.run,
    STUDY_COMMANDS.compare,
    STUDY_COMMANDS.sweep,
    STUDY_COMMANDS.tune,
    RECORDING_COMMANDS.inspect,
    RECORDING_COMMANDS.ttl,
    RECORDING_COMMANDS.validate,
    RECORDING_COMMANDS.diff,
    RECORDING_COMMANDS.export,
    STUDY_COMMANDS.report,
    TOOL_COMMANDS.open,
    TOOL_COMMANDS.init,
    TOOL_COMMANDS.schema,
    TOOL_COMMANDS.models,
    RECORDING_COMMANDS.providers,
    TOOL_COMMANDS.policies,
    TOOL_COMMANDS.bench,
    TOOL_COMMANDS.serve,
    TOOL_COMMANDS.exec,
    TOOL_COMMANDS.cache,
    COMPLETION,
    STUDY_COMMANDS.results,
    STUDY_COMMANDS.fleet,
    TOOL_COMMANDS.metrics,
  ],
} satisfies CommandDescription;

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
  const program = new Command(CCBENCH.name)
    .description(CCBENCH.about)
    .version(packageVersion(), ...VERSION)
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
  for (const each of OUTPUT) program.addOption(each);
  program.addHelpText(
    'after',
    `${exitCodes(program, stdout.columns ?? HELP_WIDTH)}${examples(CCBENCH.examples)}`,
  );
  for (const each of CCBENCH.below) addCommand(program, each, line);
  return program;
}

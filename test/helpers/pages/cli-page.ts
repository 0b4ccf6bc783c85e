import { type Command, Help } from 'commander';
import type { Host, TextStream } from '../../../src/cli/host.js';
import { buildProgram } from '../../../src/cli/run-cli.js';

const NOWHERE: TextStream = { isTerminal: false, columns: null, write() {} };
const NO_HOST: Host = {
  cwd: '.',
  env: {},
  stdout: NOWHERE,
  stderr: NOWHERE,
  interrupt: new AbortController().signal,
  now: () => 0,
  epochMs: () => 0,
};

/** Options that every command has: the page names them once. */
const SHARED: ReadonlySet<string> = new Set(['--json', '--debug', '--no-color', '--help']);

function buildCommands(): Command {
  return buildProgram({
    session: { host: NO_HOST, debug: false, json: false, colors: 'never', cache: 'off' },
    isNamed: () => true,
    setExitCode() {},
  });
}

function helpOf(command: Command): string {
  const parts: string[] = [];
  command.configureOutput({ writeOut: (part) => void parts.push(part), getOutHelpWidth: () => 100 });
  command.outputHelp();
  return parts.join('');
}

function withoutShared(command: Command): Command {
  return command.configureHelp({
    ...command.configureHelp(),
    visibleOptions: (shown) => new Help().visibleOptions(shown).filter(({ long }) => !SHARED.has(long ?? '')),
  });
}

/** Every command below another with its whole name, in order. */
function commandsBelow(parent: Command, prefix = ''): readonly (readonly [string, Command])[] {
  return parent.commands.flatMap((command) => {
    const name = `${prefix}${command.name()}`;
    return [[name, command] as const, ...commandsBelow(command, `${name} `)];
  });
}

/** The help of every command, as a user sees it. */
export function commandHelps(): readonly string[] {
  return commandsBelow(buildCommands()).map(([, command]) => helpOf(command));
}

function block(text: string): string {
  return `\`\`\`text\n${text.trimEnd()}\n\`\`\`\n`;
}

/** docs/cli.md: the help of every command, without the options that all of them share. */
export function cliPage(): string {
  const program = buildCommands();
  const sections = commandsBelow(program).map(
    ([name, command]) => `## ccbench ${name}\n\n${block(helpOf(withoutShared(command)))}`,
  );
  return `# Command line

Every command also takes \`--json\` (one JSON object on stdout and nothing else), \`--debug\` (show stack traces), \`--no-color\` and \`--help\`.
Without a command ccbench says what sessions are on this machine, and which commands to begin with.

${block(helpOf(program))}
${sections.join('\n')}`;
}

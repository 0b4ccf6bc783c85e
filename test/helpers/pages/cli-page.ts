import { type Command, Help, type Option } from 'commander';
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

/** Options that every command has: the page names them once, in a sentence. */
const OF_ALL: ReadonlySet<string> = new Set(['--json', '--debug', '--no-color', '--help']);

/** An option of this many commands is described once, in a table. */
const SEVERAL = 4;

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

const written = ({ flags, description }: Option): string => `${flags} ${description}`;

/** The options that several commands have in the same words, with the commands. */
function sharedOptions(commands: readonly (readonly [string, Command])[]) {
  const shared = new Map<string, { readonly option: Option; readonly names: string[] }>();
  for (const [name, command] of commands)
    for (const option of new Help().visibleOptions(command)) {
      if (OF_ALL.has(option.long ?? '')) continue;
      const found = shared.get(written(option)) ?? { option, names: [] };
      found.names.push(name);
      shared.set(written(option), found);
    }
  return new Map([...shared].filter(([, { names }]) => names.length >= SEVERAL));
}

/** The section of each command. An option that an earlier section describes in the same words is only named. */
function commandSections(
  commands: readonly (readonly [string, Command])[],
  shared: ReadonlyMap<string, unknown>,
): readonly string[] {
  const describedBy = new Map<string, string>();
  return commands.map(([name, command]) => {
    const own: Option[] = [];
    const earlier = new Map<string, string[]>();
    for (const option of new Help().visibleOptions(command)) {
      if (OF_ALL.has(option.long ?? '') || shared.has(written(option))) continue;
      const by = describedBy.get(written(option));
      if (by === undefined) own.push(option);
      else earlier.set(by, [...(earlier.get(by) ?? []), `\`${option.long}\``]);
    }
    for (const option of own) describedBy.set(written(option), name);
    command.configureHelp({ ...command.configureHelp(), visibleOptions: () => own });
    const named = [...earlier].map(([by, names]) => `${names.join(', ')} as in \`ccbench ${by}\``);
    const also = named.length === 0 ? '' : `\nAlso ${named.join('; ')}.\n`;
    return `## ccbench ${name}\n\n${block(helpOf(command))}${also}`;
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

/** A help text without its list of commands: each has a section. */
function block(text: string): string {
  const own = text.replace(/\nCommands:\n(?: .*\n)+/, '');
  return `\`\`\`text\n${own.trimEnd()}\n\`\`\`\n`;
}

/** docs/cli.md: the help of every command, without the options that all of them share. */
export function cliPage(): string {
  const program = buildCommands();
  const commands = commandsBelow(program);
  const shared = sharedOptions(commands);
  const groups = new Map<string, string>();
  for (const { option, names } of shared.values()) {
    const row = `- \`${option.flags}\`: ${new Help().optionDescription(option)}\n`;
    groups.set(names.join(', '), (groups.get(names.join(', ')) ?? '') + row);
  }
  const tables = [...groups].map(([names, rows]) => `${names}:\n\n${rows}`);
  const sections = commandSections(commands, shared);
  return `# Command line

Every command also takes \`--json\` (print one JSON object on stdout and nothing else), \`--debug\` (show stack traces), \`--no-color\` and \`--help\`.
Without a command ccbench lists the sessions on this machine and suggests commands. \`ccbench --help\` lists all commands.

${block(helpOf(program))}
## Options of several commands

${tables.join('\n')}
${sections.join('\n')}`;
}

import type { Host, TextStream } from '../../../src/cli/host.js';
import { buildProgram } from '../../../src/cli/program.js';

const NOWHERE: TextStream = { isTerminal: false, columns: null, write() {} };
const NO_HOST: Host = {
  cwd: '.',
  env: {},
  stdout: NOWHERE,
  stderr: NOWHERE,
  interrupt: new AbortController().signal,
  now: () => 0,
};

function block(text: string): string {
  return `\`\`\`text\n${text.trimEnd()}\n\`\`\`\n`;
}

/** docs/cli.md: the help of every command. */
export function cliPage(): string {
  const program = buildProgram(
    { host: NO_HOST, debug: false, json: false, colors: 'never', cache: 'off' },
    () => {},
  );
  const helpOf = (command: typeof program): string => {
    const parts: string[] = [];
    command.configureOutput({ writeOut: (part) => void parts.push(part), getOutHelpWidth: () => 100 });
    command.outputHelp();
    return parts.join('');
  };
  const pages = (command: typeof program, name: string): string[] => [
    `## ccbench ${name}\n\n${block(helpOf(command))}`,
    ...command.commands.flatMap((child) => pages(child, `${name} ${child.name()}`)),
  ];
  const sections = program.commands.flatMap((command) => pages(command, command.name()));
  return `# Command line\n\n${block(helpOf(program))}\n${sections.join('\n')}`;
}

import type { Option } from 'commander';
import { allOptions, type CommandDescription } from '../../describe-command.js';
import { EXIT, type ExitCode } from '../../exit-codes.js';
import { type CliSession, printJson } from '../../session.js';
import { type CompletedCommand, type CompletedOption, completionScript, type Shell } from './scripts.js';

/** The words that a reader of values accepts, where it says so. */
function wordsOf(reader: unknown): readonly string[] {
  return (reader as { readonly words?: readonly string[] } | undefined)?.words ?? [];
}

function completedOption({
  long,
  short,
  description,
  required,
  optional,
  parseArg,
}: Option): CompletedOption {
  return {
    names: [long, short].filter((name) => name !== undefined && name !== null),
    description,
    values: required || optional ? wordsOf(parseArg) : null,
  };
}

/** A command and those below it, with what may follow each of them. */
function completed(
  { about, args = [], below = [], ...command }: CommandDescription,
  path: string,
): readonly CompletedCommand[] {
  const readers = args.map(({ parseArg }) => wordsOf(parseArg));
  const options = path === '' ? (command.options ?? []) : allOptions(command);
  const own: CompletedCommand = {
    path,
    description: about,
    commands: [
      ...below.map((child) => ({ name: child.name, description: child.about })),
      ...(path === '' ? [{ name: 'help', description: 'show help for a command' }] : []),
    ],
    options: [
      ...options.map(completedOption),
      { names: ['--help', '-h'], description: 'show help', values: null },
    ],
    words: readers[0] ?? [],
    takesFiles: readers.some((words) => words.length === 0),
  };
  return [own, ...below.flatMap((child) => completed(child, `${path} ${child.name}`.trim()))];
}

/** `ccbench completion`: prints the script that teaches a shell to complete ccbench, `root`. */
export function completionCommand(session: CliSession, shell: Shell, root: CommandDescription): ExitCode {
  const script = completionScript(shell, completed(root, ''));
  if (session.json) printJson(session, { shell, script });
  else session.host.stdout.write(script);
  return EXIT.fine;
}

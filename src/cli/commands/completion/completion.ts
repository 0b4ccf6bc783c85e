import { type CommandDescription, type DescribedValue, optionOf } from '../../describe-command.js';
import { EXIT, type ExitCode } from '../../exit-codes.js';
import { type CliSession, printJson } from '../../session.js';
import { type CompletedCommand, type CompletedOption, completionScript, type Shell } from './scripts.js';

/** The words that a value may be, where they are known. */
function wordsOf({ oneOf, anyOf }: DescribedValue): readonly string[] {
  return oneOf ?? anyOf ?? [];
}

function completedOption(described: DescribedValue): CompletedOption {
  const { long, short, description, required, optional } = optionOf(described);
  return {
    names: [long, short].filter((name) => name !== undefined && name !== null),
    description,
    values: required || optional ? wordsOf(described) : null,
  };
}

/** A command and those below it, with what may follow each of them. */
function completed(
  { about, args, options, below }: CommandDescription,
  path: string,
): readonly CompletedCommand[] {
  const readers = args.map(wordsOf);
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

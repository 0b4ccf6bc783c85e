import type { Argument, Command, Option } from 'commander';

/** An option, as shells complete it. */
export interface CompletedOption {
  /** With their dashes, the long one first. */
  readonly names: readonly string[];
  readonly description: string;
  /** What its value may be; null where it takes none, empty where anything may stand (a file is offered). */
  readonly values: readonly string[] | null;
}

/** A command, as shells complete it. */
export interface CompletedCommand {
  /** Names of the commands that lead to it; empty for ccbench itself. */
  readonly path: string;
  readonly description: string;
  /** Commands below it, with what they do. */
  readonly commands: readonly { readonly name: string; readonly description: string }[];
  readonly options: readonly CompletedOption[];
  /** Words that its first argument may be. */
  readonly words: readonly string[];
  /** Whether its arguments may be files. */
  readonly takesFiles: boolean;
}

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

function completed(command: Command, path: string): readonly CompletedCommand[] {
  const below = command.commands.filter((child) => child.name() !== 'help');
  const readers = command.registeredArguments.map((argument: Argument) => wordsOf(argument.parseArg));
  const own: CompletedCommand = {
    path,
    description: command.description(),
    commands: [
      ...below.map((child) => ({ name: child.name(), description: child.description() })),
      ...(path === '' ? [{ name: 'help', description: 'show help for a command' }] : []),
    ],
    options: [
      ...command.options.map(completedOption),
      { names: ['--help', '-h'], description: 'show help', values: null },
    ],
    words: readers[0] ?? [],
    takesFiles: readers.some((words) => words.length === 0),
  };
  return [
    own,
    ...below.flatMap((child) => completed(child, path === '' ? child.name() : `${path} ${child.name()}`)),
  ];
}

/** Every command of a program with what may follow it, from the definitions that help is made of. */
export function commandTree(program: Command): readonly CompletedCommand[] {
  return completed(program, '');
}

import { type Command, InvalidArgumentError } from 'commander';

/** Values of an option that may be repeated. */
export const collect = (value: string, list: readonly string[] = []): readonly string[] => [...list, value];

/** A whole number from 0 up. */
export function whole(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('It must be a whole number from 0 up.');
  return Number(text);
}

/** A share of a hundred. */
export function percent(text: string): number {
  const value = Number(text.replace(/%$/, ''));
  if (!/^\d+(\.\d+)?%?$/.test(text) || value > 100)
    throw new InvalidArgumentError('It must be 0 to 100 per cent.');
  return value;
}

/** Lifetimes in seconds. */
export function lifetimes(text: string): readonly number[] {
  return text.split(',').map((part) => {
    const value = Number(part);
    if (!/^\s*\d+(\.\d+)?\s*$/.test(part) || value <= 0) {
      throw new InvalidArgumentError('It must be seconds above zero, separated by commas, such as 45,90.');
    }
    return value;
  });
}

/** A whole number from 1 up. */
export function count(text: string): number {
  if (!/^\d{1,6}$/.test(text) || Number(text) < 1)
    throw new InvalidArgumentError('It must be a whole number from 1 up.');
  return Number(text);
}

/** A factor from 1 up. */
export function factor(text: string): number {
  if (!/^\d+(\.\d+)?$/.test(text) || Number(text) < 1)
    throw new InvalidArgumentError('It must be a number from 1 up, such as 1.6.');
  return Number(text);
}

/** How to search. */
export function method(text: string): string {
  if (text !== 'random' && text !== 'halving')
    throw new InvalidArgumentError('It must be random or halving.');
  return text;
}

/** Options of the commands that make many runs. */
export function study(command: Command): Command {
  return reading(command)
    .option(
      '--transcripts <pattern>',
      'recordings instead of the scenario’s, such as "logs/*.jsonl" (repeatable)',
      collect,
    )
    .option('--workers <n>', 'worker threads; 0 uses none (default: all cores)', whole)
    .option('--out <folder>', 'folder that holds the report folders', 'reports')
    .option('--no-files', 'write no report');
}

/** Examples below the help of a command. */
export function examples(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ ccbench ${line}`).join('\n')}`;
}

/** Options of every command. */
export function shared(command: Command): Command {
  return command
    .option('--json', 'print one JSON object on stdout and nothing else')
    .option('--debug', 'show stack traces')
    .option('--no-color', 'no colours (also: NO_COLOR)');
}

/** A command that reads transcripts. */
export function reading(command: Command): Command {
  return shared(command).option('--no-cache', 'keep and use no compiled transcripts');
}

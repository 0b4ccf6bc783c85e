import type { Command } from 'commander';
import { collect, threads } from './option-values.js';

/** Counters of texts that need no network. */
export const TEXT_COUNTERS = ['heuristic', 'gpt-tokenizer', 'js-tiktoken'] as const;

/** What names the scenarios that a command runs. */
export const SCENARIOS =
  'scenario files (YAML), or recordings, which are run as their clients would; - reads one from standard input';

/** What names the sessions that a command reads. */
export const SESSIONS =
  'recordings, request traces, folders of them (searched to the bottom), patterns such as "logs/**/*.jsonl", or - for standard input';

/** Examples below the help of a command. */
export function examples(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ ccbench ${line}`).join('\n')}`;
}

/** A command with the options that all have. */
export function shared(command: Command): Command {
  return command
    .option('--json', 'print one JSON object on stdout and nothing else')
    .option('--debug', 'show stack traces')
    .option('--no-color', 'no colours (also: NO_COLOR; FORCE_COLOR has them in a pipe too)');
}

/** A command that reads transcripts. */
export function reading(command: Command): Command {
  return shared(command).option(
    '--no-cache',
    'keep and use no compiled transcripts (ccbench cache shows them)',
  );
}

/** A command that loads plug-ins. */
export function extensible(command: Command): Command {
  return command.option(
    '--plugin <file>',
    'ES module that adds tiers, policies, readers and metrics (repeatable)',
    collect,
  );
}

/** A command that tells GitHub what it found. */
export function reported(command: Command): Command {
  return command
    .option('--github', 'add to the step summary and mark lines (on by itself in GitHub Actions)')
    .option('--no-github', 'tell GitHub nothing');
}

/** Options of the commands that make many runs. */
export function study(command: Command): Command {
  return extensible(reading(command))
    .option(
      '--transcripts <pattern>',
      'recordings instead of the scenario’s: a file, a folder, or "logs/**/*.jsonl" (repeatable)',
      collect,
    )
    .option('--workers <n>', 'worker threads; 0 uses none (default: all cores)', threads)
    .option('--out <folder>', 'folder that holds the report folders', 'reports')
    .option('--no-files', 'write no report');
}

import type { Command } from 'commander';
import { examples, extensible, reading } from '../../command-parts.js';
import type { ExitCode } from '../../exit-codes.js';
import { percent, whole } from '../../option-values.js';
import type { CliSession } from '../../session.js';

/** Adds `ccbench diff` to the command line. */
export function defineDiff(program: Command, session: CliSession, settle: (code: ExitCode) => void): void {
  extensible(
    reading(
      program
        .command('diff')
        .description('Where two runs part and why, request by request; or a recording and its simulation.'),
    ),
  )
    .argument('<a>', 'a run (run.jsonl or its report folder), a scenario (file.yaml#variant), or a recording')
    .argument('[b]', 'the same; default: for a recording its simulation, for a scenario its variant')
    .option(
      '--tolerance <percent>',
      'figures within so much are the same (default: 0; 2 beside a recording)',
      percent,
    )
    .option('--out <folder>', 'write a page with both as aligned lanes into this folder')
    .option('--rows <n>', 'differences to show', whole, 15)
    .addHelpText(
      'after',
      examples(
        'diff reports/before reports/after',
        'diff lunch.yaml "lunch.yaml#keep 3"',
        'diff session.jsonl --out reports',
        'diff session.jsonl my-scenario.yaml --json',
      ),
    )
    .action(async (a, b, options) => {
      const { diffCommand } = await import('./diff.js');
      settle(await diffCommand(session, a, b, options));
    });
}

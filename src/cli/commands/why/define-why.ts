import type { Command } from 'commander';
import { examples, reading, SESSIONS } from '../../command-parts.js';
import type { ExitCode } from '../../exit-codes.js';
import { whole } from '../../option-values.js';
import type { CliSession } from '../../session.js';

/** Adds `ccbench why` to the command line. */
export function defineWhy(program: Command, session: CliSession, settle: (code: ExitCode) => void): void {
  reading(
    program
      .command('why')
      .description(
        'Where the money of your sessions went, what broke the cache, what would have been cheaper.',
      ),
  )
    .argument('[session...]', `${SESSIONS}; none: the sessions in their usual places`)
    .option('--since <day>', 'leave out sessions that ended before this day (2026-07-01, UTC)')
    .option('--top <n>', 'rows in each ranking', whole, 5)
    .option('--out <folder>', 'folder that holds the folder of the page', 'reports')
    .option('--no-files', 'write no page')
    .option('--share', 'print a block to show around: no names, no paths, no text; no page')
    .addHelpText(
      'after',
      examples(
        'why',
        'why ~/.claude/projects --since 2026-07-01',
        'why session.jsonl --top 20',
        'why ~/.claude/projects --share',
        'why ~/.claude/projects --json',
      ),
    )
    .action(async (files, options) => {
      const { whyCommand } = await import('./why.js');
      settle(await whyCommand(session, files, options));
    });
}

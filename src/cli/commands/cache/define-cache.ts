import type { Command } from 'commander';
import { examples, shared } from '../../command-parts.js';
import type { ExitCode } from '../../exit-codes.js';
import type { CliSession } from '../../session.js';

/** Adds `ccbench cache` and what it has below it to the command line. */
export function defineCache(program: Command, session: CliSession, settle: (code: ExitCode) => void): void {
  const cache = shared(
    program
      .command('cache')
      .description('Show where compiled transcripts are kept, how many, and how much room they take.'),
  )
    .addHelpText('after', examples('cache', 'cache clear', 'cache --json'))
    .action(async () => {
      const { showCacheCommand } = await import('./cache.js');
      settle(showCacheCommand(session));
    });
  shared(
    cache.command('clear').description('Remove all compiled transcripts; they are made again when needed.'),
  )
    .addHelpText('after', examples('cache clear', 'cache clear --json'))
    .action(async () => {
      const { clearCacheCommand } = await import('./cache.js');
      settle(clearCacheCommand(session));
    });
}

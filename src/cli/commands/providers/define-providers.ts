import type { Command } from 'commander';
import { examples, reading } from '../../command-parts.js';
import type { ExitCode } from '../../exit-codes.js';
import { tokens } from '../../option-values.js';
import type { CliSession } from '../../session.js';

/** Adds `ccbench providers` to the command line. */
export function defineProviders(
  program: Command,
  session: CliSession,
  settle: (code: ExitCode) => void,
): void {
  reading(
    program
      .command('providers')
      .description('List the prompt caches of the providers, or replay one session under each of them.'),
  )
    .argument('[name]', 'this provider alone, or the one of this file, with what is not known of it')
    .option('--model <name>', 'prices of this model of the provider instead of its usual one')
    .option('--session <file>', 'replay this recording: cost, hit rate and break-even under each')
    .option('--rewritten <tokens>', 'tokens that a clearing has written again', tokens, 100_000)
    .option('--freed <tokens>', 'tokens that a clearing frees', tokens, 20_000)
    .addHelpText(
      'after',
      examples(
        'providers',
        'providers deepseek --model deepseek-v4-flash',
        'providers ./my-provider.yaml',
        'providers --session session.jsonl',
        'providers --rewritten 60k --freed 30k --json',
      ),
    )
    .action(async (name, options) => {
      const { providersCommand } = await import('./providers.js');
      settle(await providersCommand(session, name, options));
    });
}

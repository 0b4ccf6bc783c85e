import type { Command } from 'commander';
import { examples, shared } from '../../command-parts.js';
import type { ExitCode } from '../../exit-codes.js';
import { collect, count } from '../../option-values.js';
import type { CliSession } from '../../session.js';

/** Adds `ccbench results` to the command line. */
export function defineColumns(program: Command, session: CliSession, settle: (code: ExitCode) => void): void {
  shared(
    program
      .command('results')
      .description('Ask about the Parquet files of a sweep: what is there, what is best, means, SQL.'),
  )
    .argument('<folder>', 'the folder of sweep --results')
    .option(
      '--study <id>',
      'the study that is meant, where the folder holds several; its beginning is enough',
    )
    .option('--best <metric>', 'the points with the best mean over the sessions')
    .option('--top <n>', 'how many points, groups or rows are shown', count, 10)
    .option(
      '--where <condition>',
      'rows that are counted or grouped, such as "costUsd < 2" (repeatable)',
      collect,
    )
    .option('--count', 'how many rows there are')
    .option('--group <columns>', 'one line for each value of these columns, separated by commas')
    .option('--mean <columns>', 'means of these columns, separated by commas')
    .option('--columns', 'list the columns')
    .option('--sql <query>', 'a query on the table results, answered by the command duckdb')
    .addHelpText(
      'after',
      examples(
        'results out',
        'results out --best costUsd --top 20',
        'results out --group transcript --mean costUsd,cacheHitRate --where "compactions > 0"',
        'results out --sql "select policy, avg(costUsd) from results group by policy"',
      ),
    )
    .action(async (folder, options) => {
      const { resultsCommand } = await import('./results.js');
      settle(await resultsCommand(session, folder, options));
    });
}

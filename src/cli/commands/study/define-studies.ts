import type { Command } from 'commander';
import { CcbenchError } from '../../../core/base/errors.js';
import { examples, study } from '../../command-parts.js';
import type { ExitCode } from '../../exit-codes.js';
import { collect, count, oneOf, shard, whole } from '../../option-values.js';
import type { CliSession } from '../../session.js';

/** Refuses options that do nothing beside each other. */
function checkColumnOptions(command: Command): void {
  const isGiven = (name: string): boolean => command.getOptionValueSource(name) === 'cli';
  if (!isGiven('results'))
    throw new CcbenchError('bad-usage', '--shard needs a folder that all shards write into', {
      hint: 'add --results <folder>',
    });
  for (const [name, written] of [
    ['out', '--out'],
    ['files', '--no-files'],
  ] as const)
    if (isGiven(name))
      throw new CcbenchError('bad-usage', `${written} has no effect with --results, which writes no report`, {
        hint: `leave out ${written}`,
      });
}

/** What holds at every point: the policy first, since other settings may be its own. */
function changesOf(options: {
  readonly policy?: string;
  readonly set?: readonly string[];
}): readonly string[] {
  const { policy, set = [] } = options;
  return policy === undefined ? set : [`policy=${JSON.stringify(policy)}`, ...set];
}

/** What a study takes. */
const SCENARIO =
  'scenario file (YAML), or a recording, which is run as its client would; - reads one from standard input';

/** Adds `ccbench sweep` and `ccbench tune` to the command line. */
export function defineStudies(program: Command, session: CliSession, settle: (code: ExitCode) => void): void {
  study(
    program
      .command('sweep')
      .description('Run a scenario over a grid of settings; an interrupted sweep goes on where it stopped.'),
  )
    .argument('<scenario>', SCENARIO)
    .requiredOption(
      '--vary <path=values>',
      'from..to:steps, from..to:steps:log, a list with commas, or auto (30 to 100 % of the window, in tokens or in percent); 0.5w is half the window (repeatable: a grid)',
      collect,
    )
    .option('--policy <name>', 'policy, or policy file, instead of the scenario’s')
    .option('--set <path=value>', 'change a setting of every point (repeatable)', collect)
    .option('--metrics <names>', 'columns, separated by commas; the first decides which point is best')
    .option('--results <folder>', 'write Parquet files instead of a report: for grids of any size')
    .option(
      '--shard <i/n>',
      'with --results: make the i-th of n shares of the runs, of about equal cost',
      shard,
    )
    .addHelpText(
      'after',
      examples(
        'sweep lunch.yaml --vary microcompact.timeBased.gapMinutes=5..120:12',
        'sweep my-scenario.yaml --policy baselines/prune --vary rules.prune.when.piled=20k..300k:17:log',
        'sweep lunch.yaml --vary window.explicit=0.3w,0.5w,0.8w --vary cache.ttl=5m,1h',
        'sweep lunch.yaml --vary window.percent=30..95:1000 --vary seed=1..1000:1000 --results out --shard 3/16',
      ),
    )
    .action(async (file, options, command) => {
      const given = { ...options, set: changesOf(options) };
      if (options.results === undefined && options.shard === undefined) {
        const { sweepCommand } = await import('./sweep.js');
        settle(await sweepCommand(session, file, given));
        return;
      }
      checkColumnOptions(command);
      const { columnSweepCommand } = await import('../columns/column-sweep.js');
      settle(await columnSweepCommand(session, file, given));
    });

  tuneOptions(
    program
      .command('tune')
      .description(
        'Search the settings that make a metric best, finish every session and hold constraints; where none qualifies, exit code 99.',
      ),
  )
    .argument('<scenario>', SCENARIO)
    .addHelpText(
      'after',
      examples(
        'tune lunch.yaml --minimise costUsd --subject-to "keptContentShare >= 40%" --vary window.compactOffset=5000..90000',
      ),
    )
    .action(async (file, options) => {
      const { tuneCommand } = await import('../tune/tune.js');
      settle(await tuneCommand(session, file, searched(options)));
    });
}

/** The options of a search. */
export function tuneOptions(command: Command): Command {
  return study(command)
    .requiredOption(
      '--vary <path=values>',
      'from..to, from..to:steps, :log, a list with commas, or auto: parts of the window, round sizes and price steps in tokens, or 30 to 100 % (repeatable)',
      collect,
    )
    .option('--minimise <metric>', 'the metric that should be small')
    .option('--maximise <metric>', 'the metric that should be large')
    .option(
      '--subject-to <expectation>',
      'what must hold, such as "keptContentShare >= 40%" (repeatable)',
      collect,
    )
    .option(
      '--method <name>',
      'random, or halving: many settings on little work, the best on more',
      oneOf('random', 'halving'),
      'halving',
    )
    .option('--budget <n>', 'settings that are drawn', count, 60)
    .option('--search-seed <n>', 'seed of the drawing, and of the split of the sessions', whole, 1)
    .option(
      '--no-holdout',
      'search on all sessions; otherwise half of four or more are kept to try the answer on',
    )
    .option('--policy <name>', 'policy, or policy file, instead of the scenario’s')
    .option('--set <path=value>', 'change a setting of every point (repeatable)', collect);
}

/** The options of a search as the command takes them. */
export function searched<
  T extends {
    readonly policy?: string;
    readonly set?: readonly string[];
    readonly subjectTo?: readonly string[];
  },
>(options: T) {
  return { ...options, set: changesOf(options), subjectTo: options.subjectTo ?? [] };
}

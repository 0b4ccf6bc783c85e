import type { Command } from 'commander';
import { examples, extensible, reading, shared } from '../../command-parts.js';
import type { ExitCode } from '../../exit-codes.js';
import { amount, collect, factor, threads } from '../../option-values.js';
import type { CliSession } from '../../session.js';
import { searched, tuneOptions } from '../study/define-studies.js';

/** Seconds of silence after which a batch goes to another worker. */
const LEASE_SECONDS = 30;

/** Options that say where the server is. */
function served(command: Command): Command {
  return command
    .option('--redis <url>', 'redis://user:password@host:port/db, or rediss:// for TLS (also: CCBENCH_REDIS)')
    .option('--redis-ca <file>', 'certificate of the authority that signed the server’s (PEM)')
    .option('--redis-cert <file>', 'certificate of this client (PEM)')
    .option('--redis-key <file>', 'key of this client (PEM)');
}

/** Adds `ccbench fleet` to the command line. */
export function defineFleet(program: Command, session: CliSession, settle: (code: ExitCode) => void): void {
  const fleet = shared(
    program
      .command('fleet')
      .description(
        'Run a sweep or a search on machines that come and go, with a Redis or Valkey between them.',
      ),
  ).addHelpText(
    'after',
    examples(
      'fleet worker --redis redis://queue:6379',
      'fleet run study.yaml --vary window.percent=30..95:1000 --results out --redis redis://queue:6379',
      'fleet tune study.yaml --minimise costUsd --vary window.percent=30..95 --results out --redis redis://queue:6379',
    ),
  );
  served(
    extensible(reading(fleet.command('run').description('Hand a sweep to the workers, and wait for it.'))),
  )
    .argument('<scenario>', 'scenario file (YAML)')
    .requiredOption('--vary <path=values>', 'as for sweep (repeatable: a grid)', collect)
    .requiredOption('--results <folder>', 'folder that all machines see')
    .option('--set <path=value>', 'change a setting of every point (repeatable)', collect)
    .option('--metrics <names>', 'columns, separated by commas; the first decides which point is best')
    .option('--transcripts <pattern>', 'recordings instead of the scenario’s (repeatable)', collect)
    .addHelpText(
      'after',
      examples(
        'fleet run study.yaml --vary window.percent=30..95:1000 --results out --redis redis://queue:6379',
      ),
    )
    .action(async (file, options) => {
      const { fleetRunCommand } = await import('./fleet-commands.js');
      settle(await fleetRunCommand(session, file, { ...options, set: options.set ?? [] }));
    });
  served(
    tuneOptions(
      fleet
        .command('tune')
        .description('Search the best settings as ccbench tune does; the workers make the runs.'),
    ),
  )
    .argument('<scenario>', 'scenario file (YAML)')
    .requiredOption('--results <folder>', 'folder that all machines see')
    .addHelpText(
      'after',
      examples(
        'fleet tune study.yaml --minimise costUsd --vary window.percent=30..95 --budget 500 --results out --redis redis://queue:6379',
      ),
    )
    .action(async (file, options) => {
      const { fleetTuneCommand } = await import('./fleet-commands.js');
      settle(await fleetTuneCommand(session, file, searched(options)));
    });
  served(
    extensible(reading(fleet.command('worker').description('Do batches of studies until it is stopped.'))),
  )
    .option('--workers <n>', 'worker threads; 0 uses none (default: all cores)', threads)
    .option('--results <folder>', 'the results folder as this machine sees it')
    .option('--idle <seconds>', 'end after so long without work', amount)
    .option('--lease <seconds>', 'silence after which a batch goes to another worker', factor, LEASE_SECONDS)
    .addHelpText(
      'after',
      examples('fleet worker --redis redis://queue:6379', 'fleet worker --idle 60 --workers 4'),
    )
    .action(async (options) => {
      const { fleetWorkerCommand } = await import('./fleet-worker.js');
      settle(await fleetWorkerCommand(session, options));
    });
}

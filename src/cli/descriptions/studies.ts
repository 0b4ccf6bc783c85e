import { CcbenchError } from '../../core/base/errors.js';
import {
  argument,
  CHOICE,
  type CommandDescription,
  DETAIL,
  GITHUB,
  NEWEST_ON_THIS_MACHINE,
  option,
  PLUGINS,
  PRICED,
  READS,
  required,
  SCENARIOS,
  STUDY,
  SUBJECT_TO,
} from '../describe-command.js';
import { amount, collect, count, factor, oneOf, percent, shard, threads, whole } from '../option-values.js';
import type { CliSession } from '../session.js';
import { policyFiles, searched, withPolicy, withPredict, withSet } from './settings.js';

/** What a study takes. */
const SCENARIO = `scenario file (YAML), or sessions, which are run as their client would: recordings, folders, patterns; ${NEWEST_ON_THIS_MACHINE}; - reads standard input`;

/** Seconds of silence after which another worker gets the batch. */
const LEASE_SECONDS = 30;

/** What a command takes behind its files. */
type OptionsOf<F extends (session: CliSession, files: never, options: never) => unknown> = Parameters<F>[2];

/** Options as they are typed: lists that nobody gave are absent. */
type Typed<T extends { readonly set: readonly string[] }> = Omit<T, 'set'> & Partial<Pick<T, 'set'>>;

/** What `--watch` adds to the options of a command. */
interface Watched {
  readonly watch?: boolean;
  readonly policy?: string;
}

const SET = option('--set <path=value>', 'change a setting of every point (repeatable)', collect);
const POLICY = option('--policy <name>', 'policy, or policy file, instead of the scenario’s');
const PREDICT = option(
  '--predict',
  'take the content of recordings alone, not what happened: chance breaks by rate, as validate --forward',
);
const SEED = option('--seed <n>', 'seed of everything that is drawn', whole);
const MODEL = option('--model <name>', 'model instead of the scenario’s');
const METRICS = option(
  '--metrics <names>',
  'columns, separated by commas; the first decides which point is best',
);
const FLEET_RESULTS = required('--results <folder>', 'folder that all machines see');

/** The options of a search. */
const TUNE = [
  ...STUDY,
  option(
    '--vary <path=values>',
    'from..to, from..to:steps, :log, a list with commas, or auto: parts of the window, round sizes and price steps in tokens, or 30 to 100 % (repeatable; default: auto of the size at which the policy compacts)',
    collect,
  ),
  option('--minimise <metric>', 'the metric that should be small (default: costUsd)'),
  option('--maximise <metric>', 'the metric that should be large'),
  SUBJECT_TO,
  option(
    '--method <name>',
    'auto: every setting where the budget allows it, else halving; halving: many settings on the longest sessions, the best on all; random',
    oneOf('auto', 'random', 'halving'),
    'auto',
  ),
  option('--budget <n>', 'settings to try', count, 200),
  option('--search-seed <n>', 'seed of the search, and of the split of the sessions', whole, 1),
  option('--no-holdout', 'do not try what half of four or more sessions would choose on the others'),
  POLICY,
  SET,
  PREDICT,
];

/** Options that say where the server of a fleet is. */
const REDIS = [
  option('--redis <url>', 'redis://user:password@host:port/db, or rediss:// for TLS (also: CCBENCH_REDIS)'),
  option('--redis-ca <file>', 'certificate of the authority that signed the server’s (PEM)'),
  option('--redis-cert <file>', 'certificate of this client (PEM)'),
  option('--redis-key <file>', 'key of this client (PEM)'),
];

const FLEET: readonly CommandDescription[] = [
  {
    name: 'run',
    about: 'Hand a sweep to the workers, and wait for it.',
    args: [argument('<scenario>', 'scenario file (YAML)')],
    options: [
      ...PRICED,
      ...PLUGINS,
      ...REDIS,
      required('--vary <path=values>', 'as for sweep (repeatable: a grid)', collect),
      FLEET_RESULTS,
      SET,
      PREDICT,
      METRICS,
      option('--transcripts <pattern>', 'recordings instead of the scenario’s (repeatable)', collect),
    ],
    examples: [
      'fleet run study.yaml --vary window.percent=30..95:1000 --results out --redis redis://queue:6379',
    ],
    load: async () => {
      const { fleetRunCommand } = await import('../commands/fleet/fleet-commands.js');
      return (session: CliSession, file: string, options: Typed<OptionsOf<typeof fleetRunCommand>>) =>
        fleetRunCommand(session, file, withSet(options));
    },
  },
  {
    name: 'tune',
    about: 'Search the best settings as ccbench tune does; the workers make the runs.',
    args: [argument('<scenario>', 'scenario file (YAML)')],
    options: [...TUNE, ...REDIS, FLEET_RESULTS],
    examples: [
      'fleet tune study.yaml --minimise costUsd --vary window.percent=30..95 --budget 500 --results out --redis redis://queue:6379',
    ],
    load: async () => {
      const { fleetTuneCommand } = await import('../commands/fleet/fleet-commands.js');
      return (session: CliSession, file: string, options: OptionsOf<typeof fleetTuneCommand>) =>
        fleetTuneCommand(session, file, searched(options));
    },
  },
  {
    name: 'worker',
    about: 'Run batches of studies until stopped.',
    options: [
      ...READS,
      ...PLUGINS,
      ...REDIS,
      option('--workers <n>', 'worker threads; 0 uses none (default: all cores)', threads),
      option('--results <folder>', 'the results folder as this machine sees it'),
      option('--root <folder>', 'folder that the paths of studies must lie in; the current one unless given'),
      option('--idle <seconds>', 'exit after this long without work', amount),
      option('--lease <seconds>', 'silence after which another worker gets the batch', factor, LEASE_SECONDS),
    ],
    examples: ['fleet worker --redis redis://queue:6379', 'fleet worker --idle 60 --workers 4'],
    load: async () => (await import('../commands/fleet/fleet-worker.js')).fleetWorkerCommand,
  },
];

/** The commands that make runs, one or many. */
export const STUDY_COMMANDS = {
  run: {
    name: 'run',
    about: 'Run scenarios: replay, report, check expectations.',
    args: [argument('<scenario...>', SCENARIOS)],
    options: [
      ...PRICED,
      ...PLUGINS,
      ...GITHUB,
      option(
        '--set <path=value>',
        'change a setting of every scenario, such as cache.ttl=1h (repeatable)',
        collect,
      ),
      SEED,
      PREDICT,
      option(
        '--policy <name>',
        'policy, or policy file, instead of the scenario’s; variants with another one are left out',
      ),
      MODEL,
      option('--variant <name>', 'this variant alone; base is the scenario itself'),
      option('--out <folder>', 'folder that holds one report folder per scenario', undefined, 'reports'),
      option('--no-files', 'write no report'),
      option('--no-charts', 'write no charts and no report.html'),
      option('--png', 'write charts as PNG files too'),
      option('--log <file>', 'write the log to this file as well (one run only)'),
      option('--baseline <folder>', 'compare with the reports in this folder; worse is exit code 98'),
      option(
        '--guard <metrics>',
        'what may not be worse than the baseline, separated by commas, such as costUsd,cacheHitRate; lost calls may never be more',
        undefined,
        'costUsd',
      ),
      option('--tolerance <percent>', 'how much worse than the baseline is still fine', percent, 0),
      option('--junit <file>', 'write expectations and regressions as test cases of a JUnit file'),
      option('--watch', 'run again when the scenario or a file it names changes'),
      option('--quiet', 'no progress and no tables, only what failed'),
      option('--timings', 'measure the wall clock of the simulator, and print it'),
      ...DETAIL,
    ],
    examples: [
      'run scenarios/quickstart.yaml',
      'run session.jsonl --set window.percent=60',
      'run lunch.yaml --set cache.ttl=1h --seed 8',
      'run lunch.yaml --baseline reports-of-main --out reports-of-branch',
      'run scenarios/*.yaml --junit ccbench.xml --quiet',
      'run lunch.yaml --watch --no-files',
    ],
    load: async () => {
      const { runCommand } = await import('../commands/run/run.js');
      const { watching } = await import('../runs/watch.js');
      return (
        session: CliSession,
        files: readonly string[],
        options: Typed<OptionsOf<typeof runCommand>> & Watched,
      ) =>
        watching(session, options.watch, [...files, ...policyFiles(options.policy)], () =>
          runCommand(session, files, withSet(options)),
        );
    },
  },
  compare: {
    name: 'compare',
    about:
      'Compare variants over sessions that all ranked ones finish: one table, differences to a baseline.',
    args: [argument('[scenario...]', SCENARIO.replace('scenario file', 'scenario files'))],
    options: [
      ...STUDY,
      ...CHOICE,
      ...GITHUB,
      option('--policy <names>', 'a variant for each of these policies or policy files, separated by commas'),
      option(
        '--set <path=values>',
        'change a setting; several values with commas make variants (repeatable: all combinations)',
        collect,
      ),
      option('--metrics <names>', 'columns, separated by commas'),
      SUBJECT_TO,
      option('--baseline <variant>', 'the variant others are compared with (default: the first)'),
      option('--watch', 'compare again when a scenario or a file it names changes'),
      SEED,
      PREDICT,
      MODEL,
    ],
    examples: [
      'compare --policy claude-code/2026,none',
      'compare ~/.claude/projects --project shop --last 50 --set cache.ttl=5m,1h',
      'compare lunch.yaml',
      'compare session.jsonl --policy claude-code/2.1.112,peers/codex-local,none',
      'compare session.jsonl --policy claude-code/2026,peers/openhands,bounds/oracle --subject-to "faultsNone <= 20"',
      'compare my-scenario.yaml --policy unbounded,baselines/prune,claude-code/2026',
      'compare lunch.yaml --set cache.ttl=5m,1h --transcripts "logs/*.jsonl" --baseline cache.ttl=5m',
    ],
    load: async () => {
      const { compareCommand } = await import('../commands/study/compare.js');
      const { watching } = await import('../runs/watch.js');
      return (
        session: CliSession,
        files: readonly string[],
        options: Typed<OptionsOf<typeof compareCommand>> & Watched,
      ) => {
        const names = [...files, ...policyFiles(options.policy), ...(options.transcripts ?? [])];
        return watching(session, options.watch, names, () =>
          compareCommand(session, files, withPredict(options)),
        );
      };
    },
  },
  sweep: {
    name: 'sweep',
    about: 'Run a scenario over a grid of settings; an interrupted sweep resumes where it stopped.',
    args: [argument('[scenario...]', SCENARIO)],
    options: [
      ...STUDY,
      ...CHOICE,
      option(
        '--vary <path=values>',
        'from..to:steps, from..to:steps:log, a list with commas, or auto (30 to 100 % of the window, in tokens or in percent); 0.5w is half the window (repeatable: a grid; default: auto of the size at which the policy compacts)',
        collect,
      ),
      POLICY,
      SET,
      PREDICT,
      METRICS,
      option('--results <folder>', 'write Parquet files instead of a report: for grids of any size'),
      option(
        '--shard <i/n>',
        'with --results: make the i-th of n shares of the runs, of about equal cost',
        shard,
      ),
    ],
    examples: [
      'sweep',
      'sweep lunch.yaml --vary microcompact.timeBased.gapMinutes=5..120:12',
      'sweep my-scenario.yaml --policy baselines/prune --vary rules.prune.when.piled=20k..300k:17:log',
      'sweep lunch.yaml --vary window.explicit=0.3w,0.5w,0.8w --vary cache.ttl=5m,1h',
      'sweep lunch.yaml --vary window.percent=30..95:1000 --vary seed=1..1000:1000 --results out --shard 3/16',
    ],
    load: async () => {
      const [{ sweepCommand }, { columnSweepCommand }] = await Promise.all([
        import('../commands/study/sweep.js'),
        import('../commands/columns/column-sweep.js'),
      ]);
      return (
        session: CliSession,
        files: readonly string[],
        options: OptionsOf<typeof sweepCommand> & Partial<OptionsOf<typeof columnSweepCommand>>,
      ) => {
        const { results, vary, shard: own } = options;
        if (results !== undefined && vary === undefined)
          throw new CcbenchError('bad-usage', '--results needs to know what to vary', {
            hint: 'add --vary <path=values>',
          });
        if (results !== undefined)
          return columnSweepCommand(session, files, { ...withPolicy(options), vary: vary!, results });
        if (own === undefined) return sweepCommand(session, files, withPolicy(options));
        throw new CcbenchError('bad-usage', '--shard needs a folder that all shards write into', {
          hint: 'add --results <folder>',
        });
      };
    },
  },
  tune: {
    name: 'tune',
    about:
      'Search the settings that make a metric best, finish every session and hold constraints; where none qualifies, exit code 99.',
    args: [argument('[scenario...]', SCENARIO)],
    options: [...TUNE, ...CHOICE],
    examples: [
      'tune',
      'tune lunch.yaml --minimise costUsd --subject-to "contentRetention >= 40%" --vary window.compactOffset=5000..90000',
      'tune session.jsonl --minimise costUsd --subject-to "faultsNone <= 20" --vary window.compactOffset=13000..120000',
    ],
    load: async () => {
      const { tuneCommand } = await import('../commands/tune/tune.js');
      return (session: CliSession, files: readonly string[], options: OptionsOf<typeof tuneCommand>) =>
        tuneCommand(session, files, searched(options));
    },
  },
  results: {
    name: 'results',
    about:
      'Ask about the Parquet files of a sweep, why or validate: what is there, what is best, means, SQL.',
    args: [argument('<folder>', 'the folder that was given to --results')],
    options: [
      option('--study <id>', 'which study, where the folder holds several; the first characters are enough'),
      option('--best <metric>', 'the points with the best mean over the sessions'),
      option('--top <n>', 'how many points, groups or rows are shown', count, 10),
      option(
        '--where <condition>',
        'rows that are counted or grouped, such as "costUsd < 2" (repeatable)',
        collect,
      ),
      option('--count', 'how many rows there are'),
      option('--group <columns>', 'one line for each value of these columns, separated by commas'),
      option('--mean <columns>', 'means of these columns, separated by commas'),
      option('--columns', 'list the columns'),
      option('--verify', 'check every file against its checksum; exit code 2 where one is damaged'),
      option(
        '--sql <query>',
        'a query on the table results, or on sessions and requests of why and fidelity of validate; answered by DuckDB (@duckdb/node-api, installed beside ccbench)',
      ),
    ],
    examples: [
      'results out --best costUsd --top 20',
      'results out --group transcript --mean costUsd,cacheHitRate --where "compactions > 0"',
      'results out --sql "select policy, avg(costUsd) from results group by policy"',
    ],
    load: async () => (await import('../commands/columns/results.js')).resultsCommand,
  },
  fleet: {
    name: 'fleet',
    about: 'Run a sweep or a search on machines that come and go, with a Redis or Valkey between them.',
    examples: [
      'fleet worker --redis redis://queue:6379',
      'fleet run study.yaml --vary window.percent=30..95:1000 --results out --redis redis://queue:6379',
      'fleet tune study.yaml --minimise costUsd --vary window.percent=30..95 --results out --redis redis://queue:6379',
    ],
    below: FLEET,
  },
  report: {
    name: 'report',
    about: 'Make table, summary, CSV files, charts and page again from the log of a run.',
    args: [argument('<run.jsonl>', 'the log of a run; - reads it from standard input')],
    options: [
      option('--out <folder>', 'write everything that a run writes besides its log into this folder'),
      option('--no-charts', 'write no charts and no report.html'),
      option('--png', 'write charts as PNG files too'),
      ...DETAIL,
    ],
    examples: ['report reports/quickstart/run.jsonl', 'report run.jsonl --out again'],
    load: async () => (await import('../commands/report.js')).reportCommand,
  },
} satisfies Readonly<Record<string, CommandDescription>>;

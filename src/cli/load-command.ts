import { CcbenchError } from '../core/base/errors.js';
import { CCBENCH, type CommandOptions, type CommandPath, type CommandValues } from './commands.generated.js';
import { priceSettings, type WithSet } from './option-values.js';
import type { CliSession, ExitCode } from './session.js';

/** What a command runs: it gets the session, its arguments and its options. */
type CommandRun<Path extends CommandPath> = (
  session: CliSession,
  ...values: CommandValues[Path]
) => ExitCode | Promise<ExitCode>;

/** Options that represent settings. */
type Settings = Pick<CommandOptions['run'], 'set' | 'predict' | 'pricesOf'>;

/** The model that policies are explained for where none is named. */
const SHOWN_MODEL = 'claude-sonnet-4-5';

/** The setting that `--predict` stands for. */
const PREDICTED = 'mode=predict';

/** Options with `--predict` as the setting that it stands for. */
function withPredict<T extends Settings>(options: T): WithSet<T> {
  const { set = [], predict } = options;
  return { ...options, set: predict === true ? [...set, PREDICTED] : set };
}

/** The same with the day of the prices. */
function withSet<T extends Settings>(options: T): WithSet<T> {
  return { ...options, set: [...withPredict(options).set, ...priceSettings(options)] };
}

/** What holds at every point: the policy first, since other settings may be its own. */
function withPolicy<T extends Settings & { readonly policy?: string }>(options: T): WithSet<T> {
  const { policy } = options;
  const { set } = withSet(options);
  return { ...options, set: policy === undefined ? set : [`policy=${JSON.stringify(policy)}`, ...set] };
}

/** Policy files among the policies of an option: names with an ending. */
function policyFiles(policy: string | undefined): readonly string[] {
  return (policy ?? '').split(',').filter((name) => /\.ya?ml$/i.test(name));
}

/** Loads what a command runs; null if only the commands below it do something. */
export const LOADS: { readonly [Path in CommandPath]: (() => Promise<CommandRun<Path>>) | null } = {
  why: async () => (await import('./commands/why/why.js')).whyCommand,
  run: async () => {
    const { runCommand } = await import('./commands/run/run.js');
    const { watching } = await import('./runs/watch.js');
    return (session, files, options) =>
      watching(session, options.watch, [...files, ...policyFiles(options.policy)], () =>
        runCommand(session, files, withSet(options)),
      );
  },
  compare: async () => {
    const { compareCommand } = await import('./commands/study/compare.js');
    const { watching } = await import('./runs/watch.js');
    return (session, files, options) => {
      const names = [...files, ...policyFiles(options.policy), ...(options.transcripts ?? [])];
      return watching(session, options.watch, names, () =>
        compareCommand(session, files, withPredict(options)),
      );
    };
  },
  sweep: async () => {
    const { sweepCommand } = await import('./commands/study/sweep.js');
    const { columnSweepCommand } = await import('./commands/columns/column-sweep.js');
    return (session, files, options) => {
      const { results, vary, shard } = options;
      if (results !== undefined && vary === undefined)
        throw new CcbenchError('bad-usage', '--results needs to know what to vary', {
          hint: 'add --vary <path=values>',
        });
      if (results !== undefined)
        return columnSweepCommand(session, files, { ...withPolicy(options), vary: vary!, results });
      if (shard === undefined) return sweepCommand(session, files, withPolicy(options));
      throw new CcbenchError('bad-usage', '--shard needs a folder that all shards write into', {
        hint: 'add --results <folder>',
      });
    };
  },
  tune: async () => {
    const { tuneCommand } = await import('./commands/tune/tune.js');
    return (session, files, options) => tuneCommand(session, files, withPolicy(options));
  },
  inspect: async () => (await import('./commands/inspect/inspect.js')).inspectCommand,
  ttl: async () => (await import('./commands/ttl/ttl.js')).ttlCommand,
  validate: async () => (await import('./commands/validate/validate.js')).validateCommand,
  diff: async () => (await import('./commands/diff/diff.js')).diffCommand,
  export: async () => (await import('./commands/export/export.js')).exportCommand,
  report: async () => (await import('./commands/report.js')).reportCommand,
  open: async () => (await import('./commands/open.js')).openCommand,
  init: async () => (await import('./commands/starter.js')).starterCommand('scenario'),
  schema: async () => (await import('./commands/schema.js')).schemaCommand,
  models: async () => (await import('./commands/models.js')).modelsCommand,
  providers: async () => (await import('./commands/providers/providers.js')).providersCommand,
  policies: async () => {
    const { myPoliciesCommand, policiesCommand } = await import('./commands/policies/list-policies.js');
    return (session, options) =>
      options.mine === true ? myPoliciesCommand(session, options) : policiesCommand(session, options);
  },
  'policies show': async () => (await import('./commands/policies/show-policy.js')).showPolicyCommand,
  'policies check': async () => {
    const { checkPolicyCommand } = await import('./commands/policies/show-policy.js');
    return (session, file, options) => checkPolicyCommand(session, file, { ...options, model: SHOWN_MODEL });
  },
  'policies new': async () => (await import('./commands/starter.js')).starterCommand('policy'),
  'policies clients': async () => (await import('./commands/policies/list-policies.js')).clientsCommand,
  bench: async () => (await import('./commands/bench/bench.js')).benchCommand,
  serve: async () => (await import('./commands/serve/serve.js')).serveCommand,
  exec: async () => (await import('./commands/exec/exec.js')).execCommand,
  cache: async () => (await import('./commands/cache/cache.js')).showCacheCommand,
  'cache clear': async () => (await import('./commands/cache/cache.js')).clearCacheCommand,
  completion: async () => {
    const { completionCommand } = await import('./commands/completion/scripts.js');
    return (session, shell) => completionCommand(session, shell, CCBENCH);
  },
  results: async () => (await import('./commands/columns/results.js')).resultsCommand,
  fleet: null,
  'fleet run': async () => {
    const { fleetRunCommand } = await import('./commands/fleet/fleet-commands.js');
    return (session, file, options) => fleetRunCommand(session, file, withSet(options));
  },
  'fleet tune': async () => {
    const { fleetTuneCommand } = await import('./commands/fleet/fleet-commands.js');
    return (session, file, options) => fleetTuneCommand(session, file, withPolicy(options));
  },
  'fleet why': async () => (await import('./commands/fleet/fleet-sessions.js')).fleetCommand('why'),
  'fleet validate': async () => (await import('./commands/fleet/fleet-sessions.js')).fleetCommand('validate'),
  'fleet worker': async () => (await import('./commands/fleet/fleet-worker.js')).fleetWorkerCommand,
  metrics: async () => (await import('./commands/metrics.js')).metricsCommand,
};

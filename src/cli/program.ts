import { Command } from 'commander';
import {
  examples,
  extensible,
  reading,
  reported,
  SCENARIOS,
  SESSIONS,
  shared,
  study,
  TEXT_COUNTERS,
} from './command-parts.js';
import { defineCache } from './commands/cache/define-cache.js';
import { defineColumns } from './commands/columns/define-columns.js';
import { defineCompletion } from './commands/completion/define-completion.js';
import { defineDiff } from './commands/diff/define-diff.js';
import { defineFleet } from './commands/fleet/define-fleet.js';
import { definePolicies } from './commands/policies/define-policies.js';
import { defineProviders } from './commands/providers/define-providers.js';
import { defineServe } from './commands/serve/define-serve.js';
import { defineStudies } from './commands/study/define-studies.js';
import { defineWhy } from './commands/why/define-why.js';
import { EXIT_MEANING, type ExitCode } from './exit-codes.js';
import { anyOf, collect, factor, lifetimes, oneOf, percent, whole } from './option-values.js';
import type { CliSession } from './session.js';
import { packageVersion } from './version.js';
import { refuseWithoutEffect } from './without-effect.js';

/** Columns of help texts where the terminal does not say. */
const HELP_WIDTH = 100;

/** Columns that a description needs to be broken into lines: those of help on the narrowest terminal that is thought of. */
const LEAST_WRAPPED = 20;

/** What the exit codes mean, broken into lines as options are. */
function exitCodes(program: Command, helpWidth: number): string {
  const help = program.createHelp();
  help.prepareContext({ helpWidth });
  const lines = EXIT_MEANING.map(([code, meaning]) => help.formatItem(String(code), 3, meaning, help));
  return `\nExit codes:\n${lines.join('\n')}\n`;
}

/** Policy files among the policies of an option: names with an ending. */
function namedPolicies(policy: string | undefined): readonly string[] {
  return (policy ?? '').split(',').filter((name) => /\.ya?ml$/i.test(name));
}

/** Builds the command line. Only this file and commander are loaded for help; each command loads its own parts. */
export function buildProgram(session: CliSession, settle: (code: ExitCode) => void): Command {
  const { host } = session;
  const program = new Command('ccbench')
    .description('Replays coding-agent sessions under context-management policies and shows what they cost.')
    .version(packageVersion(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [command]', 'show help for a command')
    .option('--debug', 'show stack traces')
    .option('--no-color', 'no colours (also: NO_COLOR; FORCE_COLOR has them in a pipe too)')
    .exitOverride()
    .showSuggestionAfterError()
    .configureOutput({
      writeOut: (text) => host.stdout.write(text),
      writeErr: (text) => host.stderr.write(text),
      outputError: () => {},
      getOutHelpWidth: () => host.stdout.columns ?? HELP_WIDTH,
      getErrHelpWidth: () => host.stderr.columns ?? HELP_WIDTH,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .configureHelp({ minWidthToWrap: LEAST_WRAPPED })
    .hook('preAction', (_program, command) => refuseWithoutEffect(command));
  program.addHelpText(
    'after',
    `${exitCodes(program, host.stdout.columns ?? HELP_WIDTH)}${examples(
      'why',
      'init && ccbench run my-scenario.yaml',
      'inspect ~/.claude/projects',
      'ttl traces/*.json.gz',
    )}`,
  );

  defineWhy(program, session, settle);

  reported(
    extensible(
      reading(program.command('run').description('Run scenarios: replay, report, check expectations.')),
    ),
  )
    .argument('<scenario...>', SCENARIOS)
    .option(
      '--set <path=value>',
      'change a setting of every scenario, such as cache.ttl=1h (repeatable)',
      collect,
    )
    .option('--seed <n>', 'seed of everything that is drawn', whole)
    .option(
      '--policy <name>',
      'policy, or policy file, instead of the scenario’s; variants with another one are left out',
    )
    .option('--model <name>', 'model instead of the scenario’s')
    .option('--variant <name>', 'this variant alone; base is the scenario itself')
    .option('--out <folder>', 'folder that holds one report folder per scenario', 'reports')
    .option('--no-files', 'write no report')
    .option('--no-charts', 'write no charts and no report.html')
    .option('--png', 'write charts as PNG files too')
    .option('--log <file>', 'write the log to this file as well (one run only)')
    .option('--baseline <folder>', 'compare with the reports in this folder; worse is exit code 98')
    .option('--tolerance <percent>', 'how much worse than the baseline is still fine', percent, 0)
    .option('--junit <file>', 'write expectations and regressions as test cases of a JUnit file')
    .option('--watch', 'run again when the scenario or a file it names changes')
    .option('--quiet', 'no progress and no tables, only what failed')
    .option('--no-timings', 'measure no wall clock: the output is the same every time')
    .addHelpText(
      'after',
      examples(
        'run scenarios/quickstart.yaml',
        'run session.jsonl --set window.percent=60',
        'run lunch.yaml --set cache.ttl=1h --seed 8',
        'run scenarios/*.yaml --json --no-files',
        'run lunch.yaml --baseline reports-of-main --out reports-of-branch',
        'run scenarios/*.yaml --junit ccbench.xml --quiet',
        'run lunch.yaml --watch --no-files',
      ),
    )
    .action(async (files, options) => {
      const { runCommand } = await import('./commands/run/run.js');
      const { watching } = await import('./runs/watch.js');
      const run = () => runCommand(session, files, { ...options, set: options.set ?? [] });
      settle(await watching(session, options.watch, [...files, ...namedPolicies(options.policy)], run));
    });

  reported(
    study(
      program
        .command('compare')
        .description('Compare variants over sessions that all finish: one table, differences to a baseline.'),
    ),
  )
    .argument('<scenario...>', SCENARIOS)
    .option('--policy <names>', 'a variant for each of these policies or policy files, separated by commas')
    .option(
      '--set <path=values>',
      'change a setting; several values with commas make variants (repeatable: all combinations)',
      collect,
    )
    .option('--metrics <names>', 'columns, separated by commas')
    .option('--baseline <variant>', 'the variant others are held against (default: the first)')
    .option('--watch', 'compare again when a scenario or a file it names changes')
    .option('--seed <n>', 'seed of everything that is drawn', whole)
    .option('--model <name>', 'model instead of the scenario’s')
    .addHelpText(
      'after',
      examples(
        'compare lunch.yaml',
        'compare session.jsonl --policy claude-code/2.1.112,peers/codex-local,none',
        'compare my-scenario.yaml --policy unbounded,baselines/prune,claude-code/2026',
        'compare lunch.yaml --set cache.ttl=5m,1h --transcripts "logs/*.jsonl" --baseline cache.ttl=5m',
        'compare lunch.yaml --watch --no-files',
      ),
    )
    .action(async (files, options) => {
      const { compareCommand } = await import('./commands/study/compare.js');
      const { watching } = await import('./runs/watch.js');
      const run = () => compareCommand(session, files, { ...options, set: options.set ?? [] });
      const names = [...files, ...namedPolicies(options.policy), ...(options.transcripts ?? [])];
      settle(await watching(session, options.watch, names, run));
    });

  defineStudies(program, session, settle);

  reading(
    program
      .command('inspect')
      .description(
        'Show what is in a transcript: turns, gaps, tokens, duplicate reads, problems; several in one table.',
      ),
  )
    .argument('[transcript...]', `${SESSIONS}; none: list the sessions in their usual places`)
    .option(
      '--count-with <names>',
      'hold token counters against recorded usage: heuristic, gpt-tokenizer, js-tiktoken, api (sends text to the API)',
      anyOf(...TEXT_COUNTERS, 'api'),
    )
    .addHelpText(
      'after',
      examples(
        'inspect',
        'inspect session.jsonl',
        'inspect ~/.claude/projects --json',
        'inspect "~/.codex/sessions/2026/**/*.jsonl"',
        'inspect -- -home-me-project',
        'inspect session.jsonl --count-with gpt-tokenizer,api',
      ),
    )
    .action(async (files, options) => {
      const { inspectCommand } = await import('./commands/inspect/inspect.js');
      settle(await inspectCommand(session, files, options));
    });

  reading(
    program
      .command('ttl')
      .description(
        'Cache hits and costs at every lifetime: 5 minutes against 1 hour, or what a longer one would save.',
      ),
  )
    .argument('<trace...>', SESSIONS)
    .option(
      '--ttl <seconds>',
      'other lifetimes, separated by commas (default: 30 s to 24 h, unlimited)',
      lifetimes,
    )
    .option('--main-only', 'leave subagents out')
    .option('--per-session', 'one line per session')
    .option('--out <folder>', 'write the page and the chart of lifetimes into this folder')
    .option('--png', 'write the chart as PNG file too')
    .addHelpText('after', examples('ttl traces/*.json.gz', 'ttl session.jsonl --ttl 45,90 --json'))
    .action(async (files, options) => {
      const { ttlCommand } = await import('./commands/ttl/ttl.js');
      settle(await ttlCommand(session, files, options));
    });

  reading(
    program
      .command('validate')
      .description('Hold the simulator against recordings: predicted and recorded reads, cost and triggers.'),
  )
    .argument('<recording...>', SESSIONS)
    .option('--forward', 'show each session run forward, beside its recorded cost')
    .option('--worst <n>', 'how many of the requests furthest off to show', whole, 5)
    .option('--save <file>', 'write the totals to this file')
    .option('--against <file>', 'compare with saved totals; worse is exit code 98')
    .option(
      '--out <folder>',
      'write the page and the chart of predicted against recorded reads into this folder',
    )
    .option('--png', 'write the chart as a PNG file too')
    .addHelpText(
      'after',
      examples(
        'validate ~/.claude/projects',
        'validate ~/.claude/projects --forward',
        'validate session.jsonl --json',
        'validate recordings/ --against fidelity.json',
      ),
    )
    .action(async (files, options) => {
      const { validateCommand } = await import('./commands/validate/validate.js');
      settle(await validateCommand(session, files, options));
    });

  defineDiff(program, session, settle);

  shared(
    program
      .command('report')
      .description('Make table, summary, CSV files, charts and page again from the log of a run.'),
  )
    .argument('<run.jsonl>', 'the log of a run; - reads it from standard input')
    .option('--out <folder>', 'write everything that a run writes besides its log into this folder')
    .option('--no-charts', 'write no charts and no report.html')
    .option('--png', 'write charts as PNG files too')
    .addHelpText('after', examples('report reports/quickstart/run.jsonl', 'report run.jsonl --out again'))
    .action(async (file, options) => {
      const { reportCommand } = await import('./commands/report.js');
      settle(await reportCommand(session, file, options));
    });

  shared(
    program
      .command('open')
      .description('Open the page that was written last; print its path where there is no display.'),
  )
    .argument('[page]', 'a page, or a report folder; none: the page that any command wrote last')
    .option('--print', 'print the path and open nothing')
    .addHelpText('after', examples('open', 'open reports/quickstart', 'open --print'))
    .action(async (page, options) => {
      const { openCommand } = await import('./commands/open.js');
      settle(await openCommand(session, page, options));
    });

  shared(program.command('init').description('Write a starter scenario.'))
    .argument('[name]', 'name of the scenario', 'my-scenario')
    .option('--force', 'overwrite an existing file')
    .addHelpText('after', examples('init', 'init back-from-lunch'))
    .action(async (name, options) => {
      const { initCommand } = await import('./commands/init.js');
      settle(await initCommand(session, name, options));
    });

  shared(
    program.command('schema').description('Print the JSON Schema of scenario, policy or provider files.'),
  )
    .argument('[kind]', 'scenario, policy or provider', oneOf('scenario', 'policy', 'provider'), 'scenario')
    .addHelpText('after', examples('schema > scenario.schema.json', 'schema policy > policy.schema.json'))
    .action(async (kind) => {
      const { schemaCommand } = await import('./commands/schema.js');
      settle(schemaCommand(session, kind));
    });

  shared(program.command('models').description('List the models with prices, windows and sources.'))
    .argument('[word...]', 'only models with one of these words in a name')
    .option('--provider <name>', 'only models of this provider')
    .addHelpText('after', examples('models', 'models gpt gemini', 'models --provider openai --json'))
    .action(async (words, options) => {
      const { modelsCommand } = await import('./commands/models.js');
      settle(modelsCommand(session, words, options));
    });

  defineProviders(program, session, settle);

  definePolicies(program, session, settle);

  shared(program.command('bench').description('Time the hot paths of an agent and the replay itself.'))
    .argument('[suite...]', 'suites by name; all unless named')
    .option('--quick', 'fewer rounds, smaller sizes')
    .option('--save <file>', 'keep the result to compare with later')
    .option(
      '--against <file>',
      'compare with a saved result: exit code 98 when a path is slower beyond the noise',
    )
    .option('--noise <factor>', 'how many times slower counts as a regression (default: 1.6)', factor)
    .option('--out <folder>', 'write the page and the charts of times, growth and ratios into this folder')
    .option('--png', 'write the charts as PNG files too')
    .addHelpText(
      'after',
      examples(
        'bench',
        'bench hot-paths --out reports/bench',
        'bench hot-paths --save before.json',
        'bench hot-paths --against before.json',
      ),
    )
    .action(async (suites, options) => {
      const { benchCommand } = await import('./commands/bench/bench.js');
      settle(await benchCommand(session, suites, options));
    });

  defineServe(program, session, settle);

  defineCache(program, session, settle);

  defineCompletion(program, session, settle);

  defineColumns(program, session, settle);

  defineFleet(program, session, settle);

  shared(program.command('metrics').description('List the metrics that expectations may name.'))
    .addHelpText('after', examples('metrics', 'metrics --json'))
    .action(async () => {
      const { metricsCommand } = await import('./commands/metrics.js');
      settle(metricsCommand(session));
    });

  return program;
}

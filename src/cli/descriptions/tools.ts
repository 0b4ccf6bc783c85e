import {
  argument,
  type CommandDescription,
  option,
  PLUGINS,
  PRICES,
  TEXT_COUNTERS,
} from '../describe-command.js';
import { amount, clockSpeed, collect, factor, oneOf, port, tokens, whole } from '../option-values.js';
import type { PluginOptions } from '../runs/with-plugins.js';
import type { CliSession } from '../session.js';

/** The model that policies are explained for where none is named. */
const SHOWN_MODEL = 'claude-sonnet-4-5';

const POLICIES: readonly CommandDescription[] = [
  {
    name: 'show',
    about: 'Show one policy: layers, thresholds, parameters with unit, help and source.',
    args: [argument('<policy>', 'name of the policy, or its file')],
    options: [
      ...PLUGINS,
      option(
        '--model <model>',
        'model whose window and longest answer decide the thresholds',
        undefined,
        SHOWN_MODEL,
      ),
      option('--window <tokens>', 'window instead of the model’s', tokens),
      option('--max-output <tokens>', 'longest answer instead of the model’s', tokens),
      option('--set <path=value>', 'change a parameter (repeatable)', collect),
    ],
    examples: [
      'policies show claude-code/2.1',
      'policies show claude-code/2026 --set window.percent=50 --json',
      'policies show ./my-agent.yaml --window 128000 --max-output 32000',
    ],
    load: async () => (await import('../commands/policies/show-policy.js')).showPolicyCommand,
  },
  {
    name: 'check',
    about: 'Check a policy file: what is wrong with it, or what it will do, in plain sentences.',
    args: [argument('<file>', 'policy file (YAML)')],
    options: PLUGINS,
    examples: ['policies check my-agent.yaml', 'policies check my-agent.yaml --json'],
    load: async () => {
      const { checkPolicyCommand } = await import('../commands/policies/check-policy.js');
      return (session: CliSession, file: string, options: PluginOptions) =>
        checkPolicyCommand(session, file, { ...options, model: SHOWN_MODEL });
    },
  },
  {
    name: 'new',
    about: 'Write a starter policy file, with a comment at every part.',
    args: [argument('[name]', 'name of the policy and of its file', undefined, 'my-agent')],
    options: [option('--force', 'overwrite a file of this name')],
    examples: ['policies new', 'policies new my-agent'],
    load: async () => (await import('../commands/policies/new-policy.js')).newPolicyCommand,
  },
  {
    name: 'clients',
    about: 'List the clients: what each does towards the cache, and how that is known.',
    examples: ['policies clients', 'policies clients --json'],
    load: async () => (await import('../commands/policies/list-policies.js')).clientsCommand,
  },
];

/** Options of a server, whoever starts it. */
const SERVER = [
  option(
    '--script <file>',
    'what is answered: a script in YAML, or a recorded session whose answers come again',
  ),
  option('--ttl <lifetime>', '5m or 1h for every marker, whatever it asks for', oneOf('5m', '1h')),
  option('--fault <rule>', 'an error with its conditions, such as overloaded:every=5 (repeatable)', collect),
  option('--scenario <file>', 'faults, latencies, fading and seed of a scenario file'),
  option('--mid-stream', 'faults occur half-way through streamed answers'),
  option('--latency-scale <x>', 'factor on the time an answer takes; 0 answers at once', amount),
  option('--seed <n>', 'seed of faults that are drawn', whole),
  option(
    '--count-with <counter>',
    'heuristic, gpt-tokenizer or js-tiktoken',
    oneOf(...TEXT_COUNTERS),
    'gpt-tokenizer',
  ),
  option(
    '--clock <speed>',
    'real, or how many times faster simulated time passes, such as 60x: an hour in a minute',
    clockSpeed,
    1,
  ),
  option(
    '--record <file>',
    'record each request as it is answered; inspect, why, ttl, run and others read it',
  ),
  option('--page', 'with --record: a page that follows along, at /ccbench of the server'),
  option('--keep-text', 'record the texts too, not only their sizes and digests'),
  option('--upstream <url>', 'pass every request on to this API and compare its bill with the simulated one'),
] as const;

/** The commands around runs and recordings: tables, starter files, pages, benchmarks, the fake API. */
export const TOOL_COMMANDS = {
  open: {
    name: 'open',
    about: 'Open the page that was written last; print its path where there is no display.',
    args: [argument('[page]', 'a page, or a report folder; none: the page that any command wrote last')],
    options: [option('--print', 'print the path and open nothing')],
    examples: ['open', 'open reports/quickstart', 'open --print'],
    load: async () => (await import('../commands/open.js')).openCommand,
  },
  init: {
    name: 'init',
    about: 'Write a starter scenario.',
    args: [argument('[name]', 'name of the scenario', undefined, 'my-scenario')],
    options: [option('--force', 'overwrite an existing file')],
    examples: ['init', 'init back-from-lunch'],
    load: async () => (await import('../commands/init.js')).initCommand,
  },
  schema: {
    name: 'schema',
    about: 'Print the JSON Schema of scenario, policy, provider or script files.',
    args: [
      argument(
        '[kind]',
        'scenario, policy, provider or script',
        oneOf('scenario', 'policy', 'provider', 'script'),
        'scenario',
      ),
    ],
    examples: ['schema > scenario.schema.json', 'schema policy > policy.schema.json'],
    load: async () => (await import('../commands/schema.js')).schemaCommand,
  },
  models: {
    name: 'models',
    about: 'List the models with prices, windows and sources.',
    args: [argument('[word...]', 'only models with one of these words in a name')],
    options: [
      option('--provider <name>', 'only models of this provider'),
      option(
        '--history',
        'every price of each model with its days; a named model shows its earlier ones without it',
      ),
    ],
    examples: ['models', 'models gpt gemini', 'models --history', 'models --provider openai --json'],
    load: async () => (await import('../commands/models.js')).modelsCommand,
  },
  policies: {
    name: 'policies',
    about: 'List the policies, or show one with every parameter and its source.',
    options: [
      ...PLUGINS,
      option(
        '--mine',
        'show instead which policy stands for each agent on this machine, and where it compacts',
      ),
    ],
    examples: [
      'policies',
      'policies --mine',
      'policies show claude-code/2026',
      'policies show claude-code/2.1.112 --json',
    ],
    load: async () => {
      const [{ policiesCommand }, { myPoliciesCommand }] = await Promise.all([
        import('../commands/policies/list-policies.js'),
        import('../commands/policies/my-policies.js'),
      ]);
      return (session: CliSession, options: PluginOptions & { readonly mine?: boolean }) =>
        options.mine === true ? myPoliciesCommand(session, options) : policiesCommand(session, options);
    },
    below: POLICIES,
  },
  bench: {
    name: 'bench',
    about: 'Time the hot paths of an agent and the replay itself.',
    args: [argument('[suite...]', 'suites by name; all unless named')],
    options: [
      option('--quick', 'fewer rounds, smaller sizes'),
      option('--save <file>', 'keep the result to compare with later'),
      option(
        '--baseline <file>',
        'compare with a saved result: exit code 98 when a path is slower beyond the noise',
      ),
      option('--noise <factor>', 'how many times slower counts as a regression (default: 1.6)', factor),
      option('--out <folder>', 'write the page and the charts of times, growth and ratios into this folder'),
      option('--png', 'write the charts as PNG files too'),
    ],
    examples: [
      'bench',
      'bench hot-paths --out reports/bench',
      'bench hot-paths --save before.json',
      'bench hot-paths --baseline before.json',
    ],
    load: async () => (await import('../commands/bench/bench.js')).benchCommand,
  },
  serve: {
    name: 'serve',
    about: 'Stand in for the Messages API on this machine: what each request reads, writes and costs.',
    options: [
      ...PRICES,
      option('--port <n>', 'port of 127.0.0.1; 0 takes one that is free', port, 8787),
      ...SERVER,
    ],
    examples: [
      'serve',
      'serve --port 0 --ttl 1h --record session.jsonl',
      'serve --upstream https://api.anthropic.com --record session.jsonl',
      'serve --script script.yaml --clock 60x',
      'serve --record session.jsonl --page',
      'serve --latency-scale 0 --fault overloaded:every=5 --fault rate_limited:nth=2,retryAfterSeconds=1',
    ],
    load: async () => (await import('../commands/serve/serve.js')).serveCommand,
  },
  exec: {
    name: 'exec',
    about:
      'Run an agent against the fake API: its bill, its cache breaks with their causes, and a test of both.',
    args: [argument('<command...>', 'the agent and its arguments, behind --')],
    options: [
      ...PRICES,
      option(
        '--expect <metric op value>',
        'exit code 99 unless it holds, such as "cacheBreaks == 0" (repeatable)',
        collect,
      ),
      ...SERVER,
    ],
    examples: [
      'exec -- node my-agent.mjs',
      'exec --expect "cacheBreaks == 0" --expect "cacheHitRate >= 80%" --latency-scale 0 -- node my-agent.mjs',
    ],
    load: async () => (await import('../commands/exec/exec.js')).execCommand,
  },
  cache: {
    name: 'cache',
    about: 'Show where compiled transcripts are kept, how many, and how much room they take.',
    examples: ['cache', 'cache clear', 'cache --json'],
    load: async () => (await import('../commands/cache/cache.js')).showCacheCommand,
    below: [
      {
        name: 'clear',
        about: 'Remove all compiled transcripts; they are made again when needed.',
        examples: ['cache clear', 'cache clear --json'],
        load: async () => (await import('../commands/cache/cache.js')).clearCacheCommand,
      },
    ],
  },
  metrics: {
    name: 'metrics',
    about: 'List the metrics that expectations may name.',
    examples: ['metrics', 'metrics --json'],
    load: async () => (await import('../commands/metrics.js')).metricsCommand,
  },
} satisfies Readonly<Record<string, CommandDescription>>;

import type { SourceBy } from '../../analysis/why/source-kinds.js';
import {
  argument,
  CHOICE,
  type CommandDescription,
  DETAIL,
  NEWEST_ON_THIS_MACHINE,
  ON_THIS_MACHINE,
  option,
  PLUGINS,
  PRICED,
  READS,
  required,
  SESSIONS,
  TEXT_COUNTERS,
} from '../describe-command.js';
import {
  anyOf,
  collectUnlessOff,
  lifetimes,
  oneOf,
  percent,
  price,
  shard,
  tokens,
  whole,
} from '../option-values.js';

/** How `why` groups what fills the context: each of them once. */
const GROUPINGS = Object.keys({
  source: 1,
  kind: 1,
  tool: 1,
  mcp: 1,
  file: 1,
  skill: 1,
  subagent: 1,
  hook: 1,
  instructions: 1,
  command: 1,
} satisfies Record<SourceBy, 1>);

const SHARD = option(
  '--shard <i/n>',
  'with --results or --json: the i-th of n shares of the sessions; sessions with calls in common are in the same',
  shard,
);

/** The commands that look at recordings without changing anything in them. */
export const RECORDING_COMMANDS = {
  why: {
    name: 'why',
    about: 'Where the money of your sessions went, what broke the cache, what would have been cheaper.',
    args: [argument('[session...]', `${SESSIONS}; ${ON_THIS_MACHINE}`)],
    options: [
      ...PRICED,
      ...DETAIL,
      option(
        '--price <model=in,out,read,write>',
        'price of a model, dollars per million tokens; without read and write they cost what input does, or as in the table (repeatable)',
        price,
      ),
      option('--prices <file>', 'YAML file of prices, as `models` in a scenario'),
      ...CHOICE,
      option('--top <n>', 'rows in each ranking', whole, 5),
      option(
        '--by <what>',
        `how what fills the context is grouped: ${GROUPINGS.join(', ')}`,
        oneOf(...GROUPINGS),
        'source',
      ),
      option('--out <folder>', 'folder that will hold the page’s folder', undefined, 'reports'),
      option('--no-files', 'write no page'),
      option(
        '--results <folder>',
        'write Parquet files instead of a page: a row for each session and for each request',
      ),
      SHARD,
      option('--watch', 'keep the page up to date while sessions go on, and serve it; Ctrl-C ends'),
      option('--share', 'print a block to share: no names, no paths, no text; no page'),
      option('--limits', 'show instead what filled the five-hour and weekly limits; no page'),
      option(
        '--observed <reading>',
        'what a meter showed, to fit the weights to your plan: 2026-11-10T14:05=63% (UTC unless it has a zone), weekly:…=40%; it is kept, =none removes it (repeatable)',
        collectUnlessOff,
      ),
      option('--no-observed', 'use and keep no readings'),
      option(
        '--fix',
        'show instead what to change: settings to paste, commands, files to shorten; writes nothing',
      ),
      option('--trend', 'show instead what sessions cost by day, or by week from three weeks on; no page'),
      option(
        '--split <day>',
        'show instead what alike sessions cost before this day and from it on, by version and model (2026-10-14, UTC); no page',
      ),
    ],
    examples: [
      'why',
      'why --since 2026-07-01 --project shop',
      'why session.jsonl --top 20',
      'why session.jsonl --price my-model=1,5,0.1,1.25',
      'why session.jsonl --by file',
      'why ~/.claude/projects --share',
      'why --limits',
      'why --limits --observed 2026-11-10T14:05+01:00=63% --observed weekly:2026-11-10T14:05+01:00=40%',
      'why --fix',
      'why --trend --since 2026-10-01',
      'why --split 2026-10-14',
      'why ~/.claude/projects --json',
      'why --last 20 --watch',
      'why ~/.claude/projects --results out',
      'why sessions/ --results out --shard 3/16',
    ],
    load: async () => (await import('../commands/why/why.js')).whyCommand,
  },
  inspect: {
    name: 'inspect',
    about:
      'Show what is in a transcript: turns, gaps, tokens, duplicate reads, problems; several in one table.',
    args: [
      argument(
        '[transcript...]',
        `${SESSIONS}; none: list the sessions on this machine, or look into them with --last, --uses or --count-with`,
      ),
    ],
    options: [
      ...PRICED,
      ...DETAIL,
      ...CHOICE,
      option(
        '--count-with <names>',
        'compare token counters with recorded usage: heuristic, gpt-tokenizer, js-tiktoken, api (sends text to the API)',
        anyOf(...TEXT_COUNTERS, 'api'),
      ),
      option('--uses', 'show instead what calls need of earlier content: read again, edited, named again'),
    ],
    examples: [
      'inspect',
      'inspect --last 1',
      'inspect session.jsonl',
      'inspect ~/.claude/projects --json',
      'inspect "~/.codex/sessions/2026/**/*.jsonl"',
      'inspect -- -home-me-project',
      'inspect session.jsonl --count-with gpt-tokenizer,api',
      'inspect session.jsonl --uses --json',
    ],
    load: async () => (await import('../commands/inspect/inspect.js')).inspectCommand,
  },
  ttl: {
    name: 'ttl',
    about:
      'Cache hits and costs at every lifetime: 5 minutes against 1 hour, or what a longer one would save.',
    args: [argument('[session...]', `${SESSIONS}; ${ON_THIS_MACHINE}`)],
    options: [
      ...PRICED,
      ...DETAIL,
      ...CHOICE,
      option(
        '--ttl <seconds>',
        'other lifetimes, separated by commas (default: 30 s to 24 h, unlimited)',
        lifetimes,
      ),
      option('--main-only', 'leave subagents out'),
      option('--per-session', 'one line per session'),
      option('--out <folder>', 'write the page and the chart of lifetimes into this folder'),
      option('--png', 'write the chart as PNG file too'),
    ],
    examples: [
      'ttl',
      'ttl --agent claude-code --last 50',
      'ttl traces/*.json.gz',
      'ttl session.jsonl --ttl 45,90 --json',
    ],
    load: async () => (await import('../commands/ttl/ttl.js')).ttlCommand,
  },
  validate: {
    name: 'validate',
    about: 'Compare the simulator with recordings: predicted and recorded reads, cost and triggers.',
    args: [argument('[recording...]', `${SESSIONS}; ${NEWEST_ON_THIS_MACHINE}`)],
    options: [
      ...PRICED,
      ...DETAIL,
      ...CHOICE,
      option('--forward', 'show each session run forward, beside its recorded cost'),
      option('--worst <n>', 'how many of the worst predicted requests to show', whole, 5),
      option('--save <file>', 'write the totals to this file'),
      option('--results <folder>', 'write a Parquet file with a row for each recording'),
      SHARD,
      option('--baseline <file>', 'compare with saved totals; worse is exit code 98'),
      option(
        '--out <folder>',
        'write the page and the chart of predicted against recorded reads into this folder',
      ),
      option('--png', 'write the chart as a PNG file too'),
    ],
    examples: [
      'validate',
      'validate ~/.claude/projects',
      'validate ~/.claude/projects --forward',
      'validate session.jsonl --json',
      'validate recordings/ --baseline fidelity.json',
      'validate recordings/ --results out --shard 3/16',
    ],
    load: async () => (await import('../commands/validate/validate.js')).validateCommand,
  },
  diff: {
    name: 'diff',
    about: 'Where two runs part and why, request by request; or a recording and its simulation.',
    args: [
      argument(
        '<a>',
        'a run (run.jsonl or its report folder), a scenario (file.yaml#variant), or a recording',
      ),
      argument('[b]', 'the same; default: for a recording its simulation, for a scenario its variant'),
    ],
    options: [
      ...PRICED,
      ...DETAIL,
      ...PLUGINS,
      option(
        '--tolerance <percent>',
        'treat figures within this as equal (default: 0; 2 beside a recording)',
        percent,
      ),
      option('--out <folder>', 'write a page with both as aligned lanes into this folder'),
      option('--rows <n>', 'differences to show', whole, 15),
    ],
    examples: [
      'diff reports/before reports/after',
      'diff lunch.yaml "lunch.yaml#keep 3"',
      'diff session.jsonl --out reports',
      'diff session.jsonl my-scenario.yaml --json',
    ],
    load: async () => (await import('../commands/diff/diff.js')).diffCommand,
  },
  export: {
    name: 'export',
    about: 'Write recorded or simulated requests for load generators and tracing tools: sizes, no text.',
    args: [
      argument(
        '[session...]',
        `${SESSIONS}; scenario files (YAML) for simulated requests; ${NEWEST_ON_THIS_MACHINE}`,
      ),
    ],
    options: [
      ...READS,
      ...CHOICE,
      ...PLUGINS,
      required(
        '--format <name>',
        'mooncake: requests by time with block ids; aiperf: conversations with pauses; weka: a trace for each session; otel: OTLP JSON spans',
        oneOf('mooncake', 'aiperf', 'weka', 'otel'),
      ),
      option(
        '--out <file>',
        'write to this file instead of standard output; weka: a folder with a file for each session',
      ),
      option('--variant <name>', 'a variant of the scenario instead of the scenario itself'),
    ],
    examples: [
      'export session.jsonl --format mooncake --out requests.jsonl',
      'export ~/.claude/projects --last 50 --format aiperf --out conversations.jsonl',
      'export ~/.claude/projects --format weka --out traces',
      'export lunch.yaml --variant "keep 3" --format otel --out spans.jsonl',
    ],
    load: async () => (await import('../commands/export/export.js')).exportCommand,
  },
  providers: {
    name: 'providers',
    about: 'List the prompt caches of the providers, or replay one session under each of them.',
    args: [argument('[name]', 'this provider alone, or the one of this file, with what is not known of it')],
    options: [
      ...PRICED,
      option('--model <name>', 'prices of this model of the provider instead of its usual one'),
      option('--session <file>', 'replay this recording: cost, hit rate and break-even under each'),
      option('--rewritten <tokens>', 'tokens that a clearing rewrites', tokens, 100_000),
      option('--freed <tokens>', 'tokens that a clearing frees', tokens, 20_000),
    ],
    examples: [
      'providers',
      'providers deepseek --model deepseek-v4-flash',
      'providers ./my-provider.yaml',
      'providers --session session.jsonl',
      'providers --rewritten 60k --freed 30k --json',
    ],
    load: async () => (await import('../commands/providers/providers.js')).providersCommand,
  },
} satisfies Readonly<Record<string, CommandDescription>>;

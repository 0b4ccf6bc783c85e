import { Bench } from 'tinybench';
import { resolveModel } from '../../cache/models.js';
import { createPromptCache } from '../../cache/prompt-cache.js';
import { levelSalts } from '../../cache/salts.js';
import { breakpointsFor } from '../../engine/breakpoints-for.js';
import { Context } from '../../engine/context.js';
import { flatten } from '../../engine/flatten.js';
import { ForkView } from '../../engine/fork-view.js';
import type { Outcome } from '../../model/action.js';
import { formatSummary } from '../../model/format-summary.js';
import { tierRegistry } from '../../tiers/registry.js';
import { truncateForUse } from '../../tiers/session-memory/notes-file.js';
import { autoCompactThreshold } from '../../tiers/window/thresholds.js';
import { estimateMessages, PADDED_RULES } from '../../tokens/heuristic.js';
import { type HotContext, hotContext } from '../hot-context.js';
import { growthExponent } from '../measure.js';
import type { BenchResult, PathResult } from '../result.js';

const SIZES = [10_000, 100_000, 1_000_000];

interface HotPath {
  readonly name: string;
  /** The output itself is the whole window. */
  readonly wholeWindow: boolean;
  prepare(hot: HotContext): () => unknown;
}

/** The paths of an agent's turn. */
function hotPaths(): readonly HotPath[] {
  const flat: HotPath[] = [
    {
      name: 'token estimate of a turn',
      wholeWindow: false,
      prepare: (hot) => () => estimateMessages(hot.nextTurn, PADDED_RULES),
    },
    {
      name: 'threshold check',
      wholeWindow: false,
      prepare: (hot) => () => hot.view.seenTokens >= autoCompactThreshold(hot.params, 200_000),
    },
    {
      name: 'prefix digest of a turn',
      wholeWindow: false,
      prepare: (hot) => {
        const blocks = hot.nextTurn.flatMap((message) => message.blocks);
        return () => {
          const view = new ForkView(hot.context, hot.context.length, blocks);
          const digest = view.digests[view.length - 1]!;
          view.close();
          return digest;
        };
      },
    },
    { name: 'cache lookup', wholeWindow: false, prepare: prepareLookup },
    {
      name: 'request building',
      wholeWindow: false,
      prepare: (hot) => () => breakpointsFor(hot.context, 'system+last-two', 300_000, hot.context),
    },
    { name: 'flattening', wholeWindow: true, prepare: (hot) => () => flatten(hot.messages) },
    {
      name: 'context from messages',
      wholeWindow: true,
      prepare: (hot) => () => new Context(hot.context.prefix).extend(hot.messages),
    },
    { name: 'microcompact of a full window', wholeWindow: true, prepare: prepareMicrocompact },
    {
      name: 'summary formatting',
      wholeWindow: false,
      prepare: () => {
        const text = summaryText();
        return () => formatSummary(text, 'drop');
      },
    },
    {
      name: 'notes truncation',
      wholeWindow: false,
      prepare: () => {
        const text = notesText();
        return () => truncateForUse(text, 8_000, '/notes.md');
      },
    },
  ];
  const dues = tierRegistry
    .all()
    .filter((tier) => tier.layer !== 'baseline')
    .map(
      (tier): HotPath => ({
        name: `due ${tier.name}`,
        wholeWindow: false,
        prepare(hot) {
          const instance = tier.create(hot.tierContext);
          for (const message of hot.messages) instance.observe?.(message);
          hot.moment.point = tier.points[0]!;
          instance.due(hot.moment, hot.view);
          return () => instance.due(hot.moment, hot.view);
        },
      }),
    );
  return [...flat, ...dues];
}

function prepareLookup(hot: HotContext): () => unknown {
  const cache = createPromptCache();
  const model = resolveModel('claude-sonnet-4-5');
  const salts = levelSalts({ model });
  const breakpoints = breakpointsFor(hot.context, 'system+last', 300_000, hot.context);
  const request = {
    model,
    salts,
    view: hot.context,
    breakpoints,
    startMs: 1_000,
    readableAtMs: 1_000,
    write: 'write' as const,
  };
  cache.request(request);
  return () => cache.request(request);
}

function prepareMicrocompact(hot: HotContext): () => unknown {
  const tier = tierRegistry.get('microcompact-token');
  return () => {
    const instance = tier.create({ ...hot.tierContext, shared: new Map() });
    for (const message of hot.messages) instance.observe?.(message);
    const actions = instance.act(hot.moment, hot.view);
    const done: Outcome = { kind: 'done' };
    let step = actions.next();
    while (step.done !== true) step = actions.next(done);
  };
}

function summaryText(): string {
  const line = 'The parser now keeps positions, and the tests cover broken lines.\n';
  return `<analysis>\n${line.repeat(60)}</analysis>\n\n\n<summary>\n${line.repeat(150)}\n\n\n\n</summary>`;
}

function notesText(): string {
  return Array.from(
    { length: 10 },
    (_, i) => `# Section ${i}\n_What belongs here._\n${'A line of notes about the work.\n'.repeat(400)}`,
  ).join('\n');
}

/** Times each hot path at 10 K, 100 K and 1 M tokens of context, with the exponent of its growth. */
export async function hotPathSuite(options: {
  readonly quick: boolean;
  readonly onProgress: (name: string) => void;
}): Promise<Partial<BenchResult>> {
  const results: PathResult[] = [];
  const paths = hotPaths();
  for (const size of SIZES) {
    const bench = new Bench({
      time: options.quick ? 20 : 120,
      iterations: 5,
      warmupTime: options.quick ? 5 : 30,
      warmupIterations: 3,
    });
    for (const path of paths) bench.add(path.name, path.prepare(hotContext(size, 'claude-code/2026')));
    options.onProgress(`${paths.length} hot paths at ${size} tokens`);
    await bench.run();
    for (const task of bench.tasks) {
      const { result } = task;
      if (result.state !== 'completed') throw new Error(`${task.name} did not run: ${result.state}`);
      results.push({
        name: task.name,
        size,
        p50Ms: result.latency.p50,
        p99Ms: result.latency.p99,
        opsPerSec: result.throughput.mean,
      });
    }
  }
  const growth = paths.map((path) => ({
    name: path.name,
    wholeWindow: path.wholeWindow,
    exponent: growthExponent(
      results
        .filter((result) => result.name === path.name)
        .map((result) => ({ size: result.size, ms: result.p50Ms })),
    ),
  }));
  return { results, growth };
}

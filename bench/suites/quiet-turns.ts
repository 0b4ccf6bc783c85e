import { timeOf } from '../../src/cli/commands/bench/measure.js';
import { benchPlan, benchTranscript, NOWHERE } from '../../src/cli/commands/bench/plan.js';
import type { BenchResult, SuiteOptions } from '../../src/cli/commands/bench/result.js';
import { countCalls, type Transcript } from '../../src/core/model/transcript.js';
import type { LogSink } from '../../src/core/run/run-log.js';
import type { CachePlan, RunPlan } from '../../src/core/run/run-plan.js';
import { sweepReplayParts } from '../../src/engine/columnar/sweep-replay.js';
import { replay } from '../../src/engine/run/replay.js';
import { generateTranscript } from '../../src/transcripts/synthetic/generate-transcript.js';
import { compiledTranscript, foldAll, interleave } from '../measure.js';

const BY_HAND = 'claude-code/2.1.112';
/** Policy files with one rule, with several, and with one that looks at tool results. */
const IN_PARTS = ['peers/codex-local', 'peers/kimi-code', 'peers/opencode-1', 'baselines/prune'] as const;

/** Nothing fires in a window of this size. */
const WINDOW = 100_000_000;

/** Turns replayed before the timed ones. */
const UNTIMED_TURNS = 60_000;

/** What a turn costs in which no rule fires: a policy file against hand-written layers, on the same session. */
export function quietRules(options: { readonly quick: boolean }): Partial<BenchResult> {
  const turns = options.quick ? 500 : 10_000;
  const transcript = compiledTranscript(turns);
  const plans = [BY_HAND, ...IN_PARTS].map((policy) => ({
    ...benchPlan(policy),
    window: WINDOW,
    policy: quiet(benchPlan(policy).policy),
  }));
  const timed = interleave(
    plans.map((plan) => () => replay(plan, transcript, NOWHERE)),
    options.quick ? 1 : { untimed: UNTIMED_TURNS / turns, timed: 11 },
  );
  const [hand, ...rules] = timed.map(({ median }) => median);
  const slowest = Math.max(...rules);
  const micros = (ms: number): string => ((ms * 1_000) / turns).toFixed(1);
  return {
    ratios: [
      {
        name: 'quiet-rules',
        ratio: hand! / slowest,
        promised: 0.77,
        detail: `${turns} turns, µs each: ${BY_HAND} ${micros(hand!)}, ${IN_PARTS.map((name, i) => `${name} ${micros(rules[i]!)}`).join(', ')}`,
      },
    ],
  };
}

/** The same rules with piles that never get high enough. */
function quiet(policy: ReturnType<typeof benchPlan>['policy']): ReturnType<typeof benchPlan>['policy'] {
  if (policy.rules === undefined) return policy;
  const rules = policy.rules.rules.map((rule) => ({
    ...rule,
    when: rule.when.map((group) => ({
      ...group,
      tests: group.tests.map((test) =>
        test.kind === 'piled' ? { ...test, is: { op: '>=', amount: String(WINDOW) } as const } : test,
      ),
    })),
  }));
  return { ...policy, rules: { ...policy.rules, rules } };
}

/** A sweep of thresholds: which policy, what is set at a share of the window, and what is promised. */
interface ThresholdSweep {
  readonly name: string;
  readonly policy: string;
  readonly set: (share: number) => Readonly<Record<string, unknown>>;
  readonly thresholds: number;
  readonly sessions: readonly Transcript[];
  readonly promised: number | null;
}

/** Thresholds of which one goes through the engine for comparison. */
const ONE_OF = 25;

/** Sessions of the length of recordings. */
function sessions(): readonly Transcript[] {
  const specs = [
    ['bugfix', 60],
    ['parallel-tools', 100],
    ['refactor', 150],
    ['research', 220],
  ] as const;
  return specs.map(([workload, turns], seed) =>
    generateTranscript({ workload, turns, seed, model: 'claude-sonnet-4-5' }),
  );
}

/** Tokens by which a long session grows from its first turn to its last: it fills a window of 200,000 once. */
const LONG_GROWTH = 160_000;

/** A session of small equal turns. */
function longSession(turns: number): Transcript {
  return generateTranscript({
    workload: 'refactor',
    turns,
    seed: 1,
    model: 'claude-sonnet-4-5',
    prefixTokens: 15_000,
    steady: { tokensPerTurn: LONG_GROWTH / turns, outputTokens: 4, gapSeconds: 10 },
  });
}

const percent = (share: number): Readonly<Record<string, unknown>> => ({
  'window.percent': Math.round(share * 1e5) / 1e3,
});

function sweepsOf(quick: boolean): readonly ThresholdSweep[] {
  const all = sessions().slice(0, quick ? 1 : undefined);
  const thresholds = quick ? ONE_OF : 1_000;
  const tokens =
    (path: string) =>
    (share: number): Readonly<Record<string, unknown>> => ({
      [path]: `>= ${Math.round(share * 200_000)}`,
    });
  return [
    {
      name: 'quiet-turns',
      policy: 'claude-code/2.1.112',
      set: percent,
      thresholds,
      sessions: all,
      promised: 5,
    },
    {
      name: 'quiet-turns of codex-local',
      policy: 'peers/codex-local',
      set: tokens('rules.compact.when.0.tokens'),
      thresholds,
      sessions: all,
      promised: null,
    },
    {
      name: 'quiet-turns of zed',
      policy: 'peers/zed',
      set: tokens('rules.compact.when.0.tokens'),
      thresholds,
      sessions: all,
      promised: null,
    },
    { name: 'quiet-2026', policy: 'claude-code/2026', set: percent, thresholds, sessions: all, promised: 2 },
    {
      name: 'quiet-rare',
      policy: 'claude-code/2.1.112',
      set: (share) => percent(0.6 + share * 0.4),
      thresholds: quick ? 25 : 100,
      sessions: [longSession(quick ? 200 : 10_000)],
      promised: null,
    },
  ];
}

/** Sweeps of thresholds on one thread, with what plans share against every plan through the engine. */
export function quietTurns(options: SuiteOptions): Partial<BenchResult> {
  const ratios = sweepsOf(options.quick).map((sweep) => {
    options.onProgress(sweep.name);
    return measure(sweep, options.quick);
  });
  return { ratios };
}

function measure(sweep: ThresholdSweep, quick: boolean): BenchResult['ratios'][number] {
  const plans = Array.from({ length: sweep.thresholds }, (_, i) =>
    benchPlan(sweep.policy, 'on', sweep.set((i + 1) / sweep.thresholds)),
  );
  const some = plans.filter((_, i) => i % ONE_OF === ONE_OF >> 1);
  const go = (road: typeof replay, points: readonly RunPlan[]): void => {
    for (const session of sweep.sessions) {
      // What sweeps keep is kept for a transcript as an object: a copy starts cold.
      const transcript = { ...session };
      foldAll(road, points, transcript);
    }
  };
  const [engine, shared] = interleave([() => go(replay, some), () => go(viaSweep, plans)], {
    untimed: quick ? 0 : 1,
    timed: quick ? 1 : 3,
  });
  const turns = sweep.sessions.reduce((sum, session) => sum + countCalls(session), 0);
  const rate = (ms: number, points: number): number => (turns * points) / (ms / 1_000);
  const [slow, fast] = [rate(engine!.median, some.length), rate(shared!.median, plans.length)];
  return {
    name: sweep.name,
    ratio: fast / slow,
    promised: sweep.promised,
    detail:
      `${plans.length} thresholds of ${sweep.policy}, ${sweep.sessions.length} sessions of ${turns} turns together, one core: ` +
      `engine ${Math.round(slow)} turns/s, sweep ${Math.round(fast)} turns/s`,
  };
}

function viaSweep(plan: RunPlan, transcript: Transcript, sink: LogSink): void {
  const parts = sweepReplayParts(plan, transcript, sink);
  while (parts.next().done !== true);
}

/** Points of a sweep over lifetimes and fading under a policy without layers. */
function sweepPoints(mode: CachePlan['mode']): readonly RunPlan[] {
  const plan = benchPlan('unbounded', mode);
  const settings = (['5m', '1h'] as const).flatMap((ttl) =>
    (['off', 'expected', 'sampled'] as const).map((fade) => ({ ttl, fade })),
  );
  return settings.map(({ ttl, fade }, seed) => ({ ...plan, seed, cache: { ...plan.cache, ttl, fade } }));
}

/** Turns a second of a sweep on one thread: points from columns of requests against the same points through the engine. */
export function sweepRate({ quick }: SuiteOptions): Partial<BenchResult> {
  const turns = quick ? 500 : 10_000;
  const transcript = benchTranscript(turns);
  const points = sweepPoints('on');
  const cacheless = sweepPoints('off');
  viaSweep(points[0]!, transcript, NOWHERE);
  const firstMs = timeOf(() => viaSweep(points[1]!, transcript, NOWHERE));
  const times = interleave(
    [
      () => foldAll(replay, points, transcript),
      () => foldAll(viaSweep, points, transcript),
      () => {
        for (const plan of points) viaSweep(plan, transcript, NOWHERE);
      },
      () => foldAll(viaSweep, cacheless, transcript),
    ],
    quick ? 1 : { untimed: 2, timed: 9 },
  );
  const [engine, columns, unmeasured, uncached] = times.map(({ median }) => median) as [
    number,
    number,
    number,
    number,
  ];
  const rate = (ms: number): string => Math.round((points.length * turns) / (ms / 1_000)).toString();
  const share = (part: number): string => `${Math.round((100 * Math.max(0, part)) / columns)} %`;
  return {
    ratios: [
      {
        name: 'sweep-rate',
        ratio: engine / columns,
        promised: null,
        detail:
          `${points.length} points of ${turns} turns on one core: engine ${rate(engine)} turns/s, columns ${rate(columns)} turns/s; ` +
          `of these, cache ${share(columns - uncached)}, metrics ${share(columns - unmeasured)}, ` +
          `prices and entries ${share(unmeasured + uncached - columns)}; columns are made once in ${firstMs.toFixed(0)} ms`,
      },
    ],
  };
}

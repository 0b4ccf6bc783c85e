import { Bench } from 'tinybench';
import { type HotPath, hotContext, hotPaths, type PreparedPath } from './hot-paths.js';
import { growthExponent } from './measure.js';
import {
  type BenchResult,
  HIGHEST_EXPONENT,
  joinResults,
  type PathResult,
  type SuiteOptions,
} from './result.js';

const SIZES = [10_000, 100_000, 1_000_000];
const QUICK_SIZES = SIZES.slice(0, 2);

interface Effort {
  /** Rounds over the sizes; the quietest round of each size counts. */
  readonly rounds: number;
  readonly timedMs: number;
  readonly untimedMs: number;
  /** Calls in a round, at least, before they are timed and while they are. */
  readonly untimedCalls: number;
  readonly timedCalls: number;
}

const FULL: Effort = { rounds: 3, timedMs: 60, untimedMs: 25, untimedCalls: 8, timedCalls: 12 };
const QUICK: Effort = { rounds: 1, timedMs: 2, untimedMs: 1, untimedCalls: 2, timedCalls: 3 };

/** Times a path at one size, warmed up first. */
function timePath(name: string, size: number, path: PreparedPath, effort: Effort): PathResult {
  const bench = new Bench({
    time: effort.timedMs,
    iterations: effort.timedCalls,
    warmupTime: effort.untimedMs,
    warmupIterations: effort.untimedCalls,
  });
  const before = path.before;
  bench.add(name, path.run, {
    async: false,
    ...(before === undefined ? {} : { beforeEach: () => before() }),
  });
  bench.runSync();
  const { result } = bench.tasks[0]!;
  if (result.state !== 'completed') throw new Error(`${name} did not run: ${result.state}`);
  return {
    name,
    size,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
    opsPerSec: result.throughput.mean,
  };
}

/** A path at every size: the sizes take turns, so that a busy moment of the machine does not fall on one of them alone. */
function timeSizes(path: HotPath, sizes: readonly number[], effort: Effort): readonly PathResult[] {
  const prepared = sizes.map((size) => path.prepare(hotContext(size, 'claude-code/2026')));
  const best: PathResult[] = [];
  for (let round = 0; round < effort.rounds; round++) {
    sizes.forEach((size, i) => {
      const now = timePath(path.name, size, prepared[i]!, effort);
      if (best[i] === undefined || now.p50Ms < best[i].p50Ms) best[i] = now;
    });
  }
  return best;
}

/** Times each hot path at 10 K, 100 K and 1 M tokens of context, with the exponent of its growth. */
export async function hotPathSuite(options: SuiteOptions): Promise<Partial<BenchResult>> {
  const paths = hotPaths();
  const parts: Partial<BenchResult>[] = [];
  for (const path of paths) {
    options.onProgress(path.name);
    const results = options.quick ? timeSizes(path, QUICK_SIZES, QUICK) : timeSizes(path, SIZES, FULL);
    const exponent = growthExponent(results.map(({ size, p50Ms }) => ({ size, ms: p50Ms })));
    const { name, input, wholeWindow } = path;
    const promised = wholeWindow ? null : HIGHEST_EXPONENT;
    parts.push({ results, growth: [{ name, exponent, wholeWindow, promised, input }] });
  }
  return joinResults(parts);
}

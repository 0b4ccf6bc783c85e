import type { BenchResult } from './result.js';

/** A benchmark suite: it measures and says what it found. */
export type Suite = (options: {
  readonly quick: boolean;
  readonly onProgress: (what: string) => void;
}) => Promise<Partial<BenchResult>>;

/** Suites by name, in the order they run. */
export type Suites = Readonly<Record<string, Suite>>;

/** The suites of `ccbench bench`, each loaded when it is run. */
export const SUITES: Suites = {
  'hot-paths': async (options) => (await import('./suites/hot-paths.js')).hotPathSuite(options),
  replay: async (options) => {
    const { peakOfReplay } = await import('./peak-memory.js');
    const { replayGrowth } = await import('./suites/replay-growth.js');
    return replayGrowth({ ...options, peakMemory: peakOfReplay });
  },
  'naive-replay': async (options) => (await import('./suites/naive-replay.js')).naiveReplayRatio(options),
  'quiet-rules': async (options) => (await import('./suites/quiet-rules.js')).quietRules(options),
  'replay-limit': async (options) => (await import('./suites/replay-limit.js')).replayLimit(options),
  'sweep-rate': async (options) => {
    const { createMetricsFold } = await import('../../../metrics/fold.js');
    const { sweepRate } = await import('./suites/sweep-rate.js');
    return sweepRate({ ...options, createFold: createMetricsFold });
  },
  'quiet-turns': async (options) => {
    const { createMetricsFold } = await import('../../../metrics/fold.js');
    const { quietTurns } = await import('./suites/quiet-turns.js');
    return quietTurns({ ...options, createFold: createMetricsFold });
  },
  'trace-limit': async (options) => (await import('./suites/trace-limit.js')).traceLimit(options),
  ingest: async (options) => {
    const { peakMemory } = await import('./recording-file.js');
    return (await import('./suites/ingest.js')).ingestSuite({ ...options, peakMemory });
  },
  bpe: async (options) => (await import('./suites/bpe.js')).bpeSuite(options),
  'compiled-cache': async (options) => {
    const { recordToDisk } = await import('./recording-file.js');
    const { compiledCacheSuite } = await import('./suites/compiled-cache.js');
    return compiledCacheSuite({ ...options, record: recordToDisk });
  },
  workers: async (options) => (await import('./workers.js')).workersSuite(options),
  'start-up': async (options) => (await import('./start-up.js')).startUp(options),
};

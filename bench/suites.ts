import { SUITES, type Suites } from '../src/cli/commands/bench/bench.js';

/** All suites in the order they run, each loaded when it is run: those of `ccbench bench`, and what this project promises. */
export const ALL_SUITES: Suites = {
  ...SUITES,
  'replay-memory': async (options) => (await import('./suites/replay.js')).replayMemory(options),
  'naive-replay': async (options) => (await import('./suites/replay.js')).naiveReplayRatio(options),
  'quiet-rules': async (options) => (await import('./suites/quiet-turns.js')).quietRules(options),
  'replay-limit': async (options) => (await import('./suites/replay.js')).replayLimit(options),
  'sweep-rate': async (options) => (await import('./suites/quiet-turns.js')).sweepRate(options),
  'quiet-turns': async (options) => (await import('./suites/quiet-turns.js')).quietTurns(options),
  'compaction-cost': async (options) => (await import('./suites/compaction-cost.js')).compactionCost(options),
  'trace-limit': async (options) => (await import('./suites/trace-limit.js')).traceLimit(options),
  ingest: async (options) => (await import('./suites/ingest.js')).ingestSuite(options),
  rounds: async (options) => (await import('./suites/rounds.js')).roundsSuite(options),
  serve: async (options) => (await import('./suites/serve.js')).serveSuite(options),
  bpe: async (options) => (await import('./suites/bpe.js')).bpeSuite(options),
  'compiled-cache': async (options) => (await import('./suites/ingest.js')).compiledCacheSuite(options),
  'why-corpus': async (options) => (await import('./suites/why-corpus.js')).whyCorpus(options),
  workers: async (options) => (await import('./suites/workers.js')).workersSuite(options),
  'start-up': async (options) => (await import('./suites/start-up.js')).startUp(options),
};

import { setFlagsFromString } from 'node:v8';
import { defineConfig } from 'vitest/config';
import { FULL_ONLY, LongestFirst, SlowestFiles } from './test/helpers/setup/suites.js';

// How many bytes of a function run before V8 optimizes it: seven times the usual, as most functions of a test run too seldom
// to earn that back. It takes a fifth off the processor time. From Node 22 on
// there is no such flag.
if (Number(process.versions.node.split('.')[0]) < 22) setFlagsFromString('--interrupt-budget=1000000');

/** Writes the results to a file as JSON. */
function jsonReporter(outputFile: string): ['json', { outputFile: string }] {
  return ['json', { outputFile }];
}

/** `vitest run` is the fast suite, `vitest run --mode full` everything. */
export default defineConfig(({ mode }) => {
  const isFull = mode === 'full';
  const { CCBENCH_TEST_RESULTS, CCBENCH_REACH } = process.env;
  return {
    test: {
      include: ['test/**/*.test.ts'],
      exclude: isFull ? [] : [...FULL_ONLY],
      env: { CCBENCH_SUITE: isFull ? 'full' : 'fast' },
      reporters: [
        'default',
        ...(isFull ? [new SlowestFiles()] : []),
        ...(CCBENCH_TEST_RESULTS === undefined ? [] : [jsonReporter(CCBENCH_TEST_RESULTS)]),
      ],
      // Long enough for a machine that does ten other things at a time; it ends what hangs, and says nothing of speed.
      testTimeout: 300_000,
      hookTimeout: 300_000,
      pool: 'threads',
      maxWorkers: '100%', // the usual number leaves a core idle, which is half of a machine with two
      isolate: false, // a module is loaded once in each thread: a test that changes one puts it back
      sequence: { sequencer: LongestFirst },
      setupFiles: [
        'test/helpers/setup/property-settings.ts',
        ...(CCBENCH_REACH === undefined ? [] : ['scripts/mutate/setup.mjs']),
      ],
      globalSetup: ['test/helpers/setup/test-cache.ts', 'test/helpers/setup/build-page.ts'],
    },
  };
});

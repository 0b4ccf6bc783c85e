import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/helpers/setup/longest-first.js';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Long enough for a machine that does ten other things at a time; it ends what hangs, and says nothing of speed.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    pool: 'threads',
    maxWorkers: '100%', // the usual number leaves a core idle, which is half of a machine with two
    isolate: false, // a module is loaded once in each thread: a test that changes one puts it back
    sequence: { sequencer: LongestFirst },
    setupFiles: ['test/helpers/setup/property-settings.ts'],
    globalSetup: ['test/helpers/setup/test-cache.ts', 'test/helpers/setup/build-page.ts'],
  },
});

import { appendFileSync } from 'node:fs';
import { configureGlobal, defaultReportMessage } from 'fast-check';
import { IN_FULL } from './in-full.js';

/** Cases of a property that names no number. */
const RUNS = IN_FULL ? 100 : 25;

/**
 * Settings of every property test. The seed is the same in every run, so that the same tree passes or fails wherever it is tested;
 * `npm run soak` looks for counter-examples with fresh ones. From the environment: CCBENCH_SEED is another seed, and replays a
 * failure; CCBENCH_TALLY names a file that gets one line for each property. CCBENCH_RUNS is read by `property-runs.ts`.
 */
const { CCBENCH_SEED = '14', CCBENCH_TALLY } = process.env;

configureGlobal({
  seed: Number(CCBENCH_SEED),
  numRuns: RUNS,
  ...(CCBENCH_TALLY === undefined
    ? {}
    : {
        reporter(details) {
          const { numRuns, failed, seed, errorInstance } = details;
          appendFileSync(CCBENCH_TALLY, `${JSON.stringify({ numRuns, failed, seed })}\n`);
          if (failed) throw new Error(`${String(errorInstance)}\n${defaultReportMessage(details)}`);
        },
      }),
});

import { appendFileSync } from 'node:fs';

/**
 * Settings of every property test, from the environment: CCBENCH_SEED replays a failure, CCBENCH_TALLY names a file that gets one
 * line for each property (`npm run soak`). CCBENCH_RUNS is read by `property-runs.ts`.
 */
const { CCBENCH_SEED, CCBENCH_TALLY } = process.env;

if (CCBENCH_SEED !== undefined || CCBENCH_TALLY !== undefined) {
  const { configureGlobal, defaultReportMessage } = await import('fast-check');
  configureGlobal({
    ...(CCBENCH_SEED === undefined ? {} : { seed: Number(CCBENCH_SEED) }),
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
}

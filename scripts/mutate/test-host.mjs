// A process that holds the test runner: it gets orders { changed, tests } and answers { ok, by } after the first test file that fails.

import { join } from 'node:path';
import { createVitest } from 'vitest/node';

const root = process.argv[2];
// test/helpers/setup/test-cache.ts is not run here: the cache folder of all tests comes with the environment
for (const name of ['GITHUB_ACTIONS', 'FORCE_COLOR', 'NO_COLOR']) delete process.env[name];

/** Runs test files in the order of the list. */
class AsGiven {
  sort(files) {
    return files;
  }
}

const vitest = await createVitest('test', {
  root,
  mode: 'full',
  watch: false,
  isolate: false,
  globalSetup: [],
  setupFiles: ['test/helpers/setup/property-settings.ts', 'scripts/mutate/setup.mjs'],
  reporters: [{}],
  pool: 'threads',
  maxWorkers: 1,
  bail: 1,
  sequence: { sequencer: AsGiven },
  testTimeout: 60_000,
  // the check for barriers takes half of the time of the page's tests
  testNamePattern: /^(?!.*no serious barrier)/,
});
const [project] = vitest.projects;

process.on('message', async ({ changed, tests }) => {
  for (const file of changed) vitest.invalidateFile(join(root, file));
  const specifications = tests.map((file) => project.createSpecification(join(root, file)));
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications);
  // the runner remembers the modules of earlier orders, too
  const failed = new Set(
    testModules.filter((module) => !module.ok()).map((module) => module.relativeModuleId),
  );
  const by = tests.find((test) => failed.has(test)) ?? null;
  process.send({ ok: by === null && unhandledErrors.length === 0, by });
});
process.on('disconnect', () => process.exit(0));
process.send({ ready: true });

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
  // the check for barriers takes half of the time of the page's tests
  testNamePattern: /^(?!.*no serious barrier)/,
});
const [project] = vitest.projects;

/** Runs files until one fails: that one, and whether all that was run is sound. */
async function run(tests) {
  if (tests.length === 0) return { ok: true, by: null };
  const specifications = tests.map((file) => project.createSpecification(join(root, file)));
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications);
  // the runner remembers the modules of earlier orders, too
  const failed = new Set(
    testModules.filter((module) => !module.ok()).map((module) => module.relativeModuleId),
  );
  const by = tests.find((test) => failed.has(test)) ?? null;
  return { ok: by === null && unhandledErrors.length === 0, by };
}

process.on('message', async ({ changed, tests }) => {
  for (const file of changed) vitest.invalidateFile(join(root, file));
  let result = await run(tests);
  // A busy machine makes tests fail for lack of time: only one that fails twice has noticed something.
  while (result.by !== null && (await run([result.by])).ok)
    result = await run(tests.slice(tests.indexOf(result.by) + 1));
  process.send(result);
});
process.on('disconnect', () => process.exit(0));
process.send({ ready: true });

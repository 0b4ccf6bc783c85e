// A process that holds the test runner: it gets orders { changed, tests, bail } and answers { ok, cpuMs, modules }.

import { join } from 'node:path';
import { createVitest } from 'vitest/node';

const root = process.argv[2];
// test/helpers/setup/test-cache.ts is not run here: the cache folder of all tests comes with the environment
for (const name of ['GITHUB_ACTIONS', 'FORCE_COLOR', 'NO_COLOR']) delete process.env[name];
const vitest = await createVitest('test', {
  root,
  mode: 'full',
  watch: false,
  isolate: false,
  globalSetup: [],
  reporters: [{}],
  pool: 'threads',
  maxWorkers: Number(process.argv[3]),
  testTimeout: 60_000,
  // the check for barriers takes half of the time of the page's tests
  testNamePattern: /^(?!.*no serious barrier)/,
});
const [project] = vitest.projects;

process.on('message', async ({ changed, tests, bail }) => {
  for (const file of changed) vitest.invalidateFile(join(root, file));
  vitest.config.bail = bail;
  project.config.bail = bail;
  const before = process.cpuUsage();
  const specifications = tests.map((file) => project.createSpecification(join(root, file)));
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications);
  // the runner remembers the modules of earlier orders, too
  const modules = testModules
    .filter((module) => tests.includes(module.relativeModuleId))
    .map((module) => ({
      file: module.relativeModuleId,
      ok: module.ok(),
      ms: Math.round(module.diagnostic().duration),
    }));
  const { user, system } = process.cpuUsage(before);
  const cpuMs = Math.round((user + system) / 1_000);
  process.send({ ok: modules.every(({ ok }) => ok) && unhandledErrors.length === 0, cpuMs, modules });
});
process.on('disconnect', () => process.exit(0));
process.send({ ready: true });

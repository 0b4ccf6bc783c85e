// @ts-check
// npm run typecheck: the types of all code, and of the page, which has a configuration of its own; and that no source looks up a
// text in a plain object, which types decide.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { foreignNames } from './foreign-names.mjs';

const root = join(import.meta.dirname, '../..');
for (const name of ['tsconfig.json', 'tsconfig.page.json']) {
  const tsc = spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', name], {
    cwd: root,
    stdio: 'inherit',
  });
  const problems = foreignNames(root, name);
  for (const problem of problems) console.error(problem);
  if (tsc.status !== 0 || problems.length > 0) process.exitCode = 1;
}

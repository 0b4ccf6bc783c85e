// @ts-check
// Builds dist/, unless it is what these sources build to already. npm run build -- --force builds in any case.
import { execFileSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { whyBuild } from './stale-build.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

const STEPS = [
  ['scripts/build-shipped.mjs'],
  ['scripts/build-page.mjs'],
  ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'],
  ['scripts/finish-build.mjs'],
];

const reason = process.argv.includes('--force') ? 'it was asked for' : whyBuild(root);
if (reason === null) console.log('dist is built from these sources');
else {
  try {
    for (const step of STEPS) execFileSync(process.execPath, step, { cwd: root, stdio: 'inherit' });
  } catch {
    // What went wrong has been said by the step.
    process.exitCode = 1;
  }
}

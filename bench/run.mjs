// Runs the benchmark suites of the built package: node bench/run.mjs [suite…] [--quick] [--json]

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

const main = resolve(import.meta.dirname, '../dist/cli/main.js');
if (!existsSync(main)) {
  console.error('build first: npm run build');
  process.exit(2);
}
const { status } = spawnSync(process.execPath, [main, 'bench', ...process.argv.slice(2)], {
  stdio: 'inherit',
});
process.exit(status ?? 1);

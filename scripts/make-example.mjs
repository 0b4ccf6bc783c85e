// Makes reports/example again: the comparison of scenarios/example.yaml and the context chart of its first run.

import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const target = resolve(process.argv[2] ?? join(root, 'reports/example'));
const work = mkdtempSync(join(tmpdir(), 'ccbench-example-'));

function ccbench(...args) {
  const result = spawnSync(process.execPath, [join(root, 'dist/cli/main.js'), ...args], {
    cwd: root,
    encoding: 'utf8',
  });
  if (result.status !== 0)
    throw new Error(`ccbench ${args.join(' ')} ended with ${result.status}\n${result.stderr}`);
}

try {
  ccbench('compare', 'scenarios/example.yaml', '--out', work, '--workers', '0', '--svg');
  ccbench('run', 'scenarios/example.yaml', '--out', work, '--quiet', '--svg');
  rmSync(target, { recursive: true, force: true });
  mkdirSync(join(target, 'charts'), { recursive: true });
  cpSync(join(work, 'example-compare'), target, { recursive: true });
  for (const name of ['context-over-time', 'cost-by-cause', 'prompt-split']) {
    for (const end of ['svg', 'vl.json']) {
      cpSync(join(work, 'example/charts', `${name}.${end}`), join(target, 'charts', `${name}.${end}`));
    }
  }
} finally {
  rmSync(work, { recursive: true, force: true });
}

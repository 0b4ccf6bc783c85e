// Times a sweep of 1,000 points over a 500-turn session on all cores, interrupts nothing, keeps nothing.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const main = resolve(import.meta.dirname, '../dist/cli/main.js');
const work = mkdtempSync(join(tmpdir(), 'ccbench-sweep-'));
writeFileSync(
  join(work, 'sweep.yaml'),
  `name: sweep-1000
transcript: { synthetic: { workload: refactor, turns: 500 } }
model: claude-sonnet-4-5
policy: claude-code/2026
`,
);
try {
  const start = performance.now();
  const { status } = spawnSync(
    process.execPath,
    [
      main,
      'sweep',
      join(work, 'sweep.yaml'),
      '--vary',
      'window.percent=30..95:40',
      '--vary',
      'microcompact.cached.keepRecent=1..25:25',
      '--out',
      join(work, 'reports'),
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const seconds = (performance.now() - start) / 1_000;
  console.log(
    `1,000 points of 500 turns: ${seconds.toFixed(1)} s on ${availableParallelism()} cores (exit code ${status})`,
  );
} finally {
  rmSync(work, { recursive: true, force: true });
}

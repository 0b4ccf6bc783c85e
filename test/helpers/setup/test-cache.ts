import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Gives all tests a cache folder of their own, in this process and in those they start, and removes it after the last one. What a workflow says of itself is no business of tests. */
export function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'ccbench-test-cache-'));
  process.env.CCBENCH_CACHE = folder;
  for (const name of ['GITHUB_ACTIONS', 'FORCE_COLOR', 'NO_COLOR']) delete process.env[name];
  return () => rmSync(folder, { recursive: true, force: true });
}

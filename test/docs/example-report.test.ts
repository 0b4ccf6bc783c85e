import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { needFreshBuild } from '../helpers/setup/built.js';

const ROOT = resolve(import.meta.dirname, '../..');

function filesOf(folder: string): ReadonlyMap<string, string> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return new Map(
    names
      .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
      .sort()
      .map((name) => [name, readFileSync(join(folder, name), 'utf8')] as const),
  );
}

beforeAll(needFreshBuild);

describe('reports/example', () => {
  it('is what the project makes today; npm run example makes it again', () => {
    const fresh = mkdtempSync(join(tmpdir(), 'ccbench-example-test-'));
    try {
      const made = spawnSync(
        process.execPath,
        [join(ROOT, 'scripts/make-example.mjs'), join(fresh, 'example')],
        { encoding: 'utf8' },
      );
      expect(made.stderr).toBe('');
      const now = filesOf(join(fresh, 'example'));
      const committed = filesOf(join(ROOT, 'reports/example'));
      expect([...committed.keys()]).toEqual([...now.keys()]);
      for (const [name, text] of now)
        expect(committed.get(name) === text, `${name} is out of date`).toBe(true);
    } finally {
      rmSync(fresh, { recursive: true, force: true });
    }
  });
});

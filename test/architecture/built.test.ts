import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempFolder } from '../cli/cli.js';
import { staleBuild } from '../helpers/built.js';

/** A checkout of files, each with the second of its last change. */
function checkout(files: Readonly<Record<string, number>>): string {
  const root = tempFolder();
  for (const [name, seconds] of Object.entries(files)) {
    const path = join(root, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, '');
    utimesSync(path, seconds, seconds);
  }
  return root;
}

const FRESH = {
  'src/cli/main.ts': 100,
  'src/report/page/page.ts': 900,
  'dist/cli/main.js': 200,
  'dist/cli/main.d.ts': 200,
  'dist/study/worker-bundle.js': 200,
};

describe('a build', () => {
  it('fits sources that are older than it', () => {
    expect(staleBuild(checkout(FRESH))).toBeNull();
  });

  it.each([
    ['was never made', { 'src/cli/main.ts': 1 }, 'dist/study/worker-bundle.js is missing'],
    ['lacks a file', { ...FRESH, 'src/cli/new.ts': 100 }, 'dist/cli/new.js is missing'],
    [
      'is older than a source',
      { ...FRESH, 'src/cli/main.ts': 300 },
      'dist/cli/main.js is older than src/cli/main.ts',
    ],
    [
      'has an older worker',
      { ...FRESH, 'dist/study/worker-bundle.js': 50 },
      'dist/study/worker-bundle.js is older than src/cli/main.ts',
    ],
  ])('that %s is stale', (_what, files, reason) => {
    expect(staleBuild(checkout(files))).toBe(reason);
  });
});

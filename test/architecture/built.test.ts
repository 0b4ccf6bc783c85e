import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { staleBuild, whyBuild } from '../../scripts/stale-build.mjs';
import { tempFolder } from '../cli/cli.js';

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
  'bench/main.ts': 100,
  'dist/cli/main.js': 200,
  'dist/bundled-licences.txt': 200,
};

describe('a build', () => {
  it('fits sources that are older than it', () => {
    expect(staleBuild(checkout(FRESH))).toBeNull();
  });

  it.each([
    ['was never made', { 'src/cli/main.ts': 1 }, 'dist/bundled-licences.txt is missing'],
    [
      'is older than a source',
      { ...FRESH, 'src/cli/main.ts': 300 },
      'src/cli/main.ts has changed since dist was built',
    ],
    [
      'lacks a new source',
      { ...FRESH, 'src/cli/new.ts': 300 },
      'src/cli/new.ts has changed since dist was built',
    ],
    [
      'is older than a benchmark',
      { ...FRESH, 'bench/main.ts': 300 },
      'bench/main.ts has changed since dist was built',
    ],
  ])('that %s is stale', (_what, files, reason) => {
    expect(staleBuild(checkout(files))).toBe(reason);
    expect(whyBuild(checkout(files))).toBe(reason);
  });
});

/** A checkout whose last build finished: the notices are the last thing that it writes. */
const BUILT = {
  ...FRESH,
  'src/report/page/page.ts': 100,
  'scripts/finish-build.mjs': 100,
  'package.json': 100,
  'package-lock.json': 100,
  'tsconfig.json': 100,
  'tsconfig.build.json': 100,
  'dist/bundled-licences.txt': 210,
};

/** Folders change when files come and go: those of a checkout are as old as its oldest file. */
function settled(files: Readonly<Record<string, number>>): string {
  const root = checkout(files);
  for (const folder of ['src/cli', 'src/report/page', 'src/report']) utimesSync(join(root, folder), 100, 100);
  return root;
}

describe('another build', () => {
  it('has nothing to do behind one that finished', () => {
    expect(whyBuild(settled(BUILT))).toBeNull();
  });

  it.each([
    ['src/report/page/page.ts', 'src/report/page/page.ts has changed'],
    ['scripts/finish-build.mjs', 'scripts/finish-build.mjs has changed'],
    ['package-lock.json', 'package-lock.json has changed'],
    ['tsconfig.build.json', 'tsconfig.build.json has changed'],
  ])('is made when %s has changed', (file, reason) => {
    expect(whyBuild(settled({ ...BUILT, [file]: 300 }))).toBe(reason);
  });

  it('is made when a source was taken away', () => {
    const root = settled(BUILT);
    utimesSync(join(root, 'src/cli'), 300, 300);
    expect(whyBuild(root)).toBe('src/cli has changed');
  });

  it('is made when the last one ended before its last step', () => {
    const { 'dist/bundled-licences.txt': _notices, ...files } = BUILT;
    expect(whyBuild(settled(files))).toBe('dist/bundled-licences.txt is missing');
  });
});

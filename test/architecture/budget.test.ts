import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ownFiles, ROOT } from '../helpers/architecture/tree.js';

const PAGE = 'docs/design/house.md';

/** Lines and TypeScript files of one room, or of all tests. */
interface Size {
  readonly lines: number;
  readonly files: number;
}

/** The table of the page: what each room may have. */
function budget(): ReadonlyMap<string, Size> {
  const rows = readFileSync(join(ROOT, PAGE), 'utf8').matchAll(
    /^\| `([\w.]+)` \| ([\d,]+) \| ([\d,]+) \|$/gm,
  );
  const number = (text: string): number => Number(text.replaceAll(',', ''));
  return new Map(
    [...rows].map(([, room, lines, files]) => [room!, { lines: number(lines!), files: number(files!) }]),
  );
}

/** What each room has: the second part of a path below src, else the first. */
function sizes(
  files: readonly { readonly path: string; readonly lines: number }[],
): ReadonlyMap<string, Size> {
  const found = new Map<string, Size>();
  for (const { path, lines } of files) {
    const [top, room] = path.split('/');
    const key = top === 'src' ? room! : top!;
    const { lines: before, files } = found.get(key) ?? { lines: 0, files: 0 };
    found.set(key, { lines: before + lines, files: files + 1 });
  }
  return found;
}

/** The sentences that say which room is over its budget. */
function overBudget(found: ReadonlyMap<string, Size>, allowed: ReadonlyMap<string, Size>): readonly string[] {
  return [...found].flatMap(([room, size]) => {
    const limit = allowed.get(room);
    if (limit === undefined) return [`${room} has no row in ${PAGE}`];
    return (['lines', 'files'] as const)
      .filter((what) => size[what] > limit[what])
      .map(
        (what) =>
          `${room} has ${size[what]} ${what}, ${limit[what]} are allowed: shorten it, or change ${PAGE} and say why`,
      );
  });
}

describe('the budget', () => {
  it('holds for every room and for the tests', () => {
    const files = ownFiles()
      .filter((path) => /^(src|bench|test)\/.*\.ts$/.test(path))
      .map((path) => ({ path, lines: readFileSync(join(ROOT, path), 'utf8').split('\n').length - 1 }));
    expect(overBudget(sizes(files), budget())).toEqual([]);
  });

  it('fires on a room that is one line or one file too large, and on a new room', () => {
    const allowed = new Map([['core', { lines: 10, files: 1 }]]);
    const file = (path: string, lines: number) => ({ path, lines });
    expect(overBudget(sizes([file('src/core/a.ts', 10)]), allowed)).toEqual([]);
    expect(overBudget(sizes([file('src/core/a.ts', 11)]), allowed)).toEqual([
      expect.stringContaining('core has 11 lines, 10 are allowed'),
    ]);
    expect(overBudget(sizes([file('src/core/a.ts', 5), file('src/core/b.ts', 5)]), allowed)).toEqual([
      expect.stringContaining('core has 2 files, 1 are allowed'),
    ]);
    expect(overBudget(sizes([file('src/attic/a.ts', 1)]), allowed)).toEqual([`attic has no row in ${PAGE}`]);
  });
});

import {
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { digest, Reach } from '../../scripts/mutate/reach.mjs';
import { WorkTree } from '../../scripts/mutate/work-tree.mjs';
import { staleBuild } from '../../scripts/stale-build.mjs';
import { tempFolder } from '../cli/cli.js';
import { ROOT } from '../helpers/architecture/tree.js';

/** A checkout of a program of two files, built, with a test of its source and one of its build. */
const FILES = {
  'src/cli/main.ts': "import { one } from './one.js';\nprocess.stdout.write(one());\n",
  'src/cli/one.ts': "export const one = (): string => 'one';\n",
  'src/index.ts': '',
  'bench/main.ts': '',
  'dist/index.js': 'built',
  'dist/cli/main.js': 'built',
  'dist/bundled-licences.txt': 'built',
  'scripts/finish-build.mjs': `import { writeFileSync } from 'node:fs';
for (const name of ['cli/main.js', 'bundled-licences.txt']) writeFileSync(new URL('../dist/' + name, import.meta.url), 'again');
`,
  'test/cli/start.ts': '',
  'test/cli/built.test.ts': "import './start.js';\n",
  'test/cli/one.test.ts': "import '../../src/cli/one.js';\n",
  'test/other.test.ts': '',
};

function checkout(): string {
  const root = join(tempFolder(), 'main');
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
    const seconds = name.startsWith('dist/') ? 2_000 : 1_000;
    utimesSync(join(root, name), seconds, seconds);
  }
  return root;
}

describe('the copy that mutants are made in', () => {
  it('has a changed source in its build too, which stays a fresh one, and both as they were afterwards', () => {
    const root = checkout();
    const work = new WorkTree(root);
    const read = (name: string) => readFileSync(join(work.path, name), 'utf8');
    try {
      const other = FILES['src/cli/one.ts'].replace("'one'", "'two'");
      const { touched, putBack } = work.change('src/cli/one.ts', other, { alsoBuilt: true });
      expect(touched).toEqual(['src/cli/one.ts']);
      expect(read('src/cli/one.ts')).toBe(other);
      expect(read('dist/cli/main.js')).toBe('again');
      expect(staleBuild(work.path)).toBeNull();
      putBack();
      for (const [name, text] of Object.entries(FILES)) expect(read(name), name).toBe(text);
      expect(statSync(join(work.path, 'src/cli/one.ts')).mtimeMs).toBe(1_000_000);
      expect(staleBuild(work.path)).toBeNull();
      const source = work.change('src/cli/one.ts', other, { alsoBuilt: false });
      expect(source.touched).toEqual(['src/cli/one.ts']);
      expect(staleBuild(work.path)).toContain('src/cli/one.ts has changed');
    } finally {
      work.remove();
    }
    expect(existsSync(work.path)).toBe(false);
    expect(readFileSync(join(root, 'src/cli/one.ts'), 'utf8')).toBe(FILES['src/cli/one.ts']);
  });
});

describe('the tests that run a line', () => {
  const ONE = FILES['src/cli/one.ts'];
  const entry = (ms: number | null, ran: readonly number[] = [], of = digest(ONE)) => ({
    digest: '',
    ms,
    lines: ran.length === 0 ? {} : { 'src/cli/one.ts': { of, ran } },
  });
  const known = {
    'test/slow.test.ts': entry(2_500, [1, 1, 8, 9]),
    'test/cli/one.test.ts': entry(900, [9, 9]),
    'test/quick.test.ts': entry(300, [4, 9]),
    'test/other.test.ts': entry(100, [10, 12]),
    'test/older.test.ts': entry(4_000, [1, 2], 'of an older text'),
    'test/cli/built.test.ts': entry(50),
    'test/browser/page.test.ts': entry(null),
  };
  const at = (line: number, file = 'src/cli/one.ts', inFunction = true, record: object = known) => {
    const root = checkout();
    for (const test of Object.keys(known).filter((name) => !existsSync(join(root, name)))) {
      mkdirSync(dirname(join(root, test)), { recursive: true });
      writeFileSync(join(root, test), '');
    }
    const { recorded, unrecorded } = new Reach(root, record).of({
      file,
      text: ONE,
      mutation: { line, inFunction },
    });
    return { recorded: recorded.map(({ test }) => test), unrecorded };
  };

  it('are those of the nearest folder, then the quickest; of another text any line may be meant', () => {
    expect(at(9)).toEqual({
      recorded: ['test/cli/one.test.ts', 'test/quick.test.ts', 'test/slow.test.ts', 'test/older.test.ts'],
      unrecorded: [],
    });
    expect(at(11).recorded).toEqual(['test/other.test.ts', 'test/older.test.ts']);
  });

  it('are none that was deleted after it had been recorded', () => {
    const root = checkout();
    const there = Object.entries(FILES).filter(([name]) => name.endsWith('.test.ts'));
    const fresh = Object.fromEntries(
      there.map(([name, text]) => [name, { ...entry(1), digest: digest(text) }]),
    );
    const left = new Reach(root, { 'test/gone.test.ts': entry(1, [9, 9]), ...fresh }).record(root, {});
    expect(Object.keys(left)).toEqual(Object.keys(fresh));
  });

  it('are those of the built program where none is recorded, and for the page those of the browser', () => {
    expect(at(1, 'src/index.ts')).toEqual({ recorded: [], unrecorded: ['test/cli/built.test.ts'] });
    expect(at(1, 'src/report/page/main.ts').unrecorded).toEqual(['test/browser/page.test.ts']);
  });

  it('are, for what may run while a module is loaded, all that run something of it', () => {
    expect(at(1, 'src/cli/one.ts', false).recorded).toHaveLength(5);
    // the fourth line is run by one alone, besides the record of another text
    const { 'test/older.test.ts': _, ...own } = known;
    expect(at(4, 'src/cli/one.ts', true, own).recorded).toHaveLength(4);
  });
});

it('a record names the lines of the functions and blocks that a test file ran, and no test that fails', () => {
  const root = join(tempFolder(), 'main');
  const files = {
    'src/sign.ts': `export function sign(n: number): string {
  if (n < 0) {
    const word = 'minus';
    return word;
  }
  const word = 'plus';
  return word;
}
export function unused(): number {
  return 1;
}
export const LIMIT = 3;
`,
    'test/plus.test.ts':
      "import { sign } from '../src/sign.js';\nit('plus', () => expect(sign(1)).toBe('plus'));\n",
    'test/minus.test.ts':
      "import { sign } from '../src/sign.js';\nit('minus', () => expect(sign(-1)).toBe('minus'));\n",
    'test/limit.test.ts':
      "import { LIMIT } from '../src/sign.js';\nit('limit', () => expect(LIMIT).toBe(3));\n",
    'test/wrong.test.ts': "it('fails', () => expect(1).toBe(2));\n",
    'vitest.config.mjs': `export default { test: { globals: true, isolate: false, pool: 'threads', setupFiles: ['${join(ROOT, 'scripts/mutate/setup.mjs')}'] } };\n`,
  };
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'));
  const known = new Reach(root, {}).record(root, {});
  const runs = (test: string, line: number): boolean =>
    (known[test].lines['src/sign.ts']?.ran ?? []).some(
      (first: number, i: number, ran: readonly number[]) =>
        i % 2 === 0 && first <= line && line <= ran[i + 1]!,
    );
  const namesOf = (line: number) =>
    ['limit', 'minus', 'plus'].filter((name) => runs(`test/${name}.test.ts`, line));
  // line 1 stands for what the module exports
  expect([1, 2, 4, 6, 10].map(namesOf)).toEqual([
    ['limit', 'minus', 'plus'],
    ['minus', 'plus'],
    ['minus'],
    ['plus'],
    [],
  ]);
  expect(known['test/wrong.test.ts'].ms).toBeNull();
});

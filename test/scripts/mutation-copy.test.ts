import { existsSync, mkdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RelatedTests } from '../../scripts/mutate/related-tests.mjs';
import { WorkTree } from '../../scripts/mutate/work-tree.mjs';
import { staleBuild } from '../../scripts/stale-build.mjs';
import { tempFolder } from '../cli/cli.js';

/** A checkout of a program of two files, built, with a test of its source and one of its build. */
const FILES = {
  'src/cli/main.ts': "import { one } from './one.js';\nprocess.stdout.write(one());\n",
  'src/cli/one.ts': "export const one = (): string => 'one';\n",
  'src/index.ts': '',
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

describe('the tests that reach a source', () => {
  it('are those that import it and those of the built program, the nearest first', () => {
    const related = new RelatedTests(checkout());
    expect(related.of('src/cli/one.ts')).toEqual(['test/cli/one.test.ts', 'test/cli/built.test.ts']);
    expect(related.of('src/cli/main.ts')).toEqual(['test/cli/built.test.ts']);
    expect(['test/cli/one.test.ts', 'test/cli/built.test.ts'].map((test) => related.isOfBuild(test))).toEqual(
      [false, true],
    );
  });
});

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Where the script of report.html lives: it runs in a browser, after the page was built. */
export const isOfPage = (file) => file.startsWith('src/report/page/');

/** What a test file imports that compares whole outputs with stored ones: it notices most. */
const COMPARES_OUTPUTS = /\/golden\/outputs\.js'/;

/** What a test file imports that starts the built program, whose lines are not recorded. */
const STARTS_BUILD = /\/(?:built|start)\.js'/;

export const digest = (text) => createHash('sha256').update(text).digest('hex').slice(0, 16);

export const readJson = (file) => (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {});

export function writeJson(file, value) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.new`, `${JSON.stringify(value)}\n`);
  renameSync(`${file}.new`, file);
}

export function filesBelow(root, folder, ending) {
  return readdirSync(join(root, folder), { recursive: true })
    .map((name) => join(folder, String(name)))
    .filter((name) => name.endsWith(ending) && !name.endsWith('.generated.ts'))
    .sort();
}

/** Which test files run a line of the program, by a record of the fast suite: { test: { digest, ms, lines } }, ms null where nothing was recorded. */
export class Reach {
  #root;
  #known;

  constructor(root, known) {
    this.#root = root;
    this.#known = known;
  }

  /** Runs the test files that are new or have changed since they were recorded, in a copy of the tree. */
  record(copy, env) {
    const digestOf = (name) => digest(readFileSync(join(this.#root, name)));
    const isNew = (test) => this.#known[test]?.digest !== digestOf(test);
    const all = filesBelow(this.#root, 'test', '.test.ts');
    for (const gone of Object.keys(this.#known).filter((test) => !all.includes(test)))
      delete this.#known[gone];
    const tests = all.filter(isNew);
    if (tests.length === 0) return this.#known;
    const file = join(copy, 'reach.jsonl');
    const vitest = join(copy, 'node_modules/vitest/vitest.mjs');
    spawnSync(process.execPath, [vitest, 'run', '--maxWorkers', '1', ...tests], {
      cwd: copy,
      env: { ...process.env, ...env, CCBENCH_REACH: file },
      stdio: 'ignore',
    });
    for (const test of tests) this.#known[test] = { digest: digestOf(test), ms: null, lines: {} };
    for (const line of existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : []) {
      const { test, ms, lines } = JSON.parse(line);
      const pairs = Object.entries(lines).map(([source, ran]) => [source, { of: digestOf(source), ran }]);
      this.#known[test] = { digest: digestOf(test), ms, lines: Object.fromEntries(pairs) };
    }
    return this.#known;
  }

  /** The test files that run a changed line, those that share most folders with it first, then those that compare whole outputs, then the quickest; and those that may run it unrecorded. */
  of({ file, text, mutation }) {
    const { line, inFunction } = mutation;
    const uses = ([test, { ms, lines }]) =>
      ms !== null && lines[file] !== undefined && !this.startsBuild(test);
    const runs = ([, { lines }]) => {
      const { of, ran } = lines[file];
      return (
        of !== digest(text) || ran.some((first, i) => i % 2 === 0 && first <= line && line <= ran[i + 1])
      );
    };
    const users = Object.entries(this.#known).filter(uses);
    const runners = users.filter(runs);
    // a module is loaded once for all tests, and what runs then is seen of one of them only
    const isOfLoading = !inFunction || runners.length === 1;
    const mirrored = dirname(file).replace(/^src/, 'test');
    const folders = mirrored.split('/');
    const shared = ([test]) => test.split('/').findIndex((name, i) => name !== folders[i]);
    const comparing = ([test]) => Number(this.#imports(test, COMPARES_OUTPUTS));
    const recorded = (isOfLoading ? users : runners)
      .sort((a, b) => shared(b) - shared(a) || comparing(b) - comparing(a) || a[1].ms - b[1].ms)
      .map(([test, { ms }]) => ({ test, ms }));
    const mayRun = ([test, { ms }]) => {
      const isOfBrowser = test.startsWith('test/browser/');
      if (isOfPage(file) || isOfBrowser) return isOfPage(file) && isOfBrowser;
      // of the full suite alone: those in the folder that the file has among the tests
      return ms === null ? test.startsWith(`${mirrored}/`) : recorded.length === 0 && this.startsBuild(test);
    };
    const depth = (test) => test.split('/').length;
    const unrecorded = Object.entries(this.#known)
      .filter(mayRun)
      .map(([test]) => test)
      .sort((a, b) => depth(a) - depth(b));
    return { recorded, unrecorded };
  }

  startsBuild(test) {
    return this.#imports(test, STARTS_BUILD);
  }

  #imports(test, what) {
    return what.test(readFileSync(join(this.#root, test), 'utf8'));
  }
}

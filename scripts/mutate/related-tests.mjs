import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import ts from 'typescript';

/** What tests of the built program import, and where that program begins: they reach what it imports. */
const BUILT = ['test/helpers/setup/built.ts', 'test/cli/start.ts'];
const PROGRAM = ['src/cli/main.ts', 'src/index.ts'];

/** Where the script of report.html lives, and what a test imports that opens it in a browser. */
const PAGE = 'src/report/page/';
const BROWSER = 'test/browser/browser.ts';

/** Rules and corrections as comments of the program and names of tests call them, such as AUT-3 or C20; invariants are about all. */
const RULE = /\b(?!INV-)(?:[A-Z]{3}-\d+|[CK]\d+)\b/g;

/** Which tests reach a source: by the imports of every test file, followed to their ends. */
export class RelatedTests {
  #root;
  #imports = new Map();
  #texts = new Map();
  #distances;

  constructor(root) {
    this.#root = root;
    for (const file of BUILT) this.#imports.set(file, PROGRAM);
    this.#distances = new Map(testFiles(root).map((file) => [file, this.#distancesFrom(file)]));
  }

  /** Whether a test runs the built program, at least in part. */
  isOfBuild(test) {
    return BUILT.some((file) => this.#distances.get(test).has(file));
  }

  /** Test files that import a source: the mirrored folder first, then those that name it or a rule it is about, then the nearest. */
  of(file) {
    const mirrored = dirname(file).replace(/^src/, 'test');
    const own = `${file.replace(/^src/, 'test').replace(/\.ts$/, '')}.`;
    const folder = file.replace(/^src(\/[^/]+).*/, 'test$1/');
    const rules = new Set(this.#textOf(file).match(RULE));
    const isAboutIt = (test) =>
      this.#textOf(test)
        .match(RULE)
        ?.some((rule) => rules.has(rule)) === true;
    const far = (test) => (isAboutIt(test) ? 150 : test.startsWith(folder) ? 200 : 300);
    const rank = (test, distance) =>
      (test.startsWith(own) ? 0 : dirname(test) === mirrored ? 100 : far(test)) +
      this.#strangeness(test, file) +
      distance;
    const distanceOf = (distances) =>
      distances.has(BROWSER) ? (isOfPage(file) ? 0 : undefined) : distances.get(file);
    const names = this.#namesOf(file);
    const mentions = (test) => names.reduce((sum, name) => sum + this.#mentions(test, name), 0);
    return [...this.#distances]
      .map(([test, distances]) => [test, distanceOf(distances)])
      .flatMap(([test, distance]) =>
        distance === undefined ? [] : [{ test, rank: rank(test, distance), mentions: mentions(test) }],
      )
      .sort((a, b) => a.rank - b.rank || b.mentions - a.mentions || (a.test < b.test ? -1 : 1))
      .map(({ test }) => test);
  }

  /** Least for a test that is called after a source, such as one of the command `compare`, or after one that uses it; less for one that names it. */
  #strangeness(test, file) {
    const isCalledAfter = (name) => test.includes(`/${name}.`) || test.includes(`/${name}-`);
    const callers = this.#callersOf(file);
    if (this.#namesOf(file).some(isCalledAfter)) return 0;
    if (callers.some(isCalledAfter)) return 10;
    if (this.#namesOf(file).some((name) => this.#mentions(test, name) > 0)) return 25;
    return callers.some((name) => this.#mentions(test, name) > 0) ? 30 : 50;
  }

  #namesOf(file) {
    const own = basename(file, '.ts');
    return [...new Set([own, ...own.split('-'), basename(dirname(file))])];
  }

  /** Names of the sources beside this one that lead to it. */
  #callersOf(file) {
    const found = new Set([file]);
    for (const at of found)
      for (const [source, imports] of this.#imports)
        if (dirname(source) === dirname(file) && imports.includes(at)) found.add(source);
    return [...found].slice(1).map((source) => basename(source, '.ts'));
  }

  #mentions(test, name) {
    return this.#textOf(test).split(`'${name}'`).length - 1;
  }

  #textOf(file) {
    const text = this.#texts.get(file) ?? readFileSync(join(this.#root, file), 'utf8');
    this.#texts.set(file, text);
    return text;
  }

  #distancesFrom(file) {
    const distances = new Map([[file, 0]]);
    for (const [at, distance] of distances)
      for (const next of this.#importsOf(at)) if (!distances.has(next)) distances.set(next, distance + 1);
    return distances;
  }

  #importsOf(file) {
    let imports = this.#imports.get(file);
    if (imports === undefined) {
      const { importedFiles } = ts.preProcessFile(this.#textOf(file));
      imports = importedFiles.flatMap(({ fileName }) => {
        if (!fileName.startsWith('.')) return [];
        const path = join(dirname(file), fileName).replace(/\.js$/, '.ts');
        return existsSync(resolve(this.#root, path)) ? [path] : [];
      });
      this.#imports.set(file, imports);
    }
    return imports;
  }
}

/** Whether a source runs in the browser, after the page was built. */
export function isOfPage(file) {
  return file.startsWith(PAGE);
}

function testFiles(root) {
  return readdirSync(join(root, 'test'), { recursive: true })
    .map((name) => join('test', String(name)))
    .filter((name) => name.endsWith('.test.ts'))
    .sort();
}

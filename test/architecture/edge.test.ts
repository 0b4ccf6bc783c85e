import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { edgeViolations } from '../helpers/architecture/edge.js';
import { ROOT, sourceFiles } from '../helpers/architecture/tree.js';

/** One way each of reaching for the outside world. */
const REACHES: readonly (readonly [string, string])[] = [
  ['the wall clock', 'export const at = Date.now();'],
  ['the wall clock', 'export const clock = Date.now;'],
  ['the wall clock', 'export const at = new Date();'],
  ['the wall clock', 'export const at = Date();'],
  ['the wall clock', 'export const at = performance.now();'],
  ['the wall clock', 'setTimeout(() => {}, 5);'],
  ['the wall clock', 'setInterval(() => {}, 5);'],
  ['randomness', 'export const dice = Math.random();'],
  ['randomness', 'export const id = crypto.randomUUID();'],
  ['the process', 'export const home = process.env.HOME;'],
  ['the network', "export const page = await fetch('https://example.com');"],
  ['the global object', 'export const get = globalThis.fetch;'],
  ['a module of the outside world', "import { readFileSync } from 'node:fs';\nreadFileSync('x');"],
  ['a module of the outside world', "import { connect } from 'node:net';\nconnect(1);"],
  ['a module of the outside world', "import { get } from 'node:http';\nget('x');"],
  ['the locale', 'export const text = (1234.5).toLocaleString();'],
  ['the locale', "export const text = 'a'.toLocaleUpperCase();"],
  ['the locale', "export const order = 'a'.localeCompare('b');"],
  ['the locale', 'export const format = new Intl.NumberFormat();'],
];

/** The parts of a lint message that are looked at. */
interface Diagnostic {
  readonly category: string;
  readonly location: { readonly path: string };
}

const OUR_RULES = new Set(['plugin', 'lint/style/noRestrictedGlobals', 'lint/style/noRestrictedImports']);

describe('below the edge', () => {
  it('no source touches the clock, chance, the process, files, the network or the locale', () => {
    expect(sourceFiles().flatMap(edgeViolations)).toEqual([]);
  });

  it.each(REACHES)('the check finds %s in %s', (what, text) => {
    expect(edgeViolations({ path: 'src/engine/planted.ts', text })).toContainEqual(
      expect.stringContaining(`uses ${what}`),
    );
  });

  it('the check finds random numbers imported from a module that is allowed for hashes', () => {
    const path = 'src/core/base/planted.ts';
    expect(edgeViolations({ path, text: "import { randomUUID } from 'node:crypto';" })).toHaveLength(1);
    expect(edgeViolations({ path, text: "import { createHash } from 'node:crypto';" })).toEqual([]);
  });

  it('the edge itself may', () => {
    for (const path of [
      'src/cli/x.ts',
      'src/transcripts/files/x.ts',
      'src/config/files/x.ts',
      'src/study/results/x.ts',
      'src/study/worker-pool.ts',
      'src/config/plugins/load-plugin.ts',
    ]) {
      expect(edgeViolations({ path, text: 'export const at = Date.now();' })).toEqual([]);
    }
    expect(edgeViolations({ path: 'src/study/grid.ts', text: 'Date.now();' })).toHaveLength(1);
  });

  it('members, keys, dates of given times and own names are no reach', () => {
    const text = [
      '// Date.now() and process.exit() in a comment',
      "export const words = 'Math.random() fetch(url)';",
      'export const at = new Date(1_700_000_000_000).toISOString();',
      'export const sheet = { process: 1, performance: 2 };',
      'export const sum = sheet.process + sheet.performance;',
      'export function load(fetch: (url: string) => string): string { return fetch("x"); }',
    ].join('\n');
    expect(edgeViolations({ path: 'src/engine/planted.ts', text })).toEqual([]);
  });
});

describe('the lint rules say the same', () => {
  let folder = '';
  let biome = '';

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'ccbench-lint-'));
    biome = join(ROOT, 'node_modules/@biomejs/biome/bin/biome');
    for (const name of ['lint', 'src/engine', 'src/cli']) mkdirSync(join(folder, name), { recursive: true });
    for (const name of ['biome.json', '.gitignore', 'lint/edge.grit']) {
      copyFileSync(join(ROOT, name), join(folder, name));
    }
    for (const [index, [, text]] of REACHES.entries()) {
      writeFileSync(join(folder, `src/engine/planted-${index}.ts`), `${text}\n`);
      writeFileSync(join(folder, `src/cli/planted-${index}.ts`), `${text}\n`);
    }
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('refuses each planted reach in the engine', () => {
    const args = [biome, 'lint', '--reporter=json', '--max-diagnostics=none', 'src/engine'];
    const { stdout, status } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
    expect(status).toBe(1);
    const { diagnostics } = JSON.parse(stdout) as { readonly diagnostics: readonly Diagnostic[] };
    const refused = new Set(
      diagnostics.filter(({ category }) => OUR_RULES.has(category)).map(({ location }) => location.path),
    );
    const missed = REACHES.filter((_reach, index) => !refused.has(`src/engine/planted-${index}.ts`));
    expect(missed).toEqual([]);
  });

  it('lets the command line pass', () => {
    execFileSync(process.execPath, [biome, 'lint', 'src/cli'], { cwd: folder, stdio: 'pipe' });
  });

  it('names the same edge as the test', () => {
    const config = readFileSync(join(ROOT, 'biome.json'), 'utf8');
    for (const exempt of [
      '!src/cli/**',
      '!src/transcripts/files/**',
      '!src/config/files/**',
      '!src/study/results/**',
      '!src/study/worker-*.ts',
      '!src/config/plugins/load-plugin.ts',
    ]) {
      expect(config).toContain(exempt);
    }
  });
});

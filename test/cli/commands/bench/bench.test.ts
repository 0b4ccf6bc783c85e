import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { benchCommand, SUITES, type Suites } from '../../../../src/cli/commands/bench/bench.js';
import type { BenchResult } from '../../../../src/cli/commands/bench/result.js';
import type { CommandOptions } from '../../../../src/cli/commands.generated.js';
import { WIPE_LINE } from '../../../../src/cli/terminal/own-codes.js';
import { cli, printed, tempFolder } from '../../cli.js';

/** A suite whose findings are known: one path that keeps its promise, one that does not, one that is excused. */
function known(factor = 1): Partial<BenchResult> {
  const paths: Readonly<Record<string, readonly [number, number, number]>> = {
    flat: [0.001, 0.001, 0.001],
    square: [0.01 * factor, 1 * factor, 100 * factor],
    window: [0.01, 0.1, 1],
  };
  return {
    results: Object.entries(paths).flatMap(([name, times]) =>
      times.map((p50Ms, i) => ({
        name,
        size: [10_000, 100_000, 1_000_000][i]!,
        p50Ms,
        p99Ms: 2 * p50Ms,
        opsPerSec: 1_000 / p50Ms,
      })),
    ),
    growth: [
      { name: 'flat', exponent: -0.001, wholeWindow: false, promised: 1.1, input: 'fixed: one turn' },
      { name: 'square', exponent: 2, wholeWindow: false, promised: 1.1, input: 'everything' },
      { name: 'window', exponent: 1.2, wholeWindow: true, promised: null, input: 'all messages' },
      { name: 'replay', exponent: 1.05, wholeWindow: false, promised: 1.1, input: 'every turn' },
    ],
    ratios: [
      { name: 'quick-enough', ratio: 3, promised: 2, detail: 'three to one' },
      { name: 'too-slow', ratio: 0.5, promised: 2, detail: 'one to two' },
      { name: 'stated', ratio: 0.1, promised: null, detail: 'one to ten' },
    ],
  };
}

async function bench(
  options: CommandOptions['bench'] & {
    readonly cwd: string;
    readonly json?: boolean;
    readonly debug?: boolean;
    readonly terminal?: boolean;
  },
  suites: Suites = { known: async () => known() },
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  const [out, err]: string[][] = [[], []];
  const stream = { isTerminal: false, columns: null, write: (text: string) => void out!.push(text) };
  const host = {
    cwd: options.cwd,
    env: {},
    stdout: stream,
    stderr: {
      ...stream,
      isTerminal: options.terminal === true,
      write: (text: string) => void err!.push(text),
    },
    interrupt: new AbortController().signal,
    now: () => 0,
    epochMs: () => 0,
  };
  const session = {
    host,
    debug: options.debug === true,
    colors: 'never',
    json: options.json === true,
    cache: 'off',
  } as const;
  const code = await benchCommand(session, [], options, suites);
  return { code, stdout: out!.join(''), stderr: err!.join('') };
}

describe('ccbench bench', () => {
  it('prints what it found, and whether promises hold', async () => {
    const { code, stdout } = await bench({ cwd: tempFolder() });
    expect(code).toBe(0);
    expect(stdout).toMatch(/\nsquare +1,000,000 +100,000 +200,000 +10\n/);
    expect(stdout.match(/MISSED/g)).toHaveLength(2);
    expect(stdout).toMatch(/\n\n3 of 5 promises hold\.\nTimes hold for this machine, now: /);
  });

  it('prints one JSON object with results, growth and ratios', async () => {
    const { stdout } = await bench({ cwd: tempFolder(), json: true });
    const result = JSON.parse(stdout);
    expect(Object.keys(result)).toEqual(['results', 'growth', 'ratios', 'notes']);
    expect(result.results[0]).toEqual({
      name: 'flat',
      size: 10_000,
      p50Ms: 0.001,
      p99Ms: 0.002,
      opsPerSec: 1_000_000,
    });
    expect(result.growth[1]).toMatchObject({ name: 'square', exponent: 2, promised: 1.1 });
    expect(result.ratios[0]).toMatchObject({ name: 'quick-enough', ratio: 3, promised: 2 });
  });

  it('keeps and saves what the other suites measured when one fails, and exits with 1', async () => {
    const cwd = tempFolder();
    const suites: Suites = {
      broken: async () => {
        throw new Error('no such module');
      },
      known: async () => known(),
    };
    const { code, stdout, stderr } = await bench({ cwd, json: true, save: 'kept.json' }, suites);
    expect(code).toBe(1);
    expect(stderr).toBe(
      'known: done, quick-enough 3.00, too-slow 0.500, stated 0.100\nthe suite broken failed: no such module\n',
    );
    const debugged = await bench({ cwd, debug: true }, suites);
    expect(debugged.stderr).toMatch(/the suite broken failed: Error: no such module\n +at /);
    const result = JSON.parse(stdout);
    expect(result.ratios).toHaveLength(3);
    expect(result.failed).toEqual([{ suite: 'broken', message: 'no such module' }]);
    expect(JSON.parse(readFileSync(join(cwd, 'kept.json'), 'utf8')).ratios).toHaveLength(3);
  });

  it('says in one line of a terminal what it does, and keeps the lines of suites that are done', async () => {
    const suites: Suites = {
      one: async ({ onProgress, quick }) => {
        onProgress(`half of it, ${quick ? 'quick' : 'whole'}`);
        return { ratios: [{ name: 'r', ratio: 12.345, promised: null, detail: '' }] };
      },
      two: async () => ({}),
    };
    const wiped = (...texts: readonly string[]) => texts.map((text) => `${WIPE_LINE}${text}`).join('');
    const cwd = tempFolder();
    const said = async (options: object, chosen = suites) =>
      (await bench({ cwd, ...options }, chosen)).stderr;
    expect(await said({ terminal: true, quick: true })).toBe(
      wiped(
        'one: running',
        'one: half of it, quick',
        'one: done, r 12.3\n',
        'two: running',
        'two: done\n',
        '',
      ),
    );
    expect(await said({})).toBe('one: done, r 12.3\ntwo: done\n');
    expect(await said({ terminal: true, json: true })).toBe('one: done, r 12.3\ntwo: done\n');
    expect(await said({}, { two: suites.two! })).toBe('');
  });

  it('refuses to compare where the saved run timed none of the paths, or holds no times', async () => {
    const time = { name: 'flat', size: 10_000, p50Ms: 1 };
    const saved = (...results: readonly unknown[]) => JSON.stringify({ results });
    const cwd = tempFolder({
      'same.json': saved(time),
      'size.json': saved({ ...time, size: 7 }),
      'name.json': saved({ ...time, name: 'other' }),
      'untimed.json': saved(time, { ...time, p50Ms: null }),
      'unsized.json': saved({ ...time, size: 'x' }),
      'unnamed.json': saved({ ...time, name: 7 }),
      'null.json': saved(null),
      'none.json': '{}',
    });
    expect((await bench({ cwd, baseline: 'same.json' })).code).toBe(0);
    for (const baseline of ['size.json', 'name.json'])
      await expect(bench({ cwd, baseline })).rejects.toThrow('has no path in common with this one');
    for (const baseline of ['untimed.json', 'unsized.json', 'unnamed.json', 'null.json', 'none.json'])
      await expect(bench({ cwd, baseline })).rejects.toThrow('the saved run cannot be read');
  });

  it('compares with a saved run: exit code 98 when a path is slower beyond the noise', async () => {
    const cwd = tempFolder();
    expect((await bench({ cwd, save: 'before.json' })).code).toBe(0);
    expect(readdirSync(cwd)).toEqual(['before.json']);
    const same = await bench({ cwd, baseline: 'before.json' });
    expect(same.code).toBe(0);
    expect(same.stdout).toContain('No path is slower than the saved run by more than noise.');
    const slow: Suites = { known: async () => known(3) };
    const slower = await bench({ cwd, baseline: 'before.json' }, slow);
    expect(slower.code).toBe(98);
    expect(slower.stdout).toContain('  square at 10,000: 10 → 30 µs (3.00 ×)');
    expect((await bench({ cwd, baseline: 'before.json', noise: 4 }, slow)).code).toBe(0);
    const json = JSON.parse((await bench({ cwd, baseline: 'before.json', json: true }, slow)).stdout);
    expect(json.regressions.map(({ name }: { name: string }) => name)).toEqual([
      'square',
      'square',
      'square',
    ]);
  });

  it('writes charts on request: picture, specification, and PNG where one is wanted', async () => {
    const cwd = tempFolder();
    await bench({ cwd, out: 'pictures', png: true });
    expect(readdirSync(join(cwd, 'pictures/charts')).sort()).toEqual(
      ['png', 'svg', 'vl.json'].map((ending) => `hot-paths.${ending}`),
    );
    expect(readFileSync(join(cwd, 'pictures/charts/hot-paths.svg'), 'utf8')).toContain('square');
  });

  it('finds before anything is timed that charts or result cannot be written', async () => {
    const cwd = tempFolder({ taken: '' });
    let ran = 0;
    const counting: Suites = { known: async () => ({ notes: [String(ran++)] }) };
    await expect(bench({ cwd, out: 'taken' }, counting)).rejects.toThrow('cannot be written');
    await expect(bench({ cwd, save: 'taken/before.json' }, counting)).rejects.toThrow('cannot be written');
    expect(ran).toBe(0);
  });

  it('runs a suite by its name', async () => {
    const stdout = await printed(['bench', 'hot-paths', '--quick', '--json'], { cwd: tempFolder() });
    const { results, ratios } = JSON.parse(stdout);
    expect([results.length > 20, ratios]).toEqual([true, []]);
  });

  it('refuses suites it does not know, saved runs it cannot read and a noise below 1', async () => {
    const cwd = tempFolder({ 'x.json': '{}' });
    const unknown = await cli(['bench', 'warp'], { cwd });
    expect(unknown.code).toBe(2);
    expect(unknown.stderr).toContain(`known: ${Object.keys(SUITES).join(', ')}`);
    expect((await cli(['bench', 'hot-paths', '--baseline', 'x.json'], { cwd })).code).toBe(2);
    for (const noise of ['0.5', 'much'])
      expect((await cli(['bench', 'hot-paths', '--noise', noise], { cwd })).code).toBe(2);
  });
});

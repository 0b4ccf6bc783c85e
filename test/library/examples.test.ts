import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { scenario, tempFolder } from '../cli/cli.js';
import { startCli } from '../cli/start.js';
import { ROOT } from '../helpers/architecture/tree.js';
import { needFreshBuild } from '../helpers/setup/built.js';

const FOLDER = join(ROOT, 'docs/examples');

/** The example whose code a page shows; the others are named. */
const SHOWN = 'replay.mjs';

/** The page that has an example. */
const pageOf = (name: string): string =>
  readFileSync(join(ROOT, name === 'agent.mjs' ? 'docs/serve.md' : 'docs/library.md'), 'utf8');
const run = promisify(execFile);

beforeAll(needFreshBuild);

/** The lines that an example prints, which imports the package by its name. */
async function linesOf(name: string): Promise<readonly string[]> {
  const { stdout, stderr } = await run(process.execPath, [join(FOLDER, name)], { cwd: tempFolder() });
  expect(stderr).toBe('');
  return stdout.trimEnd().split('\n');
}

/** Runs the built program and reads its one JSON object. */
async function json(argv: readonly string[], cwd: string) {
  const { code, stdout, stderr } = await startCli([...argv, '--json', '--no-files'], cwd).ended;
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout);
}

describe('the pages with examples', () => {
  it.each(readdirSync(FOLDER))('%s is shown as it is, or named', (name) => {
    const code = `\`\`\`js\n${readFileSync(join(FOLDER, name), 'utf8')}\`\`\``;
    expect(pageOf(name)).toContain(name === SHOWN ? code : `docs/examples/${name}`);
  });
});

describe('the examples of the library', () => {
  it('replay.mjs gives the digests of the command line', async () => {
    const text =
      'name: lunch\ntranscript: { synthetic: { workload: bugfix, turns: 40, text: none } }\npolicy: none\nseed: 3\nvariants:\n  - { name: one-hour, cache: { ttl: 1h } }\n';
    const lines = await linesOf('replay.mjs');
    const { runs } = await json(['run', 'lunch.yaml'], tempFolder({ 'lunch.yaml': text }));
    const figures = runs.map(
      ({
        variant,
        digest,
        metrics,
      }: {
        variant: string | null;
        digest: string;
        metrics: Record<string, number>;
      }) => [variant ?? 'base', metrics.apiCalls, metrics.costUsd, digest],
    );
    expect(lines).toEqual(
      figures.map(
        ([name, calls, cost, digest]: [string, number, number, string]) =>
          `${name}: ${calls} requests, $${cost.toFixed(4)}, ${digest.slice(0, 12)}`,
      ),
    );
  });

  it('transcript.mjs counts four requests of 1,000 tokens', async () => {
    expect(await linesOf('transcript.mjs')).toEqual(['1 thread, 4 calls, 4000 prompt tokens']);
  });

  it('policy.mjs compacts under its own policy alone, and tells a mistake with its path', async () => {
    const [nothing, mine, ...problems] = await linesOf('policy.mjs');
    expect(nothing).toMatch(/^nothing: \$[\d.]+, 0 compactions$/);
    expect(mine).toMatch(/^mine: \$[\d.]+, [1-9]\d* compactions$/);
    expect(problems.join('\n')).toContain(
      'rules[0].when.tokns: unknown key `tokns` in `rules[0].when` (did you mean `tokens`?',
    );
  });

  it('study.mjs gives the rows of ccbench sweep', async () => {
    const text =
      'name: lifetimes\ntranscript: { synthetic: { workload: bugfix, turns: 60, text: none } }\npolicy: none\nseed: 3\n';
    const { points } = await json(
      ['sweep', 's.yaml', '--vary', 'cache.ttl=5m,1h', '--workers', '0'],
      tempFolder({ 's.yaml': text }),
    );
    const costs = points.map(({ metrics }: { metrics: { costUsd: number } }) => metrics.costUsd);
    const lines = await linesOf('study.mjs');
    expect(lines.slice(0, 2)).toEqual([
      expect.stringContaining(`cache.ttl=5m: $${costs[0].toFixed(4)}, `),
      expect.stringContaining(`cache.ttl=1h: $${costs[1].toFixed(4)}, `),
    ]);
    expect(lines[2]).toBe(`cheapest: cache.ttl=${costs[0] < costs[1] ? '5m' : '1h'}`);
  });
});

describe('the plug-ins among the examples', () => {
  it('clear-old: with any number of workers its layer and its metric give the same', async () => {
    const cwd = tempFolder({ 's.yaml': scenario('s') });
    const compare = (workers: string) =>
      json(
        [
          'compare',
          's.yaml',
          ...['--policy', 'none,clear-old', '--metrics', 'costUsd,outputPerCall,tokensSaved'],
          ...['--plugin', join(FOLDER, 'clear-old.plugin.mjs'), '--workers', workers],
        ],
        cwd,
      );
    const [none, one, two] = [await compare('0'), await compare('1'), await compare('2')];
    expect(one).toEqual(none);
    expect(two).toEqual(none);
    const [plain, cleared] = none.variants;
    expect(plain.metrics.tokensSaved).toBe(0);
    expect(cleared.metrics.tokensSaved).toBeGreaterThan(0);
    expect(cleared.metrics.outputPerCall).toBeGreaterThan(0);
  });

  it('a plug-in that fails in a worker is named', async () => {
    const text = `export default { name: 'own', layers: [{ name: 't', points: ['results'], create: () => ({ due() { throw new Error('ouch'); }, *act() {} }) }], policies: ['{ name: p, layers: [t], rules: [] }'] };`;
    const cwd = tempFolder({ 's.yaml': scenario('s'), 'p.mjs': text });
    const argv = ['compare', 's.yaml', '--policy', 'p', '--plugin', 'p.mjs', '--no-files', '--workers', '2'];
    const { code, stderr } = await startCli(argv, cwd).ended;
    expect(stderr).toContain('error[bad-plugin] plug-in "own": due of the layer "t" threw: ouch');
    expect(stderr).toContain('--plugin p.mjs');
    expect(code).toBe(2);
  });

  it('notes-reader: two answers of the agent are two calls', async () => {
    const notes = '# notes\nuser: hello there\nagent: what can I do?\nuser: mend it\nagent: done\n';
    const cwd = tempFolder({
      'day.notes': notes,
      's.yaml': `name: s\ntranscript: { file: day.notes }\npolicy: none\nplugins: [${join(FOLDER, 'notes-reader.plugin.mjs')}]\n`,
    });
    expect((await json(['run', 's.yaml'], cwd)).metrics.apiCalls).toBe(2);
  });
});

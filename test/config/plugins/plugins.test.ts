import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { layerRegistry } from '../../../src/agent/layers/registry.js';
import { paramSpecs, policyRegistry } from '../../../src/agent/policies/catalogue.js';
import type { LayerEntry } from '../../../src/core/run/log-entries.js';
import type { LogEntry, RunEntry } from '../../../src/core/run/run-log.js';
import { METRICS } from '../../../src/metrics/registry.js';
import { transcriptReaders } from '../../../src/transcripts/readers/readers.js';
import { cli, scenario, TRACE, tempFolder } from '../../cli/cli.js';
import { CLEARING, layerPlugin, READER } from './plugin-files.js';

const ACTS = '{ due: () => true, *act() {} }';

function logOf(folder: string): readonly LogEntry[] {
  const lines = readFileSync(join(folder, 'log.jsonl'), 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as LogEntry);
}

const NO_FILES = ['--no-files'];

describe('a plug-in', () => {
  it('adds a layer that a policy of its own uses: the log shows what it did', async () => {
    const cwd = tempFolder({ 'p.mjs': CLEARING, 's.yaml': scenario('s') });
    const argv = ['run', 's.yaml', '--plugin', './p.mjs', '--policy', 'clears', '--log', 'log.jsonl'];
    const { code, stderr } = await cli([...argv, ...NO_FILES], { cwd });
    expect([code, stderr]).toEqual([0, '']);
    const cleared = logOf(cwd).filter((entry): entry is LayerEntry => entry.type === 'layer');
    expect(cleared.length).toBeGreaterThan(0);
    for (const { action, saved, trueBefore, trueAfter } of cleared) {
      expect(action).toBe('clear');
      expect(trueBefore - trueAfter).toBe(saved);
    }
  });

  it('adds a layer that a policy file names among its layers, with a parameter that --set changes', async () => {
    const cwd = tempFolder({
      'p.mjs': CLEARING,
      'mine.yaml': 'name: mine\nlayers: [clear-all]\nrules: []\n',
      's.yaml': scenario('s', 'plugins: [./p.mjs]\n').replace('policy: none', 'policy: ./mine.yaml'),
    });
    const run = async (...more: readonly string[]) => {
      const { code } = await cli(['run', 's.yaml', '--log', 'log.jsonl', ...NO_FILES, ...more], { cwd });
      return [code, logOf(cwd).filter((entry) => entry.type === 'layer').length] as const;
    };
    const [code, times] = await run();
    expect(code).toBe(0);
    expect(times).toBeGreaterThan(0);
    expect(await run('--set', 'clear-all.from=1000000')).toEqual([0, 0]);
    const refused = await cli(['run', 's.yaml', ...NO_FILES, '--set', 'clear-all.from=-1'], { cwd });
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('clear-all.from must be a whole number from 0 to 1000000');
  });

  it('adds a metric that expectations, columns and summaries know', async () => {
    const cwd = tempFolder({
      'p.mjs': CLEARING,
      's.yaml': scenario('s', 'plugins: [./p.mjs]\nexpect: [twiceTheCalls > 10]\n'),
    });
    const ran = await cli(['run', 's.yaml', '--json', ...NO_FILES], { cwd });
    const { metrics } = JSON.parse(ran.stdout) as { metrics: Record<string, number> };
    expect(ran.code).toBe(0);
    expect(metrics.twiceTheCalls).toBe(2 * metrics.apiCalls!);
    const compared = await cli(['compare', 's.yaml', '--metrics', 'twiceTheCalls', '--json', '--no-files'], {
      cwd,
    });
    expect(JSON.parse(compared.stdout).variants[0].metrics.twiceTheCalls).toBe(metrics.twiceTheCalls);
  });

  it('adds a reader: what it reads costs what the same trace costs by itself', async () => {
    const cwd = tempFolder({
      'p.mjs': READER,
      't.json': TRACE,
      't.hidden': `HIDDEN${TRACE}`,
      's.yaml': 'name: s\ntranscript: { file: t.json }\npolicy: none\n',
    });
    const cost = async (...more: readonly string[]) => {
      const { code, stdout } = await cli(['run', 's.yaml', '--json', ...NO_FILES, ...more], { cwd });
      return [code, code === 0 ? JSON.parse(stdout).metrics.costUsd : null];
    };
    const [, plain] = await cost();
    expect(plain).toBeGreaterThan(0);
    expect(await cost('--set', 'transcript.file=t.hidden', '--plugin', 'p.mjs')).toEqual([0, plain]);
    expect(await cost('--set', 'transcript.file=t.hidden')).toEqual([2, null]);
  });

  it('is found beside the scenario that names it, and is known to policies, show and check', async () => {
    const cwd = tempFolder({ 'p.mjs': CLEARING, 'mine.yaml': 'layers: [clear-all]\nrules: []\n' });
    const listed = await cli(['policies', '--plugin', 'p.mjs', '--json'], { cwd });
    expect(JSON.parse(listed.stdout).policies.map(({ name }: { name: string }) => name)).toContain('clears');
    const shown = await cli(['policies', 'show', 'clears', '--plugin', 'p.mjs', '--json'], { cwd });
    const before = await cli(['policies', '--plugin', 'p.mjs', 'show', 'clears', '--json'], { cwd });
    expect(before).toEqual(shown);
    expect(JSON.parse(shown.stdout).parameters).toContainEqual(
      expect.objectContaining({ path: 'clear-all.from', value: 30_000, unit: 'tokens' }),
    );
    expect((await cli(['policies', 'check', 'mine.yaml', '--plugin', 'p.mjs'], { cwd })).code).toBe(0);
    const without = await cli(['policies', 'check', 'mine.yaml'], { cwd });
    expect([without.code, without.stdout]).toEqual([2, expect.stringContaining('unknown layer "clear-all"')]);
  });

  it('is gone after the command', async () => {
    const counts = () => [
      layerRegistry.names.length,
      policyRegistry.names.length,
      transcriptReaders.names.length,
      METRICS.names.length,
      paramSpecs().length,
    ];
    const before = counts();
    const cwd = tempFolder({ 'p.mjs': CLEARING, 'r.mjs': READER, 's.yaml': scenario('s') });
    const argv = ['run', 's.yaml', '--plugin', 'p.mjs', '--plugin', 'r.mjs', ...NO_FILES];
    expect((await cli(argv, { cwd })).code).toBe(0);
    expect(counts()).toEqual(before);
  });
});

describe('the log of a run', () => {
  it('names the plug-ins with the SHA-256 of their files; report and summary show them', async () => {
    const cwd = tempFolder({ 'p.mjs': CLEARING, 's.yaml': scenario('s', 'plugins: [./p.mjs]\n') });
    const ran = await cli(['run', 's.yaml', '--log', 'log.jsonl', '--no-charts'], { cwd });
    const sha256 = createHash('sha256').update(CLEARING).digest('hex');
    const [first] = logOf(cwd) as [RunEntry];
    expect(first.plugins).toEqual([{ name: 'clearing', sha256 }]);
    expect(ran.stdout.replace(/\s+/g, ' ')).toContain(
      `made with the plug-in clearing (SHA-256 ${sha256.slice(0, 12)}…)`,
    );
    const summary = JSON.parse(readFileSync(join(cwd, 'reports/s/summary.json'), 'utf8'));
    expect(summary.plugins).toEqual([{ name: 'clearing', sha256 }]);
  });

  it('has no word of plug-ins without them, and another digest with another file', async () => {
    const cwd = tempFolder({ 'p.mjs': CLEARING, 's.yaml': scenario('s'), 't.yaml': scenario('t') });
    const digest = async (...more: readonly string[]) => {
      const { stdout } = await cli(['run', 's.yaml', '--json', '--log', 'log.jsonl', ...NO_FILES, ...more], {
        cwd,
      });
      return JSON.parse(stdout).digest as string;
    };
    const plain = await digest();
    expect(JSON.stringify(logOf(cwd))).not.toContain('plugins');
    const first = await digest('--plugin', 'p.mjs');
    writeFileSync(join(cwd, 'p.mjs'), `${CLEARING}// another\n`);
    const second = await digest('--plugin', 'p.mjs');
    expect(new Set([plain, first, second]).size).toBe(3);
  });

  it('of a scenario beside one with plug-ins is the same as alone', async () => {
    const cwd = tempFolder({
      'p.mjs': CLEARING,
      's.yaml': scenario('s', 'plugins: [./p.mjs]\n'),
      't.yaml': scenario('t'),
    });
    const digests = async (...files: readonly string[]) => {
      const { stdout } = await cli(['run', ...files, '--json', ...NO_FILES], { cwd });
      return (JSON.parse(stdout).runs as { name: string; digest: string }[]).find(({ name }) => name === 't')!
        .digest;
    };
    expect(await digests('s.yaml', 't.yaml')).toBe(await digests('t.yaml'));
  });
});

describe('the plug-ins of one scenario', () => {
  const named = (policy: string, more = '') =>
    scenario('t', more).replace('policy: none', `policy: ${policy}`);
  const beside = (second: string) =>
    tempFolder({ 'p.mjs': CLEARING, 's.yaml': scenario('s', 'plugins: [./p.mjs]\n'), 't.yaml': second });

  it.each(['run', 'compare'])('are unknown to another scenario of the same %s', async (command) => {
    const files = ['s.yaml', 't.yaml', '--no-files'];
    const policy = await cli([command, ...files], { cwd: beside(named('clears')) });
    expect([policy.code, policy.stderr]).toEqual([2, expect.stringContaining('unknown policy "clears"')]);
    const metric = await cli([command, ...files], {
      cwd: beside(scenario('t', 'expect: [twiceTheCalls > 1]\n')),
    });
    expect([metric.code, metric.stderr]).toEqual([2, expect.stringContaining('twiceTheCalls')]);
    const own = await cli([command, ...files], { cwd: beside(named('clears', 'plugins: [./p.mjs]\n')) });
    expect(own.code).toBe(0);
  });

  it('do not measure the runs of another', async () => {
    const cwd = beside(scenario('t'));
    const { stdout } = await cli(['run', 's.yaml', 't.yaml', '--json', ...NO_FILES], { cwd });
    const [s, t] = JSON.parse(stdout).runs as { metrics: Record<string, number> }[];
    expect(Object.keys(s!.metrics)).toContain('twiceTheCalls');
    expect(Object.keys(t!.metrics)).not.toContain('twiceTheCalls');
  });
});

describe('a plug-in that is wrong', () => {
  it.each([
    ['is missing', null, 'plug-in ./p.mjs: there is no such file'],
    ['is no JavaScript', 'export default {', 'plug-in ./p.mjs cannot be loaded'],
    ['throws when it is loaded', 'throw new Error("no luck");', 'plug-in ./p.mjs cannot be loaded: no luck'],
    ['has no default export', 'export const name = "x";', 'plug-in ./p.mjs has no default export'],
    [
      'is a number',
      'export default 7;',
      'the plug-in: expected { name, layers, policies, readers, metrics } or a function that gives it, got 7',
    ],
    [
      'is a function that throws',
      'export default () => { throw new Error("odd"); };',
      'threw when it was called: odd',
    ],
    ['has no name', 'export default { layers: [] };', 'the plug-in: `name` is missing'],
    ['has an unknown key', 'export default { name: "x", tires: [] };', 'plug-in "x": unknown key `tires`'],
    [
      'has a list that is none',
      'export default { name: "x", layers: {} };',
      'plug-in "x": layers: expected a list, got a group of keys',
    ],
    [
      'has a layer with a name that is taken',
      'export default { name: "x", layers: [{ name: "storage", points: ["results"], create() {} }] };',
      'plug-in "x": two layer entries are called "storage"',
    ],
    [
      'has a policy with a name that is taken',
      'export default { name: "x", policies: ["{ name: none, rules: [] }"] };',
      'plug-in "x": two policy entries are called "none"',
    ],
    [
      'has a metric with a name that is taken',
      'export default { name: "x", metrics: [{ name: "turns", unit: "count", better: null, help: "h", value: () => 1 }] };',
      'plug-in "x": two metric entries are called "turns"',
    ],
    [
      'has a parameter with a path that is taken',
      'export default { name: "x", layers: [{ name: "t", points: ["results"], create() {}, params: [{ path: "storage.enabled", kind: { type: "switch" }, default: true, unit: null, help: "h" }] }] };',
      'plug-in "x": two parameter entries are called "storage.enabled"',
    ],
    [
      'has a parameter whose default is out of its range',
      'export default { name: "x", layers: [{ name: "t", points: ["results"], create() {}, params: [{ path: "t.keep", kind: { type: "integer", min: 0, max: 9 }, default: -1, unit: null, help: "h" }] }] };',
      'plug-in "x": t.keep must be a whole number from 0 to 9; found -1',
    ],
    [
      'has a policy with an unknown word',
      'export default { name: "x", policies: [{ name: "p", rules: [{ name: "r", when: { tokns: ">= 1k" }, select: { what: "history" } }] }] };',
      'plug-in "x": rules[0].when.tokns',
    ],
  ])('because it %s is refused by name, with exit code 2', async (_what, text, sentence) => {
    const cwd = tempFolder({ 's.yaml': scenario('s'), ...(text === null ? {} : { 'p.mjs': text }) });
    const { code, stderr } = await cli(['run', 's.yaml', '--plugin', './p.mjs', ...NO_FILES], { cwd });
    expect(stderr).toContain(sentence);
    expect(stderr).toContain('--plugin ./p.mjs');
    expect(code).toBe(2);
  });

  it.each(['plugins', '"plug\\x69ns"'])('is shown at its line of the scenario: %s', async (key) => {
    const cwd = tempFolder({ 's.yaml': scenario('s', `${key}:\n  - ./away.mjs\n`) });
    const { code, stderr } = await cli(['run', 's.yaml', ...NO_FILES], { cwd });
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('s.yaml:6:5: plug-in ./away.mjs: there is no such file'),
    ]);
  });

  it('stands twice under one name', async () => {
    const cwd = tempFolder({ 'p.mjs': CLEARING, 'q.mjs': `${CLEARING}\n`, 's.yaml': scenario('s') });
    const { code, stderr } = await cli(
      ['run', 's.yaml', '--plugin', 'p.mjs', '--plugin', 'q.mjs', ...NO_FILES],
      { cwd },
    );
    expect([code, stderr]).toEqual([2, expect.stringContaining('two plug-ins are called "clearing"')]);
  });

  it.each([
    ['due', '{ due() { throw new Error("ouch"); }, *act() {} }', 'due of the layer "own-layer" threw: ouch'],
    [
      'act',
      '{ due: () => true, *act() { throw new Error("ouch"); } }',
      'act of the layer "own-layer" threw: ouch',
    ],
    [
      'observe',
      `{ ...${ACTS}, observe() { throw new Error("ouch"); } }`,
      'observe of the layer "own-layer" threw: ouch',
    ],
    ['create', '(() => { throw new Error("ouch"); })()', 'create of the layer "own-layer" threw: ouch'],
    ['the shape', '{ due: () => true }', 'create of the layer "own-layer" must give { due, act }'],
    ['no generator', '{ due: () => true, act() {} }', 'act of the layer "own-layer" must be a generator'],
    [
      'no action',
      '{ due: () => true, *act() { yield { kind: "explode" }; } }',
      'act of the layer "own-layer" requests {"kind":"explode"}, which is not an action',
    ],
  ])('in %s of a layer is named, with exit code 2', async (_what, instance, sentence) => {
    const cwd = tempFolder({ 'p.mjs': layerPlugin(instance), 's.yaml': scenario('s') });
    const argv = ['run', 's.yaml', '--plugin', 'p.mjs', '--policy', 'own-policy', ...NO_FILES];
    const { code, stderr } = await cli(argv, { cwd });
    expect(stderr).toContain(`plug-in "own": ${sentence}`);
    expect(code).toBe(2);
    const compared = await cli(['compare', ...argv.slice(1, -1)], { cwd });
    expect(compared.stderr).toContain(`plug-in "own": ${sentence}`);
    expect(compared.code).toBe(2);
  });

  it('in what an action holds is no fault of ccbench', async () => {
    const act = '{ due: () => true, *act() { yield { kind: "report", entry: {} }; } }';
    const cwd = tempFolder({ 'p.mjs': layerPlugin(act), 's.yaml': scenario('s') });
    const { code, stderr } = await cli(
      ['run', 's.yaml', '--plugin', 'p.mjs', '--policy', 'own-policy', ...NO_FILES],
      { cwd },
    );
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('plug-in "own": act of the layer "own-layer" requests'),
    ]);
  });

  it.each([
    ['throws', '() => { throw new Error("ouch"); }', 'the metric "m" threw: ouch'],
    ['gives a text', '() => "7"', 'the metric "m" must give a finite number or null, not "7"'],
    ['gives no number', '() => 0 / 0', 'the metric "m" must give a finite number or null, not NaN'],
  ])('in a metric that %s is named, with exit code 2', async (_what, value, sentence) => {
    const metric = `\n  metrics: [{ name: 'm', unit: 'count', better: null, help: 'h', value: ${value} }],`;
    const cwd = tempFolder({ 'p.mjs': layerPlugin(ACTS, metric), 's.yaml': scenario('s') });
    const { code, stderr } = await cli(['run', 's.yaml', '--plugin', 'p.mjs', ...NO_FILES], { cwd });
    expect([code, stderr]).toEqual([2, expect.stringContaining(`plug-in "own": ${sentence}`)]);
  });

  it.each([
    ['throws', '() => { throw new Error("ouch"); }', 'read of the reader "r" threw: ouch'],
    ['gives nothing', '() => undefined', 'the reader "r" gave no transcript: nothing'],
    [
      'gives half of it',
      '() => ({ id: "x", source: "r", carries: [], warnings: [] })',
      '`threads` must be a list, not nothing',
    ],
  ])('in a reader that %s is named, with exit code 2', async (_what, read, sentence) => {
    const readers = `\n  readers: [{ name: 'r', detect: () => true, read: ${read} }],`;
    const cwd = tempFolder({
      'p.mjs': layerPlugin(ACTS, readers),
      'x.txt': 'anything',
      's.yaml': 'name: s\ntranscript: { file: x.txt }\npolicy: none\nplugins: [p.mjs]\n',
    });
    const { code, stderr } = await cli(['run', 's.yaml', ...NO_FILES], { cwd });
    expect(stderr).toContain(`plug-in "own": `);
    expect([code, stderr]).toEqual([2, expect.stringContaining(sentence)]);
  });

  it('cannot be set, for it is loaded before', async () => {
    const cwd = tempFolder({ 's.yaml': scenario('s') });
    const { code, stderr } = await cli(['run', 's.yaml', '--set', 'plugins=[x.mjs]', ...NO_FILES], { cwd });
    expect([code, stderr]).toEqual([2, expect.stringContaining('name the file with --plugin')]);
  });
});

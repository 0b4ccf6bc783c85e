import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { benchCommand } from '../../../src/cli/commands/bench/bench.js';
import { cli, refused, scenario, tempFolder } from '../cli.js';

const FIXTURE = resolve(import.meta.dirname, '../../../fixtures/bugfix-20-turns.jsonl');

type Json = Record<string, unknown>;

describe('a gate that cannot judge does not open', () => {
  it.each<readonly [string, (summary: Json) => unknown]>([
    ['no metrics at all', () => ({})],
    ['empty metrics', (summary) => ({ ...summary, metrics: {} })],
    ['metrics in a list', (summary) => ({ ...summary, metrics: [] })],
    [
      'metrics that are words',
      (summary) => ({ ...summary, metrics: { ...(summary.metrics as Json), costUsd: '1' } }),
    ],
    [
      'metrics that are all missing',
      (summary) => ({
        ...summary,
        metrics: Object.fromEntries(Object.keys(summary.metrics as Json).map((name) => [name, null])),
      }),
    ],
  ])('D5 a baseline with %s is bad input', async (_what, change) => {
    const cwd = tempFolder({ 'a.yaml': scenario('gate') });
    await cli(['run', 'a.yaml', '--out', 'before', '--no-charts'], { cwd });
    const file = join(cwd, 'before/gate/summary.json');
    const same = await cli(['run', 'a.yaml', '--baseline', 'before', '--no-files'], { cwd });
    expect(same.code).toBe(0);
    expect(same.stdout).toContain(
      'same result as in the baseline, byte for byte; nothing guarded is worse (costUsd, callsLost)\n',
    );
    writeFileSync(file, JSON.stringify(change(JSON.parse(readFileSync(file, 'utf8')))));
    const stderr = await refused(['run', 'a.yaml', '--baseline', 'before', '--no-files'], { cwd });
    expect(stderr).toContain('before/gate/summary.json');
  });

  it.each<readonly [string, (total: Json) => unknown]>([
    ['nothing', () => ({})],
    ['no figures', (total) => ({ ...total, blind: {}, given: {} })],
    [
      'a figure that is a word',
      (total) => ({ ...total, blind: { ...(total.blind as Json), readError: 'low' } }),
    ],
    ['figures that are all missing', (total) => ({ ...total, blind: NOTHING, given: NOTHING })],
    [
      'triggers that are no counts',
      (total) => ({ ...total, triggers: { recorded: 'many', matched: 1, unrecorded: 0 } }),
    ],
    [
      'more triggers matched than recorded',
      (total) => ({ ...total, triggers: { recorded: 0, matched: 9, unrecorded: 0 } }),
    ],
  ])('D5 --baseline a file with %s is bad input', async (_what, change) => {
    const cwd = tempFolder();
    await cli(['validate', FIXTURE, '--save', 'saved.json'], { cwd });
    expect((await cli(['validate', FIXTURE, '--baseline', 'saved.json'], { cwd })).code).toBe(0);
    const saved = JSON.parse(readFileSync(join(cwd, 'saved.json'), 'utf8'));
    writeFileSync(join(cwd, 'saved.json'), JSON.stringify({ ...saved, total: change(saved.total) }));
    const { code, stderr } = await cli(['validate', FIXTURE, '--baseline', 'saved.json'], { cwd });
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('not a saved result') });
  });

  it('D5 timings that have no path in common with the saved ones are bad input', async () => {
    const timed = { name: 'replay', size: 100, p50Ms: 2, p99Ms: 3, opsPerSec: 500 };
    const suite = async () => ({ results: [timed] });
    const cwd = tempFolder({
      'empty.json': '{"results":[]}',
      'other.json': JSON.stringify({ results: [{ ...timed, size: 200 }] }),
      'words.json': '{"results":[{"name":"replay","size":100,"p50Ms":"fast"}]}',
      'same.json': JSON.stringify({ results: [timed] }),
    });
    const host = {
      cwd,
      env: {},
      stdout: { isTerminal: false, columns: null, write() {} },
      stderr: { isTerminal: false, columns: null, write() {} },
      interrupt: new AbortController().signal,
      now: () => 0,
      epochMs: () => 0,
    };
    const session = { host, debug: false, json: true, cache: 'off', colors: 'never' } as const;
    const against = (file: string) =>
      benchCommand(session, [], { baseline: file } as never, { 'hot-paths': suite as never });
    for (const file of ['empty.json', 'other.json', 'words.json'])
      await expect(against(file)).rejects.toMatchObject({ code: 'bad-input' });
    expect(await against('same.json')).toBe(0);
  });
});

const NOTHING = Object.fromEntries(
  [
    'classAgreement',
    'classAgreementOver60s',
    'promptError',
    'readError',
    'creationError',
    'costErrorMedian',
    'costErrorWorst',
  ].map((name) => [name, null]),
);

import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openRunStore } from '../../../src/study/results/run-store.js';
import { assistant, attachment, jsonl, result, say, usage, user } from '../../helpers/session.js';
import { cli, printed, tempFolder } from '../cli.js';

/** Names that every object has. */
const INHERITED = ['constructor', '__proto__', 'toString', 'hasOwnProperty'];

/** A session in which tools, attachments and reasons are called so. */
function hostileSession(name: string): string {
  const model = { model: 'claude-sonnet-4-5' };
  const big = 'long '.repeat(60_000);
  const call = { type: 'tool_use', id: 't0', name, input: { [name]: 1, file_path: '/x' } };
  const told = { diagnostics: { cache_miss_reason: { type: name } } };
  return jsonl([
    user('u0', 0, 'go'),
    assistant(
      'a0',
      1,
      'm0',
      [call],
      { ...model, stop_reason: 'tool_use', usage: usage(10, 0, 90_000, 50) },
      { parentUuid: 'u0' },
    ),
    result('r0', 2, 't0', big, { parentUuid: 'a0' }),
    attachment('x0', 2, { type: name, content: 'note' }, { parentUuid: 'r0' }),
    assistant(
      'a1',
      3,
      'm1',
      say('done'),
      { ...model, ...told, usage: usage(10, 0, 150_000, 50) },
      { parentUuid: 'x0' },
    ),
    user('u1', 4, 'more', { parentUuid: 'a1' }),
    assistant(
      'a2',
      5,
      'm2',
      say('yes'),
      { ...model, ...told, usage: usage(10, 0, 160_000, 50) },
      { parentUuid: 'u1' },
    ),
  ]).toString();
}

describe('H2 names that every object has', () => {
  it.each(INHERITED)('as tool, attachment and reason of a miss: %s', async (name) => {
    const cwd = tempFolder({ 's.jsonl': hostileSession(name) });
    const env = { HOME: cwd };
    const why = await cli(['why', 's.jsonl', '--json'], { cwd, env });
    expect(why.code).toBe(0);
    const { byCause } = JSON.parse(why.stdout) as { byCause: readonly { cause: unknown; usd: unknown }[] };
    for (const { cause, usd } of byCause)
      expect([typeof cause, Number.isFinite(usd)]).toEqual(['string', true]);
    expect(byCause.map(({ cause }) => cause)).toContain('unexplained');
    for (const args of [
      ['inspect', 's.jsonl', '--json'],
      ['run', 's.jsonl', '--policy', 'claude-code/2.1.112', '--json'],
    ]) {
      const { code, stdout } = await cli(args, { cwd, env });
      expect({ args, code }).toEqual({ args, code: 0 });
      expect(stdout).not.toMatch(/NaN|\[native code\]|\[object/);
    }
  });
});

const SMALL = `name: small
transcript: { synthetic: { workload: bugfix, turns: 3 } }
policy: none
`;

it('H8 compare --github escapes what is foreign in the summary, as run does', async () => {
  const variants = `variants:\n  - { name: "<img src=x> a|b", cache: { ttl: 1h } }\n`;
  const cwd = tempFolder({ 's.yaml': `${SMALL}${variants}`, 'summary.md': '' });
  const env = { GITHUB_STEP_SUMMARY: 'summary.md', GITHUB_ACTIONS: 'true' };
  await printed(['compare', 's.yaml', '--github', '--no-files'], { cwd, env });
  const summary = readFileSync(join(cwd, 'summary.md'), 'utf8');
  expect(summary).toContain('\\<img src=x\\> a\\|b');
  expect(summary.replaceAll('<br>', '')).not.toMatch(/(?<!\\)[<>]/);
});

describe('H9 why --share', () => {
  it('says nothing of the sessions on either stream, whatever is wrong with them', async () => {
    const lines = hostileSession('tool-of-mine').replaceAll('"input_tokens":10', '"input_tokens":-1');
    const cwd = tempFolder({ 'private-name.jsonl': `${lines}not json\n`, 'broken-name.jsonl': 'nothing\n' });
    mkdirSync(join(cwd, 'logs'));
    for (const name of ['private-name.jsonl', 'broken-name.jsonl'])
      writeFileSync(join(cwd, 'logs', name), readFileSync(join(cwd, name)));
    for (const args of [
      ['logs'],
      ['logs', '--json'],
      ['logs/broken-name.jsonl'],
      ['logs/broken-name.jsonl', '--json'],
      ['logs/none'],
    ]) {
      const { stdout, stderr } = await cli(['why', ...args, '--share'], { cwd, env: { HOME: cwd } });
      expect(`${stdout}${stderr}`).not.toMatch(/private-name|broken-name|logs|tool-of-mine|\.jsonl/);
    }
  });
});

describe('H10 what is made of sessions is as private as they are', () => {
  /** The modes of a folder and of everything in it. */
  const modesIn = (folder: string): readonly string[] => [
    ...new Set(
      ['.', ...readdirSync(folder, { recursive: true }).map(String)].map((name) => {
        const stat = statSync(join(folder, name));
        return `${stat.isDirectory() ? 'folder' : 'file'} ${(stat.mode & 0o777).toString(8)}`;
      }),
    ),
  ];

  it('reports and why.html are for their owner alone', async () => {
    const cwd = tempFolder({ 's.jsonl': hostileSession('Read'), 's.yaml': SMALL });
    const env = { HOME: cwd };
    expect((await cli(['why', 's.jsonl'], { cwd, env })).code).toBe(0);
    expect((await cli(['run', 's.yaml'], { cwd, env })).code).toBe(0);
    for (const name of ['why', 'small'])
      expect([...modesIn(join(cwd, 'reports', name))].sort()).toEqual(['file 600', 'folder 700']);
  });

  it('what is kept of recordings is for their owner alone', async () => {
    const cwd = tempFolder({ 's.jsonl': hostileSession('Read') });
    const kept = join(cwd, 'kept');
    const env = { HOME: cwd, CCBENCH_CACHE: kept };
    expect((await cli(['why', 's.jsonl', '--no-files'], { cwd, env })).code).toBe(0);
    expect([...modesIn(kept)].sort()).toEqual(['file 600', 'folder 700']);
  });

  it('the folder of a sweep is for its owner alone', async () => {
    const cwd = tempFolder({ 's.yaml': SMALL });
    const args = ['sweep', 's.yaml', '--vary', 'cache.ttl=5m,1h', '--workers', '0'];
    expect((await cli(args, { cwd })).code).toBe(0);
    const [name] = readdirSync(join(cwd, 'reports'));
    expect((statSync(join(cwd, 'reports', name!)).mode & 0o777).toString(8)).toBe('700');
  });
});

it('H12 rows of sweep.jsonl stand in one order, whichever worker was first', () => {
  const rows = ['c', 'a', 'b'].map((key) => ({ key, metrics: { costUsd: 1 }, skipped: [] }));
  const texts = [rows, [...rows].reverse()].map((order) => {
    const cwd = tempFolder();
    const store = openRunStore(cwd, 'x', { program: '1', elsewhere: '' });
    for (const row of order) store.append(row);
    store.sort();
    return readFileSync(join(cwd, 'sweep.jsonl'), 'utf8');
  });
  expect(texts[0]).toBe(texts[1]);
  expect(texts[0]!.split('\n').map((line) => /"key":"(.)"/.exec(line)?.[1] ?? '')).toEqual([
    '',
    'a',
    'b',
    'c',
    '',
  ]);
});

it('H13 ids of any length are told apart, and are kept and shown in a few characters', async () => {
  const long = 'x'.repeat(3_000_000);
  const session = hostileSession('Read').replaceAll('"sessionId":"s1"', `"sessionId":"${long}"`);
  const cwd = tempFolder({ 's.jsonl': session.replaceAll('claude-sonnet-4-5', `${long}-model`) });
  for (const args of [
    ['inspect', 's.jsonl'],
    ['inspect', 's.jsonl', '--json'],
    ['run', 's.jsonl'],
  ]) {
    const { stdout, stderr } = await cli(args, { cwd, env: { HOME: cwd } });
    expect(stdout.length + stderr.length).toBeLessThan(100_000);
  }
});

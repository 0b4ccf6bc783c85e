import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { cacheFolder } from '../../src/cli/files/cache-folder.js';
import { readEntry, writeEntry } from '../../src/transcripts/files/compiled-store.js';
import { loadTranscript } from '../../src/transcripts/files/transcripts.js';
import { assistant, jsonl, result, user } from '../helpers/session.js';
import { needFreshBuild } from '../helpers/setup/built.js';
import { textsOfTranscript } from '../helpers/texts.js';
import { cli, snapshot, tempFolder, testCache } from './cli.js';

/** A session that is large enough to be compiled. */
function session(word = 'word'): Buffer {
  const lines = [];
  for (let turn = 0; turn < 40; turn++) {
    const id = `t${turn}`;
    const input = { command: `echo ${word} → ${turn}` };
    lines.push(user(`u${turn}`, 4 * turn, `${word} ${turn}`));
    lines.push(
      assistant(`a${turn}`, 4 * turn + 1, `m${turn}`, [{ type: 'tool_use', id, name: 'Bash', input }]),
    );
    lines.push(
      result(`r${turn}`, 4 * turn + 2, id, `${word}\n`.repeat(2_000), { toolUseResult: { stdout: word } }),
    );
    lines.push(assistant(`b${turn}`, 4 * turn + 3, `n${turn}`, [{ type: 'text', text: 'done' }]));
  }
  return jsonl(lines);
}

function cached(folder: string): readonly string[] {
  const path = join(folder, 'kept/transcripts');
  return existsSync(path) ? readdirSync(path).map((name) => join(path, name)) : [];
}

function load(folder: string, file = 'a.jsonl') {
  const { format, transcript } = loadTranscript(file, {
    cwd: folder,
    cache: { folder: join(folder, 'kept') },
  });
  return { format, transcript, json: JSON.stringify(transcript), texts: textsOfTranscript(transcript) };
}

const SCENARIO =
  'name: cached\ntranscript: { file: a.jsonl }\nmodel: claude-sonnet-4-5\npolicy: claude-code/2026\nseed: 1\n';

describe('compiled transcripts on disk', () => {
  it('give the same transcript and the same texts as the file, plain and packed', () => {
    const folder = tempFolder({ 'a.jsonl': session(), 'b.jsonl.gz': gzipSync(session(), { level: 0 }) });
    for (const file of ['a.jsonl', 'b.jsonl.gz']) {
      const { transcript, format } = loadTranscript(file, { cwd: folder });
      const fromFile = { json: JSON.stringify(transcript), texts: textsOfTranscript(transcript) };
      expect(load(folder, file)).toMatchObject({ format, ...fromFile });
      expect(load(folder, file)).toMatchObject({ format, ...fromFile });
    }
    expect(cached(folder)).toHaveLength(2);
  });

  it('are used: a session is taken from there when its file cannot tell any more', () => {
    const folder = tempFolder({ 'a.jsonl': session() });
    const first = load(folder);
    const [path] = cached(folder);
    const other = tempFolder({ 'a.jsonl': session('another') });
    load(other);
    writeFileSync(path!, readFileSync(cached(other)[0]!));
    expect(
      loadTranscript('a.jsonl', { cwd: folder, cache: { folder: join(folder, 'kept') } }).transcript,
    ).not.toEqual(first.transcript);
  });

  it('change no byte of what a run prints', async () => {
    const folder = tempFolder({ 'a.jsonl': session(), 's.yaml': SCENARIO });
    const run = ['run', 's.yaml', '--no-files'];
    const own = { cwd: folder, env: { CCBENCH_CACHE: 'kept' } };
    const without = await cli([...run, '--no-cache'], own);
    expect(cached(folder)).toEqual([]);
    expect(without).toMatchObject({ code: 0, stderr: '' });
    expect(await cli(run, own)).toEqual(without);
    expect(cached(folder)).toHaveLength(1);
    expect(await cli(run, own)).toEqual(without);
    expect(readdirSync(folder).sort()).toEqual(['a.jsonl', 'kept', 's.yaml']);
  });

  it('are ignored and written again when they are damaged', () => {
    const folder = tempFolder({ 'a.jsonl': session() });
    const { json } = load(folder);
    const [path] = cached(folder);
    const intact = readFileSync(path!);
    for (const damaged of [Buffer.alloc(0), intact.subarray(0, 900), Buffer.from(intact).fill(7, 400, 404)]) {
      writeFileSync(path!, damaged);
      expect(load(folder).json).toBe(json);
      expect(readFileSync(path!)).toEqual(intact);
    }
  });

  it('follow the content of the file', () => {
    const folder = tempFolder({ 'a.jsonl': session() });
    load(folder);
    writeFileSync(join(folder, 'a.jsonl'), session('changed'));
    expect(load(folder).texts[0]).toBe('changed 0');
    expect(cached(folder)).toHaveLength(2);
  });

  it('are found without reading a file that is as it was, and never for another content', async () => {
    const folder = tempFolder({ 'a.jsonl': session() });
    const path = join(folder, 'a.jsonl');
    const own = { cwd: folder, env: { CCBENCH_CACHE: 'kept' }, today: '2099-01-01' };
    const inspect = ['inspect', 'a.jsonl', '--json'];
    await cli(inspect, own);
    const index = join(folder, 'kept/digests.json');
    const kept = JSON.parse(readFileSync(index, 'utf8'));
    expect(kept.files).toEqual([[path, expect.any(String), expect.stringMatching(/^[0-9a-f]{64}$/), '']]);
    // Another digest is believed if the sum is right: a second entry then shows that the file was not read for it.
    kept.files[0][2] = '0'.repeat(64);
    for (const [sum, entries] of [
      [kept.sum, 1],
      [createHash('sha256').update(JSON.stringify(kept.files)).digest('hex'), 2],
    ]) {
      writeFileSync(index, JSON.stringify({ ...kept, sum }));
      await cli(inspect, own);
      expect(cached(folder)).toHaveLength(entries);
    }
    const longer = Buffer.concat([session(), jsonl([user('late', 999, 'more')])]);
    for (const content of [longer, session(), session('woord'), longer.subarray(0, 300_000)]) {
      writeFileSync(path, content);
      utimesSync(path, 1, 1);
      expect(await cli(inspect, own)).toEqual(await cli([...inspect, '--no-cache'], own));
    }
  });

  it('are not needed: nothing is kept where nothing can be written, nor of small files', () => {
    const blocked = tempFolder({ 'a.jsonl': session(), kept: 'a file' });
    expect(load(blocked).texts[0]).toBe('word 0');
    const small = tempFolder({
      'a.jsonl': jsonl([user('u', 0, 'go'), assistant('a', 1, 'm', [{ type: 'text', text: 'x' }])]),
    });
    load(small);
    expect(cached(small)).toEqual([]);
  });

  it('are not kept where the cache folder is a file, and nothing fails', async () => {
    const cwd = tempFolder({ 'a.jsonl': session(), kept: 'a file' });
    // The day is later, so that the recording counts as settled and its digest would be kept.
    const own = { cwd, env: { CCBENCH_CACHE: 'kept' }, today: '2099-01-01' };
    for (const argv of ['inspect a.jsonl', 'ttl a.jsonl', 'cache', 'cache clear'])
      expect(await cli(argv.split(' '), own), argv).toMatchObject({ code: 0 });
    expect(readFileSync(join(cwd, 'kept'), 'utf8')).toBe('a file');
  });

  it('are never kept beside the recordings', async () => {
    const folder = tempFolder({ 'a.jsonl': session('nowhere near') });
    const home = tempFolder();
    const env = { CCBENCH_CACHE: '', HOME: home, XDG_CACHE_HOME: join(home, 'xdg') };
    expect(await cli(['inspect', 'a.jsonl'], { cwd: folder, env })).toMatchObject({ code: 0 });
    expect(readdirSync(folder)).toEqual(['a.jsonl']);
    expect(readdirSync(join(home, 'xdg/ccbench/transcripts'))).toHaveLength(1);
  });
});

describe('the folder of what is kept', () => {
  const of = (platform: NodeJS.Platform, env: Record<string, string>) =>
    cacheFolder({ cwd: '/here', env: { HOME: '/h', ...env }, platform });

  it.each<[NodeJS.Platform, Record<string, string>, string]>([
    ['linux', {}, '/h/.cache/ccbench'],
    ['linux', { XDG_CACHE_HOME: '/x' }, '/x/ccbench'],
    ['linux', { XDG_CACHE_HOME: 'relative' }, '/h/.cache/ccbench'],
    ['darwin', {}, '/h/Library/Caches/ccbench'],
    ['win32', { LOCALAPPDATA: '/l' }, '/l/ccbench/cache'],
    ['win32', {}, '/h/AppData/Local/ccbench/cache'],
    ['linux', { CCBENCH_CACHE: '/c', XDG_CACHE_HOME: '/x' }, '/c'],
    ['linux', { CCBENCH_CACHE: 'c' }, '/here/c'],
    ['linux', { CCBENCH_CACHE: '~/c' }, '/h/c'],
  ])('on %s with %j is %s', (platform, env, expected) => {
    expect(of(platform, env)).toBe(expected);
  });

  it('of the tests is a temporary one', () => {
    expect(testCache().startsWith(tmpdir())).toBe(true);
  });
});

describe('what is kept', () => {
  const key = (digit: number): string => String(digit).repeat(64);

  it('stays below its limit: what was used longest ago goes first', () => {
    const folder = tempFolder();
    const put = (digit: number, usedSeconds: number): void => {
      writeEntry(folder, key(digit), new Uint8Array(100), 250);
      utimesSync(join(folder, `${key(digit)}.bin`), usedSeconds, usedSeconds);
    };
    put(1, 1_000);
    put(2, 2_000);
    readEntry(folder, key(1));
    put(3, 3_000);
    expect(readdirSync(folder).map((name) => name[0])).toEqual(['1', '3']);
    writeEntry(folder, key(4), new Uint8Array(1_000), 250);
    expect(readdirSync(folder).map((name) => name[0])).toEqual(['4']);
  });

  it('is whole at any moment, however many processes write it', async () => {
    const folder = tempFolder();
    const bytes = 300_000;
    const writer = `import { writeEntry } from ${JSON.stringify(new URL('../../dist/transcripts/files/compiled-store.js', import.meta.url).href)};
for (let i = 0; i < 60; i++) writeEntry(${JSON.stringify(folder)}, '${key(1)}', new Uint8Array(${bytes}).fill(7));`;
    needFreshBuild();
    const writers = [1, 2, 3].map(
      () =>
        new Promise<number | null>((done) =>
          spawn(process.execPath, ['--input-type=module', '-e', writer]).on('close', done),
        ),
    );
    let isWriting = true;
    const codes = Promise.all(writers).finally(() => {
      isWriting = false;
    });
    let reads = 0;
    while (isWriting) {
      const found = readEntry(folder, key(1));
      if (found !== null) {
        reads++;
        expect(found.length).toBe(bytes);
      }
      await new Promise((done) => setTimeout(done, 1));
    }
    expect(await codes).toEqual([0, 0, 0]);
    expect(reads).toBeGreaterThan(0);
    expect(readdirSync(folder)).toEqual([`${key(1)}.bin`]);
  });

  it('is shown and cleared, and nothing else in the folder is touched', async () => {
    const folder = tempFolder({ 'a.jsonl': session('shown') });
    const own = { cwd: folder, env: { CCBENCH_CACHE: 'kept' } };
    const kept = join(folder, 'kept');
    expect((await cli(['cache'], own)).stdout).toContain(`${kept} holds no compiled transcript.\n`);
    await cli(['inspect', 'a.jsonl'], own);
    const [path] = cached(folder);
    const bytes = readFileSync(path!).length;
    const shown = JSON.parse((await cli(['cache', '--json'], own)).stdout);
    expect(shown).toEqual({ folder: kept, entries: 1, explained: 0, bytes, mostBytes: 1_024 * 1_048_576 });
    expect((await cli(['cache'], own)).stdout).toContain('holds 1 compiled transcript in');
    writeFileSync(join(kept, 'mine.txt'), 'x');
    writeFileSync(join(kept, 'transcripts/mine.bin'), 'x');
    writeFileSync(`${path!.replace(/\.bin$/, '')}.0.bin.999999999.part`, 'x');
    const cleared = JSON.parse((await cli(['cache', 'clear', '--json'], own)).stdout);
    expect(cleared).toEqual({ folder: kept, removed: 1, bytes });
    expect(snapshot(kept)).toEqual({ 'mine.txt': 'x', transcripts: 'folder', 'transcripts/mine.bin': 'x' });
    rmSync(join(kept, 'mine.txt'));
    rmSync(join(kept, 'transcripts/mine.bin'));
    await cli(['inspect', 'a.jsonl'], own);
    expect((await cli(['cache', 'clear'], own)).stdout).toMatch(
      /^removed 1 compiled transcript, \d+ kB, from /,
    );
    expect((await cli(['cache', 'clear'], own)).stdout).toContain('removed 0 compiled transcripts');
    expect(existsSync(kept)).toBe(false);
  });

  it('holds what why found too, with what is known of its files', async () => {
    const folder = tempFolder({ 'a.jsonl': session('explained') });
    const own = { cwd: folder, env: { CCBENCH_CACHE: 'kept' }, today: '2040-01-01' };
    const kept = join(folder, 'kept');
    // Without usage nothing is counted, which is found too.
    await cli(['why', 'a.jsonl', '--no-files'], own);
    const names = Object.keys(snapshot(kept));
    expect(names.filter((name) => name.startsWith('why/'))).toHaveLength(1);
    expect(names).toContain('digests.json');
    expect((await cli(['cache'], own)).stdout).toContain(
      'holds 0 compiled transcripts and 1 explained session in',
    );
    expect(JSON.parse((await cli(['cache', 'clear', '--json'], own)).stdout)).toMatchObject({ removed: 1 });
    expect(existsSync(kept)).toBe(false);
  });
});

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { loadTranscript } from '../../src/files/transcripts.js';
import { assistant, jsonl, result, user } from '../helpers/session.js';
import { textsOfTranscript } from '../helpers/texts.js';
import { cli, tempFolder } from './cli.js';

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
  const path = join(folder, '.ccbench/cache');
  return existsSync(path) ? readdirSync(path).map((name) => join(path, name)) : [];
}

function load(folder: string, file = 'a.jsonl') {
  const { format, transcript } = loadTranscript(file, { cwd: folder, cache: 'on' });
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
    expect(loadTranscript('a.jsonl', { cwd: folder, cache: 'on' }).transcript).not.toEqual(first.transcript);
  });

  it('change no byte of what a run prints', async () => {
    const folder = tempFolder({ 'a.jsonl': session(), 's.yaml': SCENARIO });
    const run = ['run', 's.yaml', '--no-files', '--no-timings'];
    const without = await cli([...run, '--no-cache'], { cwd: folder });
    expect(cached(folder)).toEqual([]);
    expect(without).toMatchObject({ code: 0, stderr: '' });
    expect(await cli(run, { cwd: folder })).toEqual(without);
    expect(cached(folder)).toHaveLength(1);
    expect(await cli(run, { cwd: folder })).toEqual(without);
  });

  it('are ignored and written anew when they are damaged', () => {
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

  it('are not needed: nothing is kept where nothing can be written, nor of small files', () => {
    const blocked = tempFolder({ 'a.jsonl': session(), '.ccbench': 'a file' });
    expect(load(blocked).texts[0]).toBe('word 0');
    const small = tempFolder({
      'a.jsonl': jsonl([user('u', 0, 'go'), assistant('a', 1, 'm', [{ type: 'text', text: 'x' }])]),
    });
    load(small);
    expect(cached(small)).toEqual([]);
  });
});

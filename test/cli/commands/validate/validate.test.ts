import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { begun, RecordingBuilder, toolUse } from '../../../analysis/validate/recording.js';
import { cli, printed, TRACE, tempFolder } from '../../cli.js';

const CODEX = `${JSON.stringify({ timestamp: '2026-01-01T00:00:00Z', type: 'session_meta', payload: {} })}\n`;

/** A session of two responses; those of two names are different ones. */
function session(read: number, name = 'one'): string {
  const { text } = begun('2.0.64', undefined, { read: 16_000, write: 14_000, blocks: [toolUse('t1')] })
    .result('t1', 'ok', 20)
    .answer({ at: 25, read, write: 30_500 - read, reason: 'tools_changed' });
  return text.replaceAll('msg_', `msg_${name}_`);
}

const FIGURES = [
  'classAgreement',
  'classAgreementOver60s',
  'promptError',
  'readError',
  'creationError',
  'costErrorMedian',
  'costErrorP75',
  'costErrorP90',
  'costErrorMax',
  'costErrorWorst',
  'netError',
  'netErrorWithHazard',
  'netUsd',
  'recallNotFull',
  'falseAlarms',
];

describe('ccbench validate', () => {
  it('prints figures per file and in all, breaks, worst requests and what was left out', async () => {
    const cwd = tempFolder({ 'one.jsonl': session(30_000), 'two.jsonl': session(16_000, 'two') });
    const stdout = await printed(['validate', 'one.jsonl', 'two.jsonl'], { cwd });
    for (const text of ['blind', 'given', 'baseline', 'all', 'tools_changed', 'two main#2', 'Left out']) {
      expect(stdout).toContain(text);
    }
  });

  it('has the figures of each file and the total with --json', async () => {
    const cwd = tempFolder({ 'one.jsonl': session(30_000), 'two.jsonl': session(16_000, 'two') });
    const { stdout } = await cli(['validate', 'one.jsonl', 'two.jsonl', '--json', '--worst', '1'], { cwd });
    const result = JSON.parse(stdout);
    expect(result.files.map((file: { file: string }) => file.file)).toEqual(['one.jsonl', 'two.jsonl']);
    expect(Object.keys(result.files[0].blind)).toEqual(FIGURES);
    expect(result.total).toMatchObject({
      requests: 2,
      unexplainedBreaks: 1,
      blind: { classAgreement: 0.5 },
      given: { classAgreement: 1, readError: 0 },
      triggers: { recorded: 0, matched: 0, withinStep: 0, early: 0, late: 0, unrecorded: 0 },
    });
    expect(Object.keys(result.total.baseline)).toEqual(FIGURES);
    expect(result.worst.blind).toHaveLength(1);
    expect(result.traces).toBeNull();
  });

  it('counts a session that another file holds in full once, and says so', async () => {
    const text = session(30_000);
    const part = text.split('\n').slice(0, 2).join('\n');
    const cwd = tempFolder({ 'copy.jsonl': text, 'one.jsonl': text, 'part.jsonl': `${part}\n` });
    const files = ['one.jsonl', 'copy.jsonl', 'part.jsonl'];
    const { stdout } = await cli(['validate', ...files, '--json'], { cwd });
    const result = JSON.parse(stdout);
    expect(result.files.map((file: { file: string }) => file.file)).toEqual(['one.jsonl']);
    expect(result.contained).toEqual([
      { file: 'copy.jsonl', within: 'one.jsonl', responses: 2 },
      { file: 'part.jsonl', within: 'one.jsonl', responses: 1 },
    ]);
    expect(result.total.requests).toBe(1);
    const { stderr } = await cli(['validate', ...files], { cwd });
    expect(stderr).toContain('copy.jsonl, all of whose 2 responses are in one.jsonl too');
  });

  it('searches folders to the bottom, uses traces too, and leaves out what it cannot read', async () => {
    const cwd = tempFolder({});
    mkdirSync(join(cwd, 'all', 'deep'), { recursive: true });
    writeFileSync(join(cwd, 'all', 'deep', 'one.jsonl'), session(30_000));
    writeFileSync(join(cwd, 'all', 'trace.json'), TRACE);
    writeFileSync(join(cwd, 'all', 'codex.jsonl'), CODEX);
    writeFileSync(join(cwd, 'all', 'broken.jsonl'), 'no json at all\n');
    const { code, stdout, stderr } = await cli(['validate', 'all', '--json'], { cwd });
    expect(code).toBe(0);
    const result = JSON.parse(stdout);
    expect(result.files).toHaveLength(1);
    expect(result.traces).toMatchObject({ conversations: 1 });
    expect(result.skipped.map((file: { file: string }) => file.file)).toEqual([
      join('all', 'broken.jsonl'),
      join('all', 'codex.jsonl'),
    ]);
    expect(stderr).toContain('2 of 4 files left out');
  });

  it('fails when no file is usable, and when a folder is empty', async () => {
    const cwd = tempFolder({ 'codex.jsonl': CODEX });
    mkdirSync(join(cwd, 'empty'));
    expect((await cli(['validate', 'codex.jsonl'], { cwd })).code).toBe(2);
    expect((await cli(['validate', 'missing.jsonl'], { cwd })).code).toBe(2);
    const { code, stderr } = await cli(['validate', 'empty'], { cwd });
    expect([code, stderr.includes('holds no recording')]).toEqual([2, true]);
  });

  it('saves totals, and worse ones than saved are exit code 98', async () => {
    const cwd = tempFolder({ 'one.jsonl': session(30_000), 'two.jsonl': session(16_000, 'two') });
    expect((await cli(['validate', 'one.jsonl', '--save', 'saved.json'], { cwd })).code).toBe(0);
    expect((await cli(['validate', 'one.jsonl', '--baseline', 'saved.json'], { cwd })).code).toBe(0);
    const worse = await cli(['validate', 'one.jsonl', 'two.jsonl', '--baseline', 'saved.json'], { cwd });
    expect(worse.code).toBe(98);
    expect(worse.stderr).toContain('blind.classAgreement');
  });

  it('WIN-3 is exit code 98 when one more trigger is missed than saved', async () => {
    // 2.1.42 compacts from 167,000 tokens on: a compaction at 100,000 is one that the simulator does not see coming.
    const compacted = (name: string, prompts: readonly number[]): string => {
      const recording = new RecordingBuilder('2.1.42', 'claude-opus-4-5').say('go on', 0);
      for (const [i, prompt] of prompts.entries()) {
        recording
          .answer({ at: 10 + i * 10, read: 20_000, write: prompt - 20_000, blocks: [toolUse(`${name}${i}`)] })
          .result(`${name}${i}`, 'ok', 15 + i * 10);
      }
      const at = 20 + prompts.length * 10;
      recording.compact(at, 'auto', prompts.at(-1)!).answer({ at: at + 10, read: 20_000, write: 20_000 });
      return recording.text.replaceAll('msg_', `msg_${name}_`);
    };
    const cwd = tempFolder({
      'on-time.jsonl': compacted('a', [100_000, 140_000, 167_100]),
      'missed.jsonl': compacted('b', [100_000, 100_100, 100_200]),
      'also-missed.jsonl': compacted('c', [90_000, 90_100, 90_200]),
    });
    const validate = async (...argv: string[]) => cli(['validate', ...argv], { cwd });
    await validate('on-time.jsonl', '--save', 'none-missed.json');
    await validate('on-time.jsonl', 'missed.jsonl', '--save', 'one-missed.json');
    const triggersOf = (name: string) => JSON.parse(readFileSync(join(cwd, name), 'utf8')).total.triggers;
    expect(triggersOf('none-missed.json')).toMatchObject({ recorded: 1, matched: 1 });
    expect(triggersOf('one-missed.json')).toMatchObject({ recorded: 2, matched: 1 });
    const one = await validate('on-time.jsonl', 'missed.jsonl', '--baseline', 'none-missed.json');
    expect(one.code).toBe(98);
    expect(one.stderr).toContain('triggers missed was 0, is 1');
    const two = await validate(
      'on-time.jsonl',
      'missed.jsonl',
      'also-missed.jsonl',
      '--baseline',
      'one-missed.json',
    );
    expect(two.stderr).toContain('triggers missed was 1, is 2');
    const same = await validate('on-time.jsonl', 'missed.jsonl', '--baseline', 'one-missed.json');
    expect(same).toMatchObject({ code: 0 });
  });

  it('lists the requests furthest off first, as many as --worst says', async () => {
    // Each second request should have read 30,000 tokens.
    const cwd = tempFolder({
      'little.jsonl': session(29_000, 'little'),
      'most.jsonl': session(16_000, 'most'),
      'some.jsonl': session(24_000, 'some'),
    });
    const worst = async (count: string) =>
      JSON.parse(
        (
          await cli(['validate', 'little.jsonl', 'most.jsonl', 'some.jsonl', '--json', '--worst', count], {
            cwd,
          })
        ).stdout,
      ).worst.blind.map(({ file, recordedRead }: { file: string; recordedRead: number }) => [
        file,
        recordedRead,
      ]);
    expect(await worst('1')).toEqual([['most.jsonl', 16_000]]);
    expect(await worst('2')).toEqual([
      ['most.jsonl', 16_000],
      ['some.jsonl', 24_000],
    ]);
    const { stdout } = await cli(['validate', 'little.jsonl', 'most.jsonl', 'some.jsonl', '--worst', '1'], {
      cwd,
    });
    const [, listed] = stdout.split('Furthest off, blind\n');
    expect(listed!.split('\n')[1]).toContain('most main#2');
  });

  it('refuses a file that holds no saved totals, and leaves nothing behind', async () => {
    const cwd = tempFolder({ 'one.jsonl': session(30_000), 'other.json': '{}' });
    const { code, stderr } = await cli(
      ['validate', 'one.jsonl', '--baseline', 'other.json', '--save', 'new.json'],
      { cwd },
    );
    expect([code, stderr.includes('--save')]).toEqual([2, true]);
    expect(existsSync(join(cwd, 'new.json'))).toBe(false);
  });

  it('says so when nothing is worse than saved', async () => {
    const cwd = tempFolder({ 'one.jsonl': session(30_000) });
    await cli(['validate', 'one.jsonl', '--save', 'saved.json'], { cwd });
    const { code, stderr } = await cli(['validate', 'one.jsonl', '--baseline', 'saved.json'], { cwd });
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'no figure is worse than in saved.json\n' });
  });

  it('needs one line for files with the same fault', async () => {
    const cwd = tempFolder({
      'a.jsonl': CODEX,
      'b.jsonl': CODEX,
      'c.jsonl': CODEX,
      'one.jsonl': session(30_000),
    });
    const { stderr } = await cli(['validate', 'a.jsonl', 'b.jsonl', 'c.jsonl', 'one.jsonl'], { cwd });
    expect(stderr.trimEnd().split('\n')).toEqual([
      expect.stringMatching(/^error\[bad-transcript\] a\.jsonl: .*\(and 2 more like it\)$/),
      '3 of 4 files left out; the rest is used',
    ]);
  });

  it('lists clients from the oldest to the newest, every share with two decimals and every sum alike', async () => {
    const of = (version: string): string =>
      session(30_000, version).replaceAll('"version":"2.0.64"', `"version":"${version}"`);
    const cwd = tempFolder({ 'a.jsonl': of('2.1.112'), 'b.jsonl': of('1.0.98'), 'c.jsonl': of('2.1.91') });
    const files = ['a.jsonl', 'b.jsonl', 'c.jsonl'];
    const { total } = JSON.parse((await cli(['validate', ...files, '--json'], { cwd })).stdout);
    expect(Object.keys(total.byClient)).toEqual([
      'claude-code/1.0',
      'claude-code/2.1.91',
      'claude-code/2.1.112',
    ]);
    const { stdout } = await cli(['validate', ...files], { cwd });
    const rows = stdout.split('\n').slice(2, 8);
    expect(rows.slice(1, 4).map((row) => row.trim().split(' ').slice(0, 2).join(' '))).toEqual(
      Object.keys(total.byClient).map((client) => `client ${client}`),
    );
    for (const row of rows)
      for (const share of row.match(/[\d.,]+%/g) ?? []) expect(share).toMatch(/^\d+\.\d\d%$/);
    const decimals = rows.map((row) => /\$\d+\.(\d+)$/.exec(row)![1]!.length);
    expect(new Set(decimals).size).toBe(1);
  });

  it('shows how far it is on a terminal', async () => {
    const cwd = tempFolder({ 'one.jsonl': session(30_000) });
    const { stderr } = await cli(['validate', 'one.jsonl'], { cwd, terminal: 'stderr' });
    expect(stderr).toContain('validating');
  });
});

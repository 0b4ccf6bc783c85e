import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { begun, toolUse } from '../fidelity/recording.js';
import { cli, TRACE, tempFolder } from './cli.js';

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
    const { code, stdout } = await cli(['validate', 'one.jsonl', 'two.jsonl'], { cwd });
    expect(code).toBe(0);
    for (const text of ['blind', 'given', 'baseline', 'all', 'tools_changed', 'two main#1', 'Left out']) {
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
    expect((await cli(['validate', 'one.jsonl', '--against', 'saved.json'], { cwd })).code).toBe(0);
    const worse = await cli(['validate', 'one.jsonl', 'two.jsonl', '--against', 'saved.json'], { cwd });
    expect(worse.code).toBe(98);
    expect(worse.stderr).toContain('blind.classAgreement');
  });

  it('refuses a file that holds no saved totals, and leaves nothing behind', async () => {
    const cwd = tempFolder({ 'one.jsonl': session(30_000), 'other.json': '{}' });
    const { code, stderr } = await cli(
      ['validate', 'one.jsonl', '--against', 'other.json', '--save', 'new.json'],
      { cwd },
    );
    expect([code, stderr.includes('--save')]).toEqual([2, true]);
    expect(existsSync(join(cwd, 'new.json'))).toBe(false);
  });

  it('shows how far it is on a terminal', async () => {
    const cwd = tempFolder({ 'one.jsonl': session(30_000) });
    const { stderr } = await cli(['validate', 'one.jsonl'], { cwd, terminal: 'stderr' });
    expect(stderr).toContain('validating');
  });
});

import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  checkKey,
  checkSessions,
  checkStudy,
  studyIn,
} from '../../../../src/cli/commands/fleet/fleet-queue.js';
import { thrownBy } from '../../../helpers/refusal.js';
import { tempFolder } from '../../cli.js';

const SPEC = {
  file: 'study.yaml',
  vary: ['window.percent=30..95:3'],
  set: [],
  transcripts: ['sessions/**/*'],
};

function refusal(change: object, results = 'out'): string {
  const cwd = tempFolder({ 'study.yaml': '' });
  mkdirSync(join(cwd, 'inner'));
  symlinkSync('/', join(cwd, 'link'));
  const error = thrownBy(() => checkStudy({ spec: { ...SPEC, ...change }, results }, cwd, cwd));
  return error === null ? 'fine' : (error as Error).message;
}

describe('H7 a study from a server', () => {
  it('may use the folder of the worker', () => {
    expect(refusal({})).toBe('fine');
    expect(refusal({ transcripts: ['./a.jsonl', '*.jsonl'], metrics: 'costUsd' }, 'inner/out')).toBe('fine');
    expect(refusal({ set: ['cache.ttl=1h', 'policy=peers/aider.yaml'] })).toBe('fine');
  });

  it.each([
    ['a pattern over the whole disk', { transcripts: ['/**/*'] }],
    ['a folder further up', { transcripts: ['../*'] }],
    ['a folder further up behind a pattern', { transcripts: ['*/../../x'] }],
    ['the home folder', { transcripts: ['~/.claude/projects'] }],
    ['a folder behind a link', { transcripts: ['link/etc/*'] }],
    ['another scenario', { file: '/etc/passwd' }],
    ['a scenario further up', { file: 'inner/../../x.yaml' }],
    ['a recording in a setting', { set: ['transcript={file: /etc/passwd}'] }],
    ['a policy further up', { vary: ['policy=none,../p.yaml'] }],
    ['a file of the home folder', { set: ['transcript.file=~/x'] }],
  ])('may not name %s', (_what, change) => {
    expect(refusal(change)).toMatch(/^a study on the server is refused: .* outside/);
  });

  it.each(['/tmp', '../out', 'link/tmp/out', 'inner/../../out'])('may not write to %s', (results) => {
    expect(refusal({}, results)).toMatch(/refused: .* outside/);
  });

  it('has texts with an end, of which little is shown', () => {
    const name = 'x'.repeat(5_000_000);
    for (const change of [{ file: name }, { metrics: name }, { vary: [name] }, { step: { [name]: 1 } }]) {
      expect(refusal(change)).toContain('has more than 4,096 characters');
      expect(refusal(change).length).toBeLessThan(300);
    }
  });

  it.each([null, 7, {}, { file: 'a' }, { file: 'a', vary: 'x', set: [] }, { file: 'a', vary: [1], set: [] }])(
    'must be one: %j',
    (spec) => {
      expect(() => checkStudy({ spec, results: 'out' }, '/x', '/x')).toThrow('it is none');
    },
  );

  it('must be JSON', () => {
    expect(studyIn('{"spec":1}')).toEqual({ spec: 1 });
    expect(() => studyIn('{"spec":')).toThrow('a study on the server is refused: it is not JSON');
  });

  it('may use another folder where the worker says so', () => {
    const [cwd, root] = [tempFolder(), tempFolder({ 'study.yaml': '' })];
    const study = {
      spec: { ...SPEC, file: join(root, 'study.yaml'), transcripts: [] },
      results: join(root, 'out'),
    };
    expect(() => checkStudy(study, cwd, cwd)).toThrow('outside');
    expect(checkStudy(study, cwd, root)).toBe(study);
  });
});

describe('sessions from a server', () => {
  const WORK = { command: 'why', paths: ['sessions'], choice: { last: 5 }, shares: 16, results: 'out' };
  const check = (change: object) => checkSessions({ ...WORK, ...change }, '/x', '/x');

  it('are told from a study, and are in the folder of the worker', () => {
    expect(check({})).toEqual(WORK);
    expect(check({ command: 'validate', choice: {} })).not.toBeNull();
    expect(checkSessions({ spec: SPEC, results: 'out' }, '/x', '/x')).toBeNull();
  });

  it.each([{ paths: ['/etc'] }, { paths: ['a', '../b'] }, { paths: ['~/a'] }, { results: '/tmp' }])(
    'may not name %j',
    (change) => {
      expect(() => check(change)).toThrow(/refused: .* outside/);
    },
  );

  it.each([
    { command: 'run' },
    { paths: 'sessions' },
    { paths: [7] },
    { choice: null },
    { choice: { last: 0 } },
    { choice: { since: 7 } },
    { choice: { out: '/tmp' } },
    { shares: 0 },
    { shares: 1.5 },
    { shares: 1e9 },
    { results: 7 },
  ])('are refused otherwise: %j', (change) => {
    expect(() => check(change)).toThrow('it is none');
  });
});

describe('D8 a job from a server', () => {
  it('names a batch of a study', () => {
    expect(checkKey({ study: 'a', batch: 3, other: 1 })).toEqual({ study: 'a', batch: 3 });
  });

  it.each([
    null,
    7,
    [],
    {},
    { study: 'a' },
    { study: 7, batch: 0 },
    ...[-1, 0.5, '0', null, 2 ** 60].map((batch) => ({ study: 'a', batch })),
  ])('is refused otherwise: %j', (data) => {
    expect(() => checkKey(data)).toThrow('a job on the server is refused: it names no batch of a study');
  });
});

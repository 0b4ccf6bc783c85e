import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkKey, checkStudy, studyIn } from '../../../../src/cli/commands/fleet/fleet-queue.js';
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
  try {
    checkStudy({ spec: { ...SPEC, ...change }, results }, cwd, cwd);
    return 'fine';
  } catch (error) {
    return (error as Error).message;
  }
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
    expect(() => studyIn('{"spec":')).toThrow('a study on the server is refused: it is no JSON');
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

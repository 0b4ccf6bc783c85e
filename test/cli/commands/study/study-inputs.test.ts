import { describe, expect, it } from 'vitest';
import { type StudyInputs, studyTitle } from '../../../../src/cli/commands/study/study-inputs.js';
import { answered, ask, assistant, jsonl, say, usage, user } from '../../../helpers/session.js';
import { cli, TRACE, tempFolder } from '../../cli.js';

const over = (...files: readonly string[]) =>
  `name: over\ntranscripts: [${files.map((file) => `{ file: ${file} }`).join(', ')}]\npolicy: none\n`;
const QUIET = ['--no-files', '--workers', '0', '--json'];

async function compared(files: Readonly<Record<string, string>>, ...argv: readonly string[]) {
  const { code, stdout, stderr } = await cli(['compare', 'a.yaml', ...QUIET, ...argv], {
    cwd: tempFolder(files),
  });
  return { code, stderr, json: JSON.parse(stdout) };
}

it('the page of a study is named like its scenario, or in words after its recordings', () => {
  const cwd = tempFolder({ 'a.yaml': over('s.jsonl'), 's.jsonl': jsonl([user('u', 0, 'go')]).toString() });
  const inputs = { transcripts: [{ path: 's.jsonl', day: '2026-01-02' }] } as unknown as StudyInputs;
  expect(studyTitle('over', 'a.yaml', cwd, inputs)).toBe('over');
  expect(studyTitle('over', 's.jsonl', cwd, inputs)).not.toBe('over');
});

describe('the sessions of a study', () => {
  it('are those that can be read; the others are left out with their reason and place', async () => {
    const { code, stderr, json } = await compared({
      'a.yaml': over('t.json', 'gone.json', 'cut.json'),
      't.json': TRACE,
      'cut.json': TRACE.slice(0, 40),
    });
    expect(code).toBe(0);
    expect(json.compared).toEqual(['t.json']);
    expect(json.skipped.map(({ file }: { file: string }) => file)).toEqual(['gone.json', 'cut.json']);
    expect(json.skipped[0].reason).toBe('there is no file gone.json');
    const lines = stderr.split('\n').filter((line) => line.startsWith('left out: '));
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(/^left out: error\[file-missing\] a\.yaml:2:\d+: there is no file gone\.json$/);
  });

  it('are an error where none can be read: its own for one, all of them for several', async () => {
    const one = await compared({ 'a.yaml': over('gone.json') });
    expect(one).toMatchObject({ code: 2, json: { error: { code: 'file-missing' } } });
    const two = await compared({ 'a.yaml': over('gone.json', 'lost.json') });
    expect(two).toMatchObject({ code: 2, json: { error: { code: 'bad-input' } } });
    expect(two.json.error.problems.map(({ message }: { message: string }) => message)).toEqual([
      'there is no file gone.json',
      'there is no file lost.json',
    ]);
  });

  it('are read once however often they are named, and told apart where they would be called the same', async () => {
    const synthetic = (prefixTokens: number) =>
      `{ synthetic: { workload: bugfix, turns: 5, text: none, prefixTokens: ${prefixTokens} } }`;
    const { json } = await compared({
      'a.yaml': `name: over\ntranscripts: [${[20_000, 30_000, 40_000].map(synthetic).join(', ')}]\npolicy: none\nseed: 1\n`,
    });
    expect(json.compared).toEqual(['bugfix 5 (seed 1)', 'bugfix 5 (seed 1) #2', 'bugfix 5 (seed 1) #3']);
  });

  it('have their findings noted once, with where and how often', async () => {
    // A line that is no JSON is told with the name of its file; a tool call without a result is told of both sessions.
    const session = (name: string) =>
      Buffer.from(
        jsonl([
          user(`${name}u`, 0, 'go'),
          assistant(`${name}a`, 5, `${name}m`, ask(`${name}t`), { usage: usage(10, 0, 500, 20) }),
        ]),
      )
        .toString()
        .replace('\n', '\n{"broken\n');
    const { stderr, json } = await compared({
      'a.yaml': over('s.jsonl', 't.jsonl'),
      's.jsonl': session('s'),
      't.jsonl': session('t'),
    });
    const lines = stderr.split('\n');
    const unanswered = 'tool calls have no result in the file';
    expect(lines).toContain(`s.jsonl and 1 other session: ${unanswered} (2 times)`);
    expect(json.warnings).toContainEqual(expect.objectContaining({ message: unanswered, count: 2 }));
    for (const name of ['s', 't']) expect(lines).toContain(`${name}: not JSON and skipped: line 2`);
    expect(stderr).not.toContain('more remarks');
    const one = await compared({ 'a.yaml': over('s.jsonl'), 's.jsonl': session('s') });
    expect(one.stderr.split('\n')).toContain(`s.jsonl: ${unanswered}`);
  });

  it('have the same costs among a hundred as alone, those that wait for their turn included', async () => {
    const session = (i: number) =>
      jsonl([
        user(`u${i}`, 0, `go ${i}`),
        answered(i, 5, say(`done ${i}`), usage(10 + i, 0, 500, 20)),
      ]).toString();
    const names = Array.from({ length: 100 }, (_, i) => `s${i}.jsonl`);
    const files = Object.fromEntries(names.map((name, i) => [name, session(i)]));
    const { code, json } = await compared({ 'a.yaml': over(...names), ...files });
    expect(code).toBe(0);
    expect(json.compared).toHaveLength(100);
    const runs: readonly { transcript: string; metrics: Record<string, number> }[] = json.variants.find(
      ({ name }: { name: string }) => name === 'base',
    ).runs;
    for (const name of ['s0.jsonl', 's99.jsonl']) {
      const alone = await compared({ 'a.yaml': over(name), ...files });
      const [own] = alone.json.variants.find((each: { name: string }) => each.name === 'base').runs;
      expect(runs.find(({ transcript }) => transcript === name)).toEqual(own);
      expect(own.metrics.costUsd).toBeGreaterThan(0);
    }
  });
});

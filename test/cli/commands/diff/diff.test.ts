import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sharedData } from '../../../helpers/recordings/shared.js';
import { assistant, jsonl, say, usage, user } from '../../../helpers/session.js';
import { cli, printed, refused, tempFolder } from '../../cli.js';

const ROOT = resolve(import.meta.dirname, '../../../..');

const SCENARIO = `name: lunch
transcript: { synthetic: { workload: refactor, turns: 60, text: none } }
model: claude-sonnet-4-5
policy: claude-code/2.1.112
variants:
  - { name: early, set: { window.percent: 30 } }
seed: 3
`;

interface DiffJson {
  readonly firstDifference: {
    readonly request: number;
    readonly turn: number;
    readonly reason: string;
    readonly kind: string;
  } | null;
  readonly differences: readonly { readonly turn: number; readonly costUsd: number }[];
  readonly a: { readonly costUsd: number };
  readonly b: { readonly costUsd: number };
}

describe('ccbench diff', () => {
  it('of a scenario and its variant names the threshold', async () => {
    const cwd = tempFolder({ 'lunch.yaml': SCENARIO });
    const stdout = await printed(['diff', 'lunch.yaml', '--json'], { cwd });
    const diff = JSON.parse(stdout) as DiffJson;
    expect(diff.firstDifference!.kind).toBe('threshold');
    expect(diff.differences[0]!.turn).toBe(diff.firstDifference!.turn);
    const sum = diff.differences.reduce((all, { costUsd }) => all + costUsd, 0);
    expect(sum).toBeCloseTo(diff.b.costUsd - diff.a.costUsd, 9);
    const text = await cli(['diff', 'lunch.yaml', 'lunch.yaml#early'], { cwd });
    expect(text.stdout).toContain(
      `They first differ at request ${diff.firstDifference!.request} (turn ${diff.firstDifference!.turn})`,
    );
  });

  it('of two report folders reads their logs; the same run is the same', async () => {
    const cwd = tempFolder({ 'lunch.yaml': SCENARIO });
    await cli(['run', 'lunch.yaml', '--no-charts', '--quiet'], { cwd });
    const same = await cli(['diff', 'reports/lunch', 'lunch.yaml#base'], { cwd });
    expect(same.stdout).toContain('They are the same in all');
    const other = await cli(['diff', 'reports/lunch', 'reports/lunch/early/run.jsonl', '--json'], { cwd });
    expect((JSON.parse(other.stdout) as DiffJson).firstDifference).not.toBeNull();
  });

  it('of a recording says what of its costs is estimated, in the text, the JSON and the page', async () => {
    // A response that does not say how it stopped holds a placeholder for its output.
    const model = { model: 'claude-sonnet-4-5', stop_reason: null };
    const lines = [
      user('u0', 0, 'a question'),
      assistant(
        'a0',
        1,
        'm0',
        say('a long answer'),
        { ...model, usage: usage(10, 0, 9_000, 1) },
        { parentUuid: 'u0' },
      ),
    ];
    const cwd = tempFolder({ 's.jsonl': jsonl(lines) });
    const note = 'as recorded: the output of 1 of 1 calls is estimated: the recording has placeholders';
    const { stdout } = await cli(['diff', 's.jsonl', '--json', '--out', 'd'], { cwd });
    expect(JSON.parse(stdout).notes).toContain(note);
    expect(readFileSync(join(cwd, 'd/diff.html'), 'utf8')).toContain(note);
    expect((await cli(['diff', 's.jsonl'], { cwd })).stdout.replaceAll(/\s+/g, ' ')).toContain(note);
    // Two runs have nothing estimated.
    const runs = tempFolder({ 'lunch.yaml': SCENARIO });
    expect(JSON.parse((await cli(['diff', 'lunch.yaml', '--json'], { cwd: runs })).stdout).notes).toEqual([]);
  });

  it('of a recording alone names the profile of its run and the settings that make it one of the recorded client', async () => {
    const stdout = await printed(['diff', 'fixtures/bugfix-20-turns.jsonl'], { cwd: ROOT });
    expect(stdout.replaceAll(/\s+/g, ' ')).toMatch(
      / predicted · claude-code\/[\d.]+ with .*client\.use=recorded: \$/,
    );
  });

  it('says that a scenario and itself differ in nothing, and that two settings that did not act might', async () => {
    const cwd = tempFolder({ 'a.yaml': SCENARIO, 'b.yaml': SCENARIO.replace('percent: 30', 'percent: 100') });
    const same = await cli(['diff', 'a.yaml', 'a.yaml'], { cwd });
    expect(same.stdout).toContain('Their settings are the same.');
    const idle = await cli(['diff', 'b.yaml'], { cwd });
    expect(idle.stdout).toContain('The settings that differ had no effect here.');
  });

  it('says that a recording and a run over another one are different sessions', async () => {
    const recording = readFileSync(
      join(import.meta.dirname, '../../../../fixtures/bugfix-20-turns.jsonl'),
      'utf8',
    );
    const cwd = tempFolder({
      's.jsonl': recording,
      'own.yaml': 'name: own\ntranscript: { file: s.jsonl }\npolicy: none\n',
      'other.yaml': SCENARIO,
    });
    const own = await cli(['diff', 's.jsonl', 'own.yaml'], { cwd });
    expect([own.code, own.stdout.includes('different sessions')]).toEqual([0, false]);
    const other = await cli(['diff', 's.jsonl', 'other.yaml'], { cwd, columns: 300 });
    expect(other.stdout).toContain('the sides are different sessions: requests are aligned only by turn');
    expect(
      JSON.parse((await cli(['diff', 's.jsonl', 'other.yaml', '--json'], { cwd })).stdout),
    ).toMatchObject({
      sameSession: false,
      samePlan: false,
    });
  });

  it('says what is missing: a second side, a variant, a run in a folder', async () => {
    const cwd = tempFolder({ 'lunch.yaml': SCENARIO, 'plain.yaml': SCENARIO.replace(/variants:\n.*\n/, '') });
    const cases: readonly (readonly [readonly string[], string])[] = [
      [['diff', 'plain.yaml'], 'plain.yaml has no variant to compare it with'],
      [['diff', 'lunch.yaml#late', 'lunch.yaml'], 'variant "late"'],
      [['diff', '.', 'lunch.yaml'], '. holds no run.jsonl'],
      [['diff', 'gone.jsonl'], 'gone.jsonl'],
    ];
    for (const [argv, message] of cases) {
      const stderr = await refused(argv, { cwd });
      expect(stderr).toContain(message);
      expect(stderr).toContain('hint:');
    }
  });

  it.skipIf(!sharedData.present)('of a recording holds it against its simulation', async () => {
    const file = sharedData
      .files('transcripts/claude-code')
      .find((path) => path.includes('v2.1.42-auto167k'))!;
    const { stdout } = await cli(['diff', file, '--json'], { cwd: tempFolder() });
    const { firstDifference, a, b } = JSON.parse(stdout) as DiffJson;
    // Its one automatic compaction comes behind the seventieth call; up to there the simulation is the recording.
    expect(firstDifference!.turn).toBeGreaterThanOrEqual(71);
    expect(Math.abs(b.costUsd / a.costUsd - 1)).toBeLessThan(0.02);
  });
});

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { LimitsReport } from '../../../../src/analysis/limits/limits.js';
import { parseReading } from '../../../../src/cli/commands/why/limit-readings.js';
import { assistant, jsonl, say, stamp, usage, user } from '../../../helpers/session.js';
import { type CliResult, cli, refused, tempFolder } from '../../cli.js';

/** A session of two prompts, two hours apart, and a runner of `why --limits` on it with a cache folder of its own. */
function limitsOn(model = 'claude-sonnet-4-5') {
  const fields = { version: '2.1.100', cwd: '/projects/shop' };
  const answer = (id: string, at: number, parent: string) =>
    assistant(
      id,
      at,
      `m-${id}`,
      say('yes'),
      { model, usage: usage(10, 0, 90_000, 50) },
      { ...fields, parentUuid: parent },
    );
  const lines = [
    user('u0', 0, 'one', fields),
    answer('a0', 1, 'u0'),
    user('u1', 7_200, 'two', { ...fields, parentUuid: 'a0' }),
    answer('a1', 7_201, 'u1'),
  ];
  const home = tempFolder({ 's.jsonl': jsonl(lines) });
  const env = { HOME: home, CCBENCH_CACHE: join(home, 'kept') };
  const run = (...rest: readonly string[]): Promise<CliResult> =>
    cli(['why', 's.jsonl', '--limits', ...rest], { cwd: home, env });
  const json = async (...rest: readonly string[]): Promise<LimitsReport> =>
    JSON.parse((await run('--json', ...rest)).stdout).limits;
  return { home, run, json, file: join(home, 'kept/limit-readings.json') };
}

/** A time of the session without a zone, to the minute. */
const minute = (seconds: number): string => stamp(seconds).slice(0, 16);

const unwrapped = (text: string): string => text.replace(/\s+/g, ' ');

// Two times 90,000 tokens written for an hour, 10 of input and 50 of output.
const WEIGHTED = 2 * (180_000 + 10 + 250);

describe('ccbench why --limits', () => {
  it('answers first, in at most 25 lines, and writes no page', async () => {
    const { home, run } = limitsOn();
    const { code, stdout } = await run();
    expect(code).toBe(0);
    expect(stdout).toMatch(/^The fullest five hours were .* UTC: 360,520 weighted tokens;/);
    expect(stdout.split('\n').length).toBeLessThanOrEqual(26);
    expect(unwrapped(stdout)).toContain('1 is Sonnet input), assumed.');
    expect(unwrapped(stdout)).toContain('No readings: published fits, ± 17 %: the fullest is 0.1 to 0.1 %');
    expect(existsSync(join(home, 'reports'))).toBe(false);
  });

  it('--json has windows, weights and fit beside the rest of the report', async () => {
    const { run } = limitsOn();
    const { stdout } = await run('--json');
    const { limits, recordedUsd, page } = JSON.parse(stdout);
    expect(Object.keys(limits)).toEqual(['vendor', 'fiveHour', 'weekly', 'weights', 'fit', 'leftOut']);
    expect(limits.fiveHour.fullest.weighted).toBe(WEIGHTED);
    expect(limits.fit).toEqual({ fiveHour: { kind: 'no-readings' }, weekly: { kind: 'no-readings' } });
    expect(recordedUsd).toBeGreaterThan(0);
    expect(page).toBeNull();
  });

  it('keeps readings, uses them in the next run, and removes one', async () => {
    const { json, run, file } = limitsOn();
    const at = minute(7_260);
    const first = await json('--observed', `${at}=40%`);
    expect((await run('--observed', `${at}=40%`)).stderr).toContain(`meter readings are kept in ${file}`);
    expect(first.fit.fiveHour).toMatchObject({ kind: 'fitted', readings: 1 });
    const again = await json();
    expect(again.fit.fiveHour).toMatchObject({ kind: 'fitted', errorPoints: null });
    expect(again.fit).toEqual(first.fit);
    expect(again.fiveHour.fullest.percent!.value).toBeCloseTo(40);
    expect(unwrapped((await run()).stdout)).toContain('40 % of the five-hour limit');
    expect((await json('--no-observed')).fit.fiveHour.kind).toBe('no-readings');
    expect((await json('--observed', `${at}=none`)).fit.fiveHour.kind).toBe('no-readings');
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ readings: [] });
  });

  it('of two readings of one time and meter keeps the last; the week has its own', async () => {
    const { json, file } = limitsOn();
    const at = minute(7_260);
    const given = [`${at}=40%`, `weekly:${at}=7%`, `5h:${at}=50`].flatMap((each) => ['--observed', each]);
    const { fiveHour, weekly } = await json(...given);
    expect(fiveHour.fullest.percent!.value).toBeCloseTo(50);
    expect(weekly.fullest.percent!.value).toBeCloseTo(7);
    const { readings } = JSON.parse(readFileSync(file, 'utf8'));
    expect(
      readings.map(({ meter, percent }: { meter: string; percent: number }) => [meter, percent]),
    ).toEqual([
      ['fiveHour', 50],
      ['weekly', 7],
    ]);
  });

  it('keeps no reading that it cannot read, and says how one is written', async () => {
    const { run, file } = limitsOn();
    for (const wrong of [
      '63%',
      '2026-02-30T10:00=5%',
      '2026-11-10T14:05=163%',
      '2026-11-10=5%',
      'daily:2026-11-10T14:05=5%',
    ]) {
      const { code, stderr } = await run('--observed', wrong);
      expect(code, wrong).toBe(2);
      expect(stderr).toContain(`--observed ${wrong} is not a meter reading`);
      expect(stderr).toContain('2026-11-10T14:05=63%');
    }
    expect(existsSync(file)).toBe(false);
  });

  it('names the file where kept readings are damaged, and the way round it', async () => {
    const { run, file } = limitsOn();
    await run('--observed', `${minute(0)}=5%`);
    const reading = { vendor: 'anthropic', meter: 'fiveHour', at: stamp(0), percent: 5 };
    const damages = [
      { vendor: 7 },
      { meter: 'daily' },
      { at: 7 },
      { at: 'soon' },
      { percent: '5' },
      { percent: null },
    ];
    writeFileSync(file, JSON.stringify({ readings: [reading, { ...reading, meter: 'weekly' }] }));
    expect((await run()).code).toBe(0);
    for (const damaged of [
      ...['{', '{"readings":[{}]}', '[]', '{"readings":[null]}'],
      ...damages.map((damage) => JSON.stringify({ readings: [{ ...reading, ...damage }] })),
    ]) {
      writeFileSync(file, damaged);
      const { code, stderr } = await run();
      expect(code, damaged).toBe(2);
      expect(stderr).toContain('limit-readings.json');
      expect(stderr).toContain('--no-observed');
      expect((await run('--no-observed')).code).toBe(0);
    }
  });

  it('refuses to remove a reading that is not kept', async () => {
    const { code, stderr } = await limitsOn().run('--observed', '2026-11-10T14:05=none');
    expect(code).toBe(2);
    expect(stderr).toContain('no reading at 2026-11-10T14:05:00.000Z is kept');
  });

  it.each([
    [['--share'], '--limits has no effect with --share'],
    [['--out', 'x'], '--out has no effect with --limits'],
    [['--top', '3'], '--top has no effect with --limits'],
    [['--by', 'file'], '--by has no effect with --limits'],
  ])('refuses %s', async (more, sentence) => {
    const { code, stderr } = await limitsOn().run(...more);
    expect(code).toBe(2);
    expect(stderr).toContain(sentence);
  });

  it.each([
    [['--fix', '--by', 'file', '--json'], '--by has no effect with --fix'],
    [['--fix', '--out', 'x'], '--out has no effect with --fix'],
    [['--trend', '--by', 'file'], '--by has no effect with --trend'],
    [['--trend', '--top', '3'], '--top has no effect with --trend'],
    [['--split', '2026-10-14', '--out', 'x'], '--out has no effect with --split'],
  ])('refuses other views with what they do not show: %s', async (args, sentence) => {
    expect(await refused(['why', 's.jsonl', ...args], { cwd: limitsOn().home })).toContain(sentence);
  });

  it('prints sources grouped as asked beside limits for scripts', async () => {
    const { home } = limitsOn();
    const { code } = await cli(['why', 's.jsonl', '--limits', '--no-observed', '--by', 'kind', '--json'], {
      cwd: home,
    });
    expect(code).toBe(0);
  });

  it('refuses what is no reading before anything is read', async () => {
    const stderr = await refused(['why', 'missing.jsonl', '--limits', '--observed', '63%'], {
      cwd: tempFolder(),
    });
    expect(stderr).toContain('--observed 63% is not a meter reading');
  });

  it('refuses readings without limits', async () => {
    const { home } = limitsOn();
    const stderr = await refused(['why', 's.jsonl', '--observed', '2026-11-10T14:05=5%'], {
      cwd: home,
    });
    expect(stderr).toContain('--observed has no effect without --limits');
  });
});

describe('a reading of a meter', () => {
  it('is in UTC without a zone, else in its own', () => {
    const at = (written: string): string => new Date(parseReading(written).atMs).toISOString();
    expect(at('2026-11-10T14:05=63%')).toBe('2026-11-10T14:05:00.000Z');
    expect(at('2026-11-10 14:05:30Z=63')).toBe('2026-11-10T14:05:30.000Z');
    expect(at('2026-11-10T14:05+01:00=63%')).toBe('2026-11-10T13:05:00.000Z');
    expect(at('weekly:2026-11-10T20:05-08:00=6.5%')).toBe('2026-11-11T04:05:00.000Z');
  });

  it('is of the five-hour meter unless it says otherwise', () => {
    expect(parseReading('2026-11-10T14:05=63%')).toMatchObject({ meter: 'fiveHour', percent: 63 });
    expect(parseReading('weekly:2026-11-10T14:05=6.5%')).toMatchObject({ meter: 'weekly', percent: 6.5 });
    expect(parseReading('5h:2026-11-10T14:05=none')).toMatchObject({ meter: 'fiveHour', percent: null });
  });
});

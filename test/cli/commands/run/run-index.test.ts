import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { StudyPageData } from '../../../../src/report/page-data/page-data.js';
import { dataOf } from '../../../helpers/pages/page-data.js';
import { cli, scenario, TRACE, tempFolder } from '../../cli.js';

interface Run {
  readonly label: string;
  readonly finished: boolean;
  readonly metrics: Readonly<Record<string, number>>;
}

/** The index of a scenario with several runs, and what the command says of the same runs in JSON. */
async function indexOf(files: Readonly<Record<string, string>>) {
  const cwd = tempFolder(files);
  await cli(['run', 'a.yaml', '--out', 'out', '--quiet'], { cwd });
  const { stdout } = await cli(['run', 'a.yaml', '--no-files', '--json'], { cwd });
  const runs = JSON.parse(stdout).runs as readonly Run[];
  const page = dataOf<StudyPageData>(readFileSync(join(cwd, 'out/several/index.html'), 'utf8'));
  return {
    page,
    runs,
    sum: (metric: string) => runs.reduce((all, { metrics }) => all + metrics[metric]!, 0),
  };
}

const dollars = (usd: number) => `$${usd.toFixed(usd < 1 ? 4 : 2)}`;

describe('the index of several runs', () => {
  const VARIANTS =
    'variants:\n  - { name: hour, cache: { ttl: 1h } }\n  - { name: cut, policy: unbounded }\n';

  it('adds up nothing over variants of one session: it says what they lie between', async () => {
    const { page, runs } = await indexOf({ 'a.yaml': scenario('several', VARIANTS) });
    const [count, cost, , , compactions] = page.cards!;
    expect([count!.value, count!.note, count!.tone]).toEqual(['3', 'all finished', 'plain']);
    const costs = runs.map(({ metrics }) => metrics.costUsd!);
    expect(Math.max(...costs)).toBeGreaterThan(Math.min(...costs));
    expect([cost!.label, cost!.value, cost!.note]).toEqual([
      'Cost',
      `${dollars(Math.min(...costs))} to ${dollars(Math.max(...costs))}`,
      'of a run',
    ]);
    expect(runs.map(({ metrics }) => metrics.compactions)).toEqual([0, 0, 0]);
    expect(compactions!.value).toBe('0');
    expect(page.cards!.map(({ note }) => note)).not.toContain('together');
  });

  it('adds up what runs of several sessions say of themselves', async () => {
    const { page, runs, sum } = await indexOf({
      'a.yaml': 'name: several\ntranscripts: [{ file: s.json }, { file: t.json }]\npolicy: none\n',
      's.json': TRACE,
      't.json': TRACE.replace('"in":1000', '"in":2000').replace('hand', 'other'),
    });
    const [count, cost, rate, requests, compactions] = page.cards!;
    expect([count!.value, count!.note, count!.tone]).toEqual(['2', 'all finished', 'plain']);
    expect(cost!.value).toBe(dollars(sum('costUsd')));
    expect(compactions!.value).toBe(String(sum('compactions')));
    const prompt = Number(rate!.note.replace(/\D/g, ''));
    const rates = runs.map(({ metrics }) => metrics.cacheHitRate!);
    expect(prompt).toBeGreaterThan(0);
    // a mean by tokens lies between the rates of the runs
    const shown = Number(rate!.value.replace('%', '')) / 100;
    expect(shown).toBeGreaterThanOrEqual(Math.min(...rates) - 0.0005);
    expect(shown).toBeLessThanOrEqual(Math.max(...rates) + 0.0005);
    expect(Number(requests!.value.replaceAll(',', ''))).toBeGreaterThanOrEqual(2);
  });

  it('marks the breaks that the runs count, and no other rewrites', async () => {
    // Pauses of ten minutes outlast a cache of five; what is sent beside an answer finds entries that are not readable yet.
    const text = scenario(
      'several',
      'variants:\n  - { name: hour, cache: { ttl: 1h } }\ncache: { ttl: 5m }\n',
    )
      .replace('policy: none', 'policy: claude-code/2026')
      .replace('turns: 40,', 'turns: 120, idle: [{ afterTurn: 60, minutes: 10 }],');
    const { page, runs } = await indexOf({ 'a.yaml': text });
    const marked = page.runs.map((run) => run!.requests.cause.filter((cause) => cause >= 0).length);
    const counted = runs.map(({ metrics }) => metrics.cacheBreaks! + metrics.cacheBreaksExpected!);
    expect(counted[0]).toBeGreaterThan(0);
    expect(marked).toEqual(counted);
  });

  it('says which run is the cheapest and which the most expensive', async () => {
    const { page, runs } = await indexOf({ 'a.yaml': scenario('several', VARIANTS) });
    const byCost = [...runs].sort((a, b) => a.metrics.costUsd! - b.metrics.costUsd!);
    expect(page.lead).toMatch(/^3 runs, from \$\S+ \(several\S*\) to \$\S+ \(several\S*\)\.$/);
    expect(page.lead).toContain(`from ${dollars(byCost[0]!.metrics.costUsd!)} (`);
    expect(page.lead).toContain(` to ${dollars(byCost.at(-1)!.metrics.costUsd!)} (`);
  });

  it('tells of runs that did not finish, and compares none of them', async () => {
    const long = scenario('several', 'variants:\n  - { name: wide, policy: unbounded }\n').replace(
      '40',
      '400',
    );
    const { page } = await indexOf({ 'a.yaml': long });
    expect([page.cards![0]!.note, page.cards![0]!.tone]).toEqual(['1 unfinished', 'bad']);
    expect(page.lead).toBe('2 runs.');
  });

  it('marks no best run where the sessions differ, and one where they are the same', async () => {
    const marks = ({ table }: StudyPageData) =>
      table!.rows.flatMap(({ cells }) => cells.flatMap(({ mark }) => mark ?? []));
    const apart = await indexOf({
      'a.yaml': 'name: several\ntranscripts: [{ file: s.json }, { file: t.json }]\npolicy: none\n',
      's.json': TRACE,
      't.json': TRACE.replace('"in":1000', '"in":2000').replace('hand', 'other'),
    });
    expect(marks(apart.page)).toEqual([]);
    const same = await indexOf({ 'a.yaml': scenario('several', VARIANTS) });
    expect(marks(same.page)).toContain('best');
  });
});

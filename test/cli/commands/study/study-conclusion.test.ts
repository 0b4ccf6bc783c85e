import { describe, expect, it } from 'vitest';
import { comparisonTable } from '../../../../src/cli/commands/study/comparison-table.js';
import {
  bestSetting,
  comparisonConclusion,
  concluded,
  sweepConclusion,
} from '../../../../src/cli/commands/study/study-conclusion.js';
import { rulesOf } from '../../../../src/study/chosen-metrics.js';
import { compareVariants } from '../../../../src/study/comparison.js';
import { completenessOf } from '../../../../src/study/completeness.js';
import { type Runs, variantOf } from '../../../helpers/variant-runs.js';

/** Finished runs of four calls with these costs. */
const costs = (...values: readonly number[]): Runs =>
  Object.fromEntries(values.map((usd, i) => [`s${i}`, [4, 0, usd] as const]));
const CUT: Runs = { s0: [3, 1, 1] };

function compared(
  rows: Readonly<Record<string, Runs>>,
  metrics: readonly string[] = ['costUsd'],
  subjectTo: readonly string[] = [],
) {
  const runs = Object.entries(rows).map(([name, own]) => variantOf(name, own));
  const comparison = compareVariants(runs, Object.keys(rows)[0]!, metrics, rulesOf(subjectTo));
  return {
    comparison,
    runs,
    table: comparisonTable('c', comparison, runs),
    ...comparisonConclusion(comparison),
  };
}

describe('what a comparison comes to', () => {
  it('is the variant that is best beside the baseline, and by how much', () => {
    expect(compared({ base: costs(4), dear: costs(5), cheap: costs(3) })).toMatchObject({
      result: 'cheap has cost $3.00, $1.00 (25 %) less than base.',
      advice: expect.stringMatching(/^This is one session/),
    });
    expect(compared({ base: costs(4), dear: costs(5), costlier: costs(6) }).result).toBe(
      'No variant is better than base in cost: dear, the nearest, has $1.00 (25 %) more.',
    );
    expect(compared({ base: costs(4), same: costs(4) })).toMatchObject({
      result: 'No variant is better than base in cost, which is $4.00.',
      advice: expect.stringMatching(/^same comes nearest/),
    });
    expect(compared({ base: costs(4, 6) })).toMatchObject({
      result: 'base: cost $5.00, the mean over 2 sessions.',
      advice: expect.stringMatching(/^There is nothing to compare it with/),
    });
    // Of three sessions two have a cost.
    const unpriced = [4, 0, undefined as unknown as number] as const;
    expect(
      compared({ base: { ...costs(4, 6), u: unpriced }, cheap: { ...costs(3, 5), u: unpriced } }).result,
    ).toBe('cheap has cost $4.00, $1.00 (20 %) less than base, the mean over 2 sessions.');
    expect(compared({ base: costs(0), dear: costs(2) }).result).toBe(
      'No variant is better than base in cost: dear, the nearest, has $2.00 more.',
    );
  });

  it('is nothing worth acting on up to 1 % of the cost of the baseline', () => {
    const { comparison } = compared({ base: costs(100, 100), cheap: costs(99, 99) });
    const said = (deltaUsd: number) =>
      comparisonConclusion(
        comparison,
        new Map([['cheap', { deltaUsd, deltaLowUsd: deltaUsd - 0.1, deltaHighUsd: deltaUsd + 0.1 }]]),
      ).result;
    expect(said(-1)).toBe(
      'There is no difference worth acting on: cheap, the nearest to base, differs by −$1.00, the mean over 2 sessions.',
    );
    expect(said(-1.01)).toMatch(/^cheap has cost \$99\.00/);
  });

  it('looks among those that hold what every run must hold, and puts the others behind them', () => {
    const one = (usd: number, kept: number): Runs => ({ s0: [4, 0, usd, kept] });
    const rows = { base: one(4, 0.8), cheap: one(1, 0.2), fair: one(3, 0.5) };
    const kept = (text: string) => compared(rows, ['costUsd'], [text]);
    const some = kept('contentRetention >= 40%');
    expect(some.result).toBe(
      'Subject to contentRetention >= 40%: fair has cost $3.00, $1.00 (25 %) less than base.',
    );
    expect(some.comparison.best.costUsd).toBe('fair');
    expect(some.table.rows.map(({ name, note }) => [name, note])).toEqual([
      ['base', undefined],
      ['fair', undefined],
      ['cheap', 'not contentRetention >= 40%'],
    ]);
    expect(some.table.notes).toContain('ranked last: cheap does not meet contentRetention >= 40% (20.0%)');
    expect(kept('contentRetention < 60%').result).toBe(
      'cheap has the best cost of those that meet contentRetention < 60%: $1.00, against $4.00 for base, which does not.',
    );
    expect(kept('contentRetention >= 70%').result).toMatch(
      /^No other variant that meets .* with base: cost \$4/,
    );
    expect(kept('contentRetention > 90%')).toMatchObject({
      result: 'No compared variant meets contentRetention > 90%.',
      advice: expect.stringMatching(/^Relax/),
    });
    // What holds everywhere changes nothing.
    expect(kept('contentRetention > 1%').result).toBe(compared(rows).result);
  });

  it('takes a condition for broken that one of several sessions breaks, or has no value for', () => {
    const rows = {
      base: costs(4, 4),
      other: { s0: [4, 0, 1, 0.9], s1: [4, 0, 1, 0.3] } satisfies Runs,
    };
    const { notes } = compared(rows, ['costUsd'], ['contentRetention >= 40%']).table;
    expect(notes).toContain(
      'ranked last: other does not meet contentRetention >= 40% (not in 1 of 2 sessions, 30.0% in s1)',
    );
    const unknown = compared(rows, ['costUsd'], ['faultsNone <= 1']);
    expect(unknown.comparison.variants.map(({ broken }) => broken[0]!.runs.length)).toEqual([2, 2]);
    expect(unknown.table.notes.join()).toContain('no value in s0');
  });

  it('takes more for better where a metric says so', () => {
    const kept = (share: number): Runs => ({ s0: [4, 0, 1, share] });
    expect(
      compared({ base: kept(0.5), less: kept(0.25), more: kept(0.75) }, ['contentRetention']).result,
    ).toBe('more has content kept 75.0%, 25.0% (50 %) more than base.');
  });

  it('tells noise from a difference with an interval', () => {
    const sure = compared({ base: costs(4, 6, 8), cheap: costs(3, 5, 7.2) });
    expect(sure.result).toBe(
      'cheap has cost $5.07, $0.9333 (15.6 %) less than base, the mean over 3 sessions.',
    );
    expect(sure.advice).toMatch(/^The 95 % interval is −\$1\.\d+ to −\$0\.\d+ a session, if/);
    const unsure = compared({ base: costs(4, 6, 8), odd: costs(1, 9, 7) });
    expect(unsure.advice).toMatch(/^This may be noise: the 95 % interval is −\$.+ to \$.+ a session/);
  });

  it('names nobody where nobody is ranked, and says who did not finish', () => {
    expect(compared({ base: costs(4), cut: CUT })).toMatchObject({
      result: 'No variant is ranked against base in cost: no other variant finished.',
      advice: expect.stringMatching(/^Leave out the variants/),
    });
    expect(compared({ base: CUT, other: costs(4) })).toMatchObject({
      result: 'No variant is ranked against base in cost: base did not finish.',
      advice: expect.stringMatching(/^Leave out the variants/),
    });
    expect(compared({ base: CUT, one: costs(4), two: costs(5) })).toMatchObject({
      result: 'No variant is ranked against base in cost: base did not finish.',
      advice: 'Choose a --baseline that finished, such as "one".',
    });
    expect(compared({ base: CUT, cut: CUT }).result).toBe(
      'No variant is ranked against base in cost: no variant finished the session.',
    );
    const half: Runs = { s0: [4, 0, 4], s1: [3, 1, 1] };
    expect(compared({ base: half, one: costs(4, 6), two: costs(5, 7) }).result).toBe(
      'No variant is ranked against base in cost: base did not finish every session that another one finished.',
    );
    expect(compared({ base: costs(4, 6), half }).result).toBe(
      'No variant is ranked against base in cost: no other variant finished every session that base finished.',
    );
  });

  it('says where nobody has a value', () => {
    expect(compared({ base: costs(4), other: costs(5) }, ['forkHitRate'])).toMatchObject({
      result:
        'No variant is ranked against base in fork hit rate: no other variant has a value in a session in which base has one.',
      advice: expect.stringMatching(/name another metric first in --metrics, such as costUsd/),
    });
    const unpriced: Runs = { s0: [4, 0, undefined as unknown as number] };
    expect(compared({ base: unpriced, other: unpriced }).advice).toMatch(/such as cacheHitRate\.$/);
  });
});

describe('the table of a comparison', () => {
  it('has differences in percent, or in the unit where the baseline is zero', () => {
    const cells = (rows: Readonly<Record<string, Runs>>) =>
      compared(rows).table.rows.map(({ cells: [cell] }) => [cell!.text, cell!.note, cell!.mark]);
    expect(
      cells({ base: costs(4), dear: costs(5), cheap: costs(3), same: costs(4), near: costs(4.0001) }),
    ).toEqual([
      ['$4.00', '', undefined],
      ['$5.00', '+25 %', undefined],
      ['$3.00', '−25 %', 'best'],
      ['$4.00', '=', undefined],
      ['$4.00', '+<0.1 %', undefined],
    ]);
    expect(cells({ base: costs(0), dear: costs(2) })[1]).toEqual(['$2.00', '+$2.00', undefined]);
    expect(cells({ base: costs(4, 6, 8), worse: costs(5, 7, 9.2), odd: costs(1, 9, 7) })).toEqual([
      ['$6.00', '', undefined],
      ['$7.07', '+17.8 %', 'worse'],
      ['$5.67', 'within noise', undefined],
    ]);
  });

  it('says below it what the differences are of', () => {
    const { table } = compared({ base: costs(4, 6), dear: costs(5, 7.5), same: costs(4, 6) });
    expect(table.notes).toEqual([
      '* best · differences to base · means over 2 sessions; differences are paired, intervals are 95 %; one that contains 0 is noise',
      'the same as base in every metric: same; the changed settings had no effect here',
      expect.stringMatching(/^cost of dear: \+\$1\.25 \(\+25 %, 95 %: −\$1\.93 … \+\$4\.43, within noise\)$/),
    ]);
    const one = compared({ base: costs(4), dear: costs(5) }).table;
    expect(one.notes[0]).toContain('one transcript: differences have no interval');
    expect(one.notes[1]).toBe('cost of dear: +$1.00 (+25 %, one transcript, no interval)');
  });

  it('does not call a variant the same throughout that differs in what is not shown', () => {
    const { table } = compared({ base: costs(4), dear: costs(5), same: costs(4) }, ['contentRetention']);
    expect(table.notes).toContain(
      'the same as base in every metric: same; the changed settings had no effect here',
    );
    expect(table.notes).toContain(
      'the same as base in every metric shown: dear; others differ (--json has them)',
    );
  });

  it('pairs nothing with how far a variant came', () => {
    const { table } = compared({ base: { s0: [4, 0, 1] }, cut: CUT }, ['callsLost', 'costUsd']);
    expect(table.rows.map(({ note, cells: [lost] }) => [note, lost!.text, lost!.note])).toEqual([
      [undefined, '0', ''],
      ['unfinished', '1', ''],
    ]);
  });

  it('has its conclusion before its notes in a file', () => {
    const { table } = compared({ base: costs(4), dear: costs(5) });
    const closed = concluded(table, { result: 'r', advice: 'a' });
    expect(closed.notes.slice(0, 3)).toEqual(['r', 'a', table.notes[0]]);
    expect(concluded(table, { result: 'r', advice: 'a', repeat: 'ccbench x' }).notes[2]).toBe(
      'repeat: ccbench x',
    );
  });
});

describe('what a sweep comes to', () => {
  const of = (rows: Readonly<Record<string, Runs>>) =>
    completenessOf(Object.entries(rows).map(([name, own]) => variantOf(name, own)));
  const three = of({ a: costs(1), b: costs(2), c: costs(3) });
  const best = { settings: 'gap=5', value: 2 };

  it('is the best of this many points, and those that are as good', () => {
    expect(sweepConclusion('costUsd', best, three)).toMatchObject({
      result: 'The best cost of 3 points is $2.00, at gap=5.',
      advice: expect.stringMatching(/^It is best on one session/),
    });
    expect(sweepConclusion('costUsd', { ...best, equal: 1 }, three).result).toBe(
      'The best cost of 3 points is $2.00, at gap=5 and 1 other point.',
    );
    expect(sweepConclusion('costUsd', { ...best, equal: 2 }, three).result).toBe(
      'All 3 points have the same cost, $2.00.',
    );
    const two = of({ a: costs(1, 2), b: costs(2, 3) });
    expect(sweepConclusion('costUsd', best, two)).toMatchObject({
      result: 'The best cost of 2 points is $2.00, at gap=5, the mean over 2 sessions.',
      advice: expect.stringMatching(/^The best of many points looks better than it is/),
    });
    const most = of({ a: costs(1, 2, 3), b: costs(2, 3, 4) });
    expect(sweepConclusion('costUsd', best, most, 2).result).toMatch(/, the mean over 2 sessions\.$/);
  });

  it('says why there is none', () => {
    expect(sweepConclusion('turns', null, three).result).toMatch(
      /^No point is best in turns: neither higher nor/,
    );
    expect(sweepConclusion('forkHitRate', null, three).result).toBe(
      'No point is best in fork hit rate: no point has a value.',
    );
    expect(sweepConclusion('costUsd', best, of({ a: costs(1), cut: CUT }))).toEqual({
      result: 'Only gap=5 is ranked: cost $2.00.',
      advice: 'Leave out the points or the sessions that did not finish, and try again.',
    });
    expect(sweepConclusion('costUsd', best, of({ a: costs(1) })).advice).toMatch(/^There is nothing/);
    const seeds = of({ 'seed=1': { s1: [1, 1, 0] }, 'seed=2': { s2: [1, 1, 0] } });
    expect(sweepConclusion('costUsd', null, seeds)).toEqual({
      result: 'No point is best: the points were run over different sessions.',
      advice: expect.stringContaining('ccbench results <folder> --group'),
    });
    expect(sweepConclusion('costUsd', best, of({ a: CUT, b: CUT })).result).toBe(
      'No point is best: no point finished the session.',
    );
  });
});

describe('a cost without requests of models without a price', () => {
  /** Base costs $4, the other one what is said; of each so many requests have no price. */
  const besides = (usd: number, base: number, other: number) => {
    const left = [base, other];
    const runs = [variantOf('base', costs(4)), variantOf('other', costs(usd))].map((row, i) => ({
      name: row.name,
      byTranscript: new Map(
        [...row.byTranscript].map(([key, record]) => [key, { ...record, unpricedRequests: left[i]! }]),
      ),
    }));
    const comparison = compareVariants(runs, 'base', ['costUsd', 'contentRetention']);
    const { rows, alarms } = comparisonTable('c', comparison, runs);
    return { alarms, cells: rows.map(({ cells: [cell] }) => cell), ...comparisonConclusion(comparison) };
  };
  const ALARM = 'costs are at least these: some requests use models without a price';

  it('is the least, which is said in every cell and below the table', () => {
    const { cells, alarms, result } = besides(3, 2, 2);
    expect(cells).toMatchObject([{ text: 'at least $4.00' }, { text: 'at least $3.00', mark: 'best' }]);
    expect(alarms).toContain(ALARM);
    expect(result).toBe('other has cost at least $3.00, $1.00 (25 %) less than base.');
    const priced = besides(3, 0, 0);
    expect(priced.cells.map((cell) => cell!.text)).toEqual(['$4.00', '$3.00']);
    expect(priced.alarms).not.toContain(ALARM);
  });

  it('is not called less than one that leaves out fewer of them', () => {
    const unknown = (name: string, cost: string) =>
      `What costs least is unknown: some requests of ${name} use models without a price; it costs at least ${cost}.`;
    const other = besides(3, 1, 2);
    expect(other.result).toBe(unknown('other', '$3.00'));
    expect(other.cells.map((cell) => cell!.mark)).toEqual([undefined, undefined]);
    expect(besides(5, 1, 0).result).toBe(unknown('base', '$4.00'));
    // What is left out makes the dearer one dearer still.
    expect(besides(3, 2, 1).result).toMatch(/^other has cost at least \$3\.00, /);
  });

  it('is not the best of a sweep or a search before one that leaves out fewer of them', () => {
    const completeness = completenessOf(['a', 'b'].map((name, i) => variantOf(name, costs(i + 1))));
    const points = [2, 1].map((unpricedRequests, i) => ({
      point: { name: `p${i}`, values: [], settings: {}, set: [`gap=${i}`], runs: [] },
      metrics: { costUsd: i + 1, unpricedRequests },
      completeness: completeness.variants[i]!,
      runs: variantOf(`p${i}`, {}),
    }));
    const best = bestSetting(points[0]!, points, 'costUsd');
    expect(sweepConclusion('costUsd', best, completeness).result).toMatch(/^What costs least is unknown: /);
    const sure = bestSetting(points[1]!, points, 'costUsd');
    expect(sweepConclusion('costUsd', sure, completeness).result).toBe(
      'The best cost of 2 points is at least $2.00, at gap=1.',
    );
  });
});

describe('what costs leave out', () => {
  const said = 'Not counted: fetching forgotten content again, about ';
  const best = { settings: 'gap=5', value: 2, refetchUsd: 0.5 };
  const three = completenessOf(['a', 'b', 'c'].map((name, i) => variantOf(name, costs(i + 1))));

  it('stands beside the best point of a sweep', () => {
    expect(sweepConclusion('costUsd', best, three).advice).toContain(`${said}$0.5000 for gap=5.`);
    // Nothing is missing where nothing was forgotten, or where the runs fetch it again.
    for (const refetchUsd of [0, null])
      expect(sweepConclusion('costUsd', { ...best, refetchUsd }, three).advice).not.toContain(said);
  });

  it('stands beside a comparison for its two sides', () => {
    const { comparison } = compared({ base: costs(4), dear: costs(5), cheap: costs(3) });
    const variants = comparison.variants.map((each, i) => ({
      ...each,
      metrics: { ...each.metrics, refetchUsd: [0.25, 0.5, 0.75][i]! },
    }));
    const advice = (fetching: readonly string[]) =>
      comparisonConclusion({ ...comparison, variants }, new Map(), new Set(fetching)).advice;
    expect(advice([])).toContain(`${said}$0.2500 for base, $0.7500 for cheap.`);
    expect(advice(['cheap'])).toContain(`${said}$0.2500 for base.`);
    expect(advice(['cheap', 'base'])).not.toContain(said);
  });
});

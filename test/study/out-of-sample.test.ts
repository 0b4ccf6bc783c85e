import { describe, expect, it } from 'vitest';
import { createRandom } from '../../src/core/base/random.js';
import {
  type Choices,
  longestFirst,
  outOfSample,
  savingOf,
  splitSessions,
} from '../../src/study/out-of-sample.js';
import { parseVary } from '../../src/study/vary.js';

const named = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ label: `s${i}`, key: `content ${i}`, calls: 10 + i }));
type Runs = Choices['base'];
const runs = (costs: Readonly<Record<string, number>>) =>
  new Map(Object.entries(costs).map(([label, costUsd]) => [label, { costUsd, finishedShare: 1 }]));

/** What the searched half chooses is the optimum. */
const choicesOf = (base: Runs, tuned: Runs, broken: readonly string[] = []): Choices => ({
  base,
  optimum: tuned,
  chosen: { runs: tuned, settings: { gap: '5' }, broken },
  metric: 'costUsd',
  sign: 1,
});

describe('splitSessions', () => {
  it('puts every session into one half, by content and seed, not by name or order', () => {
    const halves = splitSessions(named(9), 1)!;
    expect([halves.searched.length, halves.heldOut.length]).toEqual([5, 4]);
    expect([...halves.searched, ...halves.heldOut].sort()).toEqual(named(9).map(({ label }) => label));
    const renamed = splitSessions(
      named(9)
        .reverse()
        .map(({ label, ...rest }) => ({ label: `x${label}`, ...rest })),
      1,
    )!;
    expect([...renamed.searched].sort()).toEqual(halves.searched.map((label) => `x${label}`).sort());
    expect(splitSessions(named(9), 2)!.searched).not.toEqual(halves.searched);
  });

  it('gives each half one of any two sessions that follow each other in length', () => {
    for (const seed of [1, 2, 3, 4, 5]) {
      const { searched } = splitSessions(named(8), seed)!;
      for (const i of [0, 2, 4, 6])
        expect([`s${i}`, `s${i + 1}`].filter((label) => searched.includes(label))).toHaveLength(1);
    }
  });

  it('leaves three sessions whole, and counts a session with several models once', () => {
    expect(splitSessions(named(3), 1)).toBeNull();
    expect(splitSessions(named(4), 1)?.searched).toHaveLength(2);
    expect(splitSessions([...named(3), { label: 's0', key: 'other model', calls: 9 }], 1)).toBeNull();
  });
});

describe('savingOf', () => {
  const base = runs({ a: 10, b: 20, c: 30 });
  const tuned = runs({ a: 9, b: 18, c: 27 });

  it('is the mean of the paired differences with Student’s interval', () => {
    // Savings 1, 2, 3: mean 2, standard deviation 1, t(0.975, 2) = 4.302653, standard error 1/√3.
    const saving = savingOf({ base, tuned, metric: 'costUsd', sign: 1 }, ['a', 'b', 'c'], null)!;
    expect(saving).toMatchObject({ mean: 2, share: 0.1, sessions: 3 });
    expect(saving.high! - 2).toBeCloseTo(4.302653 / Math.sqrt(3), 5);
    // For the mean of three other sessions both means scatter: the interval is √2 times as wide.
    const ahead = savingOf({ base, tuned, metric: 'costUsd', sign: 1 }, ['a', 'b', 'c'], 3)!;
    expect(ahead.high! - 2).toBeCloseTo((4.302653 / Math.sqrt(3)) * Math.SQRT2, 5);
    expect(savingOf({ base, tuned, metric: 'costUsd', sign: -1 }, ['a', 'b', 'c'], null)!.mean).toBe(-2);
  });

  it('counts only sessions that both finished', () => {
    const broken = new Map([...tuned, ['c', { costUsd: 1, finishedShare: 0.5 }] as const]);
    expect(
      savingOf({ base, tuned: broken, metric: 'costUsd', sign: 1 }, ['a', 'b', 'c'], null),
    ).toMatchObject({
      mean: 1.5,
      sessions: 2,
    });
  });

  it('a promise for as many sessions holds for about 95 of 100 draws', () => {
    const random = createRandom(5);
    let within = 0;
    for (let n = 0; n < 2_000; n++) {
      const labels = Array.from({ length: 16 }, (_, i) => `s${i}`);
      const before = runs(Object.fromEntries(labels.map((label) => [label, 10])));
      const after = runs(Object.fromEntries(labels.map((label) => [label, 9 + random.normal()])));
      const halves = { searched: labels.slice(0, 8), heldOut: labels.slice(8) };
      const result = outOfSample(halves, choicesOf(before, after));
      if (result.isWithin) within++;
    }
    expect(within / 2_000).toBeGreaterThan(0.935);
    expect(within / 2_000).toBeLessThan(0.965);
  });
});

describe('outOfSample', () => {
  const halves = { searched: ['a', 'b'], heldOut: ['c', 'd'] };
  const base = runs({ a: 10, b: 10, c: 10, d: 10 });
  const refusalOf = (tuned: ReturnType<typeof runs>, broken: readonly string[] = []) =>
    outOfSample(halves, choicesOf(base, tuned, broken)).refusal;

  it('says why nothing qualifies', () => {
    expect(refusalOf(runs({ a: 7, b: 7, c: 12, d: 12 }))).toBeNull();
    expect(refusalOf(runs({ a: 10, b: 10, c: 12, d: 8 }))).toContain('no setting is better');
    expect(refusalOf(runs({ a: 9, b: 9, c: 9, d: 9 }), ['requestsRefused == 0'])).toContain(
      'breaks requestsRefused',
    );
    const lost = new Map([...runs({ a: 9, b: 9, c: 9 }), ['d', { costUsd: 1, finishedShare: 0.2 }] as const]);
    expect(refusalOf(lost)).toContain('does not finish d');
  });

  it('says nothing of what neither half can tell', () => {
    const judge = (tuned: ReturnType<typeof runs>, before = base) =>
      outOfSample(halves, choicesOf(before, tuned));
    expect(judge(runs({ a: 9, b: 9 }))).toMatchObject({
      realised: null,
      isWithin: null,
      refusal: 'the best setting does not finish c, d, which the unchanged scenario finishes',
    });
    // one session has no interval
    expect(judge(runs({ a: 9, c: 9, d: 9 }))).toMatchObject({
      promised: { low: null, high: null },
      isWithin: null,
    });
    expect(judge(runs({})).refusal).toContain('does not finish a, b, c, d');
    // What the unchanged scenario does not finish says nothing against a setting that does.
    expect(judge(base, runs({}))).toMatchObject({ inSample: null, refusal: null });
    expect(outOfSample(halves, { ...choicesOf(base, base), chosen: null })).toMatchObject({
      settings: null,
      promised: null,
      realised: null,
    });
    expect(judge(runs({ a: 1, b: 1, c: 1, d: 1 }), runs({ a: 0, b: 0, c: 0, d: 0 })).realised).toMatchObject({
      mean: -1,
      share: null,
    });
    expect(judge(runs({ a: 9, b: 9, c: 9, d: 9 }))).toMatchObject({ isWithin: true, refusal: null });
  });

  it('a promise that does not come true is told as such', () => {
    const tuned = runs({ a: 9, b: 8.9, c: 30, d: 40 });
    const result = outOfSample(halves, choicesOf(base, tuned));
    expect(result).toMatchObject({ isWithin: false, realised: { mean: -25 } });
  });

  it('tells the optimum over all sessions from what one half chooses', () => {
    const optimum = runs({ a: 9, b: 9, c: 9, d: 9 });
    const half = { runs: runs({ a: 8, b: 8, c: 11, d: 11 }), settings: { gap: '9' }, broken: [] };
    const found = outOfSample(halves, { ...choicesOf(base, optimum), chosen: half });
    expect(found).toMatchObject({
      inSample: { mean: 1, sessions: 4 },
      settings: { gap: '9' },
      promised: { mean: 2, sessions: 2 },
      realised: { mean: -1, sessions: 2 },
      refusal: null,
    });
    const lost = new Map([...half.runs, ['d', { costUsd: 1, finishedShare: 0.2 }] as const]);
    expect(
      outOfSample(halves, { ...choicesOf(base, optimum), chosen: { ...half, runs: lost } }).refusal,
    ).toBe('what half of the sessions choose does not finish d, which the unchanged scenario finishes');
  });

  it('knows the longest sessions, whatever they are called', () => {
    expect(longestFirst(named(3)).map(({ label }) => label)).toEqual(['s2', 's1', 's0']);
    const alike = named(2).map((session) => ({ ...session, calls: 5 }));
    expect(longestFirst([...alike].reverse())).toEqual(longestFirst(alike));
  });
});

it('auto thresholds of a search are parts of the window, round sizes below it and the steps of the price', () => {
  const axis = (window: number) =>
    parseVary(
      'window.explicit=auto',
      () => window,
      'allowed',
      () => [200_000, 272_000],
    );
  expect(axis(200_000).values).toEqual(
    [40, 60, 80, 100, 120, 128, 140, 160, 180, 200].map((thousands) => String(thousands * 1_000)),
  );
  expect(axis(1_000_000).values).toContain('272000');
  expect(axis(1_000_000).values.filter((value) => Number(value) < 300_000)).toEqual(
    [40, 60, 80, 100, 128, 160, 200, 272].map((thousands) => String(thousands * 1_000)),
  );
});

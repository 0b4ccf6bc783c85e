import { describe, expect, it } from 'vitest';
import { compareVariants } from '../../src/study/comparison.js';
import { completenessOf, variantMeans } from '../../src/study/completeness.js';
import { type Runs, variantOf } from '../helpers/variant-runs.js';

function weigh(rows: Readonly<Record<string, Runs>>) {
  const variants = Object.entries(rows).map(([name, runs]) => variantOf(name, runs));
  const completeness = completenessOf(variants);
  return {
    completeness,
    compared: completeness.compared,
    standing: Object.fromEntries(completeness.variants.map((item) => [item.name, item.standing])),
    costs: Object.fromEntries(
      variants.map((item) => [item.name, variantMeans(item, completeness).costUsd ?? null]),
    ),
  };
}

/** Runs as [calls answered, calls lost, cost]. */
const SHORT = [4, 0, 1] as const;
const LONG = [9, 0, 8] as const;
const CUT = [5, 4, 3] as const;

describe('completenessOf', () => {
  it('compares everything where every run finished', () => {
    const found = weigh({ a: { s: SHORT, l: LONG }, b: { s: SHORT, l: LONG } });
    expect(found).toMatchObject({
      compared: ['s', 'l'],
      standing: { a: 'ranked', b: 'ranked' },
      costs: { a: 4.5, b: 4.5 },
    });
  });

  it('does not rank what did not finish, and takes no session from the others for it', () => {
    const found = weigh({ a: { s: SHORT, l: LONG }, b: { s: SHORT, l: LONG }, dies: { s: SHORT, l: CUT } });
    expect(found).toMatchObject({
      compared: ['s', 'l'],
      standing: { a: 'ranked', b: 'ranked', dies: 'unranked' },
      costs: { a: 4.5, b: 4.5, dies: 1 },
    });
    expect(found.completeness.variants.map(({ compared }) => compared)).toEqual([2, 2, 1]);
    expect(found.completeness.variants[2]).toMatchObject({
      run: 2,
      finished: 1,
      unfinished: [{ transcript: 'l', callsAnswered: 5, callsLost: 4 }],
    });
  });

  it('does the same with a run that failed', () => {
    const found = weigh({ a: { s: SHORT, l: LONG }, fails: { s: SHORT, l: null } });
    expect(found).toMatchObject({ compared: ['s', 'l'], standing: { a: 'ranked', fails: 'unranked' } });
    expect(found.completeness.variants[1]!.unfinished).toEqual([
      { transcript: 'l', callsAnswered: null, callsLost: null },
    ]);
  });

  it('sets a variant apart that finished nothing: it takes no session from the others', () => {
    const found = weigh({ a: { l: LONG }, b: { l: LONG }, dies: { l: CUT } });
    expect(found).toMatchObject({
      compared: ['l'],
      standing: { a: 'ranked', b: 'ranked', dies: 'apart' },
      costs: { a: 8, dies: 3 },
    });
  });

  it('ranks nothing when no session was finished by every variant', () => {
    const found = weigh({ a: { s: SHORT, l: CUT }, b: { s: [3, 1, 0], l: LONG } });
    expect(found).toMatchObject({ compared: [], standing: { a: 'apart', b: 'apart' } });
    // what each costs is then its own mean over all that it ran: (1 + 3) / 2 and (0 + 8) / 2
    expect(found.costs).toEqual({ a: 2, b: 4 });
  });

  it('leaves out what broke off at the same call under all, and ranks the rest', () => {
    const found = weigh({ a: { s: SHORT, l: CUT }, b: { s: [4, 0, 2], l: CUT } });
    expect(found).toMatchObject({ compared: ['s'], standing: { a: 'ranked', b: 'ranked' } });
  });

  it('ranks nothing when all broke off, and some of them earlier', () => {
    const found = weigh({ a: { s: SHORT, l: CUT }, b: { s: SHORT, l: [6, 3, 3] } });
    expect(found).toMatchObject({ compared: ['s'], standing: { a: 'unranked', b: 'unranked' } });
  });

  it('does not rank a variant alone whose own work is unfinished', () => {
    const found = weigh({ a: { s: SHORT, l: CUT }, b: { s: [3, 1, 1], l: CUT } });
    expect(found.standing).toEqual({ a: 'unranked', b: 'apart' });
  });

  it('compares no variants that were run over different sessions', () => {
    expect(weigh({ a: { s: SHORT }, b: { l: LONG } })).toMatchObject({
      compared: [],
      standing: { a: 'apart', b: 'apart' },
      costs: { a: 1, b: 8 },
    });
  });

  it('compares over what every variant finished where none finished all that others did', () => {
    const rows = { a: { x: SHORT, s: SHORT, l: CUT }, b: { x: SHORT, s: [3, 1, 1], l: LONG } } as const;
    expect(weigh(rows)).toMatchObject({ compared: ['x'], standing: { a: 'unranked', b: 'unranked' } });
  });

  it('tells how far a variant came over all its sessions', () => {
    const rows = { a: { s: SHORT, l: LONG }, dies: { s: SHORT, l: CUT }, fails: { s: SHORT, l: null } };
    const variants = Object.entries(rows).map(([name, runs]) => variantOf(name, runs));
    const completeness = completenessOf(variants);
    const [a, dies, fails] = variants.map((item) => variantMeans(item, completeness));
    expect(a).toMatchObject({ finishedShare: 1, callsLost: 0, costUsd: 4.5 });
    expect(dies).toMatchObject({ finishedShare: (1 + 5 / 9) / 2, callsLost: 2, callsAnswered: 4.5 });
    expect(fails).toMatchObject({ finishedShare: 0.5, callsLost: 0 });
  });
});

describe('compareVariants', () => {
  const compare = (rows: Readonly<Record<string, Runs>>, baseline = 'dies') =>
    compareVariants(
      Object.entries(rows).map(([name, runs]) => variantOf(name, runs)),
      baseline,
      ['costUsd'],
    );

  it('never stars the cheap run that died', () => {
    const { best, variants } = compare({ dies: { l: CUT }, a: { l: LONG } });
    expect(best.costUsd).toBeNull();
    expect(variants[1]!.differences!.costUsd).toMatchObject({ mean: null, pairs: 0, verdict: 'unranked' });
  });

  it('ranks the others among each other', () => {
    const rows = { dies: { l: CUT }, a: { l: LONG }, b: { l: [9, 0, 7] } } as const;
    expect(compare(rows).best.costUsd).toBe('b');
  });

  it('gives no verdict on a pair of which one is not ranked', () => {
    const rows = {
      dies: { s: SHORT, t: SHORT, l: CUT },
      a: { s: [4, 0, 2], t: [4, 0, 2], l: LONG },
      b: { s: [4, 0, 3], t: [4, 0, 3], l: [9, 0, 9] },
    } as const;
    const found = compare(rows);
    expect(found.variants[1]!.differences!.costUsd).toMatchObject({ mean: 1, pairs: 2, verdict: 'unranked' });
    expect(found.best.costUsd).toBe('a');
    expect(compare(rows, 'b').variants[1]!.differences!.costUsd!.verdict).toBe('better');
    expect(compare(rows, 'b').variants[0]!.differences!.costUsd!.verdict).toBe('unranked');
  });

  it('does not star a baseline that the second is within noise of', () => {
    const rows = {
      base: { s: [4, 0, 1], t: [4, 0, 9], u: [4, 0, 1] },
      other: { s: [4, 0, 9], t: [4, 0, 1], u: [4, 0, 3] },
    } as const;
    expect(compare(rows, 'base').best.costUsd).toBeNull();
  });
});

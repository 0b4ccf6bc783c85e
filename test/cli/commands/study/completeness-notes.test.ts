import { describe, expect, it } from 'vitest';
import {
  completenessJson,
  completenessNotes,
  meansNote,
  partialNotes,
  rowNote,
  standingJson,
  whyNoneRanked,
} from '../../../../src/cli/commands/study/completeness-notes.js';
import { type Completeness, completenessOf } from '../../../../src/study/completeness.js';
import { type Runs, variantOf } from '../../../helpers/variant-runs.js';

/** Runs as [calls answered, calls lost, cost]. */
const SHORT = [4, 0, 1] as const;
const LONG = [9, 0, 8] as const;
const CUT = [5, 4, 3] as const;

function weigh(rows: Readonly<Record<string, Runs>>) {
  const runs = Object.entries(rows).map(([name, own]) => variantOf(name, own));
  const completeness = completenessOf(runs);
  return { runs, completeness, notes: completenessNotes(completeness, 'variant', runs) };
}

const noted = (completeness: Completeness) => completeness.variants.map((own) => rowNote(own, completeness));

describe('notes on runs that did not finish', () => {
  it('are none where all did', () => {
    const { completeness, notes } = weigh({ a: { s: SHORT, l: LONG }, b: { s: SHORT, l: LONG } });
    expect(notes).toEqual([]);
    expect(noted(completeness)).toEqual([undefined, undefined]);
    expect(meansNote(completeness)).toBe('means over 2 sessions');
  });

  it('say what one session lost, and that the one that is left is not ranked against anything', () => {
    const { completeness, notes } = weigh({
      a: { l: LONG },
      dies: { l: CUT },
      fails: { l: null },
      empty: { l: [0, 0, 0] },
    });
    expect(notes).toEqual([
      'no ranking: only a finished',
      'dies did not finish (4 of 9 calls lost): it is neither compared nor ranked',
      'fails did not finish (the run failed): it is neither compared nor ranked',
      'empty did not finish (it holds no calls): it is neither compared nor ranked',
    ]);
    expect(noted(completeness)).toEqual([undefined, 'unfinished', 'unfinished', 'unfinished']);
    expect(meansNote(completeness)).toBe('');
  });

  it('say of each row over how many sessions it is', () => {
    const { completeness, notes, runs } = weigh({
      a: { s: SHORT, l: LONG },
      b: { s: SHORT, l: LONG },
      dies: { s: SHORT, l: CUT },
    });
    expect(notes).toEqual(['1 of 2 sessions did not finish under dies: it is not ranked']);
    expect(noted(completeness)).toEqual(['over 2 of 2', 'over 2 of 2', 'over 1 of 2, not ranked']);
    expect(meansNote(completeness)).toBe('means over 2 sessions');
    expect(completenessJson(completeness, runs)).toEqual({
      compared: ['s', 'l'],
      leftOut: [],
      ranked: ['a', 'b'],
    });
    expect(standingJson(completeness.variants[2]!)).toMatchObject({
      standing: 'unranked',
      sessions: { run: 2, finished: 1, compared: 1, finishedShare: 0.5 },
    });
  });

  it('say of what every ranked one left open that the others did so too', () => {
    const { notes } = weigh({ a: { s: SHORT, l: CUT }, b: { s: SHORT, l: CUT } });
    expect(notes).toEqual([
      '1 of 2 sessions did not finish under a: nor under any other variant that is ranked',
      '1 of 2 sessions did not finish under b: nor under any other variant that is ranked',
      'left out: l, not finished under a (4 of 9 calls lost), b (4 of 9 calls lost)',
    ]);
  });

  it('list five names and twelve sentences, and count the rest', () => {
    const rows: Record<string, Runs> = { a: { s: SHORT, l: LONG }, b: { s: SHORT, l: LONG } };
    for (let i = 0; i < 13; i++) rows[`d${i}`] = { s: SHORT, l: CUT };
    const { notes } = weigh(rows);
    expect(notes).toHaveLength(12 + 1);
    expect(notes[11]).toBe('1 of 2 sessions did not finish under d11: it is not ranked');
    expect(notes[12]).toBe('… nor under 1 more variant');
    delete rows.d12;
    expect(weigh(rows).notes).toHaveLength(12);
    const none = Object.fromEntries(Array.from({ length: 13 }, (_, i) => [`d${i}`, { s: SHORT, l: CUT }]));
    expect(weigh(none).notes.at(-1)).toBe(
      `left out: l, not finished under ${[0, 1, 2, 3, 4].map((i) => `d${i} (4 of 9 calls lost)`).join(', ')} and 8 more`,
    );
    const under = (count: number) =>
      weigh(Object.fromEntries(Object.entries(none).slice(0, count))).notes.at(-1);
    expect(under(6)).toMatch(/d4 \(4 of 9 calls lost\) and 1 more$/);
    expect(under(5)).toMatch(/d4 \(4 of 9 calls lost\)$/);
    const many = Object.fromEntries(Array.from({ length: 14 }, (_, i) => [`t${i}`, CUT] as const));
    const left = weigh({ a: { s: SHORT, ...many }, b: { s: SHORT, ...many } }).notes;
    expect(left.filter((note) => note.startsWith('left out'))).toHaveLength(12);
    expect(left.at(-1)).toBe('… and 2 more sessions');
  });

  it('say why nothing is ranked', () => {
    const why = (rows: Readonly<Record<string, Runs>>): string =>
      whyNoneRanked(weigh(rows).completeness, 'point');
    expect(why({ a: { s: SHORT }, b: { l: LONG } })).toBe('the points were run over different sessions');
    expect(why({ a: { l: CUT }, b: { l: CUT } })).toBe('no point finished the session');
    expect(why({ a: { s: SHORT, l: CUT }, b: { s: [3, 1, 1], l: LONG } })).toBe(
      'no session was finished by every point',
    );
    expect(why({ a: { x: SHORT, s: SHORT, l: CUT }, b: { x: SHORT, s: [3, 1, 1], l: LONG } })).toBe(
      'no point finished every session that another one finished',
    );
    expect(why({ a: { s: SHORT, l: CUT }, b: { s: SHORT, l: [6, 3, 3] } })).toBe(
      'no point finished l, and they stopped at different calls: leave it out to rank the rest',
    );
    expect(why({ a: { s: SHORT, l: CUT, m: CUT }, b: { s: SHORT, l: [6, 3, 3], m: CUT } })).toBe(
      'no point finished l and 1 more, and they stopped at different calls: leave them out to rank the rest',
    );
    expect(weigh({ a: { s: SHORT }, b: { l: LONG } }).notes[0]).toBe(
      'no ranking: the variants were run over different sessions',
    );
    expect(meansNote(weigh({ a: { s: SHORT }, b: { l: LONG } }).completeness)).toBe(
      'means over the sessions of each row',
    );
    expect(meansNote(weigh({ a: { s: SHORT, l: CUT }, b: { s: [3, 1, 1], l: LONG } }).completeness)).toBe(
      'means over all sessions, finished or not',
    );
    expect(weigh({ a: { s: SHORT, l: CUT } }).notes.join()).not.toContain('ranking');
  });

  it('say of a metric that some sessions have no value for', () => {
    const { runs, completeness } = weigh({
      a: { s: SHORT, l: LONG, m: LONG },
      b: { s: SHORT, l: LONG, m: LONG },
    });
    const without = (name: string, sessions: readonly string[]) => ({
      ...runs.find((run) => run.name === name)!,
      byTranscript: new Map(
        [...runs.find((run) => run.name === name)!.byTranscript].map(([session, record]) => [
          session,
          sessions.includes(session) ? { ...record!, costUsd: null } : record,
        ]),
      ),
    });
    const notes = (variants: typeof runs) =>
      partialNotes(variants, completeness, ['costUsd', 'callsAnswered']);
    expect(notes(runs)).toEqual([]);
    expect(notes([without('a', ['s']), without('b', ['l'])])).toEqual([
      'cost: means over the 2 of 3 sessions that have a value',
    ]);
    expect(notes([without('a', ['s', 'l']), runs[1]!])).toEqual([
      'cost: means over the 1 to 3 of 3 sessions that have a value',
    ]);
    // a variant without any value has no mean to doubt
    expect(notes([without('a', ['s', 'l', 'm']), runs[1]!])).toEqual([]);
    const one = weigh({ a: { s: SHORT }, b: { s: SHORT } });
    expect(partialNotes(one.runs, one.completeness, ['nothing'])).toEqual([]);
  });
});

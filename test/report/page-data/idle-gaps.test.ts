import { describe, expect, it } from 'vitest';
import { createIdleGaps, idleGaps } from '../../../src/report/page-data/run-sample.js';
import { requestEntry } from '../../helpers/log.js';

const MINUTE = 60_000;
const at = (minutes: number, lasts = 0) => requestEntry({ t: minutes * MINUTE, latencyMs: lasts * MINUTE });
/** Gaps in minutes. */
const gapsOf = (requests: readonly ReturnType<typeof at>[]) =>
  idleGaps(requests).map(({ fromMs, toMs }) => [fromMs / MINUTE, toMs / MINUTE]);

describe('the idle times of a run', () => {
  it('CCH-1 are silences of more than five minutes, from the end of an answer to the next request', () => {
    expect(gapsOf([at(0, 2), at(7)])).toEqual([]);
    expect(gapsOf([at(0, 2), at(8)])).toEqual([[2, 8]]);
    expect(gapsOf([at(0), at(60), at(62), at(90, 1), at(100)])).toEqual([
      [0, 60],
      [62, 90],
      [91, 100],
    ]);
  });

  it('begin when the last of several answers has come', () => {
    expect(gapsOf([at(0, 30), at(1, 1), at(33)])).toEqual([]);
    expect(gapsOf([at(0, 30), at(1, 1), at(40)])).toEqual([[30, 40]]);
  });

  it('do not depend on the order of the log', () => {
    expect(gapsOf([at(90), at(0), at(60)])).toEqual([
      [0, 60],
      [60, 90],
    ]);
  });

  it('are cut by a request that is logged late, and only parts of more than five minutes stay', () => {
    const cutBy = (minutes: number, lasts: number) => {
      const gaps = createIdleGaps();
      for (const request of [at(0), at(30), at(60), at(minutes, lasts)]) gaps.add(request);
      return gaps.all().map(({ fromMs, toMs }) => [fromMs / MINUTE, toMs / MINUTE]);
    };
    expect(cutBy(40, 2)).toEqual([
      [0, 30],
      [30, 40],
      [42, 60],
    ]);
    expect(cutBy(35, 19)).toEqual([
      [0, 30],
      [54, 60],
    ]);
    expect(cutBy(36, 19)).toEqual([
      [0, 30],
      [30, 36],
    ]);
    // through both gaps
    expect(cutBy(20, 20)).toEqual([
      [0, 20],
      [40, 60],
    ]);
    expect(cutBy(60, 5)).toEqual([
      [0, 30],
      [30, 60],
    ]);
  });

  it('are the thousand longest where there are more, still in the order of time', () => {
    const gaps = createIdleGaps();
    let t = 0;
    // gaps of 10 minutes, the seventh of 6 and the last of 20
    for (let i = 0; i <= 1_001; i++) {
      gaps.add({ t, latencyMs: 0 });
      t += (i === 6 ? 6 : i === 1_000 ? 20 : 10) * MINUTE;
    }
    expect(gaps.all()).toHaveLength(1_001);
    expect(gaps.longest()).toEqual(gaps.all().filter((_, i) => i !== 6));
    const few = createIdleGaps();
    few.add({ t: 0, latencyMs: 0 });
    few.add({ t: 10 * MINUTE, latencyMs: 0 });
    expect(few.longest()).toEqual([{ fromMs: 0, toMs: 10 * MINUTE }]);
  });
});

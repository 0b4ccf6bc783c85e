import { describe, expect, it } from 'vitest';
import { TakenOut } from '../../../src/engine/context/taken-out.js';

/** Two layers at work: 300 tokens cleared in memory alone, 200 of a record, and 50 that came back. */
function cleared(): TakenOut {
  const out = new TakenOut();
  out.take('microcompact', 300, 'live');
  out.take('storage', 200, 'frozen');
  out.giveBack('microcompact', 50);
  return out;
}

describe('what layers keep out of a conversation', () => {
  it('is what they took without what came back, in all and by layer', () => {
    const out = cleared();
    expect([out.total, out.recent]).toEqual([450, 450]);
    expect(out.byLayer()).toEqual({ microcompact: 250, storage: 200 });
    expect(out.recentByLayer()).toEqual([
      ['microcompact', 250],
      ['storage', 200],
    ]);
  });

  it('a resume brings back what lives in memory alone', () => {
    expect(cleared().live()).toEqual([['microcompact', 250]]);
  });

  it('a layer whose content is all back is not named', () => {
    const out = cleared();
    out.giveBack('microcompact', 250);
    expect(out.live()).toEqual([]);
    expect(out.recentByLayer()).toEqual([['storage', 200]]);
    expect(out.byLayer()).toEqual({ storage: 200 });
  });

  it('behind a compaction everything stays out, and nothing of it is recent or comes back', () => {
    const out = cleared();
    out.compact('full-compact', 1_000);
    expect([out.total, out.recent]).toEqual([1_450, 0]);
    expect(out.live()).toEqual([]);
    expect(out.recentByLayer()).toEqual([]);
    expect(out.byLayer()).toEqual({ microcompact: 250, storage: 200, 'full-compact': 1_000 });
    out.take('microcompact', 7, 'live');
    expect([out.total, out.recent]).toEqual([1_457, 7]);
    expect(out.recentByLayer()).toEqual([['microcompact', 7]]);
    expect(out.live()).toEqual([['microcompact', 7]]);
  });

  it('another conversation has nothing out', () => {
    const out = cleared();
    out.forget();
    expect([out.total, out.recent, out.byLayer(), out.live()]).toEqual([0, 0, null, []]);
  });

  it('a fork begins with what is out of its parent; of that only what is pinned can come back', () => {
    const parent = cleared();
    const fork = new TakenOut();
    fork.inherit(parent, 'microcompact', 120);
    expect([fork.total, fork.recent, fork.byLayer()]).toEqual([
      450,
      450,
      { microcompact: 250, storage: 200 },
    ]);
    expect(fork.live()).toEqual([['microcompact', 120]]);
    fork.take('storage', 10, 'frozen');
    expect(parent.byLayer()).toEqual({ microcompact: 250, storage: 200 });
    const plain = new TakenOut();
    plain.inherit(parent, 'microcompact', 0);
    expect(plain.live()).toEqual([]);
  });
});

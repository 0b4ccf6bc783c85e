import { describe, expect, it } from 'vitest';
import { restoreState } from '../../../src/core/base/checkpoint.js';
import { createBlock } from '../../../src/core/model/block.js';
import { Context } from '../../../src/engine/context/context.js';
import type { Deletions } from '../../../src/engine/context/deletions.js';
import { CachedPrefix } from '../../../src/engine/context/thread-view.js';

/** Three positions of 100, 50 and 10 tokens. */
const context = new Context(
  [100, 50, 10].map((tokens) => createBlock({ kind: 'system', role: 'system', tokens, text: `${tokens}` })),
);
/** 5 tokens are deleted at the second. */
const deletions = { upTo: (position: number) => (position >= 1 ? 5 : 0) } as Deletions;

describe('what the latest request left in the cache', () => {
  const tokensAt = (cached: CachedPrefix, nowMs: number) =>
    [0, 1, 2, 3].map((position) => cached.tokensBefore(position, context, deletions, nowMs));

  it('MIC-3 is what stands in front of a position and was sent, without what is deleted there', () => {
    const cached = new CachedPrefix();
    cached.renew(155, 0, 1_000);
    expect(tokensAt(cached, 999)).toEqual([0, 100, 145, 150]);
  });

  it('CCH-2 is nothing before the first request, and from the end of its lifetime on until it is renewed', () => {
    const cached = new CachedPrefix();
    expect(tokensAt(cached, 0)).toEqual([0, 0, 0, 0]);
    cached.renew(155, 0, 1_000);
    expect(tokensAt(cached, 1_000)).toEqual([0, 0, 0, 0]);
    cached.keepUntil(1_001);
    expect(tokensAt(cached, 1_000)).toEqual([0, 100, 145, 150]);
  });

  it('AGT-1 is handed on to a fork as it is', () => {
    const [parent, child] = [new CachedPrefix(), new CachedPrefix()];
    parent.renew(120, 0, 1_000);
    restoreState(child, parent);
    parent.renew(10, 0, 9_000);
    expect([child.untilMs, tokensAt(child, 999)]).toEqual([1_000, [0, 100, 115, 115]]);
  });
});

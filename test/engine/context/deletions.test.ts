import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { restoreState } from '../../../src/core/base/checkpoint.js';
import { type Block, createBlock } from '../../../src/core/model/block.js';
import { Context } from '../../../src/engine/context/context.js';
import { Deletions } from '../../../src/engine/context/deletions.js';
import { CachedPrefix } from '../../../src/engine/context/thread-view.js';
import { callOf, messageFrom, resultOf, userText } from '../../helpers/blocks.js';
import { forAll } from '../../helpers/for-all.js';

const system = createBlock({ kind: 'text', role: 'system', tokens: 50 });
const result = (id: string, tokens: number): Block => resultOf(id, tokens, { text: id, tool: 'Read' });
const use = (id: string): Block => callOf(id, 5, { text: id, tool: 'Read' });

/** A conversation of calls, each with a result of this many tokens: message 2·i calls, 2·i + 1 answers. */
function conversation(sizes: readonly number[]): Context {
  const context = new Context([system]);
  context.extend([messageFrom('human', 'go', [userText(7)])]);
  sizes.forEach((tokens, i) => {
    context.extend([
      messageFrom('model', `a${i}`, [use(`t${i}`)]),
      messageFrom('tool', `r${i}`, [result(`t${i}`, tokens)]),
    ]);
  });
  return context;
}

const placed = (i: number) => ({ toolUseId: `t${i}`, messageIndex: 2 + 2 * i });
/** Tokens of the results among some blocks that are deleted, one by one. */
const among = (blocks: readonly Block[], deleted: ReadonlySet<number>): number =>
  blocks
    .filter(({ kind, toolUseId }) => kind === 'tool_result' && deleted.has(Number(toolUseId!.slice(1))))
    .reduce((sum, { tokens }) => sum + tokens, 0);

const sizesAndPicks = fc
  .array(fc.integer({ min: 1, max: 900 }), { minLength: 1, maxLength: 9 })
  .chain((sizes) =>
    fc.tuple(
      fc.constant(sizes),
      fc.shuffledSubarray(sizes.map((_, i) => i)),
      fc.nat(sizes.length),
      fc.subarray(sizes.map((_, i) => i)),
    ),
  );

describe('results that were deleted on the server', () => {
  it('are subtracted up to any position as if they were looked for one by one', () => {
    forAll(sizesAndPicks, ([sizes, picks, split]) => {
      const context = conversation(sizes);
      const deletions = new Deletions(context);
      const total = among(context.blocks, new Set(picks));
      const first = deletions.add('microcompact', picks.slice(0, split).map(placed));
      const second = deletions.add('microcompact', picks.slice(split).map(placed));
      expect(first).toBe(among(context.blocks, new Set(picks.slice(0, split))));
      expect(first + second).toBe(total);
      expect(deletions.tokens).toBe(total);
      for (let position = -1; position <= context.length + 1; position++)
        expect(deletions.upTo(position)).toBe(among(context.blocks.slice(0, position + 1), new Set(picks)));
      sizes.forEach((_, i) => {
        expect(deletions.has(`t${i}`)).toBe(picks.includes(i));
      });
      expect(deletions.has(null)).toBe(false);
    });
  });

  it('leave the count with the results that leave the conversation, and with all of them', () => {
    forAll(sizesAndPicks, ([sizes, picks, , leaving]) => {
      const context = conversation(sizes);
      const deletions = new Deletions(context);
      deletions.add('collapse', picks.map(placed));
      const gone = deletions.drop(new Set(leaving.map((i) => `t${i}`)));
      const rest = new Set(picks.filter((i) => !leaving.includes(i)));
      expect(gone).toBe(among(context.blocks, new Set(picks.filter((i) => leaving.includes(i)))));
      expect(deletions.tokens).toBe(among(context.blocks, rest));
      expect(deletions.layer).toBe('collapse');
      expect(deletions.upTo(context.length - 1)).toBe(deletions.tokens);
      sizes.forEach((_, i) => {
        expect(deletions.has(`t${i}`)).toBe(rest.has(i));
      });
      const before = deletions.tokens;
      expect(deletions.clear()).toBe(before);
      expect([deletions.tokens, deletions.upTo(context.length - 1), deletions.clear()]).toEqual([0, 0, 0]);
      sizes.forEach((_, i) => {
        expect(deletions.has(`t${i}`)).toBe(false);
      });
    });
  });

  it('count again from nothing once all of them were forgotten', () => {
    const context = conversation([100, 200, 300]);
    const deletions = new Deletions(context);
    deletions.add('microcompact', [placed(0), placed(2)]);
    deletions.clear();
    deletions.add('microcompact', [placed(1)]);
    // Positions: system, prompt, then a call and its result each.
    expect([3, 4, 5, 7].map((position) => deletions.upTo(position))).toEqual([0, 0, 200, 200]);
  });

  it('are the same in a conversation that begins with the same messages, and end there apart', () => {
    const deletions = new Deletions(conversation([100, 200, 300]));
    deletions.add('collapse', [placed(0), placed(1)]);
    const other = conversation([100, 200, 300, 400]);
    const copy = deletions.copyTo(other);
    copy.add('microcompact', [placed(3)]);
    expect([deletions.tokens, deletions.layer, deletions.has('t3')]).toEqual([300, 'collapse', false]);
    expect([copy.tokens, copy.layer, copy.has('t1')]).toEqual([700, 'microcompact', true]);
    expect([3, 5, 7, 9].map((position) => copy.upTo(position))).toEqual([100, 300, 300, 700]);
  });

  it('are taken out of a request that shares a part of the conversation and goes on with other blocks', () => {
    forAll(sizesAndPicks, fc.nat(), ([sizes, picks, , again], cut) => {
      const context = conversation(sizes);
      const deletions = new Deletions(context);
      deletions.add('microcompact', picks.map(placed));
      const shared = cut % (context.length + 1);
      // Behind the shared part some results stand once more.
      const added = again.map((i) => result(`t${i}`, sizes[i]!));
      const blocks = [...context.blocks.slice(0, shared), ...added];
      const within = deletions.within(shared, added);
      const total = among(blocks, new Set(picks));
      const inShared = among(blocks.slice(0, shared), new Set(picks));
      if (inShared > 0 && inShared === deletions.tokens) {
        expect(within!.tokens).toBe(inShared);
        return;
      }
      expect(within?.tokens ?? 0).toBe(total);
      blocks.forEach((_, i) => {
        expect(within?.upTo(i) ?? 0).toBe(among(blocks.slice(0, i + 1), new Set(picks)));
      });
    });
  });

  it('a result that is not there cannot be deleted', () => {
    const deletions = new Deletions(conversation([100]));
    expect(() => deletions.add('microcompact', [{ toolUseId: 't0', messageIndex: 1 }])).toThrow(/t0/);
    expect(() => deletions.add('microcompact', [{ toolUseId: 't0', messageIndex: 9 }])).toThrow(/t0/);
    expect(() => deletions.add('microcompact', [{ toolUseId: 'x', messageIndex: 2 }])).toThrow(/x/);
  });
});

describe('what a client knows to be cached', () => {
  const context = conversation([100, 200, 300]);
  const none = new Deletions(context);

  it('is what was sent, up to the end of its lifetime', () => {
    const cached = new CachedPrefix();
    cached.renew(200, 0, 60_000);
    // 50 system, 7 prompt, 5 call, 100 result, 5 call, 200 result.
    const cachedUpTo = (position: number, nowMs: number) =>
      cached.tokensBefore(position, context, none, nowMs);
    expect([0, 1, 4, 6].map((position) => cachedUpTo(position, 59_999))).toEqual([0, 50, 162, 200]);
    expect(cachedUpTo(4, 60_000)).toBe(0);
    const fork = new CachedPrefix();
    restoreState(fork, cached);
    cached.renew(10, 0, 0);
    expect(fork.tokensBefore(6, context, none, 59_999)).toBe(200);
    expect(fork.untilMs).toBe(60_000);
  });

  it('is without what was deleted in front of the position', () => {
    const deletions = new Deletions(context);
    deletions.add('microcompact', [placed(0)]);
    const cached = new CachedPrefix();
    cached.renew(1_000, 0, 60_000);
    expect([3, 4, 5].map((position) => cached.tokensBefore(position, context, deletions, 0))).toEqual([
      62, 62, 67,
    ]);
  });
});

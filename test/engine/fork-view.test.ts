import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Context } from '../../src/engine/context/context.js';
import { ForkView } from '../../src/engine/context/fork-view.js';
import { KnownItems } from '../../src/engine/context/known-items.js';
import { createBlock } from '../../src/model/block.js';
import { createMessage } from '../../src/model/message.js';

const text = (words: string) =>
  createBlock({ kind: 'text', role: 'user', tokens: words.length + 1, text: words });
const said = (id: string, words: readonly string[]) =>
  createMessage({ id, role: 'user', origin: 'human', blocks: words.map(text), at: 0 });

describe('a fork of a request', () => {
  it('AGT-1 has the digests and sums of a request of its own, and leaves the parent as it was', () => {
    const words = fc.array(fc.string({ maxLength: 5 }), { minLength: 1, maxLength: 300 });
    fc.assert(
      fc.property(words, words, fc.nat(), (own, added, cut) => {
        const context = new Context([text('system')]);
        context.extend([said('a', own)]);
        const shared = 1 + (cut % (own.length + 1));
        const before = [...context.digests.subarray(0, context.length)];
        const sums = [...context.sums.subarray(0, context.length)];
        const view = new ForkView(context, shared, added.map(text));
        const alone = new Context([text('system')]);
        alone.extend([said('a', [...own.slice(0, shared - 1), ...added])]);
        expect(view.length).toBe(alone.length);
        expect([...view.digests.subarray(0, view.length)]).toEqual([
          ...alone.digests.subarray(0, alone.length),
        ]);
        expect([...view.sums.subarray(0, view.length)]).toEqual([...alone.sums.subarray(0, alone.length)]);
        view.close();
        expect([...context.digests.subarray(0, context.length)]).toEqual(before);
        expect([...context.sums.subarray(0, context.length)]).toEqual(sums);
      }),
      { numRuns: 60 },
    );
  });
});

describe('known items', () => {
  it('are found in any order, few or many', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(200), { maxLength: 150 }), fc.array(fc.nat(250)), (items, asked) => {
        const known = new KnownItems(items);
        for (const item of asked) expect(known.has(item)).toBe(items.includes(item));
      }),
    );
  });
});

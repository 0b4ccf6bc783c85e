import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createBlock } from '../../../src/core/model/block.js';
import type { PrefixView } from '../../../src/core/model/prefix.js';
import { Context } from '../../../src/engine/context/context.js';
import { ForkView } from '../../../src/engine/context/thread-view.js';
import { KnownItems } from '../../../src/engine/counting/own-tokens.js';
import { messageFrom } from '../../helpers/blocks.js';
import { forAll } from '../../helpers/for-all.js';

/** Words that begin with a question mark are thought. */
const block = (words: string) =>
  createBlock({
    kind: words.startsWith('?') ? 'thinking' : 'text',
    role: 'user',
    tokens: words.length + 1,
    text: words,
  });
const thought = (id: string, words: readonly string[]) => messageFrom('human', id, words.map(block));

describe('a fork of a request', () => {
  it('AGT-1 has the columns of a request of its own, and leaves the parent as it was', () => {
    const words = (first: string) =>
      fc.array(
        fc.tuple(fc.constantFrom(first, 'x'), fc.string({ maxLength: 5 })).map((parts) => parts.join('')),
        { minLength: 1, maxLength: 300 },
      );
    const columnsOf = (of: PrefixView) => [
      [...(of.digests as Float64Array).subarray(0, of.length)],
      [...(of.sums as Float64Array).subarray(0, of.length)],
      [...(of.uncounted as Float64Array).subarray(0, of.length)],
      [of.length, of.toolsEnd, of.systemEnd],
    ];
    forAll({ numRuns: 60 }, words('?'), words('y'), fc.nat(), (own, added, cut) => {
      const context = new Context([block('system')]);
      context.extend([thought('a', own)]);
      const shared = cut % (own.length + 2);
      const before = columnsOf(context);
      const view = new ForkView(context, shared, added.map(block));
      const alone = new Context(shared === 0 ? [] : [block('system')]);
      alone.extend([thought('a', [...own.slice(0, Math.max(0, shared - 1)), ...added])]);
      expect(columnsOf(view).slice(0, 3)).toEqual(columnsOf(alone).slice(0, 3));
      expect([view.length, view.toolsEnd, view.systemEnd]).toEqual([shared + added.length, 0, 1]);
      view.close();
      expect(columnsOf(context)).toEqual(before);
    });
  });
});

describe('known items', () => {
  it('are found in any order, few or many', () => {
    forAll(fc.array(fc.nat(200), { maxLength: 150 }), fc.array(fc.nat(250)), (items, asked) => {
      const known = new KnownItems(items);
      for (const item of asked) expect(known.has(item)).toBe(items.includes(item));
    });
  });
});

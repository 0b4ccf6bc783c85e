import { describe, expect, it } from 'vitest';
import { createBlock } from '../../../src/core/model/block.js';
import { PrefixColumns } from '../../../src/engine/context/context.js';
import { GrowableFloats } from '../../../src/engine/counting/own-tokens.js';

describe('numbers that grow', () => {
  it('are as they were pushed, however many there are', () => {
    const floats = new GrowableFloats(2);
    for (let i = 0; i < 100; i++) floats.push(i * 3);
    expect(floats.length).toBe(100);
    expect([...floats.data.subarray(0, 100)]).toEqual(Array.from({ length: 100 }, (_, i) => i * 3));
  });

  it('double their room when it is full, and not before', () => {
    const floats = new GrowableFloats(4);
    const { data } = floats;
    for (let i = 0; i < 4; i++) floats.push(i);
    expect(floats.data).toBe(data);
    floats.push(4);
    expect(floats.data).not.toBe(data);
    expect(floats.data).toHaveLength(8);
    expect(new GrowableFloats().data).toHaveLength(256);
  });

  it('make the room that is asked for, with what is there kept', () => {
    const floats = new GrowableFloats(4);
    floats.push(7);
    const { data } = floats;
    floats.reserve(4);
    expect(floats.data).toBe(data);
    floats.reserve(5);
    expect(floats.data).toHaveLength(8);
    floats.reserve(100);
    expect(floats.data).toHaveLength(100);
    expect([floats.length, floats.data[0]]).toEqual([1, 7]);
  });

  it('hand their room on when they are done with it', () => {
    const floats = new GrowableFloats();
    const { data } = floats;
    floats.push(5);
    floats.release();
    expect([floats.length, floats.data.length]).toEqual([0, 0]);
    const next = new GrowableFloats();
    expect(next.data).toBe(data);
    next.push(6);
    expect([next.length, next.data[0]]).toEqual([1, 6]);
    expect(new GrowableFloats().data).not.toBe(data);
  });

  it('go on from where they were cut', () => {
    const floats = new GrowableFloats(4);
    for (const value of [1, 2, 3]) floats.push(value);
    floats.truncate(1);
    floats.push(9);
    expect([...floats.data.subarray(0, floats.length)]).toEqual([1, 9]);
  });
});

describe('numbers beside the blocks of a request', () => {
  const block = (tokens: number, kind: 'text' | 'thinking' = 'text') =>
    createBlock({ kind, role: 'user', tokens, text: `${kind} ${tokens}` });
  const columns = (...blocks: readonly ReturnType<typeof block>[]) => {
    const made = new PrefixColumns();
    for (const each of blocks) made.pushColumns(each);
    return made;
  };

  it('K7 are running sums of tokens and of blocks of thinking', () => {
    const made = columns(block(1), block(2, 'thinking'), block(4), block(8, 'thinking'));
    expect([...made.sums.subarray(0, 4)]).toEqual([1, 3, 7, 15]);
    expect([...made.uncounted.subarray(0, 4)]).toEqual([0, 1, 1, 2]);
    expect(made.trueTokens).toBe(15);
    expect([made.tokensBetween(0, 4), made.tokensBetween(1, 3), made.tokensBetween(0, 1)]).toEqual([
      15, 6, 1,
    ]);
    expect([made.tokensBetween(2, 2), made.tokensBetween(3, 1), made.tokensBetween(0, 0)]).toEqual([0, 0, 0]);
    expect(new PrefixColumns().trueTokens).toBe(0);
  });

  it('CCH-1 name a prefix by all of its blocks in their order', () => {
    const [a, b, c] = [block(1), block(2), block(3)];
    const digestAt = (of: PrefixColumns, position: number) => of.digests[position];
    expect(digestAt(columns(a, b, c), 1)).toBe(digestAt(columns(a, b), 1));
    expect(digestAt(columns(a, b), 1)).not.toBe(digestAt(columns(b, a), 1));
    expect(digestAt(columns(a, c), 1)).not.toBe(digestAt(columns(b, c), 1));
  });

  it('are those of what is left behind a cut, with room for more', () => {
    const made = columns(block(1), block(2, 'thinking'), block(4));
    made.truncateColumns(1);
    made.pushColumns(block(9));
    const alone = columns(block(1), block(9));
    expect(made.trueTokens).toBe(10);
    expect([...made.digests.subarray(0, 2)]).toEqual([...alone.digests.subarray(0, 2)]);
    expect([...made.uncounted.subarray(0, 2)]).toEqual([0, 0]);
    made.reserve(1_000);
    for (const column of [made.digests, made.sums, made.uncounted]) expect(column).toHaveLength(1_000);
  });
});

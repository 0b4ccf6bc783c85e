import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Recent } from '../../../src/core/base/queue.js';
import { forAll } from '../../helpers/for-all.js';

describe('what was used last', () => {
  it('what was used longest ago goes first, when there is no room', () => {
    const recent = new Recent<string, number>(2);
    recent.set('a', 1);
    recent.set('b', 2);
    expect(recent.get('a')).toBe(1);
    recent.set('c', 3);
    expect(['a', 'b', 'c'].map((key) => recent.get(key))).toEqual([1, undefined, 3]);
  });

  it('holds the latest uses that fit into the room, whatever the sizes; one alone is always held', () => {
    const uses = fc.array(fc.tuple(fc.integer({ min: 0, max: 5 }), fc.integer({ min: 1, max: 12 })));
    forAll(uses, (all) => {
      const recent = new Recent<number, number>(10);
      let model: (readonly [key: number, size: number])[] = [];
      for (const [key, size] of all) {
        recent.set(key, size, size);
        model = [...model.filter(([other]) => other !== key), [key, size]];
        while (model.length > 1 && model.reduce((sum, [, each]) => sum + each, 0) > 10) model.shift();
      }
      const held = [0, 1, 2, 3, 4, 5].filter((key) => recent.get(key) !== undefined);
      expect(held).toEqual(model.map(([key]) => key).sort());
    });
  });
});

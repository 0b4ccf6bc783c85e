import { expect, it } from 'vitest';
import { entryOf, oncePer } from '../../../src/core/base/once.js';

it('a function of an object is computed once for each, whatever comes out', () => {
  const asked: object[] = [];
  const sizeOf = oncePer((key: { readonly size?: number }) => {
    asked.push(key);
    return key.size;
  });
  const [a, none] = [{ size: 3 }, {}];
  expect([sizeOf(a), sizeOf(none), sizeOf(a), sizeOf(none)]).toEqual([3, undefined, 3, undefined]);
  expect(asked).toEqual([a, none]);
});

it('an entry of a map is made when it is first asked for', () => {
  const map = new Map<string, unknown>();
  const first = entryOf(map, 'state', () => ({ at: 1 }));
  expect(entryOf(map, 'state', () => ({ at: 2 }))).toBe(first);
  expect([first, [...map.keys()]]).toEqual([{ at: 1 }, ['state']]);
});

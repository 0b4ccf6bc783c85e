import { describe, expect, it } from 'vitest';
import { findMutations, mutate } from '../../scripts/mutate/find-mutations.mjs';

/** The programs that one change away from a source, in order. */
const neighbours = (text: string): string[] => findMutations(text).map((mutation) => mutate(text, mutation));

describe('changes that a test should notice', () => {
  it.each([
    ['a < b;', ['a <= b;']],
    ['a >= b;', ['a > b;']],
    ['a === b;', ['a !== b;']],
    ['a && b;', ['a || b;']],
    ['a - b;', ['a + b;']],
    ['let a = true;', ['let a = false;']],
    ['let a = !b;', ['let a = b;']],
    ['let a = 1_000;', ['let a = (999);', 'let a = 1001;']],
    ['let a = 0;', ['let a = 1;']],
    ['go();', [';']],
    ['count += n;', [';', 'count -= n;']],
    ['let a = Math.max(b, c);', ['let a = Math.min(b, c);']],
    ['if (a) b();', ['if (false) b();', 'if (true) b();', 'if (a) ;']],
    ['function f(): void { go(); }', ['function f(): void { return; go(); }', 'function f(): void { ; }']],
  ])('%s', (text, expected) => {
    expect(neighbours(text)).toEqual(expected);
  });

  it('leave texts and types alone', () => {
    expect(neighbours("let a = 'x' + b;")).toEqual([]);
    expect(neighbours('type A = 1 | true; interface B { readonly c: 2 }')).toEqual([]);
  });

  it('say whether they are in a function, which a test may run, or in a module, which every test loads', () => {
    const where = (text: string): boolean[] => findMutations(text).map(({ inFunction }) => inFunction);
    expect(where('const a = 0;')).toEqual([false]);
    expect(where('const f = () => 0;')).toEqual([true]);
    expect(where('class A { b() { return true; } }\nlet c = true;')).toEqual([true, false]);
  });
});

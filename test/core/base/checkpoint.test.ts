import { describe, expect, it } from 'vitest';
import { type Copied, copyState, restoreFields, restoreState } from '../../../src/core/base/checkpoint.js';

class Inner {
  count = 0;
}

class Outer {
  readonly inner = new Inner();
  readonly alias = this.inner;
  list: number[] = [];
  readonly sums = new Float64Array(2);
  readonly byName = new Map<string, Inner>();
  readonly names = new Set<string>();
  last: Inner | null = null;
  latest: { readonly text: string } | null = null;
  readonly say = () => this.inner.count;
  readonly #wiring: string;

  constructor(wiring = 'a') {
    this.#wiring = wiring;
  }

  get wiring(): string {
    return this.#wiring;
  }
}

function filled(): Outer {
  const outer = new Outer('source');
  outer.inner.count = 3;
  outer.list.push(1, 2);
  outer.sums[1] = 7;
  outer.byName.set('last', new Inner()).get('last')!.count = 5;
  outer.last = outer.byName.get('last')!;
  outer.names.add('x');
  outer.latest = { text: 'hello' };
  return outer;
}

describe('a restored object', () => {
  it('has every field of the other, and changes for itself from there on', () => {
    const source = filled();
    const target = new Outer('target');
    restoreState(target, source);
    const state = () => [
      target.inner.count,
      target.list,
      [...target.sums],
      target.last?.count,
      [...target.names],
      target.latest,
    ];
    const expected = [3, [1, 2], [0, 7], 5, ['x'], { text: 'hello' }];
    expect(state()).toEqual(expected);
    source.inner.count++;
    source.list.push(3);
    source.sums[0] = 1;
    source.last!.count++;
    source.names.add('y');
    expect(state()).toEqual(expected);
  });

  it('shares no list, map or set with the other, not even an empty one', () => {
    const [source, target] = [new Outer('source'), new Outer('target')];
    restoreState(target, source);
    source.list.push(1);
    source.byName.set('a', new Inner());
    source.names.add('x');
    expect([target.list.length, target.byName.size, target.names.size]).toEqual([0, 0, 0]);
  });

  it('loses what the other does not have', () => {
    const [source, target] = [new Outer('source'), filled()];
    restoreState(target, source);
    expect([target.list.length, target.byName.size, target.names.size]).toEqual([0, 0, 0]);
  });

  it('refers to its own parts wherever the other refers to its', () => {
    const target = new Outer();
    const { inner } = target;
    restoreState(target, filled());
    expect(target.inner).toBe(inner);
    expect(target.alias).toBe(inner);
    expect(target.last).toBe(target.byName.get('last'));
  });

  it('shares values, and keeps its functions and private fields', () => {
    const source = filled();
    const target = new Outer('target');
    restoreState(target, source);
    expect(target.latest).toBe(source.latest);
    expect([target.say(), target.wiring]).toEqual([3, 'target']);
    target.inner.count = 9;
    expect([target.say(), source.say()]).toEqual([9, 3]);
  });

  it('takes what the caller names in the place of the other', () => {
    class Holder {
      constructor(public held: object) {}
    }
    const [theirs, own] = [{ kind: 'theirs' }, { kind: 'own' }];
    const target = new Holder({});
    restoreState(target, new Holder(theirs), new Map([[theirs, own]]));
    expect(target.held).toBe(own);
  });

  it('keeps a plain object with functions: what it remembers is out of reach', () => {
    class Holder {
      constructor(
        readonly random: { readonly next: () => number },
        readonly all: readonly { readonly next: () => number }[],
      ) {}
    }
    const make = () => ({ next: () => 1 });
    const [theirs, own] = [new Holder(make(), [make()]), new Holder(make(), [make()])];
    const { random, all } = own;
    const [first] = all;
    restoreState(own, theirs);
    expect([own.random === random, own.all[0] === first]).toEqual([true, true]);
  });

  it('may say itself how it is restored', () => {
    class Own {
      value = 1;
      records = [{ at: 1 }];
      restoreFrom(other: Own, copied: Copied): void {
        restoreFields(this, other, copied);
        this.records = other.records.map((record) => ({ ...record }));
      }
    }
    const source = new Own();
    source.value = 2;
    const copy = copyState(source);
    source.records[0]!.at = 9;
    expect([copy.value, copy.records]).toEqual([2, [{ at: 1 }]]);
  });
});

describe('a copy', () => {
  it('is of the same class, with instances of its own in lists and sets', () => {
    class Holder {
      readonly list = [new Inner(), null, new Inner()];
      readonly set = new Set([this.list[0]!]);
    }
    const source = new Holder();
    const copy = copyState(source);
    expect(copy).toBeInstanceOf(Holder);
    expect(copy.list[0]).toBeInstanceOf(Inner);
    expect(copy.list[0]).not.toBe(source.list[0]);
    expect([copy.list[1], copy.set.has(copy.list[0]!), copy.set.size]).toEqual([null, true, 1]);
  });

  it('is refused where a field is a function, which would work on the original', () => {
    class Bound {
      readonly say = () => this;
    }
    expect(() => copyState(new Bound())).toThrow('Bound.say is a function');
  });
});

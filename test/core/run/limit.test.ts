import { describe, expect, it } from 'vitest';
import { Limit, LimitSpans, Limits } from '../../../src/core/run/limit.js';

const POLICY = { name: 'any', params: { at: 100 } };
const at = ({ params }: { readonly params: Readonly<Record<string, unknown>> }): number =>
  params.at as number;

describe('a limit', () => {
  it('could have been any number between those below it and those that met it', () => {
    const limit = new Limit(100, 'reached');
    expect([90, 100, 130, 70].map((number) => limit.isMetBy(number))).toEqual([false, true, true, false]);
    expect([90, 90.5, 100, 100.5].map((other) => limit.admits(other))).toEqual([false, true, true, false]);
  });

  it('that has to be passed is not met by itself', () => {
    const limit = new Limit(100, 'passed');
    expect([100, 101].map((number) => limit.isMetBy(number))).toEqual([false, true]);
    expect([99, 100, 100.9, 101].map((other) => limit.admits(other))).toEqual([false, true, true, false]);
  });

  it('that nothing was held against could have been anything', () => {
    expect(new Limit(100, 'reached').admits(-5)).toBe(true);
  });
});

describe('a limit that is marked', () => {
  it('knows whether a number has met it since that is lower than all before', () => {
    const limit = new Limit(100, 'reached');
    limit.isMetBy(130);
    limit.mark();
    limit.isMetBy(140);
    limit.isMetBy(90);
    expect(limit.isMetLower).toBe(false);
    limit.isMetBy(120);
    expect(limit.isMetLower).toBe(true);
  });

  it('tells beforehand whether one would, and does not remember it', () => {
    const limit = new Limit(100, 'reached');
    limit.isMetBy(130);
    expect([99, 100, 129, 130].map((number) => limit.wouldBeMetLower(number))).toEqual([
      false,
      true,
      true,
      false,
    ]);
    expect(new Limit(100, 'passed').wouldBeMetLower(100)).toBe(false);
    expect(limit.admits(129)).toBe(true);
  });

  it('hands on what it remembered at the mark, and may become another number of those it admits', () => {
    const limits = new Limits(POLICY);
    const limit = limits.of('a', 'reached', at);
    limit.isMetBy(80);
    limit.isMetBy(130);
    limits.mark();
    limit.isMetBy(105);
    limit.isMetBy(95);
    const copy = new Limits(limits.policy);
    const copied = new Map();
    copy.restoreMarked(limits, copied);
    const own = copy.of('a', 'reached', at);
    expect(copied.get(limit)).toBe(own);
    expect([80, 81, 130, 131].map((other) => own.admits(other))).toEqual([false, true, true, false]);
    copy.become({ name: 'any', params: { at: 120 } });
    expect([own.value, own.isMetBy(119), own.isMetBy(120)]).toEqual([120, false, true]);
    expect(limit.value).toBe(100);
  });
});

describe('the limits of a run', () => {
  it('are the same for all who ask by a name', () => {
    const limits = new Limits(POLICY);
    expect(limits.of('a', 'reached', at)).toBe(limits.of('a', 'reached', at));
    expect(limits.of('a', 'reached', at).value).toBe(100);
  });

  it('tell what they are under another policy while all of them admit it', () => {
    const limits = new Limits(POLICY);
    limits.of('a', 'reached', at).isMetBy(80);
    limits.of('b', 'reached', (policy) => at(policy) / 2).isMetBy(60);
    const under = (value: number) => limits.under({ name: 'any', params: { at: value } }, new Map());
    expect(under(110)).toEqual(
      new Map([
        [100, 110],
        [50, 55],
      ]),
    );
    expect(under(80)).toBeNull();
    expect(under(122)).toBeNull();
    // whichever of them has refused a policy, all are asked about the next one
    expect(under(80)).toBeNull();
    expect(under(110)?.size).toBe(2);
  });

  it('tell nothing where one value would become two', () => {
    const limits = new Limits(POLICY);
    limits.of('a', 'reached', at);
    limits.of('b', 'reached', () => 100);
    expect(limits.under({ name: 'any', params: { at: 100 } }, new Map())).toEqual(new Map([[100, 100]]));
    expect(limits.under({ name: 'any', params: { at: 101 } }, new Map())).toBeNull();
  });
});

describe('the limits of several runs', () => {
  const run = (name: string, below: number, met: number): Limits => {
    const limits = new Limits({ name: 'any', params: { at: (below + met) / 2 } });
    const limit = limits.of(name, 'reached', at);
    limit.isMetBy(below);
    limit.isMetBy(met);
    return limits;
  };
  const mayHold = (spans: LimitSpans, value: number): boolean => spans.mayHold(new Map([['a', value]]));

  it('refuse a number that none of them admits, and leave one between two of them open', () => {
    const spans = new LimitSpans();
    for (const limits of [run('a', 10, 20), run('a', 50, 60)]) spans.add(limits);
    expect([9, 15, 30, 60, 61].map((value) => mayHold(spans, value))).toEqual([
      false,
      true,
      true,
      true,
      false,
    ]);
  });

  it('refuse nothing by a limit that one of them does not have, nor by one that is not known', () => {
    const spans = new LimitSpans();
    for (const limits of [run('a', 10, 20), run('b', 50, 60)]) spans.add(limits);
    expect(mayHold(spans, 500)).toBe(true);
    expect(new LimitSpans().mayHold(new Map())).toBe(true);
  });
});

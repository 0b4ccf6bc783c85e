import { describe, expect, it } from 'vitest';
import type { Transcript } from '../../../src/core/model/transcript.js';
import type { LogEntry } from '../../../src/core/run/run-log.js';
import { createMetricsFold } from '../../../src/metrics/fold.js';
import { Conversation } from '../../helpers/generators/conversation.js';
import { mainRequests, ofType, type PlanInit, planOf } from '../../helpers/plan.js';
import { expectSame, sweep, watched } from './swept.js';

/** The log of a plan from columns, which is that of the engine: from the second plan of a shape on they are used. */
function columnar(init: PlanInit, transcript: Transcript): readonly LogEntry[] {
  const plans = [1, 2, 3].map((seed) => planOf({ policy: 'unbounded', seed, ...init }));
  return expectSame(plans, transcript)[2]!;
}

/** Prompts of forty tokens, this many seconds from the start of one call to that of the next. */
function every(seconds: number, prompts = 3): Transcript {
  const talk = new Conversation();
  for (let i = 0; i < prompts; i++) talk.turn(40, 10).wait(seconds - 1);
  return talk.transcript();
}

const readsOf = (entries: readonly LogEntry[]) => mainRequests(entries).map(({ read }) => read);

describe('columns at the edges of what the cache does', () => {
  it('CCH-2 an entry lives up to its lifetime and not beyond, from columns as in the engine', () => {
    const ttl = '5m';
    expect(readsOf(columnar({ cache: { ttl } }, every(299)))).toEqual([0, 15_040, 15_090]);
    expect(readsOf(columnar({ cache: { ttl } }, every(300)))).toEqual([0, 0, 0]);
    expect(readsOf(columnar({ cache: { ttl: '1h' } }, every(3_599)))).toEqual([0, 15_040, 15_090]);
    const cold = columnar({ cache: { ttl: '1h' } }, every(3_600));
    expect(readsOf(cold)).toEqual([0, 0, 0]);
    expect(mainRequests(cold).map(({ cause }) => cause)).toEqual([null, 'ttl-1h', 'ttl-1h']);
  });

  it('CCH-2 a read renews what lies in front of it as well', () => {
    // Each prompt finds the one before; tools and system are renewed with it and outlive ten minutes.
    const talk = new Conversation();
    for (let i = 0; i < 4; i++) talk.turn(40, 10).wait(200);
    talk.event((at) => ({ kind: 'clear', at })).turn(30, 10);
    const entries = columnar({ cache: { ttl: '5m' } }, talk.transcript());
    expect(readsOf(entries).at(-1)).toBe(15_000);
  });

  it('CCH-2 a read renews nothing in front of it that has reached its end', () => {
    // A subagent finds tools and system of the main thread after ten seconds and keeps its own prompt for an hour. What lies
    // in front of that lives 300 seconds more, and a minute later the main thread looks for it.
    const lastRead = (seconds: number): number => {
      const main = new Conversation().turn(40, 10).wait(380);
      main.event((at) => ({ kind: 'clear', at })).turn(30, 10);
      const child = new Conversation()
        .wait(10)
        .turn(90, 10)
        .wait(seconds - 1)
        .turn(5, 5);
      const transcript = main.transcript({ threads: [main.thread(), child.thread('child', 'main')] });
      const entries = columnar({ cache: { ttl: '5m', subagentTtl: '1h' } }, transcript);
      const ofChild = ofType(entries, 'request').filter(({ thread }) => thread === 'child');
      expect(ofChild.map(({ read }) => read)).toEqual([15_000, 15_090]);
      return mainRequests(entries).at(-1)!.read;
    };
    expect(lastRead(299.999)).toBe(15_000);
    expect(lastRead(300)).toBe(0);
  });

  it('CCH-5 an entry can be read from the moment its response begins', () => {
    // Twins of one prompt; the first takes a second, less than 15,040 tokens need to be read in.
    const twins = (delayMs: number): Transcript => {
      const main = new Conversation().turn(40, 10).wait(500).turn(5, 5);
      const child = new Conversation().wait(delayMs / 1_000).turn(40, 10);
      return main.transcript({ threads: [main.thread(), child.thread('child', 'main')] });
    };
    const second = (delayMs: number) =>
      ofType(columnar({}, twins(delayMs)), 'request').find(({ thread }) => thread === 'child')!;
    expect(second(1_000).read).toBe(15_040);
    expect(second(999)).toMatchObject({ read: 0, write5m: 15_040 });
    expect(second(0)).toMatchObject({ read: 0, write5m: 15_040 });
  });

  it('CCH-3 nothing below the minimum is cached, and what is exactly as long is', () => {
    // Sonnet 4.5 caches from 1,024 tokens on.
    const sized = (tokens: number): Transcript =>
      new Conversation({ toolsTokens: 0, systemTokens: 0 }).turn(tokens, 10).turn(5, 5).transcript();
    expect(readsOf(columnar({}, sized(1_024)))).toEqual([0, 1_024]);
    expect(readsOf(columnar({}, sized(1_023)))).toEqual([0, 0]);
  });

  it('BRD-2 a single token that is sent again has a cause', () => {
    const talk = new Conversation({ toolsTokens: 0, systemTokens: 0 }).turn(1, 10).turn(5, 5);
    const [first, second] = mainRequests(columnar({}, talk.transcript()));
    expect([first!.rewritten, first!.cause]).toEqual([0, null]);
    expect([second!.rewritten, second!.cause === null]).toEqual([1, false]);
  });

  it('BRD-1 a drop of more than 2,000 tokens and one in twenty is a break, with what was lost', () => {
    const cleared = (tokens: number): readonly LogEntry[] => {
      const talk = new Conversation().turn(tokens, 10).turn(20, 10);
      talk.event((at) => ({ kind: 'clear', at })).turn(30, 10);
      return columnar({}, talk.transcript());
    };
    // The second prompt reads 15,000 and the first message, the third one 15,000.
    expect(ofType(cleared(2_000), 'break')).toEqual([]);
    expect(ofType(cleared(2_001), 'break')).toMatchObject([
      { n: 3, thread: 'main', lostTokens: 2_001, cause: 'messages', expected: true, position: 2 },
    ]);
  });

  it('costs nothing for a cache that is off: all of it is plain input', () => {
    const entries = columnar({ cache: { mode: 'off' } }, every(10));
    for (const { read, write5m, write1h, input, prompt } of mainRequests(entries))
      expect([read, write5m, write1h, input]).toEqual([0, 0, 0, prompt]);
  });

  it('writes for the lifetime of its thread: one for main threads, one for subagents', () => {
    const main = new Conversation().turn(40, 10).wait(50).turn(5, 5);
    const child = new Conversation().wait(5).turn(90, 10).thread('child', 'main');
    const transcript = main.transcript({ threads: [main.thread(), child] });
    const written = (init: PlanInit) =>
      ofType(columnar(init, transcript), 'request').map(({ write5m, write1h }) => [write5m > 0, write1h > 0]);
    expect(written({ cache: { ttl: '1h', subagentTtl: '5m' } })).toEqual([
      [false, true],
      [true, false],
      [false, true],
    ]);
    expect(written({ cache: { ttl: '5m', subagentTtl: '1h' } })).toEqual([
      [true, false],
      [false, true],
      [true, false],
    ]);
  });
});

describe('what is kept of plans of one shape', () => {
  /** Runs of the engine that some plans take, one after the other. */
  const counting = () => {
    const { transcript, runs } = watched(every(10));
    return (init: PlanInit) => {
      const before = runs();
      sweep(planOf(init), transcript, createMetricsFold());
      return runs() - before;
    };
  };
  /** A plan of another shape each. */
  const other = (init: PlanInit, i: number): PlanInit => ({ ...init, estimatorFactor: 2 + i });

  it('without layers: the first goes through the engine, the second is recorded, the others are told from that', () => {
    const runsOf = counting();
    const plan = (ttl: '5m' | '1h'): PlanInit => ({ policy: 'unbounded', cache: { ttl } });
    expect([plan('5m'), plan('1h'), plan('5m'), plan('1h')].map(runsOf)).toEqual([1, 1, 0, 0]);
    expect(runsOf(other(plan('5m'), 0))).toBe(1);
  });

  it('without layers: 32 shapes, those that were used last', () => {
    const runsOf = counting();
    const plan: PlanInit = { policy: 'unbounded' };
    expect([plan, plan, plan].map(runsOf)).toEqual([1, 1, 0]);
    for (let i = 0; i < 31; i++) expect(runsOf(other(plan, i))).toBe(1);
    expect(runsOf(plan)).toBe(0);
    for (let i = 31; i < 63; i++) expect(runsOf(other(plan, i))).toBe(1);
    expect([plan, plan, plan].map(runsOf)).toEqual([1, 1, 0]);
  });

  it('with layers: 64 shapes, those that were used last', () => {
    const runsOf = counting();
    const plan: PlanInit = { policy: 'claude-code/2.1.112' };
    expect([plan, plan, plan].map(runsOf)).toEqual([1, 1, 0]);
    for (let i = 0; i < 63; i++) expect(runsOf(other(plan, i))).toBe(1);
    expect(runsOf(plan)).toBe(0);
    for (let i = 63; i < 127; i++) expect(runsOf(other(plan, i))).toBe(1);
    expect([plan, plan, plan].map(runsOf)).toEqual([1, 1, 0]);
  });
});

import { afterEach, describe, expect, it, vi } from 'vitest';
import type { LogEntry } from '../../../src/core/run/run-log.js';
import { observationOf, rewriteCostOf } from '../../../src/engine/requests/exchange.js';
import { NO_TIMING, type Outgoing } from '../../../src/engine/requests/run-env.js';
import { replayParts } from '../../../src/engine/run/replay.js';
import * as fakeLlm from '../../../src/provider/fake-llm/fake-llm.js';
import { resolveModel } from '../../../src/provider/prices/models.js';
import { providerRegistry } from '../../../src/provider/providers/providers.js';
import { mark5m, numbered, prefixOf } from '../../helpers/cache-request.js';
import { runSent, sentFor } from '../../helpers/capture.js';
import { COMPACTION_ONLY } from '../../helpers/drive/above-threshold.js';
import { Conversation } from '../../helpers/generators/conversation.js';
import { logFor, mainRequests, ofType, type PlanInit, planOf, runLog } from '../../helpers/plan.js';
import { planUnder } from '../../helpers/plan-under.js';

const PREFIX = 15_000;

/** Old results are deleted on the server once there are twelve, and nothing else is done. */
const DELETING = {
  policy: 'claude-code/2026',
  set: { ...COMPACTION_ONLY, 'microcompact.cached.enabled': true },
} as const;

/** This many calls with a result of some size each, and an answer. */
function reading(calls: number, tokens: number, model?: string): Conversation {
  const talk = new Conversation(model === undefined ? {} : { model }).human(100);
  for (let i = 0; i < calls; i++) talk.tools([{ tool: 'Read', tokens }]).wait(20);
  return talk.answer(10);
}

describe('what was paid for tokens that were sent before', () => {
  it('is their share of what was not read, and nothing where all was', () => {
    expect(rewriteCostOf(1_000, 30, 40)).toBe(750);
    expect(rewriteCostOf(100, 1, 3)).toBe(33);
    expect(rewriteCostOf(1_000, 0, 40)).toBe(0);
    expect(rewriteCostOf(0, 0, 0)).toBe(0);
  });

  it('CCH-6 is what a prompt costs that finds nothing, but for what is new in it', () => {
    const talk = new Conversation().turn(100, 10).wait(600).turn(40, 10);
    const [first, second] = mainRequests(logFor({}, talk));
    // Sonnet 4.5 writes for five minutes at 3.75 dollars a million tokens: 3,750 nano dollars each.
    expect(first).toMatchObject({ rewritten: 0, rewriteCost: 0, cause: null, writeCost: 15_100 * 3_750 });
    expect(second).toMatchObject({
      prompt: PREFIX + 150,
      read: 0,
      newTokens: 50,
      rewritten: PREFIX + 100,
      cause: 'ttl-5m',
      rewriteCost: (PREFIX + 100) * 3_750,
      context: PREFIX + 160,
    });
  });
});

describe('the risk of an unpredictable break', () => {
  const risksAt = (ttl: '5m' | '1h') => {
    const talk = new Conversation().turn(1_000, 10).wait(90).turn(40, 10);
    const set = { 'client.use': 'none', 'client.outside': 'half', 'client.breakpoints': 'system+last' };
    return mainRequests(logFor({ policy: 'unbounded', set, cache: { ttl } }, talk));
  };

  it.each([
    ['5m', 3_750],
    ['1h', 6_000],
  ] as const)('K14 costs what is behind system and tools, written for %s in place of read', (ttl, write) => {
    const [first, second] = risksAt(ttl);
    expect(first).not.toHaveProperty('risk');
    expect(second!.read).toBe(PREFIX + 1_000);
    // Sonnet 4.5 reads at 0.30 dollars a million.
    expect(second!.risk).toEqual({ chance: 0.04, cost: 1_000 * (write - 300) });
  });
});

describe('what chance adds to a run', () => {
  const talk = new Conversation({ model: 'gpt-5.4' });
  for (let i = 0; i < 60; i++) talk.turn(400, 10).wait(20);
  const openai = providerRegistry.get('openai');
  const certain = { ...openai, cache: { ...openai.cache, hit: null } };
  const endOf = (init: PlanInit) => ofType(logFor(init, talk), 'end')[0]!;

  it('is what it costs more than one in which every entry is found, and lies in the interval that is told', () => {
    const drawn = endOf({ provider: 'openai' });
    const sure = endOf({ ownProvider: certain });
    expect(sure).not.toHaveProperty('chance');
    const { lost, expected, low, high } = drawn.chance!;
    expect(lost).toBeGreaterThan(0);
    expect(Math.abs(drawn.cost - sure.cost - lost)).toBeLessThanOrEqual(1);
    expect(low).toBeLessThan(expected);
    expect(expected).toBeLessThan(high);
  });

  it('MIC-3 is told of requests that send all of their content: what a deletion leaves of a read is no chance', () => {
    const run = (calls: number) =>
      runSent(planOf({ ...DELETING, provider: 'openai' }), reading(calls, 2_000, 'gpt-5.4').transcript());
    const long = run(25);
    const whole = sentFor(long.sent, 'main').filter(({ deletedTokens }) => deletedTokens === 0).length;
    expect(whole).toBeLessThan(20);
    const short = run(whole - 1);
    expect(sentFor(short.sent, 'main')).toHaveLength(whole);
    const [ofAll, ofWhole] = [long, short].map(({ entries }) => ofType(entries, 'end')[0]!.chance);
    expect(ofAll!.expected).toBeGreaterThan(0);
    expect(ofAll).toEqual(ofWhole);
  });
});

describe('the window of a model', () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it('INV-2 a prompt that is longer and answered all the same is a fault of the program', () => {
    const real = fakeLlm.createFakeLlm;
    vi.spyOn(fakeLlm, 'createFakeLlm').mockImplementation((...given) => {
      const llm = real(...given);
      return { call: (call) => llm.call({ ...call, windowTokens: null }) };
    });
    const run = (window: number) => () => logFor({ window }, reading(0, 0));
    expect(run(PREFIX + 100)).not.toThrow();
    expect(run(PREFIX + 99)).toThrow(/INV-2 .* 15100 tokens .* window of 15099/);
  });

  it('MIC-3 INV-2 has room again for what was deleted on the server', () => {
    // 60 calls of 20 tokens with results of 5,000; of eleven to twelve results and more the older are deleted.
    const plan = planOf({ ...DELETING, window: 200_000 });
    const { entries, sent } = runSent(plan, reading(60, 5_000).transcript());
    const last = sentFor(sent, 'main').at(-1)!;
    expect(last.tokens + last.deletedTokens).toBe(PREFIX + 100 + 60 * 5_020);
    expect(last.tokens).toBeLessThan(PREFIX + 100 + 60 * 20 + 12 * 5_000);
    expect(ofType(entries, 'refused')).toEqual([]);
  });
});

describe('what the break detector sees of a request', () => {
  const out = (toolsEnd: number, systemEnd: number): Outgoing =>
    ({
      view: prefixOf(numbered(4), toolsEnd, systemEnd),
      startMs: 7,
      model: resolveModel('claude-sonnet-4-5'),
      salts: { tools: 1, system: 2, messages: 3 },
      breakpoints: [mark5m(3)],
      firstChanged: 2,
    }) as unknown as Outgoing;
  const answer = { readTokens: 5, promptTokens: 4_000, entryTtlMs: 9, sawUnreadable: true };

  it('BRD-2 names tools and system by the prefix up to their ends, where there are any', () => {
    const { digests } = prefixOf(numbered(4));
    expect(observationOf(out(1, 3), answer)).toMatchObject({
      startMs: 7,
      readTokens: 5,
      leftOutTokens: 0,
      promptTokens: 4_000,
      model: 'claude-sonnet-4-5',
      toolsDigest: digests[0],
      systemDigest: digests[2],
      parametersDigest: 3,
      firstChangedPosition: 2,
      entryTtlMs: 9,
      sawUnreadable: true,
    });
    expect(observationOf(out(0, 0), { ...answer, leftOutTokens: 4 })).toMatchObject({
      toolsDigest: 0,
      systemDigest: 0,
      leftOutTokens: 4,
    });
  });
});

describe('a request beside the loop', () => {
  /** A prompt, a pause of 400 seconds, and a prompt on another model. */
  const talk = () => {
    const first = new Conversation().turn(100, 10).wait(390);
    first.event((at) => ({ kind: 'model-switch', at, model: 'claude-opus-4-5' }));
    const later = new Conversation({ model: 'claude-opus-4-5', ids: 'b-' }).wait(401).turn(20, 10);
    first.steps.push(...later.steps);
    return first.transcript();
  };
  const never = 'rules: [{ when: { tokens: ">= 190k" }, ask: { shape: own } }]';

  it('BRD-2 with a prefix of its own shares nothing with the thread at any time: a pause is not why it misses', () => {
    const paused = new Conversation().turn(3_000, 10).wait(600);
    paused.event((at) => ({ kind: 'manual-compact', at, compaction: { instructions: null, partial: null } }));
    const set = { ...COMPACTION_ONLY, 'compact.summariser': 'own' };
    const entries = logFor({ policy: 'claude-code/2026', set }, paused.turn(20, 10));
    const summary = ofType(entries, 'request').find(({ purpose }) => purpose === 'compact')!;
    expect(summary.rewritten).toBeGreaterThanOrEqual(3_000);
    expect(summary.cause).toBe('system');
  });

  it('BRD-2 C11 that keeps the entry alive begins its lifetime again: a later miss is not put down to time', () => {
    const cold = mainRequests(runLog(planUnder(never, {}), talk())).at(-1)!;
    expect([cold.read, cold.cause]).toEqual([0, 'ttl-5m']);
    const kept = planUnder(`cache: { keepAlive: { every: 4min, times: 1 } }\n${never}`, {});
    const entries = runLog(kept, talk());
    expect(ofType(entries, 'request').map(({ purpose }) => purpose)).toContain('keep_alive');
    const warm = mainRequests(entries).at(-1)!;
    expect([warm.read, warm.cause]).toEqual([0, 'model']);
  });

  /** A prompt, compactions by hand after so many seconds that come to nothing, and a prompt on another model in the end. */
  const inVain = (asked: readonly number[] = [600], end = 700) => {
    const first = new Conversation().turn(100, 10).wait(asked[0]!);
    const compaction = { instructions: null, partial: null };
    for (const second of asked)
      first.event((at) => ({ kind: 'manual-compact', at: at + 1_000 * (second - asked[0]!), compaction }));
    const model = 'claude-opus-4-5';
    first.event((at) => ({ kind: 'model-switch', at: at + 1_000 * (end - 40 - asked[0]!), model }));
    const later = new Conversation({ model, ids: 'b-' }).wait(end).turn(20, 10);
    first.steps.push(...later.steps);
    return first.transcript();
  };
  const lastCause = (entries: readonly LogEntry[]) => mainRequests(entries).at(-1)!.cause;

  it('BRD-2 C11 that finds an entry gone and writes none leaves it gone: a later miss is put down to time', () => {
    const faults = [{ call: 'compact', error: 'empty_summary' }] as const;
    const plan = planOf({ policy: 'claude-code/2026', set: COMPACTION_ONLY, faults });
    const entries = runLog(plan, inVain());
    const asked = ofType(entries, 'request').filter(({ purpose }) => purpose === 'compact');
    expect(asked.length).toBeGreaterThan(0);
    for (const { read, write5m } of asked) expect([read, write5m]).toEqual([0, 0]);
    expect(lastCause(entries)).toBe('ttl-5m');
  });

  it.each([
    ['that writes more behind what the thread had sent leaves its entry gone', [600], 700, [false]],
    [
      'that reads more than the thread had sent keeps only its own entry alive',
      [100, 250],
      450,
      [false, true],
    ],
  ])('BRD-2 C45 %s', (_, asked, end, readsMore) => {
    const policy = 'rules: [{ when: { event: manual }, select: { what: history }, ask: { shape: extend } }]';
    const faults = [{ call: 'compact', error: 'empty_summary' }] as const;
    const entries = runLog(planUnder(policy, { faults }), inVain(asked, end));
    const beside = ofType(entries, 'request').filter(({ purpose }) => purpose === 'compact');
    expect(beside.map(({ read }) => read > PREFIX + 100)).toEqual(readsMore);
    expect(lastCause(entries)).toBe('ttl-5m');
  });

  it('BRD-2 C11 that writes what the thread had sent, and not a token more, brings its entry back', () => {
    const policy = (cache: string) =>
      `cache: { ${cache} }\nrules: [{ when: { event: manual }, select: { what: history }, ask: { shape: extend } }]`;
    const run = (cache: string) =>
      runLog(planUnder(policy(cache), { faults: [{ call: 'compact', error: 'invalid_request' }] }), inVain());
    expect(lastCause(run('marks: client'))).toBe('ttl-5m');
    const entries = run('warmBefore: ask');
    expect(ofType(entries, 'request').filter(({ purpose }) => purpose === 'keep_alive')).toMatchObject([
      { prompt: PREFIX + 100, read: 0, write5m: PREFIX + 100 },
    ]);
    expect(lastCause(entries)).toBe('model');
  });
});

describe('a request that is refused', () => {
  it('is told with what was asked, of whom and why', () => {
    const talk = new Conversation().human(100).wait(3).answer(10);
    const faults = [{ call: 'main', error: 'invalid_request', nth: 1 }] as const;
    const entries = logFor({ faults }, talk);
    expect(ofType(entries, 'refused')).toMatchObject([
      { t: 3_000, thread: 'main', turn: 1, purpose: 'main', prompt: PREFIX + 100, limit: 200_000 },
    ]);
    expect(ofType(entries, 'end')).toMatchObject([{ requests: 0, cost: 0, turns: 1 }]);
  });
});

describe('who listens to requests', () => {
  it('hears of each before it is sent, with its thread', () => {
    const heard: string[] = [];
    const talk = new Conversation().turn(100, 10).turn(20, 10);
    const sink = { write: (entry: LogEntry) => heard.push(entry.type) };
    const parts = replayParts(planOf(), talk.transcript(), sink, NO_TIMING, {
      onRequest: (thread, { purpose, turn }) => heard.push([thread, purpose, turn].join(' ')),
    });
    while (parts.next().done !== true);
    expect(heard.filter((line) => line === 'request' || line.includes(' '))).toEqual([
      'main main 1',
      'request',
      'main main 2',
      'request',
    ]);
  });
});

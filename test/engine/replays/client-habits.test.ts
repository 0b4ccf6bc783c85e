import { describe, expect, it } from 'vitest';
import type { Transcript } from '../../../src/core/model/transcript.js';
import type { Usage } from '../../../src/core/model/usage.js';
import { Conversation } from '../../helpers/generators/conversation.js';
import { logFor, mainRequests, type PlanInit, planOf, runLog } from '../../helpers/plan.js';

/** Tools of 12,000 tokens and a system prompt of 3,000 stand in front of every conversation here. */
const PREFIX = 15_000;

type Behaviours = Readonly<Record<string, string>>;

/** The bare API with some behaviours of a client; no layer is at work. */
const bare = (behaviours: Behaviours, init: PlanInit = {}) =>
  planOf({ policy: 'unbounded', set: { 'client.use': 'none', ...behaviours }, ...init });

const readsOf = (behaviours: Behaviours, talk: Conversation, init: PlanInit = {}) =>
  mainRequests(runLog(bare(behaviours, init), talk.transcript())).map(({ read }) => read);

/** Usage of a first request that found this many tokens. */
const found = (cacheRead: number): Usage => ({
  input: 0,
  cacheRead,
  cacheWrite5m: 1_000,
  cacheWrite1h: 0,
  output: 10,
});

describe('a speaker who switches thinking', () => {
  const speak = (talk: Conversation, thinking: 'on' | 'off', tokens: number) =>
    talk.event((at) => ({ kind: 'speaker', at, thinking })).turn(tokens, 10);
  const switched = () =>
    speak(speak(speak(new Conversation({ model: 'claude-opus-4-5' }), 'on', 100), 'off', 200), 'on', 30);

  it('K1 makes messages cold; the change back finds the entries from before', () => {
    expect(readsOf({ 'client.thinkingSwitch': 'by-speaker' }, switched())).toEqual([
      0,
      PREFIX,
      PREFIX + 100, // the first request, not the second: PREFIX + 100 + 10 + 200
    ]);
  });

  it('K1 changes nothing for a client that leaves thinking alone', () => {
    expect(readsOf({}, switched())).toEqual([0, PREFIX + 100, PREFIX + 310]);
  });

  it('K1 K7 finds nothing from before beyond the lookback', () => {
    const talk = speak(new Conversation({ model: 'claude-opus-4-5' }), 'on', 100);
    talk.event((at) => ({ kind: 'speaker', at, thinking: 'off' })).human(200);
    for (let i = 0; i < 10; i++) talk.tools([{ tool: 'Read', tokens: 50 }]);
    talk.answer(10);
    expect(readsOf({ 'client.thinkingSwitch': 'by-speaker' }, speak(talk, 'on', 30)).at(-1)).toBe(PREFIX);
  });

  it('K1 stays out of threads in which nobody says anything about it', () => {
    const talk = new Conversation().turn(100, 10).turn(50, 10);
    expect(readsOf({ 'client.thinkingSwitch': 'by-speaker' }, talk)).toEqual([0, PREFIX + 100]);
  });
});

describe('the first search for a tool', () => {
  const search = [{ tool: 'ToolSearch', tokens: 50 }];

  it('K2 changes the tools, later ones in the same conversation do not', () => {
    const talk = () => new Conversation().human(100).tools(search).tools(search).answer(10);
    expect(readsOf({ 'client.toolLoading': 'first-search' }, talk())).toEqual([0, 0, PREFIX + 170]);
    expect(readsOf({ 'client.toolLoading': 'stable' }, talk())).toEqual([0, PREFIX + 100, PREFIX + 170]);
  });

  it('K2 finds them as they were in a process that takes the conversation up, and changes them again in a new one', () => {
    const behind = (happen: (talk: Conversation) => Conversation) => {
      const talk = happen(new Conversation().human(100).tools(search).answer(10));
      const behaviours = { 'client.toolLoading': 'first-search', 'client.newProcess': 'as-first' };
      return readsOf(behaviours, talk.human(20).tools(search).answer(10));
    };
    // Behind the resume nothing is found; the search in it is the second of the conversation (recorded at 2.1.123).
    const resumed = behind((talk) => talk.event((at) => ({ kind: 'resume', at, reason: 'restart' })));
    expect(resumed).toEqual([0, 0, 0, PREFIX + 200]);
    expect(behind((talk) => talk.event((at) => ({ kind: 'clear', at }))).at(-1)).toBe(0);
  });
});

describe('a new process', () => {
  const restart = (talk: Conversation) =>
    talk.event((at) => ({ kind: 'resume', at, reason: 'restart' })).human(50);
  const talk = (usage?: Usage) =>
    restart(new Conversation().human(100).answer(10, usage === undefined ? {} : { usage }))
      .answer(10)
      .turn(20, 10);

  it('K3 finds nothing where the first request found nothing', () => {
    expect(readsOf({ 'client.newProcess': 'as-first' }, talk())).toEqual([0, 0, PREFIX + 160]);
    expect(readsOf({ 'client.newProcess': 'same' }, talk())).toEqual([0, PREFIX + 100, PREFIX + 160]);
  });

  it('K3 K11 finds tools and system prompt where the first request found them', () => {
    const behaviours = { 'client.newProcess': 'as-first', 'client.firstRequest': 'recorded' };
    expect(readsOf(behaviours, talk(found(PREFIX)))).toEqual([PREFIX, PREFIX, PREFIX + 160]);
  });

  it('K3 is none between a call and its result', () => {
    const inside = new Conversation().human(100).tools([{ tool: 'Read', tokens: 80 }]);
    inside.event((at) => ({ kind: 'resume', at, reason: 'restart' })).answer(10);
    expect(readsOf({ 'client.newProcess': 'as-first' }, inside)).toEqual([0, PREFIX + 100]);
  });

  it('K3 of another version finds nothing at all', () => {
    const updated = new Conversation().human(100).answer(10, { usage: found(PREFIX) });
    updated.event((at) => ({ kind: 'version', at, version: '2.1.99' }));
    updated.turn(50, 10);
    const behaviours = { 'client.newProcess': 'as-first', 'client.firstRequest': 'recorded' };
    expect(readsOf(behaviours, updated)).toEqual([PREFIX, 0]);
  });

  it('K3 that begins with calls that are lost is one for the first call that is not, and for no other', () => {
    const lost = new Conversation().turn(100, 10).turn(40, 10);
    lost.event((at) => ({ kind: 'resume', at, reason: 'restart' }));
    lost.say('command', 5).answer(10).say('command', 5).answer(10).turn(30, 10).turn(20, 10);
    const init: PlanInit = { faults: [{ call: 'main', error: 'invalid_request', nth: 2 }] };
    // The commands are lost with their calls: 100 + 10 + 40 + 30 tokens are sent then, and the last request reads them.
    expect(readsOf({ 'client.newProcess': 'as-first' }, lost, init)).toEqual([0, 0, PREFIX + 180]);
    expect(readsOf({ 'client.newProcess': 'same' }, lost, init)).toEqual([0, PREFIX + 100, PREFIX + 180]);
  });
});

describe('a new version', () => {
  it('K3 that begins with calls that are lost is one for the first that is not, whatever process that is of', () => {
    const lost = new Conversation()
      .human(100)
      .answer(10, { usage: found(PREFIX) })
      .turn(40, 10);
    lost.event((at) => ({ kind: 'version', at, version: '2.1.99' }));
    lost.say('command', 5).answer(10);
    lost.event((at) => ({ kind: 'resume', at, reason: 'restart' }));
    const init: PlanInit = { faults: [{ call: 'main', error: 'invalid_request', nth: 2 }] };
    const behaviours = { 'client.newProcess': 'as-first', 'client.firstRequest': 'recorded' };
    // A new process of the same version would find tools and system prompt.
    expect(readsOf(behaviours, lost.turn(30, 10), init)).toEqual([PREFIX, 0]);
  });
});

describe('a response in one piece', () => {
  it('K4 has cache entries of its own; the streamed ones live on beside them', () => {
    const fallBack = (built: Conversation) => built.event((at) => ({ kind: 'fallback', at }));
    const talk = () => {
      const built = fallBack(new Conversation().turn(100, 10)).turn(50, 10);
      return fallBack(built.turn(50, 10)).turn(50, 10);
    };
    expect(readsOf({ 'client.fallback': 'own-variant' }, talk())).toEqual([
      0,
      PREFIX, // the first of its kind
      PREFIX + 100, // the streamed one before it
      PREFIX + 160, // the second of its kind reads the first
    ]);
    expect(readsOf({ 'client.fallback': 'same' }, talk())).toEqual([
      0,
      PREFIX + 100,
      PREFIX + 160,
      PREFIX + 220,
    ]);
  });

  it('K4 is told from the others by its call, also when calls before it were lost', () => {
    const talk = new Conversation()
      .human(100)
      .tools([{ tool: 'Read', tokens: 80 }])
      .answer(10);
    talk.turn(50, 10);
    talk.event((at) => ({ kind: 'fallback', at })).turn(20, 10);
    const init: PlanInit = { faults: [{ call: 'main', error: 'invalid_request', nth: 1 }] };
    expect(readsOf({ 'client.fallback': 'own-variant' }, talk, init)).toEqual([0, PREFIX]);
  });
});

describe('a breakpoint', () => {
  /** A request, then another with this many blocks more: pairs of calls and results, a prompt, thinking. */
  const grown = (pairs: number, more: { readonly prompt?: boolean; readonly thinking?: boolean } = {}) => {
    const calls = Array.from({ length: pairs }, () => ({ tool: 'Read', tokens: 50 }));
    const talk = new Conversation({ model: 'claude-opus-4-5' })
      .human(100)
      .tools(calls, more.thinking === true ? { thinking: 400 } : {});
    if (more.prompt === true) talk.human(20);
    return talk.answer(10);
  };
  const second = (lookback: string, talk: Conversation) => readsOf({ 'client.lookback': lookback }, talk)[1];

  it('K7 finds an entry 20 added blocks back, not 21, where it is as observed', () => {
    expect(second('observed', grown(10))).toBe(PREFIX + 100);
    expect(second('observed', grown(10, { prompt: true }))).toBe(PREFIX);
  });

  it('K7 does not count blocks of thinking where it is as observed', () => {
    expect(second('observed', grown(10, { thinking: true }))).toBe(PREFIX + 100);
  });

  it('K7 CCH-1 finds one 19 added blocks back, not 20, where it is as documented, thinking counted', () => {
    expect(second('documented', grown(9, { prompt: true }))).toBe(PREFIX + 100);
    expect(second('documented', grown(10))).toBe(PREFIX);
    expect(second('documented', grown(9, { thinking: true }))).toBe(PREFIX + 100);
    expect(second('documented', grown(9, { thinking: true, prompt: true }))).toBe(PREFIX);
  });
});

describe('behind a compaction', () => {
  it('K9 the first read is tools and system prompt, not the context reminders behind them', () => {
    const talk = new Conversation().human(100);
    for (let i = 0; i < 4; i++) talk.tools([{ tool: 'Bash', tokens: 500 }]);
    talk.answer(10).event((at) => ({
      kind: 'manual-compact',
      at,
      compaction: { instructions: null, partial: null },
    }));
    talk.turn(20, 10);
    const set = { 'context.memoryFiles': { '/repo/CLAUDE.md': 800 } };
    for (const policy of ['claude-code/2.1.7', 'claude-code/2.1.112']) {
      const requests = mainRequests(logFor({ policy, set }, talk));
      expect(requests[0]!.prompt).toBe(PREFIX + 900);
      expect(requests.at(-1)!.read, policy).toBe(PREFIX);
    }
  });
});

describe('the first image of a conversation', () => {
  const talk = () => new Conversation().turn(100, 10).image(300).answer(10).turn(20, 10);

  it('K10 keeps the cache where it is as recorded', () => {
    expect(readsOf({ 'client.images': 'keep' }, talk())).toEqual([0, PREFIX + 100, PREFIX + 410]);
  });

  it('K10 makes messages cold where it is as documented', () => {
    expect(readsOf({ 'client.images': 'break' }, talk())).toEqual([0, PREFIX, PREFIX + 410]);
  });
});

describe('the first request of a thread', () => {
  const first = (read: number, behaviour: string) =>
    readsOf(
      { 'client.firstRequest': behaviour },
      new Conversation()
        .human(5_000)
        .human(1_000)
        .answer(10, { usage: found(read) }),
    )[0];

  it('K11 finds tools and system prompt where the recorded one did', () => {
    expect(first(14_200, 'recorded')).toBe(PREFIX);
    expect(first(14_200, 'cold')).toBe(0);
    expect(first(0, 'recorded')).toBe(0);
  });

  it('K11 finds messages as far as the recorded one did', () => {
    expect(first(PREFIX + 5_500, 'recorded')).toBe(PREFIX + 5_000);
    expect(first(PREFIX + 6_000, 'recorded')).toBe(PREFIX + 6_000);
  });

  it('K11 finds nothing in a generated session, whatever the client', () => {
    const talk = new Conversation().turn(5_000, 10);
    expect(readsOf({ 'client.use': 'claude-code/2.1.112' }, talk)).toEqual([0]);
  });
});

describe('other sessions', () => {
  it('K11 keep tools and system prompt warm beyond an hour in about every second case, where they were at first', () => {
    const talk = (usage: Usage) =>
      new Conversation()
        .human(100)
        .answer(10, { usage })
        .wait(61 * 60)
        .turn(20, 10);
    const late = (seed: number, read: number) =>
      readsOf({ 'client.firstRequest': 'recorded', 'client.outside': 'half' }, talk(found(read)), {
        seed,
        cache: { ttl: '1h' },
      })[1]!;
    const seeds = Array.from({ length: 60 }, (_, seed) => seed);
    const warm = seeds.filter((seed) => late(seed, PREFIX) === PREFIX).length;
    expect(seeds.every((seed) => [0, PREFIX].includes(late(seed, PREFIX)))).toBe(true);
    expect(warm).toBeGreaterThan(15);
    expect(warm).toBeLessThan(45);
    expect(seeds.every((seed) => late(seed, 0) === 0)).toBe(true);
  });
});

describe('a fork', () => {
  /** The main thread goes on in a new process, then starts a child. */
  function forked(): Transcript {
    const main = new Conversation().turn(100, 10);
    main.event((at) => ({ kind: 'resume', at, reason: 'restart' }));
    main
      .human(50)
      .tools([{ tool: 'Task', tokens: 40 }])
      .wait(60)
      .answer(10);
    const child = new Conversation({ ids: 'child-' }).wait(20).turn(30, 10);
    const base = main.transcript();
    const call = base.threads[0]!.steps.filter((step) => step.kind === 'call')[1]!.call;
    return {
      ...base,
      threads: [...base.threads, { ...child.thread('child', 'main'), fork: { callId: call.id } }],
    };
  }

  it('K3 AGT-1 reads what its parent wrote in the new process', () => {
    for (const behaviour of ['same', 'as-first']) {
      const set = { 'client.use': 'none', 'client.newProcess': behaviour };
      const entries = logFor({ policy: 'claude-code/2026', set }, forked());
      const reads = (thread: string) =>
        entries.flatMap((entry) =>
          entry.type === 'request' && entry.thread === thread && entry.purpose !== 'agent_summary'
            ? [entry.read]
            : [],
        );
      expect(reads('child')[0], behaviour).toBeGreaterThanOrEqual(PREFIX + 160);
    }
  });
});

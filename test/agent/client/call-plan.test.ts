import { describe, expect, it } from 'vitest';
import { type CallPlan, CallPlans, planCalls } from '../../../src/agent/client/call-plan.js';
import type { ClientBehaviour } from '../../../src/agent/client/client.js';
import { BARE_API } from '../../../src/agent/client/clients.generated.js';
import { createBlock } from '../../../src/core/model/block.js';
import { createMessage } from '../../../src/core/model/message.js';
import type { Step, Thread } from '../../../src/core/model/transcript.js';
import { messageFrom } from '../../helpers/blocks.js';

/** A client that does all that a plan knows of. */
const BUSY: ClientBehaviour = {
  ...BARE_API,
  suggestions: 'end-of-turn',
  awaySummaries: 'always',
  thinkingSwitch: 'by-speaker',
  toolLoading: 'first-search',
  newProcess: 'as-first',
  fallback: 'own-variant',
};

/** A call of a second: what its response is, when it starts, what it read, wrote and sent beyond the cache. */
interface Called {
  readonly does?: 'answers' | 'thinks' | 'searches' | 'runs';
  readonly at?: number;
  readonly usage?: readonly [read: number, written: number, input: number] | null;
}

const RESPONSES = {
  answers: { kind: 'text', tool: null },
  thinks: { kind: 'thinking', tool: null },
  searches: { kind: 'tool_use', tool: 'ToolSearch' },
  runs: { kind: 'tool_use', tool: 'Bash' },
} as const;

function called({ does = 'answers', at = 0, usage = null }: Called): Step {
  const blocks = [createBlock({ ...RESPONSES[does], role: 'assistant', tokens: 1 })];
  const response = messageFrom('model', 'm', blocks, { at });
  const [cacheRead, cacheWrite5m, input] = usage ?? [0, 0, 0];
  const counts = { input, cacheRead, cacheWrite5m, cacheWrite1h: 0, output: 1 };
  const call = { startMs: at, endMs: at + 1_000, response, usage: usage === null ? null : counts };
  return { kind: 'call', call } as unknown as Step;
}

/** Steps by one word each: who speaks, what happens, and what a response is. */
function stepOf(word: string): Step {
  if (word in RESPONSES) return called({ does: word as keyof typeof RESPONSES });
  if (word === 'human' || word === 'tool')
    return {
      kind: 'message',
      message: createMessage({ id: word, role: 'user', origin: word, blocks: [], at: 0 }),
    };
  const event = ['on', 'off', 'unsaid'].includes(word)
    ? { kind: 'speaker', thinking: word }
    : word.startsWith('2.')
      ? { kind: 'version', version: word }
      : { kind: word };
  return { kind: 'event', event } as Step;
}

function plansOf(
  steps: readonly Step[],
  behaviours: Partial<ClientBehaviour> = {},
  parentId: string | null = null,
): readonly CallPlan[] {
  const thread = { id: 'main', parentId, steps } as unknown as Thread;
  return planCalls(thread, () => ({ ...BUSY, ...behaviours }), '2.1.100');
}

const told = <K extends keyof CallPlan>(what: K, words: string, behaviours: Partial<ClientBehaviour> = {}) =>
  plansOf(words.split(' ').map(stepOf), behaviours).map((plan) => plan[what]);

describe('K1 thinking', () => {
  it.each([
    ['answers thinks', [null, null]],
    ['answers on answers', [null, 'on']],
    ['on answers thinks off thinks', ['on', 'on', 'off']],
    ['unsaid answers thinks answers', ['on', 'on', 'on']],
    ['unsaid answers answers', ['off', 'off']],
    ['unsaid thinks unsaid answers', ['on', 'off']],
    ['off on answers', ['on']],
    ['on unsaid answers', ['on']],
    ['on off answers', ['on']],
    ['off unsaid answers', ['off']],
    ['unsaid off thinks', ['off']],
    ['unsaid unsaid thinks', ['on']],
    ['unsaid unsaid answers', ['off']],
  ] as const)('of the calls in "%s" is %o', (words, expected) => {
    expect(told('thinking', words)).toEqual(expected);
    expect(told('thinking', words, { thinkingSwitch: 'constant' })).toEqual(expected.map(() => null));
  });
});

describe('a call finds nothing of what the one before left', () => {
  it.each([
    ['human answers human resume answers answers', [null, 'process', null]],
    ['human answers human resume 2.1.101 answers', [null, 'version']],
    ['human answers human 2.1.101 resume answers', [null, 'version']],
    ['human runs tool resume answers', [null, null]],
    ['human searches tool answers answers', [null, 'tools', null]],
    ['human searches tool searches tool answers', [null, 'tools', null]],
    ['human searches tool answers clear searches answers', [null, 'tools', null, 'tools']],
    ['human searches human resume answers', [null, 'process']],
  ] as const)('K2 K3 in "%s" by %o', (words, expected) => {
    expect(told('fresh', words)).toEqual(expected);
    const searched = expected.map((each) => (each === 'tools' ? each : null));
    expect(told('fresh', words, { newProcess: 'same' })).toEqual(searched);
    const restarted = expected.map((each) => (each === 'tools' ? null : each));
    expect(told('fresh', words, { toolLoading: 'stable' })).toEqual(restarted);
  });

  it('K4 where it was answered in one piece, if the client keeps such entries apart', () => {
    expect(told('delivery', 'answers fallback answers answers')).toEqual(['streamed', 'whole', 'streamed']);
    expect(told('delivery', 'fallback answers', { fallback: 'same' })).toEqual(['streamed']);
  });

  it('a copy goes on behind the calls of another one, as the same version', () => {
    const steps = 'human answers human 2.1.101 answers thinks runs'.split(' ').map(stepOf);
    const thread = { id: 'main', parentId: null, steps } as unknown as Thread;
    const plans = () =>
      new CallPlans(thread, (version) => (version === '2.1.101' ? BUSY : BARE_API), '2.1.100');
    const [own, copy] = [plans(), plans()];
    const taken = [own.next(), own.next()];
    expect(taken.map((plan) => plan!.behaviours)).toEqual([BARE_API, BUSY]);
    copy.restoreFrom(own);
    const next = copy.next();
    expect(next!.behaviours).toBe(BUSY);
    expect(next).toEqual(own.next());
  });

  it('goes by the behaviours of its version', () => {
    const versions: (string | null)[] = [];
    const steps = 'human answers human 2.1.101 answers answers'.split(' ').map(stepOf);
    const thread = { id: 'main', parentId: null, steps } as unknown as Thread;
    const behavioursAt = (version: string | null): ClientBehaviour => {
      versions.push(version);
      return version === '2.1.101' ? BUSY : BARE_API;
    };
    const plans = planCalls(thread, behavioursAt, '2.1.100');
    expect(plans.map(({ behaviours }) => behaviours)).toEqual([BARE_API, BUSY, BUSY]);
    expect(versions).toEqual(['2.1.100', '2.1.101']);
  });
});

describe('a suggestion', () => {
  const pair = (first: Called, second: Called) => [called(first), called(second)];
  const asked = (steps: readonly Step[], parentId: string | null = null) =>
    plansOf(steps, {}, parentId).map(({ suggestion }) => suggestion);

  it('follows a response of the main conversation that leaves the user two seconds', () => {
    expect(asked(pair({ at: 0 }, { at: 3_000 }))).toEqual(['asked', 'none']);
    expect(asked(pair({ at: 0 }, { at: 2_999 }))).toEqual(['none', 'none']);
    expect(asked(pair({ at: 0, does: 'runs' }, { at: 3_000 }))).toEqual(['none', 'none']);
    expect(asked(pair({ at: 0 }, { at: 3_000 }), 'parent')).toEqual(['none', 'none']);
    const off = plansOf(pair({ at: 0 }, { at: 3_000 }), { suggestions: 'off' });
    expect(off.map(({ suggestion }) => suggestion)).toEqual(['none', 'none']);
  });

  // The first request has 1,000 tokens, 900 of them cached; with its response the next one can read more.
  const behind = (read: number, gap = 3_000, input = 100) =>
    pair({ at: 0, usage: [0, 1_000 - input, input] }, { at: gap, usage: [read, 0, 50] });
  it.each([
    ['shows where the next request reads beyond the prompt', behind(1_001), true],
    ['is not shown where it reads the prompt', behind(1_000), false],
    ['is not shown where it reads what was cached', behind(900), false],
    ['cannot be told where it reads less', behind(899), null],
    ['cannot be told where nothing was cached', behind(0, 3_000, 1_000), null],
    ['cannot be told where there was no time for one', behind(1_001, 2_999), null],
    ['cannot be told without usage', pair({ at: 0, usage: [0, 900, 100] }, { at: 3_000 }), null],
  ])('K16 %s', (_, steps, expected) => {
    expect(plansOf(steps).map(({ suggested }) => suggested)).toEqual([expected, expected]);
  });

  it('K16 is told by most others of the thread where a request does not tell', () => {
    const calls = (...reads: readonly number[]) =>
      reads.map((read, i) => called({ at: 4_000 * i, usage: [read, 900, 100] }));
    const suggested = (...reads: readonly number[]) =>
      plansOf(calls(0, ...reads)).map((plan) => plan.suggested);
    // Each prompt has 1,000 tokens more than it reads.
    expect(suggested(1_001, 2_002, 3_000)).toEqual([true, true, false, true]);
    expect(suggested(1_001, 2_001, 3_000)).toEqual([true, false, false, false]);
    expect(suggested(1_001, 2_001)).toEqual([true, false, null]);
  });

  it('K17 is not looked for where a summary for a user who was away came between', () => {
    const away: Step = { kind: 'event', event: { kind: 'away-summary', at: 2_000 } };
    const [first, second] = behind(1_001) as [Step, Step];
    const plans = plansOf([first, away, second, called({ at: 6_000 })]);
    expect(plans.map(({ awayMs, suggested }) => [awayMs, suggested])).toEqual([
      [[2_000], null],
      [[], null],
      [[], null],
    ]);
    expect(plansOf([first, away, second], { awaySummaries: 'off' })[0]!.awayMs).toEqual([]);
  });
});

import { describe, expect, it } from 'vitest';
import { createBlock } from '../../src/model/block.js';
import type { LogEntry } from '../../src/model/run-log.js';
import type { FaultKind } from '../../src/model/run-plan.js';
import { type AboveSpec, above } from '../helpers/above-threshold.js';
import { runSent, sentFor } from '../helpers/capture.js';
import { Conversation } from '../helpers/conversation.js';
import { answerOf, compactWith, messagesOf, tooLong } from '../helpers/drive-compaction.js';
import { mainRequests, ofType, type PlanInit, planOf, runLog } from '../helpers/plan.js';

const V2076 = 'claude-code/2.0.76';
const V217 = 'claude-code/2.1.7';
const V21112 = 'claude-code/2.1.112';
const V21325 = 'claude-code/2.1.325';
const ALL = [V2076, V217, V21112, V21325] as const;
const LONG_MODEL = 'claude-opus-4-6';

const compactions = (entries: readonly LogEntry[]) =>
  ofType(entries, 'layer').filter((entry) => entry.action === 'compact');

function run(policy: string, spec: AboveSpec, init: PlanInit = {}): LogEntry[] {
  return runLog(planOf({ policy, ...init }), above(spec).transcript());
}

/**
 * Tokens at which something first happens, found at its edge: the first call whose counter reaches it. The 21st call (or
 * the call after `before` rounds) sees `from` tokens; 2.0.76 sees them a call later, with the response but without newer content.
 */
function firesAt(policy: string, edge: number, init: PlanInit = {}, before = 20) {
  const lag = policy === V2076 ? 1 : 0;
  const from = policy === V2076 ? edge - 20 : edge;
  const first = (tokens: number): number | undefined => {
    const entries = run(policy, { from: tokens, rounds: 4, before }, init);
    const turns = mainRequests(entries).length;
    const blocked = ofType(entries, 'notice').some((entry) => entry.what === 'blocked');
    return compactions(entries)[0]?.turn ?? (blocked ? turns + 1 : undefined);
  };
  return { at: first(from) === before + 1 + lag, below: first(from - 1) === before + 2 + lag };
}

const EXACT = { at: true, below: true };

describe('thresholds to the token', () => {
  it.each([
    [V2076, 155_000],
    [V217, 155_000],
    [V21112, 167_000],
    [V21325, 167_000],
  ])('WIN-3 %s compacts at %i, not a token below', (policy, edge) => {
    expect(firesAt(policy, edge)).toEqual(EXACT);
  });

  it.each([
    [V217, 8_192, 178_808],
    [V217, 64_000, 123_000],
    [V21112, 8_192, 178_808],
    [V21112, 64_000, 167_000],
    [V21325, 8_192, 178_808],
    [V21325, 128_000, 167_000],
  ])('WIN-2 %s with a maximal output of %i compacts at %i', (policy, maxOutput, edge) => {
    expect(firesAt(policy, edge, { set: { 'window.maxOutput': maxOutput } })).toEqual(EXACT);
  });

  it.each([
    [V2076, 50, 84_000],
    [V217, 50, 84_000],
    [V21112, 50, 90_000],
    [V21325, 30, 54_000],
  ])('WIN-4 %s at %i %% compacts at %i', (policy, percent, edge) => {
    expect(firesAt(policy, edge, { set: { 'window.percent': percent } })).toEqual(EXACT);
  });

  it.each([V21112, V21325])('WIN-1 %s with a window of 100,000 compacts at 67,000', (policy) => {
    expect(firesAt(policy, 67_000, { set: { 'window.explicit': 100_000 } })).toEqual(EXACT);
  });

  it.each([
    ['compacts at 967,000', 967_000, {}],
    ['at 50 % compacts at 490,000', 490_000, { 'window.percent': 50 }],
    ['blocks at 977,000 with compaction off', 977_000, { 'autoCompact.enabled': false }],
  ])('WIN-3 WIN-4 WIN-6 2.1.325 on a 1 M model %s', (_, edge, set) => {
    expect(firesAt(V21325, edge, { model: LONG_MODEL, set }, 200)).toEqual(EXACT);
  });

  it.each([
    [V217, 165_000],
    [V21112, 177_000],
    [V21325, 177_000],
  ])('WIN-6 %s with compaction off blocks at %i', (policy, edge) => {
    expect(firesAt(policy, edge, { set: { 'autoCompact.enabled': false } })).toEqual(EXACT);
  });

  it('WIN-6 2.0.76 has no local block: the API refuses', () => {
    const set = { 'autoCompact.enabled': false };
    const entries = run(V2076, { from: 199_950, rounds: 4 }, { set });
    expect(ofType(entries, 'notice').filter((entry) => entry.what === 'blocked')).toEqual([]);
    expect(ofType(entries, 'refused').length).toBeGreaterThan(0);
  });

  it.each([
    [V2076, 1],
    [V217, 0],
    [V21112, 0],
    [V21325, 0],
  ])('WIN-7 %s and the "auto off" switch: %i compactions', (policy, count) => {
    const set = { 'autoCompact.disabled': true };
    const entries = run(
      policy,
      { from: policy === V21112 || policy === V21325 ? 167_100 : 155_100, rounds: 3 },
      { set },
    );
    expect(compactions(entries)).toHaveLength(count);
  });
});

describe('counting', () => {
  it.each([
    [V2076, 0],
    [V217, 3_000],
    [V21112, 3_000],
    [V21325, 3_000],
  ])('TOK-5 %s adds %i for three parallel results of 4,000 characters', (policy, added) => {
    const parallel = Array.from({ length: 3 }, () => ({ tool: 'Grep', tokens: 1_000 }));
    const talk = new Conversation().human(100).tools(parallel).answer(10);
    const [first, second] = mainRequests(runLog(planOf({ policy }), talk.transcript()));
    expect(second!.seen! - (first!.prompt + first!.output)).toBe(added);
  });
});

describe('requests', () => {
  /** Three system blocks, as the clients send them. */
  const transcript = () => {
    const talk = new Conversation()
      .human(100)
      .tools([{ tool: 'Grep', tokens: 500 }])
      .tools([{ tool: 'Grep', tokens: 500 }])
      .answer(10);
    const built = talk.transcript();
    const system = (text: string) => createBlock({ kind: 'system', role: 'system', tokens: 1_000, text });
    const prefix = [built.threads[0]!.prefix[0]!, system('line'), system('identity'), system('rules')];
    return { ...built, threads: [{ ...built.threads[0]!, prefix }] };
  };

  it.each([
    [V2076, 4],
    [V217, 4],
    [V21112, 3],
    [V21325, 3],
  ])('CCH-1 %s marks two system blocks and the last %i − 2 messages', (policy, count) => {
    const { sent } = runSent(planOf({ policy }), transcript());
    const last = sent.at(-1)!;
    const positions = last.breakpoints.map((breakpoint) => breakpoint.position);
    expect(positions).toHaveLength(count);
    expect(positions.slice(0, 2)).toEqual([2, 3]);
    expect(positions.at(-1)).toBe(last.prefixes.length - 1);
    // The message before the last is the response with its call; before it stands the first result.
    if (count === 4) expect(last.blocks![positions[2]!]!.role).toBe('assistant');
  });

  it.each(ALL)('%s: each main request extends the one before it', (policy) => {
    const { sent } = runSent(planOf({ policy }), transcript());
    for (let i = 1; i < sent.length; i++) {
      const before = sent[i - 1]!.prefixes;
      expect(sent[i]!.prefixes.slice(0, before.length)).toEqual(before);
    }
  });

  it.each([
    [V2076, 'model'],
    [V217, 'model'],
    [V21112, 'keep-all'],
    [V21325, 'keep-all'],
  ])('MIC-4 %s: earlier thinking on a model that drops it: %s', (policy, kept) => {
    const talk = new Conversation()
      .human(100)
      .tools([{ tool: 'Grep', tokens: 500 }], { thinking: 300 })
      .answer(50)
      .human(10)
      .answer(5);
    const last = mainRequests(runLog(planOf({ policy }), talk.transcript())).at(-1)!;
    expect(last.prompt).toBe(15_100 + 20 + 500 + 50 + 10 + (kept === 'keep-all' ? 300 : 0));
  });
});

describe('the summary call', () => {
  const talk = (policy: string, before = 20) =>
    above({ from: policy === V2076 || policy === V217 ? 155_100 : 167_100, rounds: 3, before });

  it.each([
    [V2076, 0],
    [V217, 0],
    [V21112, 0.97],
    [V21325, 0.97],
  ])('FUL-4 %s shares %f of its prefix with the main thread', (policy, share) => {
    const { entries, sent } = runSent(planOf({ policy }), talk(policy, 60).transcript());
    const [call] = ofType(entries, 'request').filter((entry) => entry.purpose === 'compact');
    const [summary] = sentFor(sent, 'compact');
    const before = sentFor(sent, 'main')
      .filter((request) => request.startMs < summary!.startMs)
      .at(-1)!;
    const sharedBlocks = summary!.prefixes.filter((digest, i) => digest === before.prefixes[i]).length;
    if (share === 0) {
      expect(call!.read).toBe(0);
      expect(sharedBlocks).toBe(0);
    } else {
      expect(call!.read / call!.prompt).toBeGreaterThanOrEqual(share);
      expect(call!.read / call!.prompt).toBeLessThan(1);
    }
  });

  it('FUL-4 the fallback of 2.1.112 shares nothing and is not cached', () => {
    const faults = [{ call: 'compact', error: 'invalid_request', nth: 1 }] as const;
    const { entries, sent } = runSent(planOf({ policy: V21112, faults }), talk(V21112).transcript());
    const [call] = ofType(entries, 'request').filter((entry) => entry.purpose === 'compact');
    expect(call).toMatchObject({ read: 0, write5m: 0, write1h: 0 });
    expect(sentFor(sent, 'compact').at(-1)!.breakpoints).toEqual([]);
  });

  it.each([
    [V2076, 20_000],
    [V217, 20_000],
    [V21112, 20_000],
    [V21325, 32_000],
  ])('FUL-4 %s limits its output to %i', (policy, max) => {
    const messages = messagesOf(talk(policy).transcript());
    const { asks } = compactWith(policy, {}, messages, () => answerOf('<summary>\nok\n</summary>'));
    expect(asks[0]!.maxOutputTokens).toBe(max);
  });

  it.each([
    [V2076, 0],
    [V217, 0],
    [V21112, 0],
    [V21325, 2],
  ])('FUL-1 %s leaves the last %i messages out and verbatim', (policy, kept) => {
    const messages = messagesOf(above({ from: 60_000, rounds: 1 }).transcript()).slice(0, -1);
    const { asks, history } = compactWith(policy, {}, messages, () => answerOf('<summary>\nok\n</summary>'));
    expect(asks[0]!.messages).toEqual(messages.slice(0, messages.length - kept));
    expect(history!.slice(2, 2 + kept)).toEqual(messages.slice(messages.length - kept));
  });

  it.each([
    [V2076, 800],
    [V217, 800],
    [V21112, 0],
    [V21325, 0],
  ])('FUL-3 %s carries %i tokens of scratchpad into the new context', (policy, scratchpad) => {
    const entries = runLog(planOf({ policy, summaryTokens: 4_000 }), talk(policy).transcript());
    const [compaction] = compactions(entries);
    const kept = policy === V21325 ? 7_600 : 0; // the last of twenty rounds that fill the context
    expect(compaction!.trueAfter).toBe(15_000 + 4_000 + scratchpad + 45 + kept);
  });

  it.each(ALL)('%s: after a compaction only tools and system are read', (policy) => {
    const entries = runLog(planOf({ policy }), talk(policy).transcript());
    const turn = compactions(entries)[0]!.turn;
    const next = mainRequests(entries).find((request) => request.turn === turn)!;
    expect(next).toMatchObject({ read: 15_000 });
  });

  it.each<[string, FaultKind, string, number]>([
    [V2076, 'empty_summary', 'done', 1],
    [V217, 'empty_summary', 'done', 1],
    [V21112, 'empty_summary', 'failed', 2],
    [V21325, 'empty_summary', 'failed', 1],
    [V2076, 'no_summary_tags', 'done', 1],
    [V217, 'no_summary_tags', 'done', 1],
    [V21112, 'no_summary_tags', 'done', 1],
    [V21325, 'no_summary_tags', 'done', 2],
  ])('FUL-7 %s and %s: %s after %i requests', (policy, error, outcome, calls) => {
    const faults = [{ call: 'compact', error }] as const;
    const [first] = compactions(runLog(planOf({ policy, faults }), talk(policy).transcript()));
    expect(first).toMatchObject({ outcome, calls });
  });
});

describe('requests per failed compaction, 14 rounds above the threshold and below the block', () => {
  /**
   * What the error tells of. Cutting from the tail ends with three messages, so how often it can be cut depends on the gap:
   * with 50,000 of 152,000 tokens three cuts are possible.
   */
  const GAPS: Readonly<Record<string, number>> = {
    [V2076]: 10_000,
    [V217]: 10_000,
    [V21112]: 10_000,
    [V21325]: 50_000,
  };
  const train = (policy: string, error: FaultKind, retries: number, rounds = 14) => {
    const faults = [
      { call: 'compact', error, ...(error === 'prompt_too_long' ? { gapTokens: GAPS[policy] ?? null } : {}) },
    ] as const;
    const base = planOf({ policy, faults, set: { 'client.retries': retries } });
    const plan = { ...base, llm: { ...base.llm, fake: { ...base.llm.fake, latencyScale: 0 } } };
    // 2.0.76 counts a call later: one round more is above for it.
    const from = policy === V2076 ? 154_980 : policy === V217 ? 155_100 : 167_100;
    const entries = runLog(plan, above({ from, rounds: rounds + (policy === V2076 ? 1 : 0) }).transcript());
    const refused = ofType(entries, 'refused').filter((entry) => entry.purpose === 'compact');
    const after = mainRequests(entries).find((request) => request.t > refused[0]!.t);
    return {
      requests: refused.length,
      answered: mainRequests(entries).length,
      attempts: compactions(entries).length,
      seconds: after === undefined ? null : (after.t - refused[0]!.t) / 1_000,
    };
  };

  it.each([
    [V2076, 28, 14],
    [V217, 28, 14],
    [V21112, 12, 3],
    [V21325, 12, 3],
  ])('FUL-6 BRK-1 too long, %s: %i requests in %i attempts', (policy, requests, attempts) => {
    const result = train(policy, 'prompt_too_long', 10);
    expect(result).toMatchObject({ requests, attempts });
    expect(result.answered).toBe(policy === V2076 ? 35 : 34); // the main requests go on
  });

  it.each([
    [V2076, 28],
    [V217, 28],
    [V21112, 6],
  ])('FUL-7 BRK-1 any other 400, %s: %i requests', (policy, requests) => {
    expect(train(policy, 'invalid_request', 10).requests).toBe(requests);
  });

  it.each([
    [V217, 14 * 3],
    [V21112, 3 * 4],
    [V21325, 3 * 2],
  ])('FUL-7 BRK-1 overloaded with one retry, %s: %i requests', (policy, requests) => {
    expect(train(policy, 'overloaded', 1).requests).toBe(requests);
  });

  it.each([
    [V217, 12, 185],
    [V21112, 22, 363],
    [V21325, 11, 179],
  ])(
    'FUL-7 overloaded with ten retries, one round, %s: %i requests in about %i s',
    (policy, requests, seconds) => {
      const result = train(policy, 'overloaded', 10, 1);
      expect(result.requests).toBe(requests);
      expect(Math.abs(result.seconds! - seconds) / seconds).toBeLessThan(0.1);
      // 0.5 · 2ⁿ s up to 32 s, ten times, each up to a quarter longer.
      const series = policy === V21112 ? 2 : 1;
      expect(result.seconds).toBeGreaterThanOrEqual(159.5 * series);
      expect(result.seconds).toBeLessThanOrEqual(159.5 * 1.25 * series);
    },
  );

  it.each([
    [V217, 165_500],
    [V21112, 177_500],
    [V21325, 177_500],
  ])(
    'WIN-6 %s at or above the block: one failed compaction ends the prompt, the next prompt tries again',
    (policy, from) => {
      const faults = [{ call: 'compact', error: 'invalid_request' }] as const;
      // The last round of the filling jumps over threshold and block at once.
      const talk = new Conversation().human(100).tools([{ tool: 'Task', tokens: 12_000 }]);
      for (let i = 0; i < 10; i++) talk.tools([{ tool: 'Task', tokens: 12_000 }]);
      const filled = 15_100 + 11 * 12_020;
      talk
        .tools([{ tool: 'Task', tokens: from - filled - 20 }])
        .tools([{ tool: 'Task', tokens: 20 }])
        .answer(10);
      talk.human(10).answer(10);
      const entries = runLog(
        planOf({ policy, faults, set: { 'storage.enabled': false } }),
        talk.transcript(),
      );
      const ended = ofType(entries, 'notice').filter((entry) => entry.what === 'blocked');
      expect(ended).toHaveLength(2);
      expect(compactions(entries)).toHaveLength(2);
      expect(mainRequests(entries)).toHaveLength(12);
    },
  );
});

describe('truncation of 43 messages in rounds of 5,000 tokens', () => {
  const messages = () => {
    const talk = new Conversation().human(100);
    for (let i = 0; i < 21; i++) talk.tools([{ tool: 'Task', tokens: 4_980 }]);
    return messagesOf(talk.transcript());
  };
  it.each([
    [V21112, 10_000, [43, 39, 35, 31]],
    [V21112, null, [43, 37, 31, 25]],
    [V21325, 10_000, [41, 37, 33, 29, 25, 21, 17, 13, 9, 5, 3]],
    [V2076, 10_000, [43, 43]],
    [V217, null, [43, 43]],
  ])('FUL-6 %s told of %s too many: %j', (policy, gap, counts) => {
    const { asks, done } = compactWith(policy, {}, messages(), () => tooLong(gap));
    expect(asks.map((ask) => ask.messages.length)).toEqual(counts);
    expect(done).toBe(false);
  });
});

describe('a main request that is too long', () => {
  it.each([
    [V2076, 2, 0],
    [V217, 2, 0],
    [V21112, 1, 0],
    [V21325, 3, 2],
  ])('REA-1 %s: refused %i times, %i reactive compactions, then the error', (policy, refusals, reactive) => {
    const faults = [{ call: 'main', error: 'prompt_too_long' }] as const;
    const entries = runLog(
      planOf({ policy, faults }),
      above({ from: 100_000, rounds: 1, before: 1 }).transcript(),
    );
    // The first call of the session fails; what remains of the prompt is lost.
    expect(ofType(entries, 'refused').filter((entry) => entry.purpose === 'main')).toHaveLength(refusals);
    expect(compactions(entries).filter((entry) => entry.trigger === 'reactive')).toHaveLength(reactive);
    expect(ofType(entries, 'notice').map((entry) => entry.what)).toEqual(['prompt-ended']);
  });

  it('REA-1 2.1.325 recovers when a compaction helps', () => {
    const faults = [{ call: 'main', error: 'prompt_too_long', nth: 21 }] as const;
    const entries = runLog(
      planOf({ policy: V21325, faults }),
      above({ from: 100_000, rounds: 2 }).transcript(),
    );
    expect(ofType(entries, 'notice')).toEqual([]);
    expect(mainRequests(entries)).toHaveLength(22);
  });
});

describe('the thrash guard', () => {
  /** Tools and system prompt alone are at the threshold. */
  const floor = (policy: string, rounds: number) =>
    run(policy, {
      prefixTokens: policy === V2076 || policy === V217 ? 154_000 : 166_000,
      from: 168_000,
      rounds,
      before: 2,
    });

  it.each([V21112, V21325])('BRK-3 %s: the fourth trigger ends the run', (policy) => {
    const entries = floor(policy, 12);
    expect(compactions(entries)).toHaveLength(3);
    expect(ofType(entries, 'notice').map((entry) => entry.what)).toEqual(['run-ended']);
  });

  it.each([V2076, V217])('BRK-3 %s has none', (policy) => {
    const entries = floor(policy, 12);
    expect(compactions(entries).length).toBeGreaterThan(8);
    expect(ofType(entries, 'notice')).toEqual([]);
  });
});

describe('tool results', () => {
  /** Twenty results of a little over 5,000 tokens; the 21st call sees `tokens`. */
  const twenty = (policy: string, tokens: number) => {
    const filled = policy === V2076 ? 19 * 5_030 + 20 : 20 * 5_030;
    const talk = new Conversation({ toolsTokens: tokens - filled - 100 - 3_000, systemTokens: 3_000 }).human(
      100,
    );
    for (let i = 0; i < 20; i++) talk.tools([{ tool: 'Read', tokens: 5_010 }]);
    const entries = runLog(planOf({ policy }), talk.answer(10).transcript());
    return ofType(entries, 'layer').filter((entry) => entry.layer === 'microcompact');
  };

  it.each([V2076, V217])(
    'MIC-1 %s clears 13 of 20 results at 135,000 tokens, none a token below',
    (policy) => {
      expect(twenty(policy, 134_999)).toEqual([]);
      expect(twenty(policy, 135_000)).toMatchObject([{ turn: 21, details: { ids: 13 } }]);
    },
  );

  it.each([V21112, V21325])('MIC-1 %s has no microcompaction by count', (policy) => {
    expect(twenty(policy, 150_000)).toEqual([]);
  });

  it.each(ALL)('MIC-2 %s has none by time: 50, 70 and 400 minutes', (policy) => {
    const talk = new Conversation().human(100);
    for (let i = 0; i < 12; i++) talk.tools([{ tool: 'Read', tokens: 3_000 }]);
    talk.answer(10);
    for (const minutes of [50, 70, 400])
      talk
        .wait(minutes * 60)
        .human(10)
        .answer(10);
    expect(ofType(runLog(planOf({ policy }), talk.transcript()), 'layer')).toEqual([]);
  });

  it.each([
    [V2076, 30_000],
    [V217, 2_200],
    [V21112, 2_200],
    [V21325, 2_200],
  ])('STO-1 %s: Bash output above 30,000 characters leaves about %i', (policy, left) => {
    const bash = (tokens: number) => {
      const talk = new Conversation()
        .human(100)
        .tools([{ tool: 'Bash', tokens }])
        .answer(10);
      const { sent } = runSent(planOf({ policy }), talk.transcript());
      return sent.at(-1)!.blocks!.find((block) => block.kind === 'tool_result')!.chars;
    };
    expect(bash(7_500)).toBe(30_000);
    expect(Math.abs(bash(7_501) - left) / left).toBeLessThan(0.1);
  });

  it.each(ALL)('STO-2 %s has no budget per message: 8 × 29 K go inline', (policy) => {
    const eight = Array.from({ length: 8 }, () => ({ tool: 'Bash', tokens: 7_250 }));
    const entries = runLog(
      planOf({ policy }),
      new Conversation().human(100).tools(eight).answer(10).transcript(),
    );
    expect(ofType(entries, 'layer')).toEqual([]);
    expect(mainRequests(entries)[1]!.prompt).toBe(15_100 + 8 * 7_270);
  });

  it.each([
    [V2076, 'again'],
    [V217, 'again'],
    [V21112, 'stub'],
    [V21325, 'again'],
  ])('STO %s re-reading an unchanged file: %s', (policy, how) => {
    // The same content twice: the second result holds what the first held.
    const talk = new Conversation().human(100);
    for (let i = 0; i < 2; i++) talk.tools([{ tool: 'Read', tokens: 4_000, path: '/repo/a.ts' }]);
    talk.answer(10);
    const results = talk.steps.flatMap((step) =>
      step.kind === 'message' ? step.message.blocks.filter((block) => block.kind === 'tool_result') : [],
    );
    const same = results[0]!.text;
    const steps = talk.steps.map((step) =>
      step.kind === 'message' && step.message.origin === 'tool'
        ? {
            ...step,
            message: {
              ...step.message,
              blocks: step.message.blocks.map((block) =>
                createBlock({ ...block, digest: undefined as never, text: same }),
              ),
            },
          }
        : step,
    );
    const built = talk.transcript();
    const transcript = { ...built, threads: [{ ...built.threads[0]!, steps }] };
    const [, second, third] = mainRequests(runLog(planOf({ policy }), transcript));
    const growth = third!.prompt - second!.prompt;
    if (how === 'stub') expect(growth).toBeLessThan(200);
    else expect(growth).toBe(4_020);
  });
});

describe('restored files', () => {
  it.each(ALL)(
    'RES-1 %s: the five most recently read; under 20,000 characters in full, larger ones as a line',
    (policy) => {
      const talk = new Conversation().human(100);
      const sizes = [100, 4_999, 5_000, 200, 6_000, 300, 50]; // four characters a token
      for (const [i, tokens] of sizes.entries())
        talk.tools([{ tool: 'Read', tokens, path: `/repo/${i}.ts` }]);
      talk.tools([{ tool: 'Task', tokens: 10 }]);
      const { history, report } = compactWith(policy, {}, messagesOf(talk.transcript()), () =>
        answerOf('<summary>\nok\n</summary>'),
      );
      const restored = history!
        .filter((message) => message.origin === 'attachment')
        .map((message) => message.blocks[0]!);
      expect(restored.map((block) => block.facts.path)).toEqual([6, 5, 4, 3, 2].map((i) => `/repo/${i}.ts`));
      expect(restored.map((block) => block.facts.attachment)).toEqual([
        'file',
        'file',
        'compact_file_reference',
        'file',
        'compact_file_reference',
      ]);
      expect(restored[0]!.tokens).toBe(50);
      expect(restored[2]!.tokens).toBeLessThan(100);
      expect(report.details).toMatchObject({ restoredFiles: 3, restoredReferences: 2 });
    },
  );
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createBlock } from '../../../src/core/model/block.js';
import { messageTokens } from '../../../src/core/model/message.js';
import type { Thread } from '../../../src/core/model/transcript.js';
import { promptTokens } from '../../../src/core/model/usage.js';
import { type DraftStep, draftMessage } from '../../../src/transcripts/drafts/draft.js';
import { learnRatio, spread } from '../../../src/transcripts/drafts/weights.js';
import { forAll } from '../../helpers/for-all.js';
import {
  ask,
  assistant,
  attachment,
  callsOf,
  eventsOf,
  type Fields,
  firstThread,
  messagesOf,
  openingSizes,
  outline,
  readSession,
  result,
  say,
  system,
  threadOf,
  usage,
  user,
} from '../../helpers/session.js';

const text = (chars: number): string => 'x'.repeat(chars);

/** Tokens of tools and system prompt. */
function prefixOf(thread: Thread): number {
  return thread.prefix.reduce((sum, block) => sum + block.tokens, 0);
}

/**
 * What stands before each call minus the recorded prompt, rebuilt only at recorded compactions: they keep the prefix and the
 * opening context.
 */
function drift(thread: Thread): readonly number[] {
  let base = prefixOf(thread);
  const known = new Map<string, number>();
  const offs: number[] = [];
  let sum = base;
  for (const step of thread.steps) {
    if (step.kind === 'message') {
      if (step.message.origin === 'context') base += messageTokens(step.message);
      known.set(step.message.id, messageTokens(step.message));
      sum += messageTokens(step.message);
    } else if (step.kind === 'call') {
      if (step.call.usage !== null) offs.push(sum - promptTokens(step.call.usage));
      known.set(step.call.response.id, messageTokens(step.call.response));
      sum += messageTokens(step.call.response);
    } else if (step.event.kind === 'recorded-compaction') {
      sum = base + (step.event.summary === null ? 0 : messageTokens(step.event.summary));
      for (const id of step.event.keptIds) sum += known.get(id) ?? 0;
    }
  }
  return offs;
}

describe('spread', () => {
  it('gives whole parts whose sum is the total, each within one of its share', () => {
    forAll(
      fc.nat(1_000_000),
      fc.array(fc.nat(10_000), { minLength: 1, maxLength: 30 }),
      (tokens, weights) => {
        const parts = spread(tokens, weights);
        const all = weights.reduce((sum, weight) => sum + weight, 0);
        expect(parts.reduce((sum, part) => sum + part, 0)).toBe(tokens);
        for (const [i, part] of parts.entries()) {
          const share = all === 0 ? tokens / weights.length : (tokens * weights[i]!) / all;
          expect(Math.abs(part - share)).toBeLessThanOrEqual(1);
        }
      },
    );
  });
});

describe('true tokens', () => {
  it('TOK-4 splits the growth between the response, by its output, and what came after it', () => {
    const thread = threadOf([
      user('u1', 0, text(275)),
      assistant('a1', 1, 'm1', ask('t1'), { usage: usage(0, 0, 1_100, 60) }),
      result('r1', 2, 't1', text(300)),
      result('r2', 2, 't1', text(100)),
      assistant('a2', 3, 'm2', say('x'), { usage: usage(0, 1_100, 260, 5) }),
    ]);
    expect(messagesOf(thread).map(messageTokens)).toEqual([100, 150, 50]);
    expect(callsOf(thread).map((call) => messageTokens(call.response))).toEqual([60, 5]);
    // 1,100 − 275 characters at 2.75 a token, of which 63 % are tools and system (K8)
    expect(prefixOf(thread)).toBe(630);
    expect(openingSizes(thread)).toEqual([['opening-context', [370]]]);
  });

  it('shares the growth by size when the output count is a placeholder', () => {
    const old = { version: '2.1.1' };
    const thread = threadOf([
      user('u1', 0, 'go', old),
      assistant('a1', 1, 'm1', say(text(300)), { usage: usage(0, 0, 1_000, 2), stop_reason: null }, old),
      user('u2', 2, text(100), old),
      assistant('a2', 3, 'm2', say('x'), { usage: usage(0, 1_000, 200, 1) }, old),
    ]);
    expect(messageTokens(callsOf(thread)[0]!.response)).toBe(150);
    expect(messageTokens(messagesOf(thread)[1]!)).toBe(50);
    expect(callsOf(thread)[0]!.usage!.output).toBe(2);
  });

  it('weighs thinking that shows only its signature by the signature', () => {
    const sealed = [{ type: 'thinking', thinking: '', signature: text(300) }];
    const old = { version: '2.1.1' };
    const thread = threadOf([
      user('u1', 0, 'go', old),
      assistant('a1', 1, 'm1', sealed, { usage: usage(0, 0, 1_000, 2) }, old),
      assistant('a1b', 1, 'm1', say(text(275)), { usage: usage(0, 0, 1_000, 2) }, old),
      assistant('a2', 3, 'm2', say('x'), { usage: usage(0, 1_000, 100, 1) }, old),
    ]);
    expect(callsOf(thread)[0]!.response.blocks.map((block) => block.tokens)).toEqual([50, 50]);
  });

  it('K9 takes what the first request read for tools and system, and sizes the messages by the rest', () => {
    const thread = threadOf([
      user('u1', 0, text(2_750)),
      assistant('a1', 1, 'm1', say('x'), { usage: usage(10, 900, 90, 5) }),
    ]);
    expect(thread.prefix.map((block) => [block.role, block.tokens])).toEqual([
      ['tools', 675],
      ['system', 225],
    ]);
    expect(openingSizes(thread)).toEqual([]);
    expect(messageTokens(messagesOf(thread)[0]!)).toBe(100);
  });

  it('puts what a compaction restored without a line into one opaque message behind the summary', () => {
    const thread = threadOf([
      user('u1', 0, text(275)),
      assistant('a1', 1, 'm1', say('x'), { usage: usage(0, 0, 1_100, 50) }),
      system('b1', 9, 'compact_boundary', {
        compactMetadata: { trigger: 'auto', preservedMessages: { uuids: ['a1'] } },
      }),
      user('y1', 9, text(550), { isCompactSummary: true }),
      user('u2', 10, text(275)),
      assistant('a2', 11, 'm2', say('x'), { usage: usage(0, 1_000, 1_000, 5) }),
    ]);
    const restored = messagesOf(thread)[1]!;
    // prompt 2,000 − prefix and opening context 1,000 − kept response 50 − summary 200 − prompt 100
    expect(messageTokens(restored)).toBe(650);
    expect(restored).toMatchObject({ origin: 'attachment', attachedTo: 'y1' });
    expect(restored.blocks[0]!.text).toBeNull();
    expect(outline(thread)).toEqual([
      'human u1',
      'call m1',
      'event recorded-compaction',
      'attachment restored-context-1',
      'human u2',
      'call m2',
    ]);
    expect(drift(thread)).toEqual([0, 0]);
  });

  it('R19 gives a file that came back what its read weighed, and the summary the rest', () => {
    const file = {
      type: 'file',
      filename: '/repo/a.ts',
      content: { type: 'text', file: { content: text(950) } },
    };
    const thread = threadOf([
      user('u1', 0, text(275)),
      assistant('a1', 1, 'm1', ask('t1', 'Read', { file_path: '/repo/a.ts' }), {
        usage: usage(0, 0, 1_100, 50),
      }),
      result('r1', 2, 't1', text(1_000)),
      assistant('a2', 3, 'm2', say('x'), { usage: usage(0, 1_100, 450, 5) }), // The read is 400.
      system('b1', 9, 'compact_boundary', { compactMetadata: { trigger: 'auto' } }),
      user('y1', 9, text(550), { isCompactSummary: true }),
      attachment('f1', 9, file),
      assistant('a3', 11, 'm3', say('x'), { usage: usage(0, 1_000, 550, 5) }),
    ]);
    const [summary] = eventsOf(thread).flatMap((event) =>
      event.kind === 'recorded-compaction' && event.summary !== null ? [event.summary] : [],
    );
    expect(messageTokens(messagesOf(thread).at(-1)!)).toBe(400);
    // 1,550 − 1,000 of prefix and opening context − 400
    expect(messageTokens(summary!)).toBe(150);
  });

  it('sets growth no line can explain apart from the lines', () => {
    const thread = threadOf([
      user('u1', 0, text(275)),
      assistant('a1', 1, 'm1', ask('t1'), { usage: usage(0, 0, 1_100, 50) }),
      result('r1', 2, 't1', text(275)),
      assistant('a2', 3, 'm2', say('x'), { usage: usage(0, 1_100, 8_150, 5) }),
    ]);
    const [, seen, hidden] = messagesOf(thread);
    expect(messageTokens(seen!)).toBe(100);
    expect(messageTokens(hidden!)).toBe(8_000);
    expect(hidden!.blocks[0]!.facts.attachment).toBe('unlogged-context');
  });

  it('estimates by the learnt ratio where the prompt shrank, and goes on counting growth', () => {
    const turn = (n: number, prompt: number): Fields[] => [
      user(`u${n}`, n, text(200)),
      assistant(`a${n}`, n, `m${n}`, say(text(200)), { usage: usage(0, 0, prompt, 50), stop_reason: null }),
    ];
    const transcript = readSession([
      ...turn(1, 1_000),
      ...turn(2, 1_200),
      ...turn(3, 1_400),
      ...turn(4, 1_600),
      ...turn(5, 900),
      ...turn(6, 1_100),
    ]);
    const thread = firstThread(transcript);
    // 400 characters a step for 200 tokens: 2 characters a token
    expect(messagesOf(thread).map(messageTokens).slice(1)).toEqual([100, 100, 100, 100, 100]);
    expect(drift(thread)).toEqual([0, 0, 0, 0, 900, 900]);
    expect(transcript.warnings).toMatchObject([{ code: 'prompt-shrank', count: 1 }]);
  });

  it('bridges responses without usage', () => {
    const thread = threadOf([
      user('u1', 0, 'go'),
      assistant('a1', 1, 'm1', say(text(100)), { usage: usage(0, 0, 1_000, 30) }),
      user('u2', 2, text(100)),
      assistant('a2', 3, 'm2', say(text(100)), { usage: null }),
      user('u3', 4, text(100)),
      assistant('a3', 5, 'm3', say('x'), { usage: usage(0, 0, 1_200, 5) }),
    ]);
    expect(drift(thread)).toEqual([0, 0]);
  });

  it('makes every recorded prompt the exact sum of what precedes it while prompts only grow', () => {
    const step = fc.record({
      results: fc.array(fc.nat(3_000), { maxLength: 4 }),
      said: fc.nat(2_000),
      growth: fc.nat(20_000),
      output: fc.nat(3_000),
      compacts: fc.integer({ min: 0, max: 9 }),
    });
    forAll(
      { numRuns: 60 },
      fc.array(step, { minLength: 1, maxLength: 12 }),
      fc.integer({ min: 1, max: 60_000 }),
      (steps, first) => {
        let prompt = first;
        const lines: Fields[] = [user('u', 0, text(200))];
        for (const [i, each] of steps.entries()) {
          const content = [...say(text(each.said)), ...each.results.map((_, k) => ask(`t${i}.${k}`)[0]!)];
          lines.push(assistant(`a${i}`, i, `m${i}`, content, { usage: usage(0, 0, prompt, each.output) }));
          for (const [k, chars] of each.results.entries())
            lines.push(result(`r${i}.${k}`, i, `t${i}.${k}`, text(chars)));
          prompt += each.growth;
          if (each.compacts === 0) {
            lines.push(system(`b${i}`, i, 'compact_boundary', { compactMetadata: { trigger: 'auto' } }));
            lines.push(user(`y${i}`, i, text(each.said), { isCompactSummary: true }));
          }
        }
        const offs = drift(threadOf(lines));
        expect(offs).toEqual(offs.map(() => 0));
      },
    );
  });
});

describe('thinking that models drop', () => {
  const HUNDRED = text(275);
  const think = [{ type: 'thinking', thinking: HUNDRED, signature: '' }];

  /** Two responses of one turn, both with 100 tokens of thinking, then a prompt and a response of the given size. */
  function turns(model: string, prompt: number): readonly Fields[] {
    const line = (uuid: string, id: string, content: readonly Fields[], counts: Fields) =>
      assistant(uuid, 1, id, content, { usage: counts, model });
    return [
      user('u1', 0, HUNDRED),
      line('a1', 'm1', think, usage(0, 0, 1_100, 102)),
      line('a2', 'm1', ask('t1'), usage(0, 0, 1_100, 102)),
      result('r1', 2, 't1', HUNDRED),
      line('b1', 'm2', think, usage(0, 1_100, 202, 200)),
      line('b2', 'm2', say(HUNDRED), usage(0, 1_100, 202, 200)),
      user('u2', 4, HUNDRED),
      line('c1', 'm3', say(HUNDRED), usage(0, 0, prompt, 100)),
    ];
  }

  const sizesOf = (lines: readonly Fields[]) => {
    const thread = threadOf(lines);
    return {
      responses: callsOf(thread).map((call) => call.response.blocks.map((block) => block.tokens)),
      messages: messagesOf(thread).map(messageTokens),
    };
  };

  it('K5 leaves the prompt when somebody speaks, that of the latest response before it was ever in one', () => {
    // 1,302 − 100 of the first response + 100 said + 100 asked
    expect(sizesOf(turns('claude-sonnet-4-5', 1_402))).toEqual({
      responses: [[100, 2], [100, 100], [100]],
      messages: [100, 100, 100],
    });
  });

  it('K5 leaves it once', () => {
    const model = 'claude-sonnet-4-5';
    const moved = { sessionId: 's2' };
    const lines = [
      ...turns(model, 1_402),
      user('u3', 6, HUNDRED, moved),
      assistant('d1', 7, 'm4', say('x'), { usage: usage(0, 0, 1_542, 5), model }, moved),
    ];
    // 200 tokens by estimate grew by 140: nearer to 240 than to 140, had the 100 been there still
    const { responses, messages } = sizesOf(lines);
    expect(responses[2]![0]! + messages[3]!).toBe(140);
  });

  it('K5 stays where the prompt is as large as with all of it', () => {
    expect(sizesOf(turns('claude-sonnet-4-5', 1_602))).toEqual({
      responses: [[100, 2], [100, 100], [100]],
      messages: [100, 100, 100],
    });
  });

  it('K5 stays with models that keep all thinking: the growth is shared', () => {
    const { responses, messages } = sizesOf(turns('claude-opus-4-6', 1_402));
    expect(responses[1]![0]! + responses[1]![1]! + messages[2]!).toBe(100);
  });

  it('K5 is gone with a compaction and does not leave again', () => {
    const model = 'claude-sonnet-4-5';
    const lines = [
      ...turns(model, 1_602).slice(0, 6),
      system('k1', 3, 'compact_boundary', { compactMetadata: { trigger: 'auto' } }),
      user('y1', 3, HUNDRED, { isCompactSummary: true }),
      user('u2', 4, HUNDRED),
      assistant('c1', 5, 'm3', say('x'), { usage: usage(0, 0, 1_200, 5), model, stop_reason: null }),
      user('u3', 6, HUNDRED),
      assistant('d1', 7, 'm4', say('x'), { usage: usage(0, 0, 1_240, 5), model }),
    ];
    const { responses, messages } = sizesOf(lines);
    expect(responses[2]![0]! + messages.at(-1)!).toBe(40);
  });
});

describe('the ratio of a recording', () => {
  const message = (chars: number, role: 'user' | 'assistant' = 'user') =>
    draftMessage({
      id: 'm',
      role,
      origin: role === 'user' ? 'human' : 'model',
      timeMs: null,
      blocks: [createBlock({ kind: 'text', role, tokens: 0, text: text(chars) })],
    });
  const said = (chars: number): DraftStep => ({ kind: 'message', message: message(chars) });
  const called = (prompt: number, chars: number): DraftStep => ({
    kind: 'call',
    call: {
      id: 'c',
      model: 'claude-sonnet-4-5',
      message: message(chars, 'assistant'),
      version: null,
      usage: { input: prompt, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: 9 },
      outputIsMissing: false,
      stopReason: null,
      missReason: null,
      effort: null,
      lastTimeMs: null,
      startMs: 0,
      endMs: 0,
    },
  });

  it('is the median of characters over growth, of what was said and of the response before it', () => {
    // 300 + 100 characters grew the prompt by 200, 160, 200 and 100 tokens: 2, 2.5, 2 and 4
    const sizes = [1_000, 1_200, 1_360, 1_560, 1_660];
    const steps = sizes.flatMap((prompt) => [said(300), called(prompt, 100)]);
    expect(learnRatio([steps])).toBe(2.25);
  });

  it('is the general one where fewer than three steps grew, and within its bounds', () => {
    const usual = learnRatio([]);
    const few = [said(300), called(1_000, 100), said(300), called(1_100, 100), said(300), called(1_200, 1)];
    expect(learnRatio([few])).toBe(usual);
    const dense = [1, 2, 3, 4, 5].flatMap((n) => [said(9), called(1_000 * n, 1)]);
    expect(learnRatio([dense])).toBe(1.25);
  });
});

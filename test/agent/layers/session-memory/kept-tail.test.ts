import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  afterLastBoundary,
  hasText,
  keptTailStart,
  moveCutToWhole,
  settledLength,
} from '../../../../src/agent/layers/session-memory/kept-tail.js';
import { createBlock } from '../../../../src/core/model/block.js';
import type { Message } from '../../../../src/core/model/message.js';
import {
  modelMessage,
  toolResult,
  toolUse,
  userMessage,
  words,
} from '../../../helpers/drive/drive-session-memory.js';
import { forAll } from '../../../helpers/for-all.js';

const LIMITS = { minTokens: 10_000, minMessages: 5, maxTokens: 40_000 };

/** Messages of one text block each, by their tokens. */
function talk(tokens: readonly number[]): readonly Message[] {
  return tokens.map((n, i) => userMessage(`m${i}`, [words(n)]));
}

function roughOf(messages: readonly Message[]): number {
  return messages.flatMap(({ blocks }) => blocks).reduce((sum, block) => sum + block.rough, 0);
}

describe('kept tail', () => {
  it('SES-6 keeps what follows the last summarised message when that is enough', () => {
    expect(keptTailStart(talk([9_000, 2_000, 2_000, 2_000, 2_000, 2_000]), 0, LIMITS)).toBe(1);
  });

  it('SES-6 goes back until there are 10,000 tokens', () => {
    const tail = [1, 1, 1, 1, 1];
    expect(keptTailStart(talk([50, 50, 9_995, ...tail]), 2, LIMITS)).toBe(2);
    expect(keptTailStart(talk([50, 50, 9_994, ...tail]), 2, LIMITS)).toBe(1);
  });

  it('SES-6 goes back until there are five messages with text', () => {
    const messages = talk([100, 100, 100, 100, 100, 9_999, 9_999]);
    expect(keptTailStart(messages, 5, LIMITS)).toBe(2);
    const silent = messages.map((message, i) =>
      i === 4 ? userMessage('m4', [toolResult('t', 100)]) : message,
    );
    expect(keptTailStart(silent, 5, LIMITS)).toBe(1);
  });

  it('SES-6 stops at 40,000 tokens: reached exactly is kept, passed is not', () => {
    expect(keptTailStart(talk([9, 20_000, 20_000]), 1, LIMITS)).toBe(1);
    expect(keptTailStart(talk([9, 20_001, 20_000]), 1, LIMITS)).toBe(2);
    expect(keptTailStart(talk([9, 60_000]), 0, LIMITS)).toBe(1);
  });

  it('SES-6 never goes past the last boundary or summary', () => {
    const boundary = userMessage('b', [], { origin: 'boundary' });
    const summary = userMessage('s', [words(500)], { origin: 'summary' });
    const messages = [...talk([5_000, 5_000]), boundary, summary, userMessage('n', [words(10)])];
    expect(afterLastBoundary(messages)).toBe(4);
    expect(keptTailStart(messages, 4, LIMITS)).toBe(4);
    expect(keptTailStart(messages, 0, LIMITS)).toBe(4);
  });

  it('SES-6 attachments, calls and results are not messages with text', () => {
    expect(hasText(userMessage('u', [words(1)]))).toBe(true);
    expect(hasText(modelMessage('a', [toolUse('t'), words(1, 'assistant')]))).toBe(true);
    expect(hasText(modelMessage('a', [toolUse('t')]))).toBe(false);
    expect(hasText(userMessage('r', [toolResult('t')]))).toBe(false);
    expect(hasText(userMessage('x', [words(1)], { origin: 'attachment' }))).toBe(false);
  });

  it('SES-7 moves a cut between a call and its result back to the call', () => {
    const messages = [
      userMessage('u', [words(1)]),
      modelMessage('a', [toolUse('t1'), toolUse('t2')]),
      userMessage('r1', [toolResult('t1')]),
      userMessage('r2', [toolResult('t2')]),
    ];
    expect([0, 1, 2, 3, 4].map((cut) => moveCutToWhole(messages, cut))).toEqual([0, 1, 1, 1, 4]);
  });

  it('SES-7 keeps thinking with the other messages of its response, across results', () => {
    const thinking = createBlock({ kind: 'thinking', role: 'assistant', tokens: 1, chars: 4 });
    const messages = [
      modelMessage('a1', [thinking], { responseId: 'one' }),
      modelMessage('a2', [toolUse('t1')], { responseId: 'one' }),
      userMessage('r1', [toolResult('t1')]),
      modelMessage('a3', [toolUse('t2')], { responseId: 'one' }),
      userMessage('r2', [toolResult('t2')]),
    ];
    expect([1, 2, 3, 4, 5].map((cut) => moveCutToWhole(messages, cut))).toEqual([0, 0, 0, 0, 5]);
  });

  it('SES-7 a result without a call does not move the cut', () => {
    expect(moveCutToWhole([userMessage('u', [words(1)]), userMessage('r', [toolResult('gone')])], 1)).toBe(1);
  });

  it('SES-3 messages count as settled up to the first open call of the latest response', () => {
    const start = [userMessage('u', [words(1)])];
    const open = modelMessage('a2', [toolUse('t')], { responseId: 'one' });
    expect(settledLength(start)).toBe(1);
    expect(settledLength([...start, modelMessage('a', [words(1, 'assistant')])])).toBe(2);
    expect(
      settledLength([...start, modelMessage('a1', [words(1, 'assistant')], { responseId: 'one' }), open]),
    ).toBe(1);
    expect(settledLength([...start, open, userMessage('r', [toolResult('t')])])).toBe(3);
    expect(
      settledLength([...start, open, modelMessage('a3', [words(1, 'assistant')], { responseId: 'one' })]),
    ).toBe(1);
  });
});

/** Conversations of rounds: a prompt now and then, a response in one to three messages, results of its calls. */
const conversation = fc
  .array(
    fc.record({
      prompt: fc.boolean(),
      parts: fc.array(fc.constantFrom('think', 'say', 'call'), { minLength: 1, maxLength: 3 }),
      tokens: fc.integer({ min: 1, max: 9_000 }),
    }),
    { minLength: 1, maxLength: 25 },
  )
  .map((rounds) =>
    rounds.flatMap(({ prompt, parts, tokens }, n) => {
      const messages: Message[] = prompt ? [userMessage(`u${n}`, [words(tokens)])] : [];
      parts.forEach((part, i) => {
        const block =
          part === 'call'
            ? toolUse(`t${n}.${i}`)
            : createBlock({
                kind: part === 'say' ? 'text' : 'thinking',
                role: 'assistant',
                tokens,
                chars: tokens * 4,
              });
        messages.push(modelMessage(`a${n}.${i}`, [block], { responseId: `r${n}` }));
        if (part === 'call') messages.push(userMessage(`x${n}.${i}`, [toolResult(`t${n}.${i}`, tokens)]));
      });
      return messages;
    }),
  );

function isWhole(messages: readonly Message[], cut: number): boolean {
  const before = messages.slice(0, cut);
  const calls = new Set(
    before.flatMap(({ blocks }) => blocks.filter((b) => b.kind === 'tool_use').map((b) => b.toolUseId)),
  );
  const responses = new Set(before.map(({ responseId }) => responseId).filter((id) => id !== null));
  return messages
    .slice(cut)
    .every(
      ({ blocks, responseId }) =>
        !responses.has(responseId ?? '') &&
        blocks.every((b) => b.kind !== 'tool_result' || !calls.has(b.toolUseId)),
    );
}

describe('kept tail, in general', () => {
  it('SES-7 a moved cut is whole, never later, and no whole cut lies between', () => {
    forAll(conversation, fc.nat(200), (messages, at) => {
      const index = Math.min(at, messages.length);
      const cut = moveCutToWhole(messages, index);
      expect(cut).toBeLessThanOrEqual(index);
      expect(isWhole(messages, cut)).toBe(true);
      for (let i = cut + 1; i <= index; i++) expect(isWhole(messages, i)).toBe(false);
    });
  });

  it('SES-6 SES-7 the tail is whole, starts no later than asked, and is as large as it may be', () => {
    forAll(conversation, fc.nat(200), (messages, at) => {
      const after = Math.min(at, messages.length - 1);
      const start = keptTailStart(messages, after, LIMITS);
      expect(start).toBeLessThanOrEqual(after + 1);
      expect(isWhole(messages, start)).toBe(true);
      const tail = messages.slice(start);
      const enough = roughOf(tail) >= LIMITS.minTokens && tail.filter(hasText).length >= LIMITS.minMessages;
      const next = start === 0 ? 0 : roughOf(messages.slice(start - 1));
      expect(enough || start === 0 || next > LIMITS.maxTokens).toBe(true);
    });
  });

  it('SES-6 INV-10 going back never brings the tail over the maximum, but for what must stay whole', () => {
    forAll(conversation, fc.nat(200), (messages, at) => {
      const after = Math.min(at, messages.length - 1);
      const start = keptTailStart(messages, after, LIMITS);
      const wholeAsked = moveCutToWhole(messages, after + 1);
      if (start >= wholeAsked) return;
      let cut = start + 1;
      while (moveCutToWhole(messages, cut) !== cut && cut <= after) cut++;
      expect(roughOf(messages.slice(cut))).toBeLessThanOrEqual(
        Math.max(LIMITS.maxTokens, roughOf(messages.slice(after + 1))),
      );
    });
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  dropHead,
  dropTail,
  groupByRound,
  isMarker,
} from '../../../../src/agent/layers/rules/split-history.js';
import type { AskRequest } from '../../../../src/core/run/action.js';
import { answerOf, compactWith, messagesOf, tooLong } from '../../../helpers/drive/drive-compaction.js';
import { forAll } from '../../../helpers/for-all.js';
import { Conversation } from '../../../helpers/generators/conversation.js';

/** A prompt and 21 rounds of 5,000 tokens: 43 messages. */
function messages43() {
  const talk = new Conversation().human(100);
  for (let i = 0; i < 21; i++) talk.tools([{ tool: 'Read', tokens: 4_980 }]);
  return messagesOf(talk.transcript());
}

const counts = (asks: readonly AskRequest[]) => asks.map((ask) => ask.messages.length);

describe('a summary request that is too long', () => {
  it('FUL-6 loses the oldest rounds until the gap is covered, three times: 43, 39, 35, 31', () => {
    const { asks, done, report, history } = compactWith('claude-code/2026', {}, messages43(), () =>
      tooLong(10_000),
    );
    expect(counts(asks)).toEqual([43, 39, 35, 31]);
    expect(asks.map((ask) => ask.messages.filter(isMarker).length)).toEqual([0, 1, 1, 1]);
    for (const ask of asks.slice(1)) expect(isMarker(ask.messages[0]!)).toBe(true);
    expect(done).toBe(false);
    expect(history).toBeNull();
    expect(report).toMatchObject({ failure: 'prompt-too-long', saved: 0 });
    expect(report.reason).toMatch(/new session/);
  });

  it('FUL-6 loses a fifth of the rounds where the error has no number: 43, 37, 31, 25', () => {
    const { asks } = compactWith('claude-code/2026', {}, messages43(), () => tooLong(null));
    expect(counts(asks)).toEqual([43, 37, 31, 25]);
  });

  it('FUL-6 from the tail: 41, 37, … 5, 3', () => {
    const { asks } = compactWith('claude-code/2.1.325', {}, messages43(), () => tooLong(10_000));
    expect(counts(asks)).toEqual([41, 37, 33, 29, 25, 21, 17, 13, 9, 5, 3]);
  });

  it('FUL-6 what was cut from the tail stays verbatim behind the summary', () => {
    const messages = messages43();
    const { history, asks } = compactWith('claude-code/2.1.325', {}, messages, (n) =>
      n < 3 ? tooLong(10_000) : answerOf('<summary>\nok\n</summary>'),
    );
    expect(counts(asks)).toEqual([41, 37, 33]);
    expect(history!.slice(2, 12)).toEqual(messages.slice(33));
  });

  it('FUL-6 the marker goes before grouping, or the share of one group in five would take it again and again', () => {
    const talk = new Conversation().human(100);
    for (let i = 0; i < 5; i++) talk.tools([{ tool: 'Read', tokens: 1_000 }]);
    let messages = messagesOf(talk.transcript());
    const lengths = [messages.length];
    while (lengths.length < 20) {
      const shorter = dropHead(messages, { gapTokens: null, share: 0.2 }, 0);
      if (shorter === null) break;
      messages = shorter;
      lengths.push(messages.length);
    }
    // The prompt gives way to the marker; then each cut takes a whole round.
    expect(lengths).toEqual([11, 11, 9, 7, 5, 3]);
    expect(messages.map((message) => message.role)).toEqual(['user', 'assistant', 'user']);
  });

  it('FUL-6 gives up when nothing would be left', () => {
    const talk = new Conversation().human(100).tools([{ tool: 'Read', tokens: 1_000 }]);
    const { asks, report } = compactWith('claude-code/2026', {}, messagesOf(talk.transcript()), () =>
      tooLong(1_000_000),
    );
    expect(asks).toHaveLength(1);
    expect(report.failure).toBe('prompt-too-long');
  });

  it('FUL-6 from the end, whole rounds go down to the fewest that hold this many messages', () => {
    const talk = new Conversation().human(100);
    for (let i = 0; i < 5; i++) talk.tools([{ tool: 'Read', tokens: 1_000 }]);
    const messages = messagesOf(talk.transcript());
    // A prompt and five rounds of two messages each.
    expect(messages).toHaveLength(11);
    const left = (share: number, minMessages: number): number | null =>
      dropTail(messages, { gapTokens: null, share }, minMessages)?.length ?? null;
    const most = [1, 3, 4, 5, 6, 10, 11, 12].map((minMessages) => left(1, minMessages));
    expect(most).toEqual([1, 3, 5, 5, 7, null, null, null]);
    // A third of six groups is two rounds.
    expect(left(1 / 3, 1)).toBe(7);
  });

  it('INV-9 each retry has fewer tokens, its marker included, keeps whole rounds, and the retries end', () => {
    forAll(
      { numRuns: 80 },
      fc.array(fc.array(fc.integer({ min: 1, max: 9_000 }), { minLength: 1, maxLength: 3 }), {
        minLength: 1,
        maxLength: 25,
      }),
      fc.option(fc.integer({ min: 1, max: 60_000 }), { nil: null }),
      fc.constantFrom('head' as const, 'tail' as const),
      fc.integer({ min: 1, max: 60 }),
      (rounds, gapTokens, end, opening) => {
        const talk = new Conversation().human(opening);
        for (const results of rounds) talk.tools(results.map((tokens) => ({ tool: 'Read', tokens })));
        let messages = messagesOf(talk.transcript());
        const size = () =>
          messages.reduce(
            (sum, message) => sum + message.blocks.reduce((n, block) => n + block.tokens, 0),
            0,
          );
        for (let steps = 0; ; steps++) {
          expect(steps).toBeLessThanOrEqual(rounds.length + 1);
          const before = size();
          const excess = { gapTokens, share: 0.2 };
          const shorter = end === 'head' ? dropHead(messages, excess, 0) : dropTail(messages, excess, 3);
          if (shorter === null) break;
          messages = shorter;
          expect(size()).toBeLessThan(before);
          expect(messages[0]!.role).toBe('user');
          for (const group of groupByRound(messages)) {
            const uses = group.flatMap((m) => m.blocks.filter((b) => b.kind === 'tool_use'));
            const results = group.flatMap((m) => m.blocks.filter((b) => b.kind === 'tool_result'));
            expect(results.map((block) => block.toolUseId)).toEqual(uses.map((block) => block.toolUseId));
          }
        }
      },
    );
  });
});

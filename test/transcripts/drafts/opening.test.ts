import { describe, expect, it } from 'vitest';
import { messageTokens } from '../../../src/core/model/message.js';
import { openingOf } from '../../../src/transcripts/drafts/opening.js';
import {
  assistant,
  type Fields,
  HUNDRED,
  messagesOf,
  openingSizes,
  say,
  system,
  threadOf,
  usage,
  user,
} from '../../helpers/session.js';

function sizes(version: string | null, unexplained: number, read: number) {
  const { prefixTokens, context, history } = openingOf(unexplained, read, version);
  const tokens = (message: typeof context) => message?.blocks.map((block) => block.tokens) ?? [];
  return { prefix: prefixTokens, context: tokens(context), history: tokens(history) };
}

/** A first request of the given prompt, a compaction behind it, and the request that follows. */
function compacted(first: Fields, next: Fields): Fields[] {
  return [
    user('u1', 0, HUNDRED),
    assistant('a1', 1, 'm1', say('x'), { usage: first }),
    system('b1', 9, 'compact_boundary', { compactMetadata: { trigger: 'auto' } }),
    user('y1', 9, HUNDRED, { isCompactSummary: true }),
    user('u2', 10, HUNDRED),
    assistant('a2', 11, 'm2', say('x'), { usage: next }),
  ];
}

describe('what stands in front of the first message', () => {
  it.each([
    ['1.0.98', 8_000],
    ['2.1.20', 8_000],
    ['2.1.21', 4_100],
    ['2.1.37', 4_100],
    ['2.1.38', 6_300],
    ['2.1.199', 6_300],
    ['2.1.200', 8_700],
    [null, 6_300],
  ])(
    'K8 is tools and system by a share of version %s where the first request read nothing',
    (version, prefix) => {
      expect(sizes(version, 10_000, 0)).toEqual({ prefix, context: [10_000 - prefix], history: [] });
    },
  );

  it('K9 is tools and system as far as the first request read, and reminders behind them', () => {
    expect(sizes('2.1.42', 10_000, 7_000)).toEqual({ prefix: 7_000, context: [3_000], history: [] });
    expect(sizes('2.1.42', 10_000, 10_000)).toEqual({ prefix: 10_000, context: [], history: [] });
    expect(sizes('2.1.42', 10_000, 12_000)).toEqual({ prefix: 10_000, context: [], history: [] });
  });

  it('K9 the reminders are context that a compaction keeps', () => {
    const thread = threadOf(compacted(usage(0, 6_000, 4_000, 5), usage(0, 6_000, 5_000, 5)));
    // 10,000 − 100 of the prompt, of which 6,000 were read
    expect(openingSizes(thread)).toEqual([['opening-context', [3_900]]]);
    expect(thread.steps[0]).toMatchObject({ message: { origin: 'context', role: 'user', at: 0 } });
    // 11,000 − 9,900 in front − summary and prompt
    expect(messagesOf(thread).map((message) => [message.id, messageTokens(message)])[1]).toEqual([
      'restored-context-1',
      900,
    ]);
  });

  it('K13 is history from 60,000 tokens on, in two parts: what the first request read and the rest', () => {
    expect(sizes('2.1.42', 60_000, 0).history).toEqual([]);
    expect(sizes('2.1.42', 60_001, 0)).toEqual({ prefix: 25_000, context: [], history: [35_001] });
    expect(sizes('2.1.42', 100_000, 80_000)).toEqual({
      prefix: 25_000,
      context: [],
      history: [55_000, 20_000],
    });
    expect(sizes('2.1.42', 100_000, 20_000)).toEqual({ prefix: 20_000, context: [], history: [80_000] });
    expect(sizes('2.1.42', 90_000, 90_000).history).toEqual([65_000]);
  });

  it('K13 the history is a message that a compaction removes', () => {
    const thread = threadOf(compacted(usage(0, 80_000, 20_000, 5), usage(0, 25_000, 1_000, 5)));
    // 100,000 − 100 of the prompt − 25,000, of which 80,000 − 25,000 were read
    expect(openingSizes(thread)).toEqual([['earlier-history', [55_000, 19_900]]]);
    expect(thread.steps[0]).toMatchObject({ message: { origin: 'meta', role: 'user' } });
    // 26,000 − 25,000 in front − summary and prompt
    expect(messagesOf(thread).map((message) => [message.id, messageTokens(message)])[1]).toEqual([
      'restored-context-1',
      800,
    ]);
  });

  it('K8 is nothing where no call has usage', () => {
    const thread = threadOf([user('u1', 0, 'go'), assistant('a1', 1, 'm1', say('x'), { usage: null })]);
    expect(openingSizes(thread)).toEqual([]);
    expect(thread.prefix.map((block) => block.tokens)).toEqual([0, 0]);
  });
});

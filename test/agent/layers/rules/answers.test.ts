import { describe, expect, it } from 'vitest';
import { answerMessage, asText, joined } from '../../../../src/agent/layers/rules/new-history.js';
import { digestText } from '../../../../src/core/base/digest.js';
import { literalText } from '../../../../src/core/model/text.js';
import type { Answer } from '../../../../src/core/run/action.js';
import { prompt, round } from './talk.js';

const answer = (words: string, tokens: number, scratchpadTokens = 0): Answer =>
  ({ text: literalText(words), tokens, scratchpadTokens, digest: digestText(words) }) as unknown as Answer;

describe('answers', () => {
  it('several are one with all their words, tokens and scratchpads', () => {
    const all = joined([answer('one ', 10, 3), answer('two', 20, 4)]);
    expect([all.text.read(), all.text.chars, all.tokens, all.scratchpadTokens]).toEqual([
      'one two',
      7,
      30,
      7,
    ]);
    expect(all.digest).not.toBe(joined([answer('two', 20, 4), answer('one ', 10, 3)]).digest);
  });

  it('a single one stays as it is', () => {
    const only = answer('one', 10);
    expect(joined([only])).toBe(only);
  });

  it('one without words is still a message', () => {
    const tokensOf = (tokens: number) => answerMessage('s', 5, 'user', answer('x', tokens)).blocks[0]!.tokens;
    expect([tokensOf(0), tokensOf(1), tokensOf(7)]).toEqual([1, 1, 7]);
    expect(answerMessage('s', 5, 'user', answer('x', 7))).toMatchObject({
      id: 's',
      at: 5,
      origin: 'summary',
      blocks: [{ facts: { replaces: 'summary' } }],
    });
  });

  it('a conversation as one text has its tokens and characters', () => {
    const talk = [prompt('p', 10), ...round('a', 100)];
    const [block] = asText('t', 5, talk).blocks;
    expect([block!.tokens, block!.chars, block!.text!.read().length]).toEqual([120, 480, 480]);
    expect(asText('t', 5, talk.slice(0, 1)).blocks[0]!.digest).not.toBe(block!.digest);
  });
});

import { describe, expect, it } from 'vitest';
import { call, count, item, meta, read, result, say, turn } from '../helpers/rollout.js';
import { explained } from './sessions.js';

describe('what a request of Codex paid again', () => {
  /** A turn of two requests, of which the first reasons; then the user speaks, and the reasoning leaves the prompt. */
  const partsBehindAnswer = (cached: number, model = 'gpt-5.4') => {
    const transcript = read([
      meta(0),
      turn(0, model),
      say(1, 'user', 'think'),
      item(2, 'reasoning', { summary: [], encrypted_content: 'xxxx' }),
      call(3, 'a'),
      result(4, 'a'),
      count(4, 12_800, { input: 12_800, output: 2_000, reasoning: 1_900 }),
      say(5, 'assistant', 'done'),
      count(5, 38_400, { input: 25_600, cached: 12_800 }),
      say(10, 'user', 'go on'),
      say(15, 'assistant', 'done'),
      count(15, 62_400, { input: 24_000, cached }),
    ]);
    return explained(transcript).requests[2]!.parts.map(({ cause, uncached }) => [cause, uncached]);
  };

  it('is what stood behind earlier reasoning that was left out', () => {
    expect(partsBehindAnswer(12_800)).toEqual([['reasoning', 11_200]]);
  });

  it('is that, and what is unexplained of the prompt before it', () => {
    expect(partsBehindAnswer(6_400)).toEqual([
      ['reasoning', 11_200],
      ['unexplained', 6_400],
    ]);
  });

  it('is unexplained on a model whose reasoning stays in the prompt', () => {
    expect(partsBehindAnswer(12_800, 'gpt-5.6-sol')).toEqual([['unexplained', 11_200]]);
  });
});

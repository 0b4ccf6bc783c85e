import { describe, expect, it } from 'vitest';
import { PADDED_RULES, PLAIN_RULES } from '../../src/tokens/heuristic.js';
import { canonicalCount, tokensFromUsage } from '../../src/tokens/usage.js';
import { assistant, call, result, text, usage, user } from './build.js';

describe('tokensFromUsage', () => {
  it('TOK-4 adds input, cache creation, cache read and output of the latest usage', () => {
    const messages = [
      assistant([], { usage: usage({ input: 9_999 }) }),
      user([text(400)]),
      assistant([], {
        usage: usage({ input: 1, cacheRead: 20, cacheWrite5m: 300, cacheWrite1h: 4_000, output: 50_000 }),
      }),
      assistant([text(400)]),
      user([text(400)]),
    ];
    expect(tokensFromUsage(messages)).toBe(54_321);
  });

  it('TOK-4 is 0 without usage', () => {
    expect(tokensFromUsage([])).toBe(0);
    expect(tokensFromUsage([user([text(400)]), assistant([text(400)])])).toBe(0);
  });

  it('TOK-4 ignores usage that a user message carries', () => {
    expect(tokensFromUsage([user([], { usage: usage({ input: 7 }) })])).toBe(0);
  });
});

describe('canonicalCount', () => {
  it('TOK-5 adds the estimate of what came after the usage, as a recorded compaction did', () => {
    const messages = [
      user([text(80_000)]),
      assistant([text(8_000)], { responseId: 'r1', usage: usage({ cacheRead: 296_000, output: 331 }) }),
      user([text(859 * 4)]),
    ];
    expect(canonicalCount(messages, PLAIN_RULES)).toBe(297_190);
  });

  it('TOK-5 pads the estimated part alone', () => {
    const messages = [assistant([], { usage: usage({ input: 1_000 }) }), user([text(300 * 4)])];
    expect(canonicalCount(messages, PADDED_RULES)).toBe(1_400);
  });

  it('TOK-5 anchors at the first message of a response, so that all parallel results count', () => {
    const one = (id: string) =>
      assistant([call(id, 'Bash', {})], { responseId: 'r2', usage: usage({ input: 10_000 }) });
    const messages = [
      assistant([text(4_000)], { responseId: 'r1', usage: usage({ input: 5_000 }) }),
      user([text(4_000)]),
      one('t1'),
      user([result('t1', 'Bash', 4_000)], { origin: 'tool' }),
      one('t2'),
      user([result('t2', 'Bash', 4_000)], { origin: 'tool' }),
      one('t3'),
      user([result('t3', 'Bash', 4_000)], { origin: 'tool' }),
    ];
    // three results of 1,000 and the two later calls `Bash{}` of round(6 / 4) = 2
    expect(canonicalCount(messages, PLAIN_RULES)).toBe(10_000 + 3 * 1_000 + 2 * 2);
  });

  it('TOK-5 does not reach past another response', () => {
    const messages = [
      assistant([text(4_000)], { responseId: 'r1', usage: usage({ input: 1 }) }),
      assistant([text(4_000)], { responseId: 'r2', usage: usage({ input: 1 }) }),
      assistant([text(400)], { responseId: 'r1', usage: usage({ input: 70 }) }),
      user([text(40)]),
    ];
    expect(canonicalCount(messages, PLAIN_RULES)).toBe(80);
  });

  it('TOK-5 takes the message with the usage as anchor when it has no response id', () => {
    const messages = [
      assistant([text(400)]),
      assistant([text(400)], { usage: usage({ input: 70 }) }),
      user([text(40)]),
    ];
    expect(canonicalCount(messages, PLAIN_RULES)).toBe(80);
  });

  it('TOK-5 estimates everything while there is no usage', () => {
    expect(canonicalCount([user([text(40)]), assistant([text(80)])], PADDED_RULES)).toBe(40);
    expect(canonicalCount([], PADDED_RULES)).toBe(0);
  });
});

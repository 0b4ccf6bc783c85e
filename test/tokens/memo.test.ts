import { describe, expect, it } from 'vitest';
import { JSON_AWARE_RULES, PLAIN_RULES } from '../../src/tokens/heuristic.js';
import { createEstimateMemo } from '../../src/tokens/memo.js';
import { call, result, text } from './build.js';

describe('createEstimateMemo', () => {
  it('TOK-6 estimates a result once per tool_use id', () => {
    const memo = createEstimateMemo(PLAIN_RULES);
    const block = result('t1', 'Bash', 400);
    expect([memo.estimate(block), memo.estimate({ ...block }), memo.estimate(block)]).toEqual([
      100, 100, 100,
    ]);
    expect(memo.computed).toBe(1);
    expect(memo.estimate(result('t2', 'Bash', 800))).toBe(200);
    expect(memo.computed).toBe(2);
  });

  it('TOK-6 keeps a call and its result apart', () => {
    const memo = createEstimateMemo(PLAIN_RULES);
    expect(memo.estimate(call('t1', 'Bash', {}))).toBe(2);
    expect(memo.estimate(result('t1', 'Bash', 400))).toBe(100);
    expect(memo.estimate(call('t1', 'Bash', {}))).toBe(2);
    expect(memo.computed).toBe(2);
  });

  it('TOK-6 neither reads nor overwrites the memo for a replacement', () => {
    const memo = createEstimateMemo(PLAIN_RULES);
    memo.estimate(result('t1', 'Bash', 400));
    expect(memo.estimate(result('t1', 'Bash', 40, { facts: { replaces: 'cleared' } }))).toBe(10);
    expect(memo.estimate(result('t1', 'Bash', 400))).toBe(100);
  });

  it('TOK-6 remembers nothing for blocks without an id', () => {
    const memo = createEstimateMemo(JSON_AWARE_RULES);
    expect(memo.estimate(text(40))).toBe(10);
    expect(memo.estimate(text(80))).toBe(20);
    expect(memo.estimate(text(80, { facts: { jsonLike: true } }))).toBe(40);
    expect(memo.computed).toBe(3);
  });
});

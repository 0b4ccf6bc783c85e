import { describe, expect, it } from 'vitest';
import { countOnce } from '../../../src/analysis/why/count-once.js';
import { fixesOf } from '../../../src/analysis/why/fixes.js';
import { sumUp } from '../../../src/analysis/why/sum-up.js';
import { call, count, item, meta, read, result, say, turn } from '../../helpers/recordings/rollout.js';
import { explained } from './sessions.js';

describe('a fork of Codex', () => {
  it('does not tell the pauses before requests that it copied, nor before its own first one', () => {
    const transcript = read([
      meta(0, { forked_from_id: 'other' }),
      turn(0, 'gpt-5.4'),
      say(0, 'user', 'one'),
      say(0, 'assistant', 'done'),
      count(0, 10_000, { input: 10_000 }),
      say(0, 'user', 'two'),
      say(0, 'assistant', 'done'),
      count(0, 30_000, { input: 20_000 }),
      say(5, 'user', 'three'),
      say(6, 'assistant', 'done'),
      count(6, 51_000, { input: 21_000 }),
      say(66, 'user', 'four'),
      say(66, 'assistant', 'done'),
      count(66, 73_000, { input: 22_000, cached: 20_992 }),
    ]);
    const { requests } = explained(transcript);
    expect(requests.map(({ gapMs }) => gapMs)).toEqual([null, null, null, 61_000]);
    // The second and the third broke, and the pauses before them may have been longer than the cache remembers.
    expect(requests.slice(1, 3).map(({ parts }) => parts.at(-1)!.cause)).toEqual([
      'unexplained',
      'unexplained',
    ]);
  });
});

describe('writes that Codex does not tell', () => {
  it('count once in what is said of the bill', () => {
    const session = explained(
      read([
        meta(0),
        turn(0, 'gpt-5.6-sol'),
        say(1, 'user', 'one'),
        say(2, 'assistant', 'done'),
        count(2, 22_000, { input: 22_000 }),
      ]),
    );
    // A write costs a quarter more than input, $5 before the cut of August 2026: 1,250 nano-dollars for each of 22,000 tokens.
    const noted = countOnce([session, session]).map((each) => each.noted);
    expect(noted.map((each) => each.untoldWritesNano)).toEqual([27_500_000, 0]);
    const earlier = { model: 'gpt-5.6-sol', kind: 'earlier', day: '2026-08-21', calls: 1 };
    expect(noted.map((each) => each.otherPrices)).toEqual([[earlier], []]);
  });
});

describe('a cache of Codex that let a prompt go', () => {
  it('is not computed in what was avoidable, and compacting at half the window is never due', () => {
    const session = explained(
      read([
        meta(0),
        turn(0, 'gpt-5.4'),
        say(1, 'user', 'one'),
        say(2, 'assistant', 'done'),
        count(2, 60_000, { input: 60_000 }),
        say(90_000, 'user', 'two'),
        say(90_001, 'assistant', 'done'),
        count(90_001, 121_000, { input: 61_000 }),
      ]),
    );
    const { byCause, breaks, changes } = sumUp([session], []);
    expect(breaks.map(({ cause, tokens, avoidableUsd }) => [cause, tokens, avoidableUsd])).toEqual([
      ['lifetime', 60_000, null],
    ]);
    expect(byCause.map(({ cause, avoidableUsd }) => [cause, avoidableUsd])).toEqual([
      ['read', 0],
      ['output', 0],
      ['first-write', 0],
      ['growth', 0],
      ['lifetime', null],
    ]);
    expect(changes).toMatchObject([{ name: 'compact at half the window', usd: 0, low: 0, high: 0 }]);
  });
});

describe('Codex with a lower threshold', () => {
  it('compacts at half of its window, and the fix is the limit in tokens', () => {
    let total = 0;
    const requests = Array.from({ length: 20 }, (_, i) => {
      const input = 120_000 + 2_000 * i;
      total += input;
      const cached = i === 0 ? 0 : input - 2_000;
      return [
        say(60 * i + 1, 'user', `question ${i}`),
        say(60 * i + 2, 'assistant', 'done'),
        count(60 * i + 2, total, { input, cached }),
      ];
    });
    const session = explained(read([meta(0), turn(0, 'gpt-5.4'), ...requests.flat()]));
    const [change] = session.changes;
    // The window of gpt-5.4 is 272,000: prompts reach half of it, never the nine tenths at which the client compacts.
    expect(change).toMatchObject({ name: 'compact at half the window', window: 272_000 });
    expect(change!.savedNano).not.toBe(0);
    const sure = { ...change!, savedNano: 10 ** 9, offNano: 1, refetchMostNano: 0 };
    const { fixes } = fixesOf([{ ...session, changes: [sure] }], sumUp([session], [], 'instructions'));
    expect(fixes[0]).toMatchObject({
      file: '~/.codex/config.toml',
      paste: 'model_auto_compact_token_limit = 136000',
    });
    // The limit is a number of tokens: none is half of two windows.
    const two = [sure, { ...sure, window: 121_600 }];
    const [fix] = fixesOf([{ ...session, changes: two }], sumUp([session], [], 'instructions')).fixes;
    expect(fix).toMatchObject({ file: '~/.codex/config.toml', paste: null });
    expect(fix!.advice).toContain('several context windows');
  });
});

describe('what a request of Codex paid again', () => {
  /** A turn of two requests, of which the first reasons; then the user speaks, and the reasoning leaves the prompt. */
  const partsBehindAnswer = (cached: number, model = 'gpt-5.4', prompt = 24_000) => {
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
      count(15, 38_400 + prompt, { input: prompt, cached }),
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

  it('is unexplained in front of the reasoning, also where a long pause made a loss likely', () => {
    // 200 requests of which every second reads nothing: a session of no luck, after which a miss is what is expected.
    const unlucky = Array.from({ length: 200 }, (_, i) => [
      say(1 + i, 'assistant', 'done'),
      call(1 + i, `c${i}`),
      result(1 + i, `c${i}`),
      count(1 + i, 12_800 * (i + 1), { input: 12_800, cached: i % 2 === 0 ? 0 : 12_800 }),
    ]).flat();
    const sum = 12_800 * 200;
    const transcript = read([
      meta(0),
      turn(0, 'gpt-5.4'),
      say(1, 'user', 'begin'),
      ...unlucky,
      item(202, 'reasoning', { summary: [], encrypted_content: 'xxxx' }),
      call(203, 'a'),
      result(204, 'a'),
      count(204, sum + 12_800, { input: 12_800, cached: 12_800, output: 2_000, reasoning: 1_900 }),
      say(205, 'assistant', 'done'),
      count(205, sum + 38_400, { input: 25_600, cached: 12_800 }),
      say(500, 'user', 'go on'),
      say(505, 'assistant', 'done'),
      count(505, sum + 62_400, { input: 24_000, cached: 0 }),
    ]);
    const parts = explained(transcript).requests.at(-1)!.parts;
    // The first call that reasoned had 12,800 tokens before it: they could have been read, whatever left behind them.
    expect(parts.map(({ cause, uncached }) => [cause, uncached])).toEqual([
      ['reasoning', 11_200],
      ['unexplained', 12_800],
    ]);
  });

  it('is a prompt that became shorter where it lost more than its reasoning', () => {
    // 25,600 fell to 20,000: 5,600 less, of which reasoning was 1,900.
    expect(partsBehindAnswer(6_400, 'gpt-5.4', 20_000)).toEqual([['rewind', 13_600]]);
    // 2,300 less are the 1,900 and what a count may be off by; 3,600 are not.
    expect(partsBehindAnswer(12_800, 'gpt-5.4', 23_300)[0]![0]).toBe('reasoning');
    expect(partsBehindAnswer(12_800, 'gpt-5.4', 22_000)[0]![0]).toBe('rewind');
  });

  it('is unexplained on a model whose reasoning stays in the prompt', () => {
    expect(partsBehindAnswer(12_800, 'gpt-5.6-sol')).toEqual([['unexplained', 11_200]]);
  });
});

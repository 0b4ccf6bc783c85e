import { describe, expect, it } from 'vitest';
import { restoreState } from '../../../src/core/base/checkpoint.js';
import type { Block } from '../../../src/core/model/block.js';
import type { Message } from '../../../src/core/model/message.js';
import { type CounterRules, counterRules, SeenCounter } from '../../../src/engine/counting/seen-counter.js';
import { messageFrom, resultOf, userText } from '../../helpers/blocks.js';
import { planOf } from '../../helpers/plan.js';

const rulesFor = (newContent: CounterRules['newContent'], factor = 1): CounterRules =>
  counterRules(
    planOf({ policy: 'claude-code/2026', set: { 'counter.newContent': newContent } }).policy.params,
    factor,
  );
const ROUGH = rulesFor('rough');

/** Four characters a token, so that the estimate is what is true. */
const text = (tokens: number): Block => userText(tokens, { text: 'x'.repeat(4 * tokens) });
const result = (id: string, tokens: number): Block => resultOf(id, tokens, { text: 'x'.repeat(4 * tokens) });
const said = (id: string, ...blocks: readonly Block[]): Message => messageFrom('human', id, blocks);
const usage = (input: number) => ({ input, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: 0 });

/** A counter with another of the same rules beside it: both hear of the same, so they show the same. */
function counter(rules = ROUGH): SeenCounter {
  return new SeenCounter({ ...rules, beside: [rules] });
}

function shown(seen: SeenCounter): readonly number[] {
  expect(seen.tokensBeside(0)).toBe(seen.tokens);
  return [seen.tokens, seen.untouchedTokens];
}

describe('what a policy believes its context to be', () => {
  it('TOK-4 is the latest usage and an estimate of what is newer', () => {
    const seen = counter();
    seen.add(said('a', text(100)));
    expect(shown(seen)).toEqual([100, 100]);
    seen.anchor(usage(1_000), 0);
    expect(shown(seen)).toEqual([1_000, 1_000]);
    seen.add(said('b', text(50)));
    seen.add(said('c', text(7)));
    expect(shown(seen)).toEqual([1_057, 1_057]);
    seen.anchor(usage(1_200), 0);
    expect(shown(seen)).toEqual([1_200, 1_200]);
  });

  it('TOK-5 counts what is newer as its rules say: not at all, as it is, or a third more, times the error', () => {
    const counted = (rules: CounterRules) => {
      const seen = counter(rules);
      seen.anchor(usage(1_000), 0);
      seen.add(said('a', text(90)));
      return shown(seen)[0];
    };
    expect(counted(rulesFor('none'))).toBe(1_000);
    expect(counted(rulesFor('padded'))).toBe(1_120);
    expect(counted(rulesFor('rough', 1.5))).toBe(1_135);
    expect(counted(rulesFor('padded', 0.5))).toBe(1_060);
  });

  it('C10 is untouched what it would be with what layers took out', () => {
    const seen = counter();
    seen.anchor(usage(700), 300);
    expect(shown(seen)).toEqual([700, 1_000]);
    const stand = said('a', text(20));
    seen.add(stand);
    seen.add(said('b', text(5)));
    seen.standsForOther(stand);
    expect(shown(seen)).toEqual([725, 1_005]);
  });

  it('MIC-3 is without what was deleted on the server, as long as the usage still counts it', () => {
    const seen = counter();
    seen.anchor(usage(1_000), 0);
    seen.deleteCached(200);
    seen.deleteCached(100);
    expect(shown(seen)).toEqual([700, 1_000]);
    // The next usage leaves it out by itself.
    seen.anchor(usage(720), 300);
    seen.forgetDeleted();
    expect(shown(seen)).toEqual([720, 1_020]);
  });

  it('MIC-3 C9 is with what the server has forgotten to leave out, whether the usage counts that or not', () => {
    const known = counter();
    known.anchor(usage(1_000), 0);
    known.deleteCached(300);
    known.returnDeleted(300);
    expect(shown(known)[0]).toBe(1_000);
    const left = counter();
    left.anchor(usage(700), 300);
    left.returnDeleted(300);
    expect(shown(left)[0]).toBe(1_000);
    // What has come back is deleted no more.
    left.anchor(usage(1_000), 0);
    expect(shown(left)[0]).toBe(1_000);
  });

  it('MIC-3 is the same when deleted content leaves the conversation, and later too', () => {
    const seen = counter();
    seen.anchor(usage(1_000), 0);
    seen.deleteCached(300);
    seen.dropDeleted(100);
    expect(shown(seen)[0]).toBe(700);
    seen.forgetDeleted();
    expect(shown(seen)[0]).toBe(900);
    // Nothing is left that the usage would still count.
    seen.dropDeleted(50);
    expect(shown(seen)[0]).toBe(900);
  });

  it('C28 loses a block as it was counted: by its true tokens, or by the estimate where it is newer', () => {
    // True tokens and estimate differ here: 40 by the usage, 10 by the estimate.
    const odd = userText(40, { text: 'x'.repeat(40) });
    const old = said('old', odd, text(9));
    const fresh = said('new', odd, text(9));
    const seen = counter();
    seen.add(old);
    seen.anchor(usage(1_000), 0);
    seen.add(fresh);
    expect(shown(seen)[0]).toBe(1_019);
    const before = new Map([old, fresh].map((message) => [message.id, message]));
    seen.replace([{ messageId: 'old', blockIndex: 0, block: text(3) }], before, new Set());
    expect(shown(seen)[0]).toBe(1_019 - 37);
    seen.replace([{ messageId: 'new', blockIndex: 0, block: text(3) }], before, new Set());
    expect(shown(seen)[0]).toBe(1_019 - 37 - 7);
    seen.replace([{ messageId: 'new', blockIndex: 1, block: null }], before, new Set());
    seen.replace([{ messageId: 'old', blockIndex: 1, block: null }], before, new Set());
    expect(shown(seen)).toEqual([1_019 - 37 - 7 - 18, 1_019]);
  });

  it('C28 does not lose twice what was deleted before it was replaced', () => {
    const message = said('m', result('t', 60), result('u', 30));
    const before = new Map([['m', message]]);
    const edit = [{ messageId: 'm', blockIndex: 0, block: text(4) }];
    const counted = counter();
    counted.add(message);
    counted.anchor(usage(1_000), 0);
    counted.replace(edit, before, new Set(['t']));
    expect(shown(counted)[0]).toBe(1_004);
    const newer = counter();
    newer.anchor(usage(1_000), 0);
    newer.add(message);
    newer.replace(edit, before, new Set(['t']));
    expect(shown(newer)[0]).toBe(1_094);
    newer.replace(edit, before, new Set(['u']));
    expect(shown(newer)[0]).toBe(1_094 - 56);
  });

  it('C28 takes nothing off that a resume brought back and no usage has counted', () => {
    const message = said('m', text(30), text(30));
    const before = new Map([['m', message]]);
    const seen = counter();
    seen.anchor(usage(1_000), 0);
    seen.returnUncounted(25);
    seen.returnUncounted(15);
    const drop = (blockIndex: number) =>
      seen.replace([{ messageId: 'm', blockIndex, block: null }], before, new Set());
    drop(0);
    expect(shown(seen)[0]).toBe(1_000);
    drop(1);
    expect(shown(seen)[0]).toBe(980);
    drop(1);
    expect(shown(seen)[0]).toBe(950);
    // The next usage counts everything.
    seen.returnUncounted(500);
    seen.anchor(usage(2_000), 0);
    drop(0);
    expect(shown(seen)[0]).toBe(1_970);
  });

  it('FUL-9 is an estimate alone behind another history: usage, deletions and returns from before it say nothing', () => {
    const old = said('old', text(10));
    const seen = counter();
    seen.anchor(usage(1_000), 90);
    seen.deleteCached(100);
    seen.returnUncounted(50);
    seen.add(old);
    seen.restart([said('a', text(20)), said('b', text(3))]);
    expect(shown(seen)).toEqual([23, 23]);
    // A message of it counts as newer than any usage.
    seen.replace(
      [{ messageId: 'a', blockIndex: 0, block: text(4) }],
      new Map([['a', said('a', text(20))]]),
      new Set(),
    );
    expect(shown(seen)[0]).toBe(7);
    seen.anchor(usage(500), 0);
    const before = new Map([['old', old]]);
    seen.replace([{ messageId: 'old', blockIndex: 0, block: null }], before, new Set());
    expect(shown(seen)).toEqual([490, 500]);
  });

  it('is never below nothing', () => {
    const seen = counter();
    seen.anchor(usage(100), 0);
    seen.deleteCached(300);
    expect(shown(seen)[0]).toBe(0);
    const none = counter(rulesFor('none'));
    none.anchor(usage(100), 0);
    none.deleteCached(300);
    expect(shown(none)[0]).toBe(0);
  });

  it('AGT-1 goes on in a fork from what its parent has seen, and apart from it', () => {
    const message = said('m', text(30));
    const parent = counter();
    parent.anchor(usage(1_000), 70);
    parent.deleteCached(100);
    parent.returnUncounted(10);
    parent.add(message);
    const fork = counter();
    restoreState(fork, parent);
    expect(shown(fork)).toEqual([930, 1_100]);
    parent.add(said('p', text(400)));
    parent.anchor(usage(5_000), 0);
    expect(shown(fork)).toEqual([930, 1_100]);
    // It knows which messages are newer, what is deleted and what no usage has counted.
    const before = new Map([
      ['m', message],
      ['o', said('o', text(30))],
    ]);
    fork.replace([{ messageId: 'm', blockIndex: 0, block: null }], before, new Set());
    expect(shown(fork)[0]).toBe(900);
    fork.replace([{ messageId: 'o', blockIndex: 0, block: null }], before, new Set());
    expect(shown(fork)[0]).toBe(880);
    fork.forgetDeleted();
    expect(shown(fork)[0]).toBe(980);
  });
});

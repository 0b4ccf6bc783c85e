import { describe, expect, it } from 'vitest';
import { restoreState } from '../../../src/core/base/checkpoint.js';
import { type Block, createBlock } from '../../../src/core/model/block.js';
import type { Message } from '../../../src/core/model/message.js';
import type { Usage } from '../../../src/core/model/usage.js';
import { type CountPart, USAGE_PARTS } from '../../../src/core/run/policy-rules.js';
import { type Counted, counterRules, SeenCounter } from '../../../src/engine/counting/seen-counter.js';
import { messageFrom, resultOf } from '../../helpers/blocks.js';

const PLAIN: CountPart = {
  source: 'usage+new',
  of: USAGE_PARTS,
  charsPerToken: 4,
  scale: 1,
  perMessage: 0,
  perImage: 2_000,
  includes: [],
  since: 'compaction',
  ratioCap: null,
};

/** Tools of 300 tokens and a system prompt of 100 by the estimate; the true count is 7,777. */
const THREAD: Counted = {
  prefixRough: (parts) => (parts.includes('tools') ? 300 : 0) + (parts.includes('system') ? 100 : 0),
  trueTokens: 7_777,
  dropsReasoning: true,
};

const count = (change: Partial<CountPart>, factor = 1, counted = THREAD): SeenCounter =>
  new SeenCounter(counterRules({}, factor, { count: { ...PLAIN, ...change }, rules: [] }), counted);

/** A text of this many tokens by the estimate of four characters each. */
const text = (tokens: number, kind: Block['kind'] = 'text'): Block =>
  createBlock({ kind, role: 'user', tokens, text: 'x'.repeat(4 * tokens) });
const said = (id: string, ...blocks: readonly Block[]): Message => messageFrom('human', id, blocks);
const used = (change: Partial<Usage>): Usage => ({
  input: 0,
  cacheRead: 0,
  cacheWrite5m: 0,
  cacheWrite1h: 0,
  output: 0,
  ...change,
});
const USAGE = used({ input: 1_000, cacheRead: 200, cacheWrite5m: 30, cacheWrite1h: 4, output: 50_000 });

describe('what a policy file counts', () => {
  it.each([
    [['input'], 1_000],
    [['cacheRead'], 200],
    [['cacheWrite'], 34],
    [['output'], 50_000],
    [['input', 'cacheRead', 'cacheWrite'], 1_234],
    [USAGE_PARTS, 51_234],
  ] as const)('is %j of the usage, and what is newer', (of, tokens) => {
    const counter = count({ of });
    counter.anchor(USAGE, 0);
    expect(counter.tokens).toBe(tokens);
    counter.add(said('a', text(10)));
    expect(counter.tokens).toBe(tokens + 10);
    const usageAlone = count({ of, source: 'usage' });
    usageAlone.anchor(USAGE, 0);
    usageAlone.add(said('a', text(10)));
    expect(usageAlone.tokens).toBe(tokens);
  });

  it('is the true count, an estimate of everything, or the larger of that and the usage', () => {
    const estimate = count({ source: 'estimate', includes: ['tools'] });
    const larger = count({ source: 'max', includes: ['system', 'tools'] });
    for (const counter of [estimate, larger]) {
      counter.add(said('a', text(10)));
      counter.onResponse(said('b', text(5)));
    }
    expect([estimate.tokens, larger.tokens]).toEqual([315, 415]);
    for (const counter of [estimate, larger]) counter.anchor(used({ input: 416 }), 0);
    expect([estimate.tokens, larger.tokens]).toEqual([315, 416]);
    expect(count({ source: 'tokenizer' }).tokens).toBe(7_777);
  });

  it('goes by characters, messages, images and a factor of its own', () => {
    const tokens = (change: Partial<CountPart>, message: Message, factor = 1): number => {
      const counter = count({ source: 'estimate', ...change }, factor);
      counter.add(message);
      return counter.tokens;
    };
    const plain = said('a', text(30));
    expect(tokens({}, plain)).toBe(30);
    expect(tokens({ charsPerToken: 3 }, plain)).toBe(40);
    expect(tokens({ perMessage: 7 }, plain)).toBe(37);
    expect(tokens({ scale: 1.5 }, plain, 2)).toBe(90);
    expect(tokens({ perImage: 1_234 }, said('a', text(30, 'image')))).toBe(1_234);
    const reasoned = said('a', text(30), text(10, 'thinking'));
    expect(tokens({}, reasoned)).toBe(30);
    expect(tokens({ includes: ['reasoning'] }, reasoned)).toBe(40);
  });

  it('is corrected by usage ÷ estimate, within the cap', () => {
    const corrected = (input: number, output = 0): number => {
      const counter = count({ source: 'estimate', ratioCap: 2, includes: ['system'] });
      counter.add(said('a', text(100)));
      counter.anchor(used({ input, output }), 0);
      return counter.tokens;
    };
    // The estimate is 200: usages of 300, 1,000 and 20 make it 300, at most double and at least half.
    expect([300, 1_000, 20].map((input) => corrected(input))).toEqual([300, 400, 100]);
    expect(corrected(200, 100)).toBe(300);
    const empty = count({ source: 'estimate', ratioCap: 2 });
    empty.anchor(used({ input: 1_000 }), 0);
    empty.add(said('a', text(100)));
    expect(empty.tokens).toBe(100);
  });

  it('keeps or forgets the usage where the history is replaced', () => {
    const shownAfter = (since: CountPart['since'], source: CountPart['source'] = 'usage+new'): number => {
      const counter = count({ since, source });
      counter.anchor(used({ input: 1_000 }), 0);
      counter.restart([said('s', text(40))]);
      return counter.tokens;
    };
    expect([shownAfter('compaction'), shownAfter('any')]).toEqual([40, 1_040]);
    expect([shownAfter('compaction', 'usage'), shownAfter('any', 'usage')]).toEqual([0, 1_000]);
    expect(shownAfter('compaction', 'estimate')).toBe(40);
  });

  it('holds reasoning of earlier turns beside the usage where prompts drop it', () => {
    const tokens = (dropsReasoning: boolean): number => {
      const counter = count({ pastReasoning: 2 }, 1, { ...THREAD, dropsReasoning });
      counter.onResponse(said('a', text(30, 'thinking')));
      counter.anchor(used({ input: 500 }), 0);
      counter.add(said('b'));
      counter.anchor(used({ input: 600 }), 0);
      return counter.tokens;
    };
    expect([tokens(true), tokens(false)]).toEqual([660, 600]);
  });

  it('holds reasoning of earlier turns beside the usage at a factor of its own where prompts keep it', () => {
    const tokens = (dropsReasoning: boolean): number => {
      const rules = { pastReasoning: 2, keptReasoning: 1.5 };
      const counter = count(rules, 1, { ...THREAD, dropsReasoning });
      counter.onResponse(said('a', text(30, 'thinking')));
      counter.anchor(used({ input: 500 }), 0);
      counter.add(said('b'));
      counter.anchor(used({ input: 600 }), 0);
      return counter.tokens;
    };
    expect([tokens(true), tokens(false)]).toEqual([660, 645]);
  });

  it('takes what is changed in place off the estimate and off the usage', () => {
    const before = new Map([['a', said('a', text(30))]]);
    const edit = (block: Block | null) => [{ messageId: 'a', blockIndex: 0, block }];
    const estimate = count({ source: 'estimate' });
    const usage = count({});
    for (const counter of [estimate, usage]) {
      counter.add(said('a', text(30)));
      counter.replace(edit(text(12)), before, new Set());
      expect(counter.tokens).toBe(12);
      counter.anchor(used({ input: 500 }), 0);
    }
    for (const counter of [estimate, usage])
      counter.replace(edit(null), new Map([['a', said('a', text(12))]]), new Set());
    expect([estimate.tokens, usage.tokens]).toEqual([0, 488]);
  });
});

describe('what a counter keeps apart', () => {
  it('a rule with a count of its own sees that, and hears of everything', () => {
    const rules = [
      { count: undefined },
      { count: { ...PLAIN, source: 'estimate' as const } },
      { count: { ...PLAIN, of: ['input'] as const } },
    ];
    const counter = new SeenCounter(counterRules({}, 1, { count: PLAIN, rules: rules as never }), THREAD);
    counter.add(said('a', text(30)));
    counter.anchor(USAGE, 0);
    counter.add(said('b', text(5)));
    const shown = () => [counter.tokens, counter.tokensBeside(0), counter.tokensBeside(1)];
    expect(shown()).toEqual([51_239, 35, 1_005]);
    counter.deleteCached(100);
    expect(shown()).toEqual([51_139, 35, 905]);
    counter.dropDeleted(40);
    expect(shown()).toEqual([51_139, 35, 905]);
    counter.forgetDeleted();
    // 40 of the hundred left the conversation for good, 60 are counted again.
    expect(shown()).toEqual([51_199, 35, 965]);
    counter.deleteCached(10);
    counter.returnDeleted(25);
    expect(shown()).toEqual([51_214, 35, 980]);
    counter.restart([said('s', text(7))]);
    expect(shown()).toEqual([7, 7, 7]);
  });

  it('what it would show had no layer taken anything out', () => {
    const counter = count({});
    counter.add(said('a', text(30)));
    counter.standsForOther(said('a', text(30)));
    expect([counter.tokens, counter.untouchedTokens]).toEqual([30, 0]);
    counter.anchor(used({ input: 500 }), 200);
    counter.add(said('b', text(5)));
    expect([counter.tokens, counter.untouchedTokens]).toEqual([505, 705]);
    counter.deleteCached(100);
    expect([counter.tokens, counter.untouchedTokens]).toEqual([405, 705]);
    counter.restart([]);
    expect([counter.tokens, counter.untouchedTokens]).toEqual([0, 0]);
  });

  it('a fork takes over what its parent has seen, and goes on by itself', () => {
    const parent = count({ pastReasoning: 2 });
    parent.onResponse(said('a', text(30, 'thinking')));
    parent.anchor(used({ input: 500 }), 200);
    parent.add(said('b', text(5)));
    parent.anchor(used({ input: 600 }), 300);
    parent.add(said('c', text(9)));
    parent.deleteCached(100);
    const fork = count({ pastReasoning: 2 });
    restoreState(fork, parent);
    // 600 + 9 − 100 and twice the 30; untouched 900 + 9 and the same.
    expect([fork.tokens, fork.untouchedTokens]).toEqual([569, 969]);
    parent.restart([]);
    fork.replace(
      [{ messageId: 'c', blockIndex: 0, block: null }],
      new Map([['c', said('c', text(9))]]),
      new Set(),
    );
    expect([fork.tokens, parent.tokens]).toEqual([560, 0]);
  });

  it('never shows less than nothing', () => {
    const counter = count({});
    counter.anchor(used({ input: 10 }), 0);
    counter.deleteCached(30);
    expect(counter.tokens).toBe(0);
    counter.add(said('a', text(25)));
    expect(counter.tokens).toBe(5);
  });

  it('what the server deleted already is not taken off again', () => {
    const result = resultOf('t', 50, { text: 'x'.repeat(200) });
    const before = new Map([['a', said('a', result)]]);
    const edits = [{ messageId: 'a', blockIndex: 0, block: text(3) }];
    const shown = (gone: ReadonlySet<string>, isNewer: boolean): number => {
      const counter = count({});
      if (!isNewer) counter.add(said('a', result));
      counter.anchor(used({ input: 500 }), 0);
      if (isNewer) counter.add(said('a', result));
      counter.replace(edits, before, gone);
      return counter.tokens;
    };
    expect([shown(new Set(), false), shown(new Set(['t']), false)]).toEqual([453, 503]);
    expect([shown(new Set(), true), shown(new Set(['t']), true)]).toEqual([503, 553]);
  });
});

describe('a counter that a rule has for itself', () => {
  const first = said('a', text(100));
  const edit = { messageId: 'a', blockIndex: 0, block: text(30) };
  /** All that a counter may hear of. */
  const HEARD: readonly ((seen: SeenCounter) => void)[] = [
    (seen) => seen.add(first),
    (seen) => seen.onResponse(said('r', text(40))),
    (seen) => seen.anchor(used({ input: 900 }), 0),
    (seen) => seen.add(said('b', text(20))),
    (seen) => seen.deleteCached(50),
    (seen) => seen.dropDeleted(20),
    (seen) => seen.replace([edit], new Map([['a', first]]), new Set()),
    (seen) => seen.returnDeleted(80),
    (seen) => seen.deleteCached(50),
    (seen) => seen.forgetDeleted(),
    (seen) => seen.returnUncounted(15),
    (seen) => seen.replace([{ ...edit, block: null }], new Map([['a', first]]), new Set()),
    (seen) => seen.standsForOther(said('b', text(20))),
    (seen) => seen.anchor(used({ input: 950 }), 10),
    (seen) => seen.restart([said('s', text(60)), said('t', text(5))]),
    (seen) => seen.onResponse(said('u', text(9))),
  ];

  it.each<Partial<CountPart>>([
    { source: 'estimate' },
    { source: 'max' },
    { source: 'usage+new' },
    { source: 'usage', since: 'any' },
    { source: 'estimate', ratioCap: 2 },
  ])('hears of everything, and shows what it would show alone: %o', (own) => {
    const rule = { count: { ...PLAIN, ...own } };
    const rules = counterRules({}, 1, { count: PLAIN, rules: [rule] as never });
    const seen = new SeenCounter(rules, THREAD);
    const alone = count(own);
    const fork = new SeenCounter(rules, THREAD);
    const forkAlone = count(own);
    for (const hear of HEARD) {
      hear(seen);
      hear(alone);
      expect(seen.tokensBeside(0)).toBe(alone.tokens);
      restoreState(fork, seen);
      restoreState(forkAlone, alone);
      expect(fork.tokensBeside(0)).toBe(forkAlone.tokens);
    }
  });
});

describe('reasoning of earlier turns that a client goes on counting', () => {
  it('is counted no more once its block has left the conversation, and stays where it was put in another form', () => {
    const thought = said('r', text(100, 'thinking'));
    const tokensWith = (block: Block | null) => {
      const counter = count({ pastReasoning: 1 });
      counter.onResponse(thought);
      counter.add(said('b', text(10)));
      counter.anchor(used({ input: 1_000 }), 0);
      expect(counter.tokens).toBe(1_100);
      const edit = { messageId: 'r', blockIndex: 0, block };
      counter.replace([edit], new Map([['r', thought]]), new Set());
      return counter.tokens;
    };
    // Its 100 tokens leave the usage in both cases.
    expect(tokensWith(null)).toBe(900);
    expect(tokensWith(text(40))).toBe(1_040);
  });
});

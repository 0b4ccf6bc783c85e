import { describe, expect, it } from 'vitest';
import { chosenItems, Items, prunable } from '../../../../src/agent/layers/rules/items.js';
import { createBlock } from '../../../../src/core/model/block.js';
import type { Message } from '../../../../src/core/model/message.js';
import type { LayerContext } from '../../../../src/core/run/layer.js';
import type { SelectPart } from '../../../../src/core/run/policy-rules.js';
import { messageFrom } from '../../../helpers/blocks.js';
import { answer, prompt, round, SIZES, selectOf, viewOf } from './talk.js';

/** Five results in two prompts, the third the largest. */
const TALK: readonly Message[] = [
  prompt('p1'),
  ...round('a', 100),
  ...round('b', 200),
  answer('x'),
  prompt('p2'),
  ...round('c', 500),
  ...round('d', 50),
  ...round('e', 150),
];

function itemsOf(select: SelectPart, messages = TALK): Items {
  const items = new Items(select);
  items.sync(viewOf(messages));
  return items;
}

const chosen = (
  change: Parameters<typeof selectOf>[0],
  messages = TALK,
  nextUse: LayerContext['nextUse'] = () => Number.POSITIVE_INFINITY,
): string => {
  const select = selectOf(change);
  return chosenItems(select, itemsOf(select, messages), viewOf(messages), SIZES, nextUse)
    .map(({ toolUseId }) => toolUseId)
    .join('');
};

describe('what a selection touches', () => {
  it('is everything but what it keeps, by number, messages, rounds and turns', () => {
    expect(chosen({})).toBe('abcde');
    const last = (n: number, unit: 'items' | 'messages' | 'rounds' | 'turns') =>
      chosen({ keep: { last: { n, unit } } });
    expect(last(2, 'items')).toBe('abc');
    expect(last(9, 'items')).toBe('');
    // Each round is a call and a result.
    expect(last(3, 'messages')).toBe('abc');
    expect(last(2, 'rounds')).toBe('abc');
    expect(last(1, 'turns')).toBe('ab');
    expect(last(0, 'rounds')).toBe('abcde');
  });

  it('is everything but what fits into tokens, a share of them or of the characters', () => {
    const within = (tokens: string) => chosen({ keep: { tokens } });
    expect(within('200')).toBe('abc');
    expect(within('199')).toBe('abcd');
    expect(within('1000')).toBe('');
    // 1,000 tokens and 4,000 characters in all: a fifth are the latest two.
    expect(chosen({ keep: { share: { is: 0.2, of: 'tokens' } } })).toBe('abc');
    expect(chosen({ keep: { share: { is: 0.2, of: 'chars' } } })).toBe('abc');
    expect(chosen({ keep: { share: { is: 0.19, of: 'chars' } } })).toBe('abcd');
    expect(chosen({ keep: { share: { is: 800, of: 'chars' } } })).toBe('abc');
    expect(chosen({ keep: { share: { is: 799, of: 'chars' } } })).toBe('abcd');
  });

  it('keeps the newest, and before them what fits', () => {
    const last = { n: 1, unit: 'items' } as const;
    expect(chosen({ keep: { last, tokens: '50' } })).toBe('abc');
    expect(chosen({ keep: { last, tokens: '49' } })).toBe('abcd');
    expect(chosen({ keep: { last, share: { is: 200, of: 'chars' } } })).toBe('abc');
    expect(chosen({ keep: { last: { n: 9, unit: 'items' }, tokens: '99' } })).toBe('');
  });

  it('leaves the first alone, and comes in an order up to a number', () => {
    expect(chosen({ keep: { first: 2 } })).toBe('cde');
    expect(chosen({ order: 'newest', keep: { last: { n: 1, unit: 'items' } } })).toBe('dcba');
    expect(chosen({ order: 'largest' })).toBe('cbead');
    expect(chosen({ order: 'largest', count: 2 })).toBe('cb');
    const twins = [prompt('p'), ...round('a', 50), ...round('b', 70), ...round('c', 70)];
    expect(chosen({ order: 'largest' }, twins)).toBe('bca');
    // Results are the only blocks of their messages; b and d are needed by later calls, the others never.
    const needs = new Map([
      [TALK[4]!.id, 12],
      [TALK[10]!.id, 30],
    ]);
    const nextUse = (message: string, block: number) =>
      (block === 0 ? needs.get(message) : undefined) ?? Number.POSITIVE_INFINITY;
    expect(chosen({ order: 'farthest-use' }, TALK, nextUse)).toBe('acedb');
    expect(chosen({ what: 'pairs', order: 'farthest-use' }, TALK, nextUse)).toBe('acedb');
  });

  it('weighs what would go, without what stays in front and behind', () => {
    const select = selectOf({ keep: { first: 1, last: { n: 2, unit: 'items' } } });
    expect(prunable(select, itemsOf(select), viewOf(TALK), SIZES)).toEqual({ tokens: 700, chars: 2_800 });
    const all = selectOf({ keep: { first: 4, last: { n: 3, unit: 'items' } } });
    expect(prunable(all, itemsOf(all), viewOf(TALK), SIZES)).toEqual({ tokens: 0, chars: 0 });
  });

  it('is about some tools, long results, no errors and no images, as it says', () => {
    const talk = [
      prompt('p'),
      ...round('a', 100, { tool: 'Bash' }),
      ...round('b', 100, { facts: { isError: true } }),
      ...round('c', 100, { facts: { images: 1 } }),
      ...round('d', 99),
      ...round('e', 100, { facts: { replaces: 'cleared' } }),
    ];
    expect(chosen({}, talk)).toBe('abcd');
    expect(chosen({ of: ['Bash'] }, talk)).toBe('a');
    expect(chosen({ except: ['Bash'] }, talk)).toBe('bcd');
    expect(chosen({ of: ['Bash', 'Read'], except: ['Bash'] }, talk)).toBe('bcd');
    expect(chosen({ minChars: 400 }, talk)).toBe('abc');
    expect(chosen({ exceptMedia: true }, talk)).toBe('abd');
    expect(chosen({ keep: { errors: true } }, talk)).toBe('acd');
    expect(itemsOf(selectOf({ what: 'media' }), talk).count).toBe(1);
  });

  it('is results, inputs, pairs of both, thinking or media', () => {
    const block = (kind: 'thinking' | 'image' | 'document' | 'text', tokens: number) =>
      createBlock({ kind, role: kind === 'thinking' ? 'assistant' : 'user', tokens, chars: tokens });
    const talk = [
      messageFrom('human', 'p', [block('text', 3), block('image', 5), block('document', 7)]),
      messageFrom('model', 't', [block('thinking', 11)]),
      ...round('a', 100),
    ];
    const sums = (what: SelectPart['what'], minChars = 0) => {
      const { count, tokens, chars } = itemsOf(selectOf({ what, minChars }), talk);
      return [count, tokens, chars];
    };
    expect(sums('tool-results')).toEqual([1, 100, 400]);
    expect(sums('tool-inputs')).toEqual([1, 10, 40]);
    expect(sums('pairs')).toEqual([1, 110, 440]);
    expect(sums('thinking')).toEqual([1, 11, 11]);
    expect(sums('media')).toEqual([2, 12, 12]);
    // The result alone decides how long a pair is.
    expect(sums('pairs', 400)).toEqual([1, 110, 440]);
    expect(sums('pairs', 401)).toEqual([0, 0, 0]);
    expect(sums('tool-inputs', 41)).toEqual([0, 0, 0]);
  });
});

describe('what a rule knows of a conversation', () => {
  it('grows with it, message by message, and tells how much is new', () => {
    const items = new Items(selectOf({}));
    expect(items.sync(viewOf(TALK.slice(0, 3)))).toBe(100);
    expect(items.sync(viewOf(TALK.slice(0, 5)))).toBe(200);
    expect(items.sync(viewOf(TALK.slice(0, 5)))).toBe(0);
    expect(items.sync(viewOf(TALK))).toBe(700);
    expect([items.count, items.tokens, items.chars]).toEqual([5, 1_000, 4_000]);
    // A shorter history is another one.
    items.sync(viewOf(TALK.slice(0, 3)));
    expect([items.count, items.tokens, items.chars]).toEqual([1, 100, 400]);
  });

  it('loses what it has dealt with, and what other rules have', () => {
    const items = itemsOf(selectOf({}));
    items.forget(new Set([items.at(0), items.at(2)]));
    expect([items.count, items.tokens, items.chars]).toEqual([3, 400, 1_600]);
    items.forgetCalls(new Set(['b', 'unknown']));
    expect([items.count, items.tokens, items.at(0).toolUseId]).toEqual([2, 200, 'd']);
    items.forget(new Set());
    expect(items.count).toBe(2);
  });
});

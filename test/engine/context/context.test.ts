import { describe, expect, it } from 'vitest';
import { type Block, createBlock } from '../../../src/core/model/block.js';
import { createMessage, type Message } from '../../../src/core/model/message.js';
import { Context } from '../../../src/engine/context/context.js';
import { callOf, resultOf, userText } from '../../helpers/blocks.js';

const block = (role: Block['role'], tokens: number, rest: Partial<Block> = {}): Block =>
  createBlock({ kind: 'text', role, tokens, text: `${role} ${tokens}`, ...rest });
const message = (id: string, role: Message['role'], ...blocks: readonly Block[]): Message =>
  createMessage({ id, role, origin: role === 'user' ? 'human' : 'model', blocks, at: 0 });

const TOOLS = block('tools', 100);
const SYSTEM = block('system', 50);
const [A, B, C, D] = [block('user', 1), block('assistant', 2), block('user', 4), block('user', 8)];

/** Tools, system and three messages; the last came after the latest request. */
function talk(): Context {
  const context = new Context([TOOLS, SYSTEM]);
  context.extend([message('a', 'user', A), message('b', 'assistant', B)]);
  context.sent();
  context.extend([message('c', 'user', C, D)]);
  return context;
}

describe('what of a conversation the latest request did not hold', () => {
  it('is what came since then', () => {
    expect(talk().freshTokens).toBe(12);
    const first = new Context([TOOLS, SYSTEM]);
    first.extend([message('a', 'user', A)]);
    expect(first.freshTokens).toBe(151);
  });

  it('in front of a position is what came since then and stands there', () => {
    expect([0, 3, 4, 5, 6].map((position) => talk().freshBefore(position))).toEqual([0, 0, 0, 4, 12]);
  });

  it('among some blocks is what it did not hold from a position on, and what came since then', () => {
    const other = block('user', 32);
    const context = talk();
    expect(context.freshAmong([A, B, C, other], 2)).toBe(4 + 32);
    // In front of the position it is not looked for.
    expect(context.freshAmong([A, B, C, other], 3)).toBe(1 + 4 + 32);
    expect(context.freshAmong([], 0)).toBe(0);
  });

  it('can be said to be this many tokens at the end', () => {
    const context = talk();
    for (const [tokens, expected] of [
      [0, 0],
      [8, 8],
      [9, 12],
      [12, 12],
      [13, 14],
      [1_000, 165],
    ] as const) {
      context.assumeSent(tokens);
      expect(context.freshTokens).toBe(expected);
    }
  });

  it('is not another form of tools and system, once a request was sent', () => {
    const context = talk();
    const rules = block('system', 64);
    context.replacePrefix([TOOLS, rules]);
    expect(context.freshTokens).toBe(12);
    expect([context.toolsEnd, context.systemEnd, context.prefixTokens]).toEqual([1, 2, 164]);
    expect(context.unchanged).toBe(1);
    context.markFresh(rules);
    expect(context.freshTokens).toBe(76);
    const taken = new Context([TOOLS, SYSTEM]);
    taken.assumeSent(0);
    taken.replacePrefix([TOOLS, rules]);
    expect(taken.freshTokens).toBe(0);
    const unsent = new Context([TOOLS]);
    unsent.replacePrefix([TOOLS, rules]);
    expect(unsent.freshTokens).toBe(164);
  });
});

describe('a conversation', () => {
  it('knows where messages end and what stands between two positions', () => {
    const context = talk();
    expect([0, 1, 2, 3, 9].map((count) => context.endOfMessages(count))).toEqual([2, 3, 4, 6, 6]);
    expect(context.tokensBetween(0, 2)).toBe(150);
    expect(context.tokensBetween(2, 4)).toBe(3);
    expect(context.tokensBetween(4, 4)).toBe(0);
    expect(context.tokensBetween(5, 3)).toBe(0);
    expect(context.owners).toEqual([-1, -1, 0, 1, 2, 2]);
  });

  it('FLT-4 says who speaks last, and lets the user do so', () => {
    const context = new Context([TOOLS]);
    expect(context.lastRole).toBeNull();
    expect(new Context([SYSTEM]).lastRole).toBeNull();
    expect(new Context([]).lastRole).toBeNull();
    expect(context.endWithUser(7)).toBe(true);
    expect(context.lastRole).toBe('user');
    expect([context.endWithUser(7), context.messages.length]).toEqual([false, 1]);
    expect(context.messages[0]).toMatchObject({ at: 7, origin: 'marker', role: 'user' });
    const wordsOf = (of: Message) => of.blocks.map(({ text }) => text!.read());
    const [opening] = wordsOf(context.messages[0]!);
    context.extend([message('b', 'assistant', B)]);
    expect(context.lastRole).toBe('assistant');
    expect(context.endWithUser(8)).toBe(true);
    // Who has said nothing yet is not asked to go on.
    expect(wordsOf(context.messages[2]!)[0]).toMatch(/^Continue/);
    expect(opening).not.toMatch(/^Continue/);
    expect(context.repairs).toEqual({ orphanResults: 0, missingResults: 0, leadingMarkers: 0 });
  });

  it('counts images and documents, those in results too, as long as they are there', () => {
    const context = talk();
    expect(context.hasImages()).toBe(false);
    const image = createBlock({ kind: 'image', role: 'user', tokens: 9 });
    const paper = createBlock({ kind: 'document', role: 'user', tokens: 9 });
    const shown = userText(9, { text: 'x', facts: { images: 2 } });
    context.extend([message('i', 'user', image, paper, shown)]);
    expect([context.hasImages(), context.imageBlocks]).toEqual([true, 3]);
    context.rewrite([{ messageId: 'i', blockIndex: 1, block: null }]);
    expect(context.imageBlocks).toBe(2);
    context.replaceHistory([message('a', 'user', A)]);
    expect([context.hasImages(), context.imageBlocks]).toEqual([false, 0]);
  });

  it('tells each repair once', () => {
    const context = new Context([]);
    context.extend([message('b', 'assistant', B)]);
    expect(context.takeRepairs()).toEqual({ orphanResults: 0, missingResults: 0, leadingMarkers: 1 });
    expect(context.takeRepairs()).toBeNull();
    const call = callOf('t', 5, { text: 'x' });
    const stray = resultOf('u', 5, { text: 'x' });
    context.extend([message('c', 'assistant', call), message('d', 'user', stray)]);
    context.seal(9);
    expect(context.takeRepairs()).toEqual({ orphanResults: 1, missingResults: 1, leadingMarkers: 0 });
    expect(context.repairs).toEqual({ orphanResults: 1, missingResults: 1, leadingMarkers: 1 });
  });

  it('has no share of its own where it never held anything', () => {
    expect(new Context([]).keptShare(0)).toBeNull();
    const context = talk();
    expect(context.keptShare(0)).toBe(1);
    expect(context.keptShare(33)).toBe(0.8);
    expect(context.keptShare(1_000)).toBe(0);
  });

  it('has no share of its own in what a layer puts in the place of it, however it is moved later', () => {
    const context = talk();
    const summary = message('summary', 'user', block('user', 20));
    const last = message('c', 'user', C, D);
    context.replaceHistory([summary, last]);
    // 162 of 165 tokens came with the session and are still there; the summary of 20 is none of them.
    expect(context.keptShare(0)).toBe(Math.round((162 / 165) * 1e6) / 1e6);
    context.replaceHistory([last, summary]);
    expect(context.keptShare(0)).toBe(Math.round((162 / 165) * 1e6) / 1e6);
  });
});

import { describe, expect, it } from 'vitest';
import { type Block, createBlock } from '../../../src/core/model/block.js';
import { Context } from '../../../src/engine/context/context.js';
import { OpenCalls } from '../../../src/engine/context/repairs.js';
import { callOf, messageFrom, resultOf } from '../../helpers/blocks.js';

const say = (role: 'user' | 'assistant', text: string): Block =>
  createBlock({ kind: 'text', role, tokens: 5, text });
const use = (id: string): Block => callOf(id, 5, { text: id, tool: 'Read' });
const result = (id: string): Block => resultOf(id, 5, { text: id, tool: 'Read' });

describe('calls that wait for their results', () => {
  it('are each known once, and no longer when their result is there', () => {
    const calls = new OpenCalls();
    for (const id of ['a', 'b', 'a', 'c']) calls.open(id);
    expect(calls.count).toBe(3);
    expect([calls.close('b'), calls.close('b'), calls.close('nobody')]).toEqual([true, false, false]);
    expect(calls.count).toBe(2);
    expect([calls.close('c'), calls.close('a'), calls.count]).toEqual([true, true, 0]);
  });

  it('are handed over in their order, and none is left', () => {
    const calls = new OpenCalls();
    for (const id of ['a', 'b', 'c']) calls.open(id);
    calls.close('b');
    expect([calls.takeAll(), calls.count]).toEqual([['a', 'c'], 0]);
  });

  it('are those of the last response alone where a conversation was cut', () => {
    const calls = new OpenCalls();
    calls.open('of another conversation');
    const blocks = [
      say('user', 'go'),
      use('a'),
      result('a'),
      say('user', 'on'),
      use('b'),
      use('c'),
      use('d'),
    ];
    calls.reopen([...blocks, result('c')], 0);
    expect(calls.takeAll()).toEqual(['b', 'd']);
    // Nothing in front of the conversation is a call of it.
    calls.reopen(blocks, blocks.length - 1);
    expect(calls.takeAll()).toEqual(['d']);
    calls.reopen(blocks.slice(0, 3), 0);
    expect(calls.count).toBe(0);
  });

  it('FLT-4 need no answer once the response that made them is gone', () => {
    const context = new Context([]);
    const go = messageFrom('human', 'u', [say('user', 'go')]);
    const response = messageFrom('model', 'a', [use('t')]);
    context.extend([go, response]);
    expect(context.hasOpenCalls).toBe(true);
    context.replaceHistory([go]);
    expect(context.hasOpenCalls).toBe(false);
    context.seal(0);
    expect(context.blocks.map(({ kind }) => kind)).toEqual(['text']);
    expect(context.repairs.missingResults).toBe(0);
  });
});

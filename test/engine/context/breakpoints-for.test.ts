import { describe, expect, it } from 'vitest';
import { type Block, createBlock } from '../../../src/core/model/block.js';
import { createMessage } from '../../../src/core/model/message.js';
import { Context } from '../../../src/engine/context/context.js';
import { breakpointsFor } from '../../../src/engine/context/thread-view.js';

const block = (role: Block['role'], kind: Block['kind'] = 'text'): Block =>
  createBlock({ kind, role, tokens: 5, text: `${role} ${kind}` });

/** A request of tools, this many blocks of a system prompt, and messages given by the roles of their blocks. */
function request(systemBlocks: number, ...messages: readonly (readonly Block[])[]): Context {
  const context = new Context([
    block('tools'),
    ...Array.from({ length: systemBlocks }, () => block('system')),
  ]);
  context.extend(
    messages.map((blocks, i) =>
      createMessage({
        id: `m${i}`,
        role: blocks[0]!.role as 'user' | 'assistant',
        origin: blocks[0]!.role === 'user' ? 'human' : 'model',
        blocks,
        at: 0,
      }),
    ),
  );
  return context;
}

const marks = (context: Context, layout: string, own: Context | null = context) =>
  breakpointsFor(context, layout, 7, own).map(({ position, ttlMs }) => {
    expect(ttlMs).toBe(7);
    return position;
  });

const USER = block('user');
const MODEL = block('assistant');

describe('where a client marks the cache', () => {
  it('CCH-1 the last two blocks of the system prompt, never tools, and the last block', () => {
    expect(marks(request(1, [USER]), 'system+last')).toEqual([1, 2]);
    expect(marks(request(2, [USER]), 'system+last')).toEqual([1, 2, 3]);
    expect(marks(request(3, [USER, USER]), 'system+last')).toEqual([2, 3, 5]);
    expect(marks(request(0, [USER]), 'system+last')).toEqual([1]);
    expect(marks(request(2), 'system+last')).toEqual([1, 2]);
    expect(marks(request(2, [USER]), 'none')).toEqual([]);
  });

  it('CCH-1 the end of the message before the last one too, where the client does so', () => {
    const talk = request(1, [USER, USER], [MODEL, MODEL], [USER], [USER]);
    // Positions: tools, system, two of the user, two of the model, two of the user.
    expect(marks(talk, 'system+last-two')).toEqual([1, 5, 7]);
    expect(marks(talk, 'system+last')).toEqual([1, 7]);
    expect(marks(request(1, [USER], [MODEL]), 'system+last-two')).toEqual([1, 2, 3]);
    expect(marks(request(1, [USER, USER]), 'system+last-two')).toEqual([1, 3]);
    expect(marks(request(1), 'system+last-two')).toEqual([1]);
  });

  it('CCH-1 never a block of thinking, and nothing more in a request that is not the thread’s own', () => {
    const thinking = request(1, [USER], [MODEL, block('assistant', 'thinking')], [USER]);
    expect(marks(thinking, 'system+last-two')).toEqual([1, 5]);
    expect(marks(request(1, [USER], [MODEL], [USER]), 'system+last-two', null)).toEqual([1, 4]);
  });
});

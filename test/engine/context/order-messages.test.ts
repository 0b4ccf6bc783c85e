import { describe, expect, it } from 'vitest';
import { createBlock } from '../../../src/core/model/block.js';
import { createMessage, type Message } from '../../../src/core/model/message.js';
import { orderMessages } from '../../../src/engine/context/repairs.js';

const message = (id: string, rest: Partial<Message> = {}): Message =>
  createMessage({
    id,
    role: 'user',
    origin: 'human',
    blocks: [createBlock({ kind: 'text', role: rest.role ?? 'user', tokens: 5, text: id })],
    at: 0,
    ...rest,
  });
const response = (id: string, responseId: string, rest: Partial<Message> = {}): Message =>
  message(id, { role: 'assistant', origin: 'model', responseId, ...rest });
const attached = (id: string, attachedTo: string): Message =>
  message(id, { origin: 'attachment', attachedTo });

const idsOf = (messages: readonly Message[]) => messages.map(({ id }) => id);
const usage = (output: number) => ({ input: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output });

describe('the order of messages', () => {
  it('that is right already is kept as it is, without a copy', () => {
    const plain = [message('a'), response('b', 'r1'), message('c'), response('d', 'r2')];
    expect(orderMessages(plain)).toBe(plain);
  });

  it('FLT-5 begins with the context, in its own order', () => {
    const first = message('map', { origin: 'context' });
    const second = message('more', { origin: 'context' });
    expect(idsOf(orderMessages([message('a'), first, message('b'), second]))).toEqual([
      'map',
      'more',
      'a',
      'b',
    ]);
  });

  it('FLT-1 attachments stand behind what they belong to, with their own behind them', () => {
    const messages = [
      message('a'),
      message('b'),
      attached('a1', 'a'),
      attached('of a1', 'a1'),
      attached('a2', 'a'),
      attached('lost', 'nowhere'),
      message('c'),
    ];
    expect(idsOf(orderMessages(messages))).toEqual(['a', 'a1', 'of a1', 'a2', 'b', 'lost', 'c']);
  });

  it('FLT-2 parts of one response are joined at the first of them, with the latest usage that is told', () => {
    const parts = [
      message('a'),
      response('one', 'r', { at: 10, usage: usage(1) }),
      message('between'),
      response('two', 'r', { at: 20, usage: usage(2) }),
      response('three', 'r', { at: 30 }),
      response('other', 'r2', { at: 40 }),
    ];
    const ordered = orderMessages(parts);
    expect(idsOf(ordered)).toEqual(['a', 'one', 'between', 'other']);
    expect(ordered[1]).toMatchObject({
      id: 'one',
      role: 'assistant',
      at: 10,
      responseId: 'r',
      usage: usage(2),
    });
    expect(ordered[1]!.blocks.map(({ text }) => text!.read())).toEqual(['one', 'two', 'three']);
    expect(ordered[3]!.blocks).toHaveLength(1);
  });
});

import { describe, expect, it } from 'vitest';
import { leavesWithRound, oldestRounds } from '../../../../src/agent/layers/snip/snip.js';
import { type Block, createBlock } from '../../../../src/core/model/block.js';
import { createMessage, type Message } from '../../../../src/core/model/message.js';
import { messageFrom, userText } from '../../../helpers/blocks.js';
import { callBlock, resultBlock } from '../../../helpers/drive/drive-layer.js';

const words = (chars: number, role: Block['role'] = 'user'): Block =>
  createBlock({ kind: 'text', role, tokens: chars, chars });
const response = (id: string, blocks: readonly Block[], responseId: string | null = null): Message =>
  messageFrom('model', id, blocks, { responseId });
const said = (id: string, blocks: readonly Block[], origin: Message['origin'] = 'tool'): Message =>
  createMessage({ id, role: 'user', origin, blocks, at: 0 });

/** A prompt and rounds of 100 rough tokens each; the second is two messages of one response. */
const TALK = [
  said('p', [words(400)], 'human'),
  response('a', [words(400, 'assistant')]),
  response('b1', [words(200, 'assistant')], 'r'),
  response('b2', [words(40, 'assistant'), callBlock('x')], 'r'),
  said('x', [resultBlock('x', { chars: 160 - callBlock('x').rough * 4 }), words(999)]),
  said('note', [words(77)], 'attachment'),
  response('c', [words(400, 'assistant')]),
];

function oldest(wanted: number, keepRounds = 0, deleted: readonly string[] = [], messages = TALK) {
  const found = oldestRounds(messages, { wanted, keepRounds, deleted: new Set(deleted) });
  return [found.messages.map(({ id }) => id).join(' '), found.rounds, found.rough, found.kept];
}

describe('FLG-1 the oldest rounds', () => {
  it('are as many as are wanted, whole, with the results of their calls', () => {
    expect(oldest(0)).toEqual(['', 0, 0, 3]);
    expect(oldest(100)).toEqual(['a', 1, 100, 2]);
    expect(oldest(101)).toEqual(['a b1 b2 x', 2, 200, 1]);
    expect(oldest(9_999)).toEqual(['a b1 b2 x c', 3, 300, 0]);
  });

  it('leave the latest alone', () => {
    expect(oldest(9_999, 1)).toEqual(['a b1 b2 x', 2, 200, 1]);
    expect(oldest(9_999, 3)).toEqual(['', 0, 0, 3]);
    expect(oldest(9_999, 9)).toEqual(['', 0, 0, 3]);
  });

  it('count nothing that the server has left out, and no marker of an earlier snip', () => {
    const [, , rough] = oldest(9_999, 1, ['x']);
    expect(rough).toBe(200 - 40);
    const marker = userText(9, { facts: { replaces: 'marker' } });
    const talk = [response('m', [marker]), response('empty', []), ...TALK];
    expect(oldest(100, 0, [], talk)).toEqual(['a', 1, 100, 2]);
    expect(oldest(9_999, 0, [], [said('early', [resultBlock('y')])])).toEqual(['', 0, 0, 0]);
  });

  it('take all of a response, of what follows the results alone', () => {
    const [assistant, user] = [response('r', []), said('u', [])];
    expect(leavesWithRound(words(1, 'assistant'), assistant)).toBe(true);
    expect([leavesWithRound(resultBlock('x'), user), leavesWithRound(words(1), user)]).toEqual([true, false]);
  });
});

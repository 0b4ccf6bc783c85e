import { describe, expect, it } from 'vitest';
import { editedTail } from '../../../src/engine/context/edited-tail.js';
import { messageFrom, userText } from '../../helpers/blocks.js';

const block = (text: string) => userText(1, { text });
const message = (id: string) => messageFrom('human', id, [block(`${id}0`), block(`${id}1`), block(`${id}2`)]);
const talk = ['a', 'b', 'c', 'd'].map(message);
const edited = (...edits: readonly (readonly [string, number, string | null])[]) => {
  const { from, messages } = editedTail(
    talk,
    edits.map(([messageId, blockIndex, text]) => ({
      messageId,
      blockIndex,
      block: text === null ? null : block(text),
    })),
  );
  return [from, ...messages.map(({ blocks }) => blocks.map(({ text }) => text!.read()).join(' '))];
};

describe('what edits make of a conversation', () => {
  it('is told from the first message that changes to the last', () => {
    expect(edited(['c', 1, 'x'])).toEqual([2, 'c0 x c2', 'd0 d1 d2']);
    expect(edited(['d', 0, 'x'], ['b', 2, null])).toEqual([1, 'b0 b1', 'c0 c1 c2', 'x d1 d2']);
    expect(edited(['a', 0, 'x'])).toHaveLength(1 + talk.length);
    expect(edited()).toEqual([talk.length]);
  });

  it('is all of several changes of one message', () => {
    expect(edited(['d', 0, null], ['d', 2, 'y'])).toEqual([3, 'd1 y']);
  });

  it('leaves messages alone that do not change, and takes none that is not there', () => {
    expect(editedTail(talk, [{ messageId: 'c', blockIndex: 0, block: null }]).messages[1]).toBe(talk[3]);
    expect(() => edited(['c', 0, 'x'], ['nobody', 0, 'x'])).toThrow(/nobody/);
  });
});

import { describe, expect, it } from 'vitest';
import type { Block } from '../../../src/core/model/block.js';
import type { Message } from '../../../src/core/model/message.js';
import type { BlockEdit } from '../../../src/core/run/action.js';
import { changedBlocks, editedTail, findMessages } from '../../../src/engine/context/edited-tail.js';
import { Journal } from '../../../src/engine/context/taken-out.js';
import { messageFrom, userText } from '../../helpers/blocks.js';

const text = (words: string): Block => userText(5, { text: words });
const said = (id: string, ...words: readonly string[]): Message => messageFrom('human', id, words.map(text));
const edit = (messageId: string, blockIndex: number, words: string | null): BlockEdit => ({
  messageId,
  blockIndex,
  block: words === null ? null : text(words),
});
const wordsOf = (messages: readonly Message[]) =>
  messages.map(({ id, blocks }) => `${id}: ${blocks.map((block) => block.text!.read()).join(' ')}`);

const A = said('a', 'one', 'two', 'three');
const B = said('b', 'four');
const C = said('c', 'five', 'six');

describe('the record of a session', () => {
  const journal = () => {
    const made = new Journal();
    for (const message of [A, B]) made.append(message);
    return made;
  };

  it('STO-3 is read back as it came, but for what was frozen', () => {
    const kept = journal();
    expect(kept.rebuild()).toEqual([A, B]);
    kept.freeze([edit('a', 1, 'cut'), edit('a', 0, null)]);
    kept.freeze([edit('a', 2, '3'), edit('nowhere', 0, 'x')]);
    kept.append(C);
    expect(wordsOf(kept.rebuild())).toEqual(['a: cut 3', 'b: four', 'c: five six']);
    kept.freeze([edit('a', 1, 'cut again')]);
    expect(wordsOf(kept.rebuild())[0]).toBe('a: cut again 3');
  });

  it('FUL-9 goes on from the history that a compaction left, with nothing of what was frozen before', () => {
    const kept = journal();
    kept.freeze([edit('a', 0, 'cut'), edit('b', 0, 'cut')]);
    const left = [B];
    kept.restart(left);
    kept.append(C);
    expect(kept.rebuild()).toEqual([B, C]);
    expect(left).toEqual([B]);
  });
});

describe('edits of a conversation', () => {
  it('change the blocks they name, and the messages from the first of them on are told', () => {
    const { from, messages } = editedTail(
      [A, B, C],
      [edit('c', 0, null), edit('b', 0, 'more'), edit('c', 1, '6')],
    );
    expect(from).toBe(1);
    expect(wordsOf(messages)).toEqual(['b: more', 'c: 6']);
    const first = editedTail([A, B, C], [edit('a', 2, null)]);
    expect(first.from).toBe(0);
    expect(wordsOf(first.messages)).toEqual(['a: one two', 'b: four', 'c: five six']);
    // What no edit names is the same message.
    expect(first.messages[1]).toBe(B);
    expect(editedTail([A, B], [])).toEqual({ from: 2, messages: [] });
  });

  it('name messages that are there', () => {
    expect(() => editedTail([A, B], [edit('b', 0, 'x'), edit('gone', 0, 'y')])).toThrow(/context: gone/);
  });

  it('leave the other blocks of a message as they are', () => {
    const changed = changedBlocks(
      A,
      new Map<number, Block | null>([
        [0, null],
        [2, text('3')],
      ]),
    );
    expect(changed.map((block) => block.text!.read())).toEqual(['two', '3']);
    expect(changed[0]).toBe(A.blocks[1]);
  });
});

describe('messages by id', () => {
  it('are those that are there, from the first to the last', () => {
    const found = findMessages([A, B, C], new Set(['a', 'c', 'nowhere']));
    expect([...found.keys()].sort()).toEqual(['a', 'c']);
    expect([found.get('a'), found.get('c')]).toEqual([A, C]);
    expect(findMessages([A, B, C], new Set()).size).toBe(0);
  });
});

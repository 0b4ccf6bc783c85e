import { describe, expect, it } from 'vitest';
import { contextMessage } from '../../../src/engine/actions/context-message.js';

const messageOf = (files: Readonly<Record<string, number>> | undefined, limit: number) =>
  contextMessage(
    { 'context.memoryTokens': limit, ...(files === undefined ? {} : { 'context.memoryFiles': files }) },
    7,
  );
const sizesOf = (files: Readonly<Record<string, number>>, limit: number) =>
  messageOf(files, limit)?.blocks.map(({ facts, tokens }) => [facts.path, tokens]);

describe('the reminder that goes first', () => {
  it('FLT-5 holds the memory files in their order, four characters a token', () => {
    const message = messageOf({ 'a.md': 30, 'b.md': 20 }, 100)!;
    expect(message).toMatchObject({ id: 'context', role: 'user', origin: 'context', at: 7 });
    expect(message.blocks.map(({ tokens, chars, facts }) => [facts.path, tokens, chars])).toEqual([
      ['a.md', 30, 120],
      ['b.md', 20, 80],
    ]);
    const [words] = message.blocks.map(({ text }) => text!.read());
    expect(words).toHaveLength(120);
    expect(words).toMatch(/^<system-reminder>\na\.md\n\.+$/);
  });

  it('FLT-5 leaves out what does not fit any more, and takes what still does', () => {
    const files = { a: 60, b: 50, c: 40 };
    expect(sizesOf(files, 100)).toEqual([
      ['a', 60],
      ['c', 40],
    ]);
    expect(sizesOf(files, 99)).toEqual([['a', 60]]);
    expect(sizesOf(files, 150)).toHaveLength(3);
  });

  it('FLT-5 is not there where it would be empty', () => {
    expect([messageOf(undefined, 100), messageOf({}, 100), messageOf({ a: 101 }, 100)]).toEqual([
      null,
      null,
      null,
    ]);
  });
});

import { describe, expect, it } from 'vitest';
import type { Block } from '../../../src/core/model/block.js';
import type { Message } from '../../../src/core/model/message.js';
import { OwnTokens } from '../../../src/engine/counting/own-tokens.js';
import { messageFrom, userText } from '../../helpers/blocks.js';

const block = (tokens: number, facts: Block['facts'] = {}): Block =>
  userText(tokens, { text: `${tokens}`, facts });
const said = (id: string, ...blocks: readonly Block[]): Message => messageFrom('human', id, blocks);

/** A prefix of 100 tokens and one message of 100. */
function session(): { readonly own: OwnTokens; readonly message: Message } {
  const own = new OwnTokens();
  own.add(block(100));
  own.laidPrefix(100);
  const message = said('a', block(60), block(40));
  own.arrive([message], 'original');
  for (const each of message.blocks) own.add(each);
  return { own, message };
}

describe('the share of a session’s own content that is still there', () => {
  it('is all of it at first, and unknown before there is anything', () => {
    expect(new OwnTokens().share(0)).toBeNull();
    expect(session().own.share(0)).toBe(1);
  });

  it('is without what left, what was deleted, and what stands in its place', () => {
    const { own, message } = session();
    own.remove(message.blocks[0]!, message);
    own.add(block(60, { replaces: 'cleared' }));
    expect(own.share(0)).toBe(0.7);
    expect(own.share(40)).toBe(0.5);
    expect(own.share(900)).toBe(0);
    own.remove(block(60, { replaces: 'cleared' }), message);
    expect(own.share(0)).toBe(0.7);
  });

  it('does not know of what layers made', () => {
    const { own } = session();
    const made = said('m', block(50));
    own.arrive([made], 'made');
    expect([own.originOf(made), own.originOf(said('a'))]).toEqual(['made', 'original']);
    own.remove(made.blocks[0]!, made);
    expect(own.share(0)).toBe(1);
    own.noteMade('later');
    expect(own.originOf(said('later'))).toBe('made');
  });

  it('is of what had a place in the conversation', () => {
    const { own } = session();
    const stray = said('b', block(200));
    own.arrive([stray], 'original');
    expect(own.share(0)).toBe(0.5);
    own.turnAway(stray.blocks[0]!);
    expect(own.share(0)).toBe(1);
  });

  it('begins again behind tools and system prompt, or with them', () => {
    const bare = new OwnTokens();
    bare.arrive([said('a', block(4))], 'original');
    bare.empty('prefix');
    expect(bare.share(0)).toBe(0);
    const { own } = session();
    own.empty('prefix');
    expect(own.share(0)).toBe(0.5);
    own.empty('start');
    expect(own.share(0)).toBe(0);
    // Another prefix, 50 tokens longer than the one before.
    own.add(block(150));
    own.laidPrefix(50);
    expect(own.share(0)).toBe(0.6);
    own.empty('prefix');
    expect(own.share(0)).toBe(0.6);
  });

  it('is told to six places, and never more than all', () => {
    const own = new OwnTokens();
    own.arrive([said('a', block(3))], 'original');
    own.add(block(1));
    expect(own.share(0)).toBe(0.333333);
    own.add(block(9));
    expect(own.share(0)).toBe(1);
  });
});

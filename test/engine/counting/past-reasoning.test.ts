import { describe, expect, it } from 'vitest';
import { restoreState } from '../../../src/core/base/checkpoint.js';
import { type BlockFacts, createBlock } from '../../../src/core/model/block.js';
import { createMessage, type Message } from '../../../src/core/model/message.js';
import { PastReasoning } from '../../../src/engine/counting/seen-counter.js';

const thinking = (tokens: number, facts: BlockFacts = {}) =>
  createBlock({ kind: 'thinking', role: 'assistant', tokens, facts });

const words = (tokens: number) => createBlock({ kind: 'text', role: 'assistant', tokens });

function message(origin: Message['origin'], blocks: Message['blocks'] = []): Message {
  return createMessage({ id: 'm', role: origin === 'model' ? 'assistant' : 'user', origin, blocks, at: 0 });
}

/** Two responses of 100 and 60 tokens of reasoning with a prompt of the user between them, and a usage behind each. */
function talk(perToken = 1.5): PastReasoning {
  const past = new PastReasoning(() => perToken);
  past.note(message('human'));
  past.note(message('model', [thinking(100), words(40)]));
  past.anchor();
  past.note(message('human'));
  past.note(message('model', [thinking(60)]));
  return past;
}

describe('reasoning that no prompt carries any more', () => {
  it('counts from the first usage behind the next prompt of the user on, by what a token of it takes', () => {
    const past = talk();
    expect(past.tokens).toBe(0);
    past.anchor();
    // 100 · 1.5; the 60 are of the turn that goes on, and words are no reasoning.
    expect(past.tokens).toBe(150);
    past.note(message('tool'));
    past.anchor();
    expect(past.tokens).toBe(150);
    past.note(message('human'));
    past.anchor();
    expect(past.tokens).toBe(240);
  });

  it('counts by the length of the seal where it is recorded', () => {
    const past = new PastReasoning(() => 1.5);
    past.note(message('model', [thinking(100, { sealedTokens: 333 })]));
    past.note(message('human'));
    past.anchor();
    expect(past.tokens).toBe(333);
  });

  it('is gone with the block that held it, and never below nothing', () => {
    const past = talk();
    past.anchor();
    past.drop(words(1_000));
    expect(past.tokens).toBe(150);
    past.drop(thinking(20));
    expect(past.tokens).toBe(120);
    past.drop(thinking(1_000));
    expect(past.tokens).toBe(0);
    past.note(message('human'));
    past.note(message('model', [thinking(10)]));
    past.anchor();
    expect(past.tokens).toBe(0);
    past.note(message('human'));
    past.anchor();
    expect(past.tokens).toBe(15);
  });

  it('is gone with the conversation, and goes with a fork', () => {
    const past = talk();
    past.anchor();
    const fork = new PastReasoning(() => 1.5);
    restoreState(fork, past);
    past.forget();
    expect([past.tokens, fork.tokens]).toEqual([0, 150]);
    for (const each of [past, fork]) {
      each.anchor();
      each.note(message('human'));
    }
    expect([past.tokens, fork.tokens]).toEqual([0, 150]);
    for (const each of [past, fork]) each.anchor();
    expect([past.tokens, fork.tokens]).toEqual([0, 240]);
  });
});

describe('a conversation without reasoning', () => {
  it('counts none, before and behind its first usage', () => {
    const past = new PastReasoning(() => 1);
    expect(past.tokens).toBe(0);
    past.anchor();
    expect(past.tokens).toBe(0);
  });
});

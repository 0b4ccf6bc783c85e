import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  estimateBlock,
  estimateMessage,
  estimateMessages,
  estimateText,
  PADDED_RULES,
  PLAIN_RULES,
} from '../../../src/core/tokens/heuristic.js';
import { userText } from '../../helpers/blocks.js';
import { forAll } from '../../helpers/for-all.js';
import { assistant, call, result, text, user } from './build.js';

/** As claude-code/2026 counts JSON-like text (TOK-1). */
const JSON_AWARE_RULES = { ...PADDED_RULES, jsonBytesPerToken: 2 };

describe('text', () => {
  it.each([
    [0, 0],
    [1, 0],
    [2, 1],
    [5, 1],
    [6, 2],
    [7, 2],
  ])('TOK-1 rounds %i chars / 4 to %i', (chars, tokens) => {
    expect(estimateText(chars)).toBe(tokens);
  });

  it.each([
    ['a', 400, 100],
    ['a', 4_000, 1_000],
    ['a', 20_000, 5_000],
    ['汉', 4_000, 1_000],
  ])('TOK-1 counts string length, as measured: %s × %i is %i', (character, chars, tokens) => {
    const block = text(0, { text: character.repeat(chars) });
    expect(estimateBlock(block, PLAIN_RULES)).toBe(tokens);
    expect(estimateMessages([user([block])], PLAIN_RULES)).toBe(tokens);
  });

  it('TOK-1 counts JSON-like content at two bytes a token only where the rules say so', () => {
    const json = text(400, { facts: { jsonLike: true } });
    expect(estimateBlock(json, PLAIN_RULES)).toBe(100);
    expect(estimateBlock(json, PADDED_RULES)).toBe(100);
    expect(estimateBlock(json, JSON_AWARE_RULES)).toBe(200);
    expect(estimateBlock(text(400), JSON_AWARE_RULES)).toBe(100);
  });

  it('TOK-1 C38 counts an image flat, a document by its JSON', () => {
    const image = text(80_000, { kind: 'image' });
    expect(estimateBlock(image, PLAIN_RULES)).toBe(2_000);
    expect(estimateBlock(image, { ...PLAIN_RULES, imageTokens: 1_600 })).toBe(1_600);
    expect(estimateBlock(text(80_000, { kind: 'document' }), PLAIN_RULES)).toBe(20_000);
  });
});

describe('tool results', () => {
  it('TOK-2 counts images inside a result block by the rules', () => {
    const block = result('t1', 'Read', 40, { facts: { images: 2 } });
    expect(estimateBlock(block, PLAIN_RULES)).toBe(10 + 4_000);
    expect(estimateBlock(block, { ...PLAIN_RULES, imageTokens: 100 })).toBe(10 + 200);
    const json = result('t2', 'Read', 40, { facts: { images: 2, jsonLike: true } });
    expect(estimateBlock(json, JSON_AWARE_RULES)).toBe(20 + 4_000);
  });
});

describe('message lists', () => {
  it('TOK-3 pads the sum by a third, rounded up', () => {
    const messages = [user([text(40)]), assistant([text(44, { role: 'assistant' })])];
    expect(estimateMessages(messages, PLAIN_RULES)).toBe(21);
    expect(estimateMessages(messages, PADDED_RULES)).toBe(28);
    expect(estimateMessages([user([text(40)])], PADDED_RULES)).toBe(14);
  });

  it('TOK-3 pads the list, not each message', () => {
    const one = user([text(4)]);
    expect(estimateMessage(one, PADDED_RULES)).toBe(1);
    expect(estimateMessages([one, one, one], PADDED_RULES)).toBe(4);
  });

  it('TOK-3 counts a tool_use as its name plus its JSON input', () => {
    const block = call('t1', 'Read', { file_path: 'src/main.ts' });
    expect(block.chars).toBe('Read'.length + '{"file_path":"src/main.ts"}'.length);
    expect(estimateBlock(block, PLAIN_RULES)).toBe(8);
  });

  it('TOK-3 counts only user and assistant messages: a boundary is neither', () => {
    const boundary = user([text(400)], { origin: 'boundary' });
    expect(estimateMessage(boundary, PLAIN_RULES)).toBe(0);
    expect(estimateMessages([boundary, user([text(40)])], PLAIN_RULES)).toBe(10);
  });

  it('TOK-3 counts nothing for no messages and for empty ones', () => {
    expect(estimateMessages([], PADDED_RULES)).toBe(0);
    expect(estimateMessages([user([])], PADDED_RULES)).toBe(0);
  });

  it('TOK-3 is the exact ceiling of four thirds of the block sum', () => {
    forAll(fc.array(fc.integer({ min: 0, max: 5_000_000 }), { maxLength: 20 }), (sizes) => {
      const blocks = sizes.map((rough) => userText(0, { digest: 1, rough }));
      const sum = BigInt(sizes.reduce((total, size) => total + size, 0));
      expect(BigInt(estimateMessages([user(blocks)], PADDED_RULES))).toBe((sum * 4n + 2n) / 3n);
    });
  });
});

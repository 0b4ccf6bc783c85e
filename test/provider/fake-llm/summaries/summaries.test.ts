import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createBlock } from '../../../../src/core/model/block.js';
import { formatSummary, formattedChars } from '../../../../src/core/model/format-summary.js';
import type { Message } from '../../../../src/core/model/message.js';
import type { AskRequest } from '../../../../src/core/run/action.js';
import {
  answerOfCassette,
  Cassette,
  type CassetteAnswer,
  cassetteLine,
  requestKey,
  summaryRequest,
} from '../../../../src/provider/fake-llm/summaries/cassette.js';
import { MODELS } from '../../../../src/provider/prices/models.js';
import { userText } from '../../../helpers/blocks.js';
import { forAll } from '../../../helpers/for-all.js';
import { thrownBy } from '../../../helpers/refusal.js';
import { around, said, toolRound } from '../build.js';

const SONNET = MODELS.resolve('claude-sonnet-4-5');

function asked(messages: readonly Message[], given: Partial<AskRequest> = {}): AskRequest {
  return {
    purpose: 'compact',
    shape: { kind: 'fork' },
    messages,
    instruction: said('directive', 'Summarise.'),
    write: 'write',
    maxOutputTokens: 20_000,
    retries: 0,
    mode: 'blocking',
    answer: { kind: 'summary', style: 'full', quoteTokens: 1_000 },
    ...given,
  };
}

const sent = (messages: readonly Message[], given: Partial<AskRequest> = {}) =>
  summaryRequest(asked(messages, given), SONNET, 'claude-sonnet-4-5');

describe('a summary request', () => {
  it('holds the words of the conversation, neighbours of one role as one message, the instruction last', () => {
    const round = toolRound(1, 'Read', '/a', 'content of a');
    const { messages, max_tokens, model } = sent([said('human', 'do it'), ...round]);
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    expect(messages[0]!.content).toBe('do it');
    expect(messages[1]!.content).toContain('[tool call] ');
    expect(messages[2]!.content).toBe('[tool result] content of a\n\nSummarise.');
    expect([model, max_tokens]).toEqual(['claude-sonnet-4-5', 20_000]);
  });

  it('leaves out thinking, reminders and what the client says by size alone; images are a word', () => {
    const thinking = createBlock({ kind: 'thinking', role: 'assistant', tokens: 9, text: 'hm' });
    const image = createBlock({ kind: 'image', role: 'user', tokens: 1_500 });
    const opaque = userText(50);
    const { messages } = sent(
      [said('context', 'CLAUDE.md'), around('human', [image]), around('model', [thinking])],
      { instruction: around('directive', [opaque, ...said('directive', 'Summarise.').blocks]) },
    );
    expect(messages).toEqual([{ role: 'user', content: '[image]\n\nSummarise.' }]);
  });

  it('is refused where the session has no words, also where it would be shown as one text', () => {
    const opaque = around('tool', [createBlock({ kind: 'tool_result', role: 'user', tokens: 70 })]);
    expect(() => sent([opaque])).toThrow('a tool_result of 70 tokens has no text');
    expect(() => sent([said('directive', 'as text')], { about: [opaque] })).toThrow('has no text');
  });

  it('asks a model not to think that would by itself, and for no more than it can write', () => {
    const opus = MODELS.resolve('claude-opus-5-5');
    expect(summaryRequest(asked([]), opus, opus.id).thinking).toEqual({ type: 'disabled' });
    expect(sent([]).thinking).toBeUndefined();
    expect(sent([], { maxOutputTokens: null }).max_tokens).toBe(SONNET.maxOutput);
  });

  it('equal requests have equal digests, others do not', () => {
    const request = (text: string, model: string, max: number) =>
      summaryRequest(asked([said('human', text)], { maxOutputTokens: max }), SONNET, model);
    forAll(
      fc.tuple(fc.string(), fc.constantFrom('a', 'b'), fc.integer({ min: 1, max: 3 })),
      fc.tuple(fc.string(), fc.constantFrom('a', 'b'), fc.integer({ min: 1, max: 3 })),
      (one, two) => {
        const [first, second] = [request(...one), request(...two)];
        const isEqual = JSON.stringify(first) === JSON.stringify(second);
        expect(requestKey(first) === requestKey(second)).toBe(isEqual);
      },
    );
  });
});

const answer = (given: Partial<CassetteAnswer> = {}): CassetteAnswer => ({
  key: '0'.repeat(32),
  model: 'claude-sonnet-4-5',
  text: '<summary>what happened</summary>',
  stopReason: 'end_turn',
  usage: { input: 100, output: 40 },
  usd: 0.25,
  ...given,
});

describe('a cassette', () => {
  it('gives back what was kept, whatever its words', () => {
    forAll(fc.string({ unit: 'binary' }), (text) => {
      const kept = answer({ text });
      expect(new Cassette('c', cassetteLine(kept)).find(kept.key)).toEqual(kept);
    });
  });

  it('keeps the first of two answers, and counts what both have cost', () => {
    const cassette = new Cassette('c', cassetteLine(answer()) + cassetteLine(answer({ text: 'later' })));
    expect(cassette.find(answer().key)).toEqual(answer());
    expect(cassette.usd).toBe(0.5);
  });

  it.each([
    ['no JSON', '{'],
    ['no object', '[]'],
    ['no usage', JSON.stringify({ ...answer(), usage: undefined })],
    ['a negative count', JSON.stringify(answer({ usage: { input: 1, output: -1 } }))],
    ['no text', JSON.stringify({ ...answer(), text: null })],
  ])('names the line that has %s', (_what, line) => {
    const read = () => new Cassette('c.jsonl', `${cassetteLine(answer())}\n${line}\n`);
    expect(thrownBy(read)).toMatchObject({ place: { file: 'c.jsonl', line: 3 } });
  });
});

describe('an answer of a cassette', () => {
  it('has the tokens that were billed, shared out to scratchpad and summary', () => {
    const text = `<analysis>${'a'.repeat(300)}</analysis><summary>${'s'.repeat(300)}</summary>`;
    const { tokens, scratchpadTokens, outputTokens } = answerOfCassette(
      answer({ text, usage: { input: 1, output: 1_000 } }),
      1,
    );
    expect(outputTokens).toBe(1_000);
    expect(tokens + scratchpadTokens).toBe(1_000);
    // halves but for the labels and the gap between them
    expect(Math.abs(tokens - 500)).toBeLessThan(20);
  });

  it.each([
    ['normal', '<summary>x</summary>', 'end_turn'],
    ['untagged', 'x', 'end_turn'],
    ['cut', '<summary>x', 'max_tokens'],
    ['empty', ' ', 'end_turn'],
  ])('is %s', (form, text, stopReason) => {
    expect(answerOfCassette(answer({ text, stopReason }), 1).form).toBe(form);
  });

  it('is as long in the new history as its words are', () => {
    const text = '<analysis>aa</analysis>\n\n\n<summary>one\n\n\n\ntwo</summary>';
    const composed = answerOfCassette(answer({ text }), 1);
    for (const scratchpad of ['drop', 'relabel'] as const)
      expect(formattedChars(composed, scratchpad)).toBe(formatSummary(text, scratchpad).length);
  });

  it('other words or another question are other content', () => {
    const digests = [
      answerOfCassette(answer(), 1),
      answerOfCassette(answer({ text: 'x' }), 1),
      answerOfCassette(answer(), 2),
    ].map(({ digest }) => digest);
    expect(new Set(digests).size).toBe(3);
  });
});

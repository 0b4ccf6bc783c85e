import { describe, expect, it } from 'vitest';
import { resolvePolicy } from '../../../src/agent/policies/plan-policy.js';
import { createBlock } from '../../../src/core/model/block.js';
import type { Step } from '../../../src/core/model/transcript.js';
import { estimateMessages, heuristicRules, PLAIN_RULES } from '../../../src/core/tokens/heuristic.js';
import { messageFrom, userText } from '../../helpers/blocks.js';
import { Conversation } from '../../helpers/generators/conversation.js';
import { mainRequests, planOf, runLog } from '../../helpers/plan.js';
import { ask, assistant, messagesOf, result, say, threadOf, user } from '../../helpers/session.js';

const DOCUMENT = { type: 'document', source: { type: 'base64', data: 'x'.repeat(8_000) } };
const IMAGE = { type: 'image', source: { type: 'base64', data: 'x'.repeat(8_000) } };

describe('documents of a recording', () => {
  const lines = (content: unknown) => [
    user('u1', 0, 'look'),
    assistant('a1', 1, 'm1', ask('t1', 'Read', { file_path: '/repo/a.pdf' })),
    result('r1', 2, 't1', content),
    assistant('a2', 3, 'm2', say('done')),
  ];
  const blockOf = (content: unknown) =>
    messagesOf(threadOf(lines(content))).find(({ origin }) => origin === 'tool')!.blocks[0]!;

  it('C38 inside a result they count 0, images 2,000', () => {
    const text = { type: 'text', text: 'x'.repeat(40) };
    expect(blockOf([text, DOCUMENT]).rough).toBe(10);
    expect(blockOf([text, IMAGE, DOCUMENT, IMAGE]).rough).toBe(10 + 4_000);
    expect(blockOf([text, IMAGE, DOCUMENT]).facts).toMatchObject({ images: 1, documents: 1 });
  });

  it('C38 on their own they count by their JSON', () => {
    const thread = threadOf([user('u1', 0, [DOCUMENT, IMAGE]), assistant('a1', 1, 'm1', say('done'))]);
    const [document, image] = messagesOf(thread)[0]!.blocks;
    expect(document!.rough).toBe(Math.round(JSON.stringify(DOCUMENT).length / 4));
    expect(document!.rough).toBeGreaterThan(2_000);
    expect(image!.rough).toBe(2_000);
  });

  it('C38 a document is billed all the same: recorded usage and digests do not change', () => {
    const both = blockOf([IMAGE, IMAGE]);
    const mixed = blockOf([IMAGE, DOCUMENT]);
    expect(mixed.tokens).toBe(both.tokens);
    expect(mixed.digest).toBe(both.digest);
  });

  it('C38 a typed prompt is a plain string, a list of blocks is none', () => {
    const thread = threadOf([
      user('u1', 0, 'typed'),
      assistant('a1', 1, 'm1', say('yes')),
      user('u2', 2, say('listed')),
      assistant('a2', 3, 'm2', say('yes')),
    ]);
    expect(messagesOf(thread).map(({ blocks }) => blocks[0]!.facts.plain)).toEqual([true, undefined]);
  });
});

describe('what is newer than the usage, by generation', () => {
  /** A call that is answered, then a prompt of 4,000 tokens before the next call; returns what the counter saw at both. */
  function seen(policy: string, plain: boolean, set: Record<string, unknown> = {}) {
    const talk = new Conversation().turn(100, 10);
    const message = messageFrom(
      'human',
      'typed',
      [userText(4_000, { text: 'x'.repeat(16_000), facts: plain ? { plain: true } : {} })],
      { at: 2_000 },
    );
    const later = new Conversation({ ids: 'later ' }).wait(3).answer(10);
    const steps: Step[] = [...talk.steps, { kind: 'message', message }, ...later.steps];
    const plan = planOf({ policy, set: { 'sessionMemory.enabled': false, ...set } });
    const entries = runLog(plan, { ...talk.transcript(), threads: [{ ...talk.thread(), steps }] });
    return mainRequests(entries)[1]!.estimatedTokens! - 15_110;
  }

  it('C38 TOK-3 a plain string of 4,000 tokens counts 0 in 2.1, 4,000 in 2.1.7, a third more in 2026', () => {
    expect(seen('claude-code/2.1', true)).toBe(0);
    expect(seen('claude-code/2.1', false)).toBe(4_000);
    expect(seen('claude-code/2.1', true, { 'counter.plainStrings': 'counted' })).toBe(4_000);
    expect(seen('claude-code/2.1.7', true)).toBe(4_000);
    expect(seen('claude-code/2026', true)).toBe(5_334);
  });

  it('C52 TOK-3 thinking of 5,000 characters counts with its JSON in the analysed clients, padded 1,683, not 1,667', () => {
    const thinking = createBlock({
      kind: 'thinking',
      role: 'assistant',
      tokens: 1_250,
      text: 'x'.repeat(5_000),
    });
    const message = messageFrom('model', 'a', [thinking]);
    const tokens = (policy: string, margin: 'margin' | 'bare') =>
      estimateMessages([message], heuristicRules(resolvePolicy(policy, {}), margin));
    for (const policy of ['claude-code/2.0', 'claude-code/2.1', 'claude-code/2026']) {
      expect(tokens(policy, 'bare')).toBe(1_262); // 5,048 characters
      expect(tokens(policy, 'margin')).toBe(1_683);
    }
    expect(tokens('claude-code/2.1.7', 'margin')).toBe(1_667);
  });

  it('C38 TOK-3 a tool call counts name and input in 2026, the JSON of the whole block in 2.0 and 2.1', () => {
    const input = { file_path: '/repo/src/a.ts' };
    const thread = threadOf([
      user('u1', 0, 'look'),
      assistant('a1', 1, 'm1', ask('toolu_1', 'Read', input)),
      result('r1', 2, 'toolu_1', ''),
      assistant('a2', 3, 'm2', say('')),
    ]);
    const calls = thread.steps.flatMap((step) => (step.kind === 'call' ? [step.call.response] : []));
    const tokens = (policy: string) =>
      estimateMessages(calls, heuristicRules(resolvePolicy(policy, {}), 'bare'));
    const block = { type: 'tool_use', id: 'toolu_1', name: 'Read', input };
    const whole = Math.round(JSON.stringify(block).length / 4);
    expect(tokens('claude-code/2.0')).toBe(whole);
    expect(tokens('claude-code/2.1')).toBe(whole);
    const short = Math.round(`Read${JSON.stringify(input)}`.length / 4);
    expect(tokens('claude-code/2026')).toBe(short);
    expect(estimateMessages(calls, PLAIN_RULES)).toBe(short);
  });
});

import { describe, expect, it } from 'vitest';
import { hookBlocks } from '../../../../src/agent/layers/hooks/hook-runs.js';
import { SUMMARY_SECTIONS, summaryInstruction } from '../../../../src/agent/layers/rules/prompt.js';
import { createBlock } from '../../../../src/core/model/block.js';
import type { Message } from '../../../../src/core/model/message.js';
import { callOf, messageFrom, resultOf, userText } from '../../../helpers/blocks.js';
import { answerOf, compactWith, messagesOf } from '../../../helpers/drive/drive-compaction.js';
import { Conversation } from '../../../helpers/generators/conversation.js';

const POLICY = 'claude-code/2026';
const RAW =
  '<analysis>\nI thought about it.\n</analysis>\n\n<summary>\nDone so far.\n\n\n\nNext.\n</summary>';
const good = () => answerOf(RAW);
/** The first answer is empty, the next is good. */
const emptyFirst = (n: number) => (n === 1 ? answerOf('', { form: 'empty', tokens: 0 }) : good());

function talk(rounds = 3): readonly Message[] {
  const conversation = new Conversation().human(50, 'please fix the parser');
  for (let i = 0; i < rounds; i++)
    conversation.tools([{ tool: 'Read', tokens: 1_000, path: `/repo/${i}.ts` }]);
  return messagesOf(conversation.transcript());
}

const textOf = (message: Message) => message.blocks.map((block) => block.text?.read() ?? '').join('\n');

describe('the request', () => {
  it('FUL-1 refuses empty input without asking anybody', () => {
    const { done, asks, history, report } = compactWith(POLICY, {}, [], good);
    expect(done).toBe(false);
    expect(asks).toEqual([]);
    expect(history).toBeNull();
    expect(report).toMatchObject({ outcome: 'failed', failure: 'nothing-to-compact', saved: 0 });
  });

  it('C22 FUL-1 FUL-10 instructions of the user come first, those of the hooks follow, tools are ruled out at the end', () => {
    const [hook] = hookBlocks([
      {
        hook: { event: 'PreCompact', on: 'both', tokens: 40, prints: 'context', seconds: 0, fails: 0 },
        outcome: 'done',
      },
    ]);
    const message = summaryInstruction('i', 0, 'full', 'user: keep the plan', [hook!], null);
    expect(message.blocks[1]).toBe(hook);
    expect(message.blocks[0]!.text!.read()).toMatch(/Additional instructions:\nuser: keep the plan$/);
    expect(message.blocks[2]!.text!.read()).toMatch(/text only, no tools/);
    const [silent] = summaryInstruction('i', 0, 'full', ' \n', [hook!], null).blocks;
    expect(silent!.text!.read()).toMatch(/rests on\.\nAdditional instructions:$/);
    const { asks } = compactWith(POLICY, {}, talk(), good, {
      instructions: 'user: keep the plan',
      partial: null,
    });
    expect(textOf(asks[0]!.instruction)).toContain('user: keep the plan');
  });

  it('FUL-1 summarises from the last boundary on, the old summary included', () => {
    const first = compactWith('claude-code/2.1', {}, talk(), good).history!;
    const more = messagesOf(new Conversation().human(20, 'and now the lexer').answer(30).transcript()).map(
      (message) => ({ ...message, id: `more-${message.id}` }),
    );
    const { asks, report } = compactWith('claude-code/2.1', {}, [...first, ...more], good);
    const sent = asks[0]!.messages;
    expect(sent.some((message) => message.origin === 'boundary')).toBe(false);
    expect(sent[0]!.origin).toBe('summary');
    expect(sent.at(-1)!.id).toBe(more.at(-1)!.id);
    expect(report.details.messagesSummarised).toBe(sent.length);
  });

  it('C18 FUL-1 the direct call of 2026 gets a line in the place of each image, also inside results; no other call does', () => {
    const image = createBlock({ kind: 'image', role: 'user', tokens: 1_500, text: 'png' });
    const shot = resultOf('u1', 1_600, { text: 'page', tool: 'Screenshot', facts: { images: 1 } });
    const use = callOf('u1', 9, { text: 'Screenshot{}' });
    const messages = [
      messageFrom('human', 'a', [image]),
      messageFrom('model', 'b', [use]),
      messageFrom('tool', 'c', [shot]),
    ];
    const own = compactWith(POLICY, {}, messages, emptyFirst).asks[1]!.messages;
    expect(own[0]!.blocks).toMatchObject([{ kind: 'text', facts: { replaces: 'image' } }]);
    expect(own[2]!.blocks[0]).toMatchObject({ kind: 'tool_result', toolUseId: 'u1', facts: { images: 0 } });
    expect(own[2]!.blocks[0]!.tokens).toBeLessThan(200);
    const forked = compactWith(POLICY, {}, messages, good).asks[0]!.messages;
    expect(forked.flatMap((message) => message.blocks)).toEqual([image, use, shot]);
    for (const policy of ['claude-code/2.0', 'claude-code/2.1', 'claude-code/2.0.76', 'claude-code/2.1.7'])
      expect(compactWith(policy, {}, messages, good).asks[0]!.messages).toEqual(messages);
    expect(compactWith('claude-code/2.1.112', {}, messages, emptyFirst).asks[1]!.messages).toEqual(messages);
  });

  it('C18 FUL-1 attachments that come back by themselves are not summarised by the direct call of 2026', () => {
    const listing = userText(4_000, { text: 'skills', facts: { attachment: 'skill_listing' } });
    const attached = messageFrom('attachment', 's', [listing]);
    const holds = (policy: string) =>
      compactWith(policy, {}, [...talk(), attached], emptyFirst)
        .asks.at(-1)!
        .messages.some((message) => message.id === 's');
    expect(holds(POLICY)).toBe(false);
    for (const policy of ['claude-code/2.0', 'claude-code/2.1', 'claude-code/2.1.112'])
      expect(holds(policy)).toBe(true);
  });

  it('FUL-2 rules tools out at the start and at the end, and asks for nine sections after a scratchpad', () => {
    const text = textOf(compactWith(POLICY, {}, talk(), good).asks[0]!.instruction);
    const lines = text.split('\n');
    expect(lines[0]).toMatch(/text only.*not call any tool/i);
    expect(lines.at(-1)).toMatch(/text only, no tools/i);
    expect(SUMMARY_SECTIONS).toHaveLength(9);
    let from = text.indexOf('<analysis>');
    expect(from).toBeGreaterThan(0);
    for (const [i, section] of SUMMARY_SECTIONS.entries()) {
      const at = text.indexOf(`${i + 1}. ${section}`);
      expect(at).toBeGreaterThan(from);
      from = at;
    }
  });

  it('FUL-4 the fork shares everything, writes nothing and sets no output limit; the direct call after it is capped and unmarked', () => {
    const refuse = (n: number) =>
      n === 1
        ? ({
            kind: 'failed',
            failure: { reason: 'invalid-request', status: 400, message: 'no', gapTokens: null },
          } as const)
        : good();
    const messages = talk();
    const { asks, done, report } = compactWith(POLICY, {}, messages, refuse);
    expect(done).toBe(true);
    expect(asks).toHaveLength(2);
    expect(asks[0]).toMatchObject({ shape: { kind: 'fork' }, write: 'read-only', maxOutputTokens: null });
    expect(asks[0]!.messages).toEqual(messages);
    expect(asks[1]).toMatchObject({
      shape: { kind: 'own', breakpoints: 'off' },
      maxOutputTokens: 20_000,
    });
    expect(report.details).toMatchObject({ requests: 2, shape: 'own' });
  });

  it('C21 FUL-4 the summariser of 2.0 and 2.1 has a prefix of its own; both retry transient errors alike', () => {
    const own = (policy: string) => compactWith(policy, {}, talk(), good).asks[0]!;
    expect(own('claude-code/2.0').shape.kind).toBe('own');
    expect(own('claude-code/2.1').shape.kind).toBe('own');
    expect(own('claude-code/2.1').retries).toBe(10);
    expect(own('claude-code/2.0').retries).toBe(10);
  });
});

describe('the result', () => {
  const summaryOf = (policy: string, set = {}, manual = false) => {
    const { history } = compactWith(
      policy,
      set,
      talk(),
      good,
      manual ? { instructions: null, partial: null } : null,
    );
    return history!.find((message) => message.origin === 'summary')!;
  };

  it('FUL-3 drops the scratchpad in 2026, keeps it under a label in 2.0, and collapses blank lines', () => {
    const dropped = summaryOf(POLICY);
    expect(textOf(dropped)).not.toMatch(/I thought about it|<summary>|\n\n\n/);
    expect(textOf(dropped)).toContain('Done so far.\n\nNext.');
    const kept = summaryOf('claude-code/2.0');
    expect(textOf(kept)).toContain('Analysis:\nI thought about it.');
    expect(textOf(kept)).not.toMatch(/<analysis>|<summary>/);
    expect(kept.blocks[0]!.tokens - dropped.blocks[0]!.tokens).toBe(200);
    expect(kept.blocks[0]!.chars).toBeGreaterThan(dropped.blocks[0]!.chars);
  });

  it('FUL-3 FUL-10 says that the session goes on; only automatic compaction adds the go-on instruction', () => {
    expect(textOf(summaryOf(POLICY))).toMatch(/^This session goes on from an earlier conversation/);
    expect(textOf(summaryOf(POLICY))).toMatch(/Do not ask whether to go on/);
    expect(textOf(summaryOf(POLICY, {}, true))).toMatch(/^This session goes on from an earlier conversation/);
    expect(textOf(summaryOf(POLICY, {}, true))).not.toMatch(/Go on with the work/);
    expect(textOf(summaryOf(POLICY, { 'compact.autonomous': true }))).toMatch(/Go on with the work loop/);
  });

  it('FUL-8 puts boundary, summary, kept messages and attachments in this order', () => {
    const { history } = compactWith('claude-code/2.1.325', {}, talk(), good);
    // The last round stays, and with it the third file; the first two come back.
    expect(history!.map((message) => message.origin)).toEqual([
      'boundary',
      'summary',
      'model',
      'tool',
      'attachment',
      'attachment',
    ]);
    expect(history!.filter((m) => m.origin === 'attachment').map((m) => m.blocks[0]!.facts.path)).toEqual([
      '/repo/1.ts',
      '/repo/0.ts',
    ]);
  });

  it('FUL-9 tells trigger, tokens before, messages summarised, the last message and the preserved segment', () => {
    const messages = talk();
    const { report, history } = compactWith('claude-code/2.1.325', {}, messages, good);
    const summary = history!.find((message) => message.origin === 'summary')!;
    expect(report).toMatchObject({
      trigger: 'auto',
      trueBefore: 170_000,
      details: {
        messagesSummarised: messages.length - 2,
        messagesKept: 2,
        lastMessage: messages.at(-3)!.id,
        preserved: { head: messages.at(-2)!.id, anchor: summary.id, tail: messages.at(-1)!.id },
      },
    });
    expect(compactWith(POLICY, {}, messages, good).report.details.preserved).toBeNull();
  });

  it('FUL-12 reports the call, the breakdown of the context and whether the next turn recompacts', () => {
    const { report } = compactWith(POLICY, {}, talk(), good);
    expect(report.details).toMatchObject({
      call: { input: 0, output: 1_200 },
      summaryTokens: 1_000,
      requests: 1,
      recompactsNextTurn: true, // the view of this test stays at 170,000
    });
    expect(report.details.context).toBeDefined();
  });
});

describe('partial compaction', () => {
  const rounds = talk(5);
  const partial = (direction: 'from' | 'up_to', policy = POLICY, messages = rounds) =>
    compactWith(policy, {}, messages, good, {
      instructions: null,
      partial: { direction, messagesBack: 4 },
    });

  it('FUL-11 from a pivot: the earlier messages stay in front, the later are summarised', () => {
    const { history, asks, report } = partial('from');
    expect(history!.slice(1, 8)).toEqual(rounds.slice(0, 7));
    expect(history![0]!.origin).toBe('boundary');
    expect(history![8]!.origin).toBe('summary');
    expect(asks[0]!.messages).toEqual(rounds); // the whole prefix, so that its cache is read
    expect(asks[0]!.about).toEqual(rounds.slice(7));
    expect(report.details).toMatchObject({
      partial: 'from',
      preserved: { head: rounds[0]!.id, tail: rounds[6]!.id },
    });
  });

  it('FUL-11 up to a pivot: the earlier messages are summarised, the later stay behind', () => {
    const { history, asks } = partial('up_to');
    expect(history!.slice(0, 2).map((message) => message.origin)).toEqual(['boundary', 'summary']);
    expect(history!.slice(2, 6)).toEqual(rounds.slice(7));
    expect(asks[0]!.messages).toEqual(rounds.slice(0, 7));
    const text = textOf(asks[0]!.instruction);
    expect(text).toMatch(/8\. Work completed\n9\. Context for going on/);
    expect(text).not.toMatch(/Current work/);
    expect(asks[0]!.answer).toMatchObject({ style: 'partial-up-to' });
  });

  it('FUL-11 INV-2 what stayed in front of a partial compaction is part of the next one', () => {
    const after = partial('from').history!;
    const { asks } = compactWith(POLICY, {}, after, good);
    for (const message of rounds.slice(0, 7)) expect(asks[0]!.messages).toContain(message);
  });
});

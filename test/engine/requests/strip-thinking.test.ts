import { describe, expect, it } from 'vitest';
import { Conversation } from '../../helpers/generators/conversation.js';
import { logFor, mainRequests, ofType, type PlanInit } from '../../helpers/plan.js';

const PREFIX = 15_000;

/** Three turns that think, the second with a tool. */
const talk = (model: string) =>
  new Conversation({ model })
    .human(100)
    .answer(10, { thinking: 3_000 })
    .human(20)
    .tools([{ tool: 'Read', tokens: 50 }], { thinking: 400 })
    .answer(10, { thinking: 500 })
    .turn(30, 10);
const promptsOf = (model: string, init: PlanInit = {}) =>
  mainRequests(logFor(init, talk(model))).map(({ prompt }) => prompt - PREFIX);

describe('thinking of earlier turns', () => {
  it('K5 is dropped when the user speaks again, on a model that keeps that of one turn', () => {
    // Sonnet 4.5: the second prompt drops 3,000, the tool's turn keeps its 400, the third prompt drops 400 and 500.
    expect(promptsOf('claude-sonnet-4-5')).toEqual([100, 130, 130 + 420 + 50, 130 + 20 + 50 + 10 + 30]);
  });

  it('K5 stays on a model that keeps all of it, and for a client that does', () => {
    const all = [100, 3_130, 3_130 + 420 + 50, 3_130 + 420 + 50 + 510 + 30];
    expect(promptsOf('claude-opus-4-6')).toEqual(all);
    expect(promptsOf('claude-sonnet-4-5', { set: { 'client.thinking': 'keep-all' } })).toEqual(all);
  });

  it('K5 is dropped again where a new process has read it back', () => {
    const prompts = (conversation: Conversation) =>
      mainRequests(logFor({}, conversation.turn(40, 10))).map(({ prompt }) => prompt);
    const resumed = talk('claude-sonnet-4-5').event((at) => ({ kind: 'resume', at, reason: 'restart' }));
    expect(prompts(resumed)).toEqual(prompts(talk('claude-sonnet-4-5')));
  });

  it('K5 BRD-3 that goes after it was sent is why what stands behind it is written again', () => {
    const entries = logFor({}, talk('claude-sonnet-4-5'));
    const [, second, third, last] = mainRequests(entries);
    // The response that is dropped from was never sent before the second prompt: nothing changes there.
    expect([second!.cause, third!.cause, last!.cause]).toEqual([null, null, 'thinking']);
    // The call with its 400 tokens of thinking was sent; what came behind it is written again.
    expect(last!.rewritten).toBe(20 + 50);
    expect(ofType(entries, 'break')).toEqual([]);
  });
});

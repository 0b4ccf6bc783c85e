import { describe, expect, it } from 'vitest';
import { withoutThinking } from '../../../src/core/model/transcript.js';
import { Conversation } from '../../helpers/generators/conversation.js';
import { logFor, mainRequests } from '../../helpers/plan.js';

const usage = (output: number) => ({ input: 0, cacheRead: 0, cacheWrite5m: 100, cacheWrite1h: 0, output });

describe('R21 a session without thinking', () => {
  const talk = () =>
    new Conversation({ toolsTokens: 1_000, systemTokens: 1_000 })
      .human(100)
      .tools([{ tool: 'Grep', tokens: 500 }], { thinking: 180 })
      .answer(50, { thinking: 70, usage: usage(120) })
      .turn(100, 50)
      .transcript();

  it('has neither the blocks nor the output they were', () => {
    const transcript = talk();
    const [thread] = withoutThinking(transcript).threads;
    const calls = thread!.steps.flatMap((step) => (step.kind === 'call' ? [step.call] : []));
    expect(calls.flatMap(({ response }) => response.blocks.map(({ kind }) => kind))).not.toContain(
      'thinking',
    );
    expect(calls[1]!.usage!.output).toBe(50);
    expect(withoutThinking(transcript)).toBe(withoutThinking(transcript));
  });

  it('is what `client.thinking: off` runs, with shorter prompts and less output', () => {
    const requests = (set: Record<string, unknown>) =>
      mainRequests(logFor({ policy: 'claude-code/2.1.112', set }, talk()));
    const usual = requests({});
    const off = requests({ 'client.thinking': 'off' });
    expect(usual.map(({ prompt }, i) => prompt - off[i]!.prompt)).toEqual([0, 180, 250]);
    expect(usual[1]!.output - off[1]!.output).toBe(70);
  });

  it('leaves a response that is thinking alone', () => {
    const only = new Conversation().turn(10, 10).transcript();
    expect(withoutThinking(only).threads[0]!.steps).toEqual(only.threads[0]!.steps);
  });
});

import { describe, expect, it } from 'vitest';
import { createMessage } from '../../../src/core/model/message.js';
import type { Text } from '../../../src/core/model/text.js';
import type { Transcript } from '../../../src/core/model/transcript.js';
import { resultOf } from '../../helpers/blocks.js';
import { Conversation } from '../../helpers/generators/conversation.js';
import { logFor, mainRequests } from '../../helpers/plan.js';

/** A question, three results of one response, 4,000 characters each, and an answer. */
const PARALLEL = new Conversation()
  .human(100)
  .tools(Array.from({ length: 3 }, () => ({ tool: 'Grep', tokens: 1_000 })))
  .answer(10)
  .turn(100, 10)
  .transcript();

const seenUnder = (policy: string, transcript: Transcript = PARALLEL) =>
  mainRequests(logFor({ policy }, transcript));

/** The transcript with other facts on its results. */
function withFacts(transcript: Transcript, facts: object): Transcript {
  const threads = transcript.threads.map((thread) => ({
    ...thread,
    steps: thread.steps.map((step) =>
      step.kind === 'message' && step.message.origin === 'tool'
        ? {
            ...step,
            message: createMessage({
              ...step.message,
              blocks: step.message.blocks.map((block) => ({ ...block, facts: { ...block.facts, ...facts } })),
            }),
          }
        : step,
    ),
  }));
  return { ...transcript, threads };
}

describe('what a policy believes its context to be', () => {
  it('TOK-4 is input, cache creation, cache read and output of the latest response', () => {
    // 2.0.76 adds nothing for newer content
    const requests = seenUnder('claude-code/2.0.76');
    expect(requests).toHaveLength(3);
    for (let i = 1; i < requests.length; i++) {
      const { input, read, write5m, write1h, output } = requests[i - 1]!;
      expect(requests[i]!.estimatedTokens).toBe(input + read + write5m + write1h + output);
    }
  });

  it('TOK-5 pads the estimate of what came after the usage by a third, and that alone', () => {
    const [first, second] = seenUnder('claude-code/2026');
    // three results of round(4,000 / 4), ceil(3,000 × 4/3)
    expect(second!.estimatedTokens! - (first!.prompt + first!.output)).toBe(4_000);
  });

  it('TOK-1 claude-code/2026 counts JSON-like results at two bytes a token', () => {
    const [first, second] = seenUnder('claude-code/2026', withFacts(PARALLEL, { jsonLike: true }));
    // three results of round(4,000 / 2), ceil(6,000 × 4/3)
    expect(second!.estimatedTokens! - (first!.prompt + first!.output)).toBe(8_000);
  });

  it('TOK-6 measures a result once, when it is made, however many requests carry it', () => {
    let measured = 0;
    let readOut = 0;
    const output: Text = {
      get chars() {
        measured++;
        return 4_000;
      },
      read() {
        readOut++;
        return 'x'.repeat(4_000);
      },
    };
    const block = resultOf('response2-0', 1_000, { text: output, tool: 'Grep' });
    const madeWith = { measured, readOut };
    const talk = new Conversation().human(100).tools([{ tool: 'Grep', tokens: 1_000 }]);
    for (let turn = 0; turn < 40; turn++) talk.answer(10).human(100);
    const built = talk.answer(10).transcript();
    const threads = built.threads.map((thread) => ({
      ...thread,
      steps: thread.steps.map((step) =>
        step.kind === 'message' && step.message.origin === 'tool'
          ? { ...step, message: createMessage({ ...step.message, blocks: [block] }) }
          : step,
      ),
    }));
    expect(seenUnder('claude-code/2026', { ...built, threads })).toHaveLength(42);
    expect({ measured, readOut }).toEqual(madeWith);
    expect(madeWith).toEqual({ measured: 1, readOut: 1 });
  });
});

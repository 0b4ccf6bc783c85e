import { chainDigest, type Digest } from '../../../src/core/base/digest.js';
import { type Block, createBlock } from '../../../src/core/model/block.js';
import {
  createMessage,
  type Message,
  type MessageOrigin,
  messageTokens,
} from '../../../src/core/model/message.js';
import type { FakeLlmPlan, FaultKind, FaultRule } from '../../../src/core/run/run-plan.js';
import type { Question } from '../../../src/provider/fake-llm/answers/compose-answer.js';
import { callOf, resultOf } from '../../helpers/blocks.js';
import { NO_FAULT } from '../../helpers/plan.js';

/** A fault rule; conditions that are not given do not apply. */
export function fault(error: FaultKind, given: Partial<FaultRule> = {}): FaultRule {
  return { ...NO_FAULT, error, ...given };
}

/** How much the fake LLM writes; amounts that are not given are fixed. */
export function plan(given: Partial<FakeLlmPlan> = {}): FakeLlmPlan {
  return {
    summaryTokens: { fixed: 2_000 },
    scratchpadTokens: { fixed: 300 },
    notesTokens: { fixed: 1_200 },
    latencyScale: 1,
    ...given,
  };
}

/** A message of one text block; four characters a token. */
export function said(origin: MessageOrigin, text: string, id = `${origin} ${text.length}`): Message {
  const role = origin === 'model' ? 'assistant' : 'user';
  const block = createBlock({ kind: 'text', role, tokens: Math.ceil(text.length / 4), text });
  return createMessage({ id, role, origin, blocks: [block], at: 0 });
}

/** A message around blocks. */
export function around(origin: MessageOrigin, blocks: readonly Block[], id = 'm'): Message {
  return createMessage({ id, role: origin === 'model' ? 'assistant' : 'user', origin, blocks, at: 0 });
}

/** A tool call and its result as two messages. */
export function toolRound(
  n: number,
  tool: string,
  path: string,
  output: string,
  isError = false,
): readonly Message[] {
  const toolUseId = `toolu_${n}`;
  const use = callOf(toolUseId, 40, { text: `${tool}{"path":"${path}"}`, tool, facts: { path } });
  const result = resultOf(toolUseId, Math.ceil(output.length / 3), {
    text: output,
    tool,
    facts: { path, isError },
  });
  return [around('model', [use], `call ${n}`), around('tool', [result], `result ${n}`)];
}

/** The question a layer asks. */
export const INSTRUCTION = said('directive', 'Summarise the conversation.', 'instruction');

/** The question that a conversation and an instruction are, for whoever has no request with digests of its own. */
export function questionOf(messages: readonly Message[], instruction: Message): Question {
  let tokens = 0;
  let digest: Digest = 1;
  for (const message of messages) {
    tokens += messageTokens(message);
    for (const block of message.blocks) digest = chainDigest(digest, block.digest);
  }
  for (const block of instruction.blocks) digest = chainDigest(digest, block.digest);
  return { messages, tokens, digest, maxOutputTokens: Number.POSITIVE_INFINITY };
}

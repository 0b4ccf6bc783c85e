import { type Digest, digestParts } from '../../core/base/digest.js';
import { createBlock } from '../../core/model/block.js';
import type { LlmCall } from '../fake-llm/fake-llm.js';
import type { AnswerBlock } from './answer.js';
import type { ApiRequest } from './api-request.js';

/** The digest that a block of an answer has when it comes back. */
function digestOf(block: AnswerBlock): Digest {
  const init = { kind: block.type, role: 'assistant', tokens: 0 } as const;
  switch (block.type) {
    case 'text':
      return createBlock({ ...init, text: block.text }).digest;
    case 'thinking':
      return createBlock({ ...init, text: block.thinking }).digest;
    case 'tool_use': {
      const text = `${block.name}${JSON.stringify(block.input)}`;
      return createBlock({ ...init, text, toolUseId: block.id, tool: block.name }).digest;
    }
  }
}

/**
 * What caches without marks ask of a call: the first block of the answer, which some store with its prompt, and what chance is
 * drawn by: the beginning of the conversation and the whole prompt, never the time.
 */
export function cacheFacts(
  { messages, view }: ApiRequest,
  content: readonly AnswerBlock[],
): Pick<LlmCall, 'answer' | 'luck'> {
  const session = digestParts(messages[0]?.blocks.map(({ digest }) => digest) ?? []);
  return {
    answer: content[0] === undefined ? null : digestOf(content[0]),
    luck: { session, request: view.digests[view.length - 1] ?? 0 },
  };
}

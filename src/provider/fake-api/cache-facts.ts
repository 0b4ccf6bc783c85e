import { digestParts } from '../../core/base/digest.js';
import type { LlmCall } from '../fake-llm/fake-llm.js';
import { type AnswerBlock, blockOfAnswer } from './answer.js';
import type { ApiRequest } from './api-request.js';

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
    answer: content[0] === undefined ? null : blockOfAnswer(content[0], () => 0).digest,
    luck: { session, request: view.digests[view.length - 1] ?? 0 },
  };
}

import type { AnswerBlock, GivenAnswer } from './answer.js';
import type { ApiRequest } from './api-request.js';
import type { PlacedRequest } from './conversations.js';

/** Who says what is answered. */
export interface AnswerSource {
  /** Whether the main thread calls tools: a request that defines none is not part of it then. */
  readonly callsTools: boolean;
  /** Hears of a request before it is billed. */
  arrive?(place: PlacedRequest, request: ApiRequest): void;
  answer(request: ApiRequest, place: PlacedRequest): GivenAnswer;
}

/** Says how much it read, when nobody says otherwise. */
export const PLACEHOLDER: AnswerSource = {
  callsTools: false,
  answer(request) {
    const { length } = request.messages;
    const text = `Read ${length} ${length === 1 ? 'turn' : 'turns'}.`;
    const said: AnswerBlock = { type: 'text', text };
    if (request.thinking === 'off') return { content: [said] };
    const signature = `sig_${request.spoken.toString(36)}`;
    return { content: [{ type: 'thinking', thinking: text, signature }, said] };
  },
};

import { type Digest, digestParts } from '../../core/base/digest.js';
import { type BreakDetector, createBreakDetector } from '../cache/break-detector.js';
import type { ApiRequest } from './api-request.js';

/** Requests that belong together, as far as their contents tell. */
export interface Conversation {
  readonly id: number;
  readonly detector: BreakDetector;
  /** Tools and system prompt of its latest request. */
  frame: Digest;
  /** A summary was asked for and nothing came after it. */
  summarised: boolean;
  /** The latest request, to compare the next one with. */
  latest: Pick<ApiRequest, 'model' | 'view' | 'salts'> | null;
  /** Tokens that the latest request left in the cache. */
  cachedTokens: number;
}

/** A conversation and how a request came to it. */
export interface FoundConversation {
  readonly conversation: Conversation;
  readonly how: 'first' | 'next' | 'after-summary';
}

/** What asks for a summary of everything before it, in the words of known clients. */
const ASKS_FOR_SUMMARY = /\b(create|write) a (detailed )?summary of (the|this) conversation\b/i;

/** Whether a request asks for a summary of its conversation. */
export function asksForSummary({ messages }: Pick<ApiRequest, 'messages'>): boolean {
  const last = messages.at(-1);
  if (last?.role !== 'user') return false;
  return last.blocks.some(({ kind, text }) => kind === 'text' && ASKS_FOR_SUMMARY.test(text?.read() ?? ''));
}

/** Tells conversations apart: by what the user says first; after a summary, one that begins again in the same frame goes on. */
export class Conversations {
  readonly #byOpening = new Map<Digest, Conversation>();
  readonly #all: Conversation[] = [];

  get count(): number {
    return this.#all.length;
  }

  find(request: ApiRequest): FoundConversation {
    const opening = digestParts(request.messages[0]!.blocks.map(({ digest }) => digest));
    const { systemEnd, digests } = request.view;
    const frame = systemEnd === 0 ? 0 : digests[systemEnd - 1]!;
    const known = this.#byOpening.get(opening);
    const summarised = this.#all.find((other) => other.summarised && other.frame === frame);
    const conversation = known ?? summarised ?? this.#add(frame);
    if (known === undefined) this.#byOpening.set(opening, conversation);
    const isSummary = asksForSummary(request);
    const how =
      known !== undefined ? 'next' : summarised === undefined ? 'first' : ('after-summary' as const);
    conversation.summarised = isSummary;
    if (!isSummary) conversation.frame = frame;
    return { conversation, how };
  }

  #add(frame: Digest): Conversation {
    const conversation: Conversation = {
      id: this.#all.length + 1,
      detector: createBreakDetector(),
      frame,
      summarised: false,
      latest: null,
      cachedTokens: 0,
    };
    this.#all.push(conversation);
    return conversation;
  }
}

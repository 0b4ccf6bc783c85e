import { isOfLoop, type SentRequest, type SentSession } from '../../core/model/sent-request.js';
import type { SessionWriter, StreamFormat } from './stream-format.js';

/** The conversation that goes on in a thread. */
interface Conversation {
  readonly id: string;
  readonly latest: SentRequest;
}

/** Whether a prompt begins with another one, whose last block may have been filled up since. */
function goesOn({ hashIds: before }: SentRequest, { hashIds }: SentRequest): boolean {
  return hashIds.length >= before.length && before.slice(0, -1).every((id, i) => id === hashIds[i]);
}

/**
 * Conversations as AIPerf's multi-turn rows have them: each turn says what it adds, since the load generator keeps the history and the
 * answers it got. A prompt that does not begin with the one before it cannot be said so: it begins another conversation.
 */
class Conversations implements SessionWriter {
  readonly #names = new Map<string, string>();
  readonly #begun = new Map<string, number>();
  readonly #open = new Map<string, Conversation>();

  constructor({ name, threads }: SentSession) {
    for (const { id, parentId } of threads) this.#names.set(id, parentId === null ? name : `${name}/${id}`);
  }

  add(request: SentRequest): readonly string[] {
    const { thread, promptTokens, outputTokens } = request;
    const before = isOfLoop(request) ? this.#open.get(thread) : undefined;
    const output_length = Math.max(1, outputTokens);
    if (before === undefined || !goesOn(before.latest, request)) {
      const id = this.#begin(request);
      const { hashIds } = request;
      return [
        JSON.stringify({ session_id: id, input_length: promptTokens, output_length, hash_ids: hashIds }),
      ];
    }
    const { id, latest } = before;
    this.#open.set(thread, { id, latest: request });
    const added = promptTokens - latest.promptTokens - latest.outputTokens;
    const delay = Math.max(0, request.startMs - latest.endMs);
    return [JSON.stringify({ session_id: id, delay, input_length: Math.max(1, added), output_length })];
  }

  end(): readonly string[] {
    return [];
  }

  /** Requests beside the loop are conversations of one turn. */
  #begin(request: SentRequest): string {
    const { thread, purpose } = request;
    const own = this.#names.get(thread)!;
    const base = isOfLoop(request) ? own : `${own}/${purpose}`;
    const nth = (this.#begun.get(base) ?? 0) + 1;
    this.#begun.set(base, nth);
    const id = nth === 1 ? base : `${base}~${nth}`;
    if (isOfLoop(request)) this.#open.set(thread, { id, latest: request });
    return id;
  }
}

/** Rows of AIPerf's `mooncake_trace` with sessions: the first turn is a whole prompt, later ones what they add and the pause before them. */
export const aiperf: StreamFormat = { order: 'session', open: (session) => new Conversations(session) };

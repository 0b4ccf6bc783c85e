import { chainDigest, type Digest } from '../../../core/base/digest.js';
import type { PrefixView } from '../../../core/model/prefix.js';
import { promptTokens } from '../../../core/model/usage.js';
import type { AnsweredCall, ApiCall } from '../../../provider/fake-api/fake-api.js';

/** Tokens per block id, as the published traces have it (E1). */
const BLOCK_TOKENS = 64;

interface TracedRequest {
  readonly startMs: number;
  readonly latencyMs: number;
  readonly stream: 's' | 'n';
  readonly model: string;
  readonly promptTokens: number;
  readonly outputTokens: number;
  readonly hashIds: Uint32Array;
  readonly inputTypes: readonly string[];
  readonly outputTypes: readonly string[];
  readonly stop: string;
}

interface TracedConversation {
  readonly id: number;
  readonly toolTokens: number;
  readonly systemTokens: number;
  readonly requests: TracedRequest[];
}

/** Keeps the requests of a server as sizes, times and block ids, without their text. */
export class TraceRecorder {
  readonly #ids = new Map<Digest, number>();
  readonly #conversations = new Map<number, TracedConversation>();

  get requests(): number {
    let count = 0;
    for (const { requests } of this.#conversations.values()) count += requests.length;
    return count;
  }

  add(conversation: number, call: ApiCall, { request, answer, latencyMs }: AnsweredCall): void {
    const { view } = request;
    let traced = this.#conversations.get(conversation);
    if (traced === undefined) {
      const toolTokens = view.toolsEnd === 0 ? 0 : view.sums[view.toolsEnd - 1]!;
      const framed = view.systemEnd === 0 ? 0 : view.sums[view.systemEnd - 1]!;
      traced = { id: conversation, toolTokens, systemTokens: framed - toolTokens, requests: [] };
      this.#conversations.set(conversation, traced);
    }
    const newest = request.messages.at(-1);
    traced.requests.push({
      startMs: call.startMs,
      latencyMs,
      stream: request.delivery === 'stream' ? 's' : 'n',
      model: request.modelName,
      promptTokens: promptTokens(call.usage!),
      outputTokens: answer.outputTokens,
      hashIds: this.#hashIds(view),
      inputTypes: [...new Set(newest?.blocks.map(({ kind }) => kind))],
      outputTypes: [...new Set(answer.content.map(({ type }) => type))],
      stop: answer.stopReason,
    });
  }

  /** Whole blocks of the prompt: equal ids stand for equal contents up to there. */
  #hashIds({ length, digests, sums }: PrefixView): Uint32Array {
    const total = length === 0 ? 0 : sums[length - 1]!;
    const ids = new Uint32Array(Math.floor(total / BLOCK_TOKENS));
    let position = 0;
    for (let i = 0; i < ids.length; i++) {
      while (sums[position]! < (i + 1) * BLOCK_TOKENS) position++;
      const key = chainDigest(digests[position]!, i);
      let id = this.#ids.get(key);
      if (id === undefined) {
        id = this.#ids.size + 1;
        this.#ids.set(key, id);
      }
      ids[i] = id;
    }
    return ids;
  }

  /** The trace as text: the conversation with the most requests is the main one, the others are its subagents. */
  text(id: string): string {
    const all = [...this.#conversations.values()];
    const main = all.reduce((most, other) => (other.requests.length > most.requests.length ? other : most));
    const zeroMs = Math.min(...all.map(({ requests }) => requests[0]!.startMs));
    const models = [...new Set(all.flatMap(({ requests }) => requests.map(({ model }) => model)))];
    const subagents = all
      .filter((other) => other !== main)
      .map((other) => {
        const startMs = other.requests[0]!.startMs;
        return {
          t: seconds(startMs - zeroMs),
          type: 'subagent',
          agent_id: `conversation-${other.id}`,
          ...threadFields(other, startMs),
        };
      });
    const own = threadFields(main, zeroMs);
    return `${JSON.stringify({
      id,
      models,
      block_size: BLOCK_TOKENS,
      hash_id_scope: 'local',
      ...own,
      requests: [...own.requests, ...subagents],
    })}\n`;
  }
}

function seconds(ms: number): number {
  return ms / 1_000;
}

function threadFields({ toolTokens, systemTokens, requests }: TracedConversation, zeroMs: number) {
  return {
    tool_tokens: toolTokens,
    system_tokens: systemTokens,
    requests: requests.map((request) => ({
      t: seconds(request.startMs - zeroMs),
      type: request.stream,
      model: request.model,
      in: request.promptTokens,
      out: request.outputTokens,
      hash_ids: [...request.hashIds],
      input_types: request.inputTypes,
      output_types: request.outputTypes,
      stop: request.stop,
      api_time: seconds(request.latencyMs),
    })),
  };
}

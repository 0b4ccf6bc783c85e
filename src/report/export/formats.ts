import { addTo } from '../../core/base/groups.js';
import {
  HASH_BLOCK_TOKENS,
  isOfLoop,
  type SentRequest,
  type SentSession,
} from '../../core/model/request-trace.js';
import { otel, type SessionWriter, type StreamFormat } from './otel.js';

/** A request of a trace; `in` and `out` are tokens, times are seconds. */
interface TracedRequest {
  readonly t: number;
  readonly type: 'n';
  readonly model: string;
  readonly in: number;
  readonly out: number;
  readonly hash_ids: readonly number[];
  readonly api_time: number;
  readonly think_time: number;
}

function seconds(ms: number): number {
  return Math.round(ms) / 1_000;
}

function modelsOf(requests: readonly SentRequest[]): readonly string[] {
  return [...new Set(requests.map(({ model }) => model))];
}

/**
 * A session as one trace of the kind that kv-cache-tester publishes and AIPerf replays: the requests of the first thread, with those of
 * every other one inside an entry of their own. Whole blocks alone have ids, numbered in the order in which they come.
 */
class WekaTrace implements SessionWriter {
  readonly #threads = new Map<string, SentRequest[]>();
  readonly #ids = new Map<number, number>();

  constructor(private readonly session: SentSession) {}

  add(request: SentRequest): readonly string[] {
    addTo(this.#threads, request.thread, request);
    return [];
  }

  end(): readonly string[] {
    const [main, ...others] = this.#threads;
    if (main === undefined) return [];
    const requests = [...this.#traced(main[1], 0), ...others.map(([id, own]) => this.#subagent(id, own))];
    const trace = {
      id: this.session.name,
      models: modelsOf([...this.#threads.values()].flat()),
      block_size: HASH_BLOCK_TOKENS,
      hash_id_scope: 'local',
      requests: requests.sort((a, b) => a.t - b.t),
    };
    return [JSON.stringify(trace)];
  }

  #subagent(id: string, requests: readonly SentRequest[]) {
    const { startMs } = requests[0]!;
    const endMs = requests.reduce((end, request) => Math.max(end, request.endMs), startMs);
    return {
      t: seconds(startMs),
      type: 'subagent',
      agent_id: id,
      subagent_type: this.session.threads.find((thread) => thread.id === id)?.label ?? 'subagent',
      duration_ms: Math.round(endMs - startMs),
      status: 'completed',
      models: modelsOf(requests),
      requests: this.#traced(requests, startMs),
    };
  }

  #traced(requests: readonly SentRequest[], fromMs: number): readonly TracedRequest[] {
    let before = requests[0]!.startMs;
    return requests.map(({ startMs, endMs, model, promptTokens, outputTokens, hashIds }) => {
      const thinkMs = Math.max(0, startMs - before);
      before = endMs;
      return {
        t: seconds(startMs - fromMs),
        type: 'n',
        model,
        in: promptTokens,
        out: outputTokens,
        hash_ids: hashIds
          .slice(0, Math.floor(promptTokens / HASH_BLOCK_TOKENS))
          .map((id) => this.#number(id)),
        api_time: seconds(endMs - startMs),
        think_time: seconds(thinkMs),
      };
    });
  }

  #number(id: number): number {
    const known = this.#ids.get(id) ?? this.#ids.size + 1;
    this.#ids.set(id, known);
    return known;
  }
}

/** Request traces as kv-cache-tester has them, one file for each session. */
const weka: StreamFormat = { order: 'file', open: (session) => new WekaTrace(session) };

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
const aiperf: StreamFormat = { order: 'session', open: (session) => new Conversations(session) };

/** Mooncake's trace: one request a line, by time. The fields are those of its published traces. */
const mooncake: StreamFormat = {
  order: 'time',
  open: () => ({
    add: ({ promptTokens, outputTokens, hashIds }) => [
      `"input_length":${promptTokens},"output_length":${outputTokens},"hash_ids":[${hashIds.join(',')}]}`,
    ],
    end: () => [],
  }),
};

/** The formats that request streams are written in. */
export const STREAM_FORMATS = { mooncake, aiperf, weka, otel } satisfies Readonly<
  Record<string, StreamFormat>
>;

import { HASH_BLOCK_TOKENS, type SentRequest, type SentSession } from '../../core/model/sent-request.js';
import type { SessionWriter, StreamFormat } from './stream-format.js';

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
    const own = this.#threads.get(request.thread);
    if (own === undefined) this.#threads.set(request.thread, [request]);
    else own.push(request);
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
export const weka: StreamFormat = { order: 'file', open: (session) => new WekaTrace(session) };

import { sha256Hex } from '../../core/base/digest.js';
import { ownValue } from '../../core/base/own-value.js';
import { isOfLoop, type SentRequest, type SentSession } from '../../core/model/request-trace.js';

/** How the conventions call providers, where they call them otherwise. */
const PROVIDER_NAMES: Readonly<Record<string, string>> = {
  azure: 'azure.ai.openai',
  bedrock: 'aws.bedrock',
  gemini: 'gcp.gemini',
  'gemini-explicit': 'gcp.gemini',
  grok: 'x_ai',
  kimi: 'moonshot_ai',
  'openai-5.6': 'openai',
  'qwen-explicit': 'qwen',
  'vertex-claude': 'gcp.vertex_ai',
  'vertex-gemini': 'gcp.vertex_ai',
};

/** Where sessions without a clock begin: the protocol has no time without a date. */
const NO_CLOCK_MS = Date.UTC(2026, 0, 1);

/** Spans that a line holds: whoever reads it holds the line. */
const SPANS_PER_LINE = 500;

const SPAN_KIND_INTERNAL = 1;
const SPAN_KIND_CLIENT = 3;

/** Nanoseconds since 1970 of whole milliseconds, as the protocol writes 64-bit numbers. */
function nanos(ms: number): string {
  return `${Math.round(ms)}000000`;
}

function attribute(key: string, value: string | number): object {
  return { key, value: typeof value === 'string' ? { stringValue: value } : { intValue: String(value) } };
}

/** What the spans of an agent cover, and who answered it first. */
interface AgentSpan {
  readonly provider: string;
  readonly startMs: number;
  endMs: number;
}

/** A session as one trace: an agent's span for each thread, and a span for each request in it. */
class Trace implements SessionWriter {
  readonly #startMs: number;
  readonly #traceId: string;
  readonly #agents = new Map<string, AgentSpan>();
  #requests = 0;
  #spans: object[] = [];

  constructor(private readonly session: SentSession) {
    this.#startMs = session.startedAtMs ?? NO_CLOCK_MS;
    this.#traceId = sha256Hex(`${session.name}\n${this.#startMs}`).slice(0, 32);
  }

  add(request: SentRequest): readonly string[] {
    const { thread, purpose, startMs, endMs, provider, model, readTokens, writtenTokens } = request;
    const agent = this.#agents.get(thread);
    if (agent === undefined) this.#agents.set(thread, { provider, startMs, endMs });
    else agent.endMs = Math.max(agent.endMs, endMs);
    const name = ownValue(PROVIDER_NAMES, provider) ?? provider;
    this.#spans.push({
      ...this.#span(`request ${++this.#requests}`, `chat ${model}`, SPAN_KIND_CLIENT, request),
      parentSpanId: this.#spanId(`agent ${thread}`),
      attributes: [
        attribute('gen_ai.operation.name', 'chat'),
        attribute('gen_ai.provider.name', name),
        attribute('gen_ai.conversation.id', this.session.name),
        attribute('gen_ai.request.model', model),
        // Readers would take an estimate for what was billed.
        ...(request.isEstimated === true
          ? []
          : [
              attribute('gen_ai.usage.input_tokens', request.promptTokens),
              attribute('gen_ai.usage.output_tokens', request.outputTokens),
            ]),
        ...(readTokens === null ? [] : [attribute('gen_ai.usage.cache_read.input_tokens', readTokens)]),
        ...(writtenTokens === null
          ? []
          : [attribute('gen_ai.usage.cache_creation.input_tokens', writtenTokens)]),
        ...(isOfLoop(request) ? [] : [attribute('ccbench.purpose', purpose)]),
      ],
    });
    return this.#spans.length < SPANS_PER_LINE ? [] : [this.#line()];
  }

  /** The spans of agents come last: only then their ends are known. */
  end(): readonly string[] {
    const parents = new Map(this.session.threads.map(({ id, parentId }) => [id, parentId]));
    const labels = new Map(this.session.threads.map(({ id, label }) => [id, label]));
    for (const [thread, agent] of this.#agents) {
      const parentId = parents.get(thread) ?? null;
      const label = labels.get(thread) ?? thread;
      const name = ownValue(PROVIDER_NAMES, agent.provider) ?? agent.provider;
      this.#spans.push({
        ...this.#span(`agent ${thread}`, `invoke_agent ${label}`, SPAN_KIND_INTERNAL, agent),
        ...(parentId === null || !this.#agents.has(parentId)
          ? {}
          : { parentSpanId: this.#spanId(`agent ${parentId}`) }),
        attributes: [
          attribute('gen_ai.operation.name', 'invoke_agent'),
          attribute('gen_ai.provider.name', name),
          attribute('gen_ai.conversation.id', this.session.name),
          attribute('gen_ai.agent.name', label),
        ],
      });
    }
    return this.#spans.length === 0 ? [] : [this.#line()];
  }

  #span(key: string, name: string, kind: number, times: Pick<SentRequest, 'startMs' | 'endMs'>): object {
    return {
      traceId: this.#traceId,
      spanId: this.#spanId(key),
      name,
      kind,
      startTimeUnixNano: nanos(this.#startMs + times.startMs),
      endTimeUnixNano: nanos(this.#startMs + times.endMs),
    };
  }

  #spanId(key: string): string {
    return sha256Hex(`${this.#traceId}\n${key}`).slice(0, 16);
  }

  #line(): string {
    const resource = { attributes: [attribute('service.name', 'ccbench')] };
    const scopeSpans = [{ scope: { name: 'ccbench' }, spans: this.#spans }];
    this.#spans = [];
    return JSON.stringify({ resourceSpans: [{ resource, scopeSpans }] });
  }
}

/** OTLP JSON lines with the attributes of the conventions for generative AI: one trace for each session. */
export const otel: StreamFormat = { order: 'session', open: (session) => new Trace(session) };

/** What a session adds to the output as its requests come, and at its end. */
export interface SessionWriter {
  add(request: SentRequest): readonly string[];
  end(): readonly string[];
}

/** A format of request streams for other tools. */
export interface StreamFormat {
  /**
   * `session`: lines as they are, sessions one after the other. `time`: lines of all sessions by time; each is an object without its
   * brace and its `timestamp`, which is known once all sessions are. `file`: a file for each session.
   */
  readonly order: 'session' | 'time' | 'file';
  open(session: SentSession): SessionWriter;
}

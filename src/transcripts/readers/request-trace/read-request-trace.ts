import { chainDigest, type Digest, digestParts, digestText } from '../../../core/base/digest.js';
import { type Block, type BlockKind, type BlockRole, createBlock } from '../../../core/model/block.js';
import { createMessage, type Message } from '../../../core/model/message.js';
import type { RequestTrace, TraceRequest, TraceThread } from '../../../core/model/request-trace.js';
import type { RecordedCall, Step, Thread, Transcript } from '../../../core/model/transcript.js';
import { allBut } from '../../../core/run/capability.js';
import { parseRequestTrace } from './parse-request-trace.js';

/** What a request trace can tell: no content, and nothing that was billed. */
export const requestTraceCarries = allBut(
  'text',
  'usage',
  'lifetimes',
  'cache-writes',
  'tools',
  'boundaries',
);

/** A prompt that shares all but this much with the previous one has grown; one that lost more was rewritten. */
const REWRITE_TOKENS = 1_024;

/** Size given to new input where a rewritten prompt hides it: the median growth of a prompt per call (E6). */
const HIDDEN_INPUT_TOKENS = 599;

/** Reads a request trace as a transcript of opaque blocks. */
export function readRequestTrace(bytes: Uint8Array, options: { readonly id: string }): Transcript {
  return transcriptOfTrace(parseRequestTrace(bytes, options));
}

/** A parsed trace as a transcript: before each call, prefix and messages hold exactly the recorded prompt tokens. @internal */
export function transcriptOfTrace(trace: RequestTrace): Transcript {
  return {
    id: trace.id,
    source: 'request-trace',
    carries: requestTraceCarries,
    agentVersion: null,
    startedAtMs: null,
    threads: trace.threads.map((thread) => new ThreadReading(trace, thread).read()),
    warnings: trace.warnings,
  };
}

/** How a request follows the one before it. */
interface Link {
  readonly kind: 'start' | 'growth' | 'rewrite' | 'another';
  /** Tokens both prompts begin with, in whole blocks. */
  readonly commonTokens: number;
}

class ThreadReading {
  readonly #trace: RequestTrace;
  readonly #thread: TraceThread;
  readonly #digest: Digest;
  readonly #toolsTokens: number;
  readonly #systemTokens: number;
  readonly #steps: Step[] = [];
  #blocks = 0;
  #messages = 0;

  constructor(trace: RequestTrace, thread: TraceThread) {
    this.#trace = trace;
    this.#thread = thread;
    this.#digest = digestParts([trace.id, thread.id]);
    let smallest = Number.POSITIVE_INFINITY;
    for (const request of thread.requests) smallest = Math.min(smallest, request.promptTokens);
    this.#toolsTokens = Math.min(thread.toolTokens ?? 0, smallest);
    this.#systemTokens = Math.min(thread.systemTokens ?? 0, smallest - this.#toolsTokens);
  }

  read(): Thread {
    const { id, parentId, label, requests } = this.#thread;
    let link: Link = { kind: 'start', commonTokens: 0 };
    let rest = requests[0]!.promptTokens - this.#toolsTokens - this.#systemTokens;
    for (let i = 0; i < requests.length; i++) {
      const request = requests[i]!;
      const previous = requests[i - 1];
      if (previous !== undefined && previous.model !== request.model) {
        this.#event({ kind: 'model-switch', at: request.startMs, model: request.model });
      }
      if (previous !== undefined && link.kind === 'rewrite') this.#rewrite(i, previous, request, link);
      else if (link.kind === 'another') this.#startOver(i, request, link);
      else this.#input(i, request, rest);
      const next = requests[i + 1];
      link = next === undefined ? { kind: 'start', commonTokens: 0 } : this.#link(request, next);
      const growth =
        next !== undefined && link.kind === 'growth' ? next.promptTokens - request.promptTokens : null;
      const responseTokens = growth === null ? request.outputTokens : Math.min(request.outputTokens, growth);
      rest = (growth ?? 0) - responseTokens;
      this.#call(i, request, next, link, responseTokens);
    }
    return { id, parentId, label, prefix: this.#prefix(), steps: this.#steps };
  }

  #link(previous: TraceRequest, request: TraceRequest): Link {
    const a = previous.hashIds;
    const b = request.hashIds;
    const length = Math.min(a.length, b.length);
    let common = 0;
    while (common < length && a[common] === b[common]) common++;
    const { blockSize } = this.#trace;
    const shrunk = request.promptTokens < previous.promptTokens;
    const lost = (a.length - common) * blockSize > REWRITE_TOKENS;
    const commonTokens = common * blockSize;
    // A change of the tools alters every block behind them too; that the prompt is more than twice as long, nothing of that kind explains.
    const isAnother =
      lost &&
      commonTokens <= this.#toolsTokens + this.#systemTokens &&
      request.promptTokens > 2 * (previous.promptTokens + previous.outputTokens);
    return { kind: isAnother ? 'another' : shrunk || lost ? 'rewrite' : 'growth', commonTokens };
  }

  /** New input of a request: a result for each tool call before it, then what the user typed. */
  #input(index: number, request: TraceRequest, tokens: number): void {
    const results = index > 0 && hasResults(request);
    const typed = !results || request.inputTypes.includes('text');
    const typedTokens = typed ? (results ? Math.floor(tokens / 2) : tokens) : 0;
    if (results) this.#result(index, request, tokens - typedTokens);
    if (typed) this.#typed(request, typedTokens);
  }

  #result(index: number, request: TraceRequest, tokens: number): void {
    const block = this.#block('user', 'tool_result', tokens, this.#toolUseId(index - 1));
    this.#steps.push({ kind: 'message', message: this.#message('tool', [block], request.startMs) });
  }

  #typed(request: TraceRequest, tokens: number): void {
    const message = this.#message('human', [this.#block('user', 'text', tokens)], request.startMs);
    this.#steps.push({ kind: 'message', message });
  }

  /** Another conversation goes on in the thread: what it holds already comes in as one message. */
  #startOver(index: number, request: TraceRequest, link: Link): void {
    this.#changePrefix(index, request, link);
    this.#event({ kind: 'clear', at: request.startMs });
    this.#typed(request, request.promptTokens - this.#toolsTokens - this.#systemTokens);
  }

  #changePrefix(index: number, { startMs }: TraceRequest, { commonTokens }: Link): void {
    const end = commonTokens + this.#trace.blockSize;
    if (end > this.#toolsTokens + this.#systemTokens) return;
    const what = end <= this.#toolsTokens ? 'tools' : 'system';
    this.#event({ kind: 'prefix-change', at: startMs, what, label: `${what} before request ${index + 1}` });
  }

  /** The prompt was compacted, cleared or edited: what is left of it becomes one opaque summary. */
  #rewrite(index: number, previous: TraceRequest, request: TraceRequest, link: Link): void {
    const at = request.startMs;
    const prefixTokens = this.#toolsTokens + this.#systemTokens;
    const results = hasResults(request);
    const typed = !results || request.inputTypes.includes('text');
    const room = request.promptTokens - prefixTokens;
    const typedTokens = typed ? Math.min(HIDDEN_INPUT_TOKENS, room) : 0;
    if (results) this.#result(index, request, HIDDEN_INPUT_TOKENS);
    this.#changePrefix(index, request, link);
    this.#event({
      kind: 'recorded-compaction',
      at,
      trigger: 'auto',
      preTokens: previous.promptTokens + previous.outputTokens,
      postTokens: request.promptTokens,
      durationMs: null,
      summary: this.#message('summary', [this.#block('user', 'text', room - typedTokens)], at),
      keptIds: [],
    });
    if (typed) this.#typed(request, typedTokens);
  }

  #call(
    index: number,
    request: TraceRequest,
    next: TraceRequest | undefined,
    { kind: followed }: Link,
    tokens: number,
  ): void {
    const endMs = Math.min(request.startMs + (request.apiMs ?? 0), next?.startMs ?? Number.POSITIVE_INFINITY);
    const kinds = responseKinds(request, next !== undefined && followed !== 'another' && hasResults(next));
    const share = Math.floor(tokens / kinds.length);
    const blocks = kinds.map((kind, k) => {
      const size = k === kinds.length - 1 ? tokens - share * k : share;
      return this.#block('assistant', kind, size, kind === 'tool_use' ? this.#toolUseId(index) : null);
    });
    const id = `${this.#thread.id}-call-${index + 1}`;
    const call: RecordedCall = {
      id,
      startMs: request.startMs,
      endMs,
      model: request.model,
      response: createMessage({ ...this.#message('model', blocks, endMs), responseId: id }),
      usage: null,
      outputTokens: request.outputTokens,
      outputIsPlaceholder: false,
      stopReason: request.stop,
      missReason: null,
      effort: null,
    };
    this.#steps.push({ kind: 'call', call });
  }

  /** Prefix blocks take their digest from the recorded ids, so threads with one prefix share it. */
  #prefix(): readonly Block[] {
    const ids = this.#thread.requests[0]!.hashIds;
    const { blockSize } = this.#trace;
    const toolsEnd = Math.floor(this.#toolsTokens / blockSize);
    const systemEnd = Math.floor((this.#toolsTokens + this.#systemTokens) / blockSize);
    const blocks: Block[] = [];
    const add = (role: 'tools' | 'system', tokens: number, from: number, to: number): void => {
      if (tokens === 0) return;
      let digest = digestText(this.#trace.id, digestParts([role, tokens]));
      for (let i = from; i < Math.min(to, ids.length); i++) digest = chainDigest(digest, ids[i]!);
      blocks.push(createBlock({ kind: role, role, tokens, digest }));
    };
    add('tools', this.#toolsTokens, 0, toolsEnd);
    add('system', this.#systemTokens, toolsEnd, systemEnd);
    return blocks;
  }

  #block(role: BlockRole, kind: BlockKind, tokens: number, toolUseId: string | null = null): Block {
    return createBlock({ role, kind, tokens, toolUseId, digest: chainDigest(this.#digest, ++this.#blocks) });
  }

  #message(origin: Message['origin'], blocks: readonly Block[], at: number): Message {
    const id = `${this.#thread.id}-${++this.#messages}`;
    return createMessage({ id, role: origin === 'model' ? 'assistant' : 'user', origin, blocks, at });
  }

  #event(event: Extract<Step, { kind: 'event' }>['event']): void {
    this.#steps.push({ kind: 'event', event });
  }

  #toolUseId(index: number): string {
    return `${this.#thread.id}-tool-${index + 1}`;
  }
}

function hasResults(request: TraceRequest): boolean {
  return request.inputTypes.includes('tool_result');
}

/** Blocks of a response; a tool call is there if and only if the next request brings its result. */
function responseKinds(request: TraceRequest, answered: boolean): readonly BlockKind[] {
  const kinds: BlockKind[] = [];
  if (request.outputTypes.includes('thinking')) kinds.push('thinking');
  if (request.outputTypes.includes('text')) kinds.push('text');
  if (answered) kinds.push('tool_use');
  return kinds.length === 0 ? ['text'] : kinds;
}

import { type Digest, digestParts } from '../../core/base/digest.js';
import { ownValue } from '../../core/base/own-value.js';
import { Recent } from '../../core/base/queue.js';
import type { Message } from '../../core/model/message.js';
import { type BreakDetector, createBreakDetector } from '../cache/break-detector.js';
import { ACTIONS } from '../script/tools.generated.js';
import type { AnswerBlock } from './answer.js';
import { type ApiRequest, asText } from './api-request.js';
import { ASKS_BESIDE, ASKS_FOR_SUMMARY } from './wordings.generated.js';

/** What a request is for: a step of the main thread or of a subagent, a summary, or something beside the work. */
export type RequestKind = 'main' | 'agent' | 'summary' | 'side';

/** Work that goes on over compactions: the main thread, a subagent, or what is beside them. */
export interface WorkThread {
  readonly kind: 'main' | 'agent' | 'side';
  /** Which subagent it is, counted from 1 in the order of the calls that start them; null for others. */
  readonly agent: number | null;
}

/** Requests that belong together, as far as their contents tell. */
export interface Conversation {
  readonly id: number;
  readonly detector: BreakDetector;
  readonly thread: WorkThread;
  /** Tools and system prompt of its latest request. */
  frame: Digest;
  toolNames: ReadonlySet<string>;
  /** Turns of its latest request. */
  turns: number;
  /** A summary was asked for and nothing came after it. */
  summarised: boolean;
  /** The latest request, to compare the next one with; null before it, and when all that it left has expired. */
  latest: Pick<ApiRequest, 'model' | 'view' | 'salts'> | null;
  /** Tokens that the latest request left in the cache. */
  cachedTokens: number;
  /** When the last of that expires. */
  expiresAtMs: number;
}

/** A request with its conversation, and how it came to it. */
export interface PlacedRequest {
  readonly conversation: Conversation;
  readonly how: 'first' | 'next' | 'after-summary';
  readonly kind: RequestKind;
  readonly thread: WorkThread;
}

/** A call that starts a subagent. */
interface AgentCall {
  readonly number: number;
  readonly prompt: string;
}

/** What the user says in a turn. */
export function saidIn(turn: Message | undefined): string {
  if (turn?.role !== 'user') return '';
  const texts = turn.blocks.filter(({ kind }) => kind === 'text').map(({ text }) => text?.read() ?? '');
  return texts.join('\n');
}

/** An answer of this many tokens says nothing: such requests check a key or fill the cache. */
const NO_ANSWER_TOKENS = 1;

/** Openings and calls by which conversations are known, and calls whose subagents have not begun: the latest. */
const MOST_KEYS = 2_000;
const MOST_OPEN_CALLS = 1_000;

/** Conversations without anything in the cache that a summary may be of. */
const MOST_IDLE = 1_000;

/** Share of tool names that a conversation keeps over a compaction, though some come and go. */
const SAME_TOOLS = 0.5;

/** What represents the beginning of a conversation: what the user says first, or the summary it goes on from. */
function openingOf({ messages }: ApiRequest): Digest {
  const { role, blocks = [] } = messages[0] ?? {};
  return digestParts((role === 'assistant' ? blocks.slice(0, 1) : blocks).map(({ digest }) => digest));
}

function sharedNames(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let shared = 0;
  for (const name of a) if (b.has(name)) shared += 1;
  return shared / Math.max(1, a.size, b.size);
}

/**
 * Tells whose request it is. A conversation is known by what the user says first, or by calls that were answered in it;
 * after a summary it goes on in the same frame, or with the same tools. Work with the same frame or the same tools as the main
 * thread is the main thread; work with others is a subagent's; what defines no tools is beside the work.
 */
export class Conversations {
  readonly #byOpening = new Recent<Digest, Conversation>(MOST_KEYS);
  readonly #byCall = new Recent<string, Conversation>(MOST_KEYS);
  /** By their latest use. */
  readonly #all = new Set<Conversation>();
  #count = 0;
  /** Calls whose subagents have not begun. */
  #agentCalls: readonly AgentCall[] = [];
  #agents = 0;
  #main: Conversation | null = null;
  /** The latest conversation that is not beside the work. */
  #latest: Conversation | null = null;

  /** `with-tools` where the main thread is known to call tools: requests without any are none of it. */
  constructor(private readonly main: 'with-tools' | 'any' = 'any') {}

  find(request: ApiRequest, nowMs: number): PlacedRequest {
    const opening = openingOf(request);
    const { systemEnd, digests } = request.view;
    const frame = systemEnd === 0 ? 0 : digests[systemEnd - 1]!;
    const toolNames = new Set(request.tools.map(({ name }) => name));
    const asked = saidIn(request.messages.at(-1));
    const isSummary = ASKS_FOR_SUMMARY.test(asked);
    const isStart = !isSummary && this.#isStart(request, opening, asked);
    const opened = isStart ? null : this.#opened(request, opening);
    const known = isStart
      ? null
      : (this.#called(request) ??
        opened ??
        (isSummary
          ? (this.#alike(this.#working, frame, toolNames) ?? this.#latest)
          : this.#alike(this.#waiting, frame, toolNames)));
    const conversation = known ?? this.#create(this.#threadOf(request, frame, toolNames, asked), nowMs);
    this.#all.delete(conversation);
    this.#all.add(conversation);
    // A subagent that begins as a copy of a conversation does not take its words over.
    if (!isStart || request.messages.length === 1) this.#byOpening.set(opening, conversation);
    const kind = isSummary ? 'summary' : this.#kindOf(request, conversation, asked);
    const goesOn = opened === null && conversation.summarised && !isSummary ? 'after-summary' : 'next';
    const how = known === null ? 'first' : goesOn;
    if (kind !== 'side' || conversation.thread.kind === 'side') {
      conversation.summarised = isSummary;
      conversation.turns = request.messages.length;
      if (!isSummary) Object.assign(conversation, { frame, toolNames });
    }
    if (kind !== 'side') this.#latest = conversation;
    return { conversation, how, kind, thread: conversation.thread };
  }

  /** A conversation goes on behind a summary of the API's own, in the same answer or in the next request. */
  continueAfter({ conversation }: PlacedRequest, behind: ApiRequest | null): void {
    if (behind === null) conversation.summarised = true;
    else this.#byOpening.set(openingOf(behind), conversation);
  }

  /** Takes in what is answered: its calls come back, and those that start subagents say what these begin with. */
  note({ conversation }: PlacedRequest, content: readonly AnswerBlock[]): void {
    for (const block of content) {
      if (block.type !== 'tool_use' || this.#byCall.get(block.id) !== undefined) continue;
      this.#byCall.set(block.id, conversation);
      const { tools, arguments: names } = ACTIONS.agent;
      if (!tools.includes(block.name)) continue;
      const prompt = names
        .prompt!.map((name) => asText(ownValue(block.input, name)))
        .find((text) => text !== null);
      const call = { number: ++this.#agents, prompt: (prompt ?? '').trim() };
      this.#agentCalls = [...this.#agentCalls.slice(1 - MOST_OPEN_CALLS), call];
    }
  }

  /** Whether a subagent begins: what it is told to do comes first, or last behind a copy of the conversation. */
  #isStart({ messages }: ApiRequest, opening: Digest, asked: string): boolean {
    if (this.#startedBy(asked) !== null) return true;
    return this.#byOpening.get(opening) === undefined && this.#startedBy(saidIn(messages[0])) !== null;
  }

  /** The conversation that began with the same words. */
  #opened({ messages, tools }: ApiRequest, opening: Digest): Conversation | null {
    const known = this.#byOpening.get(opening) ?? null;
    if (known === null) return null;
    // A subagent may begin with the words of an earlier one, and a title be asked for with the first prompt.
    const { thread, turns, summarised } = known;
    const isAnother = thread.kind === 'agent' && messages.length === 1 && turns > 1 && !summarised;
    return isAnother || (thread.kind === 'side' && tools.length > 0) ? null : known;
  }

  /** The conversation in which the latest of a request's calls was answered. */
  #called({ messages }: ApiRequest): Conversation | null {
    for (const { blocks } of messages.toReversed())
      for (const { toolUseId } of blocks) {
        const conversation = toolUseId === null ? undefined : this.#byCall.get(toolUseId);
        if (conversation !== undefined) return conversation;
      }
    return null;
  }

  /** Conversations that wait behind their summaries. */
  get #waiting(): readonly Conversation[] {
    return [...this.#all].filter(({ summarised }) => summarised);
  }

  /** Conversations that are not beside the work. */
  get #working(): readonly Conversation[] {
    return [...this.#all].filter(({ thread }) => thread.kind !== 'side');
  }

  /** The latest conversation with this frame, or else the one with these tools or most of them. */
  #alike(all: readonly Conversation[], frame: Digest, toolNames: ReadonlySet<string>): Conversation | null {
    const same = all.findLast((conversation) => conversation.frame === frame);
    if (same !== undefined) return same;
    let best: Conversation | null = null;
    let most = SAME_TOOLS;
    for (const conversation of all) {
      const shared = sharedNames(conversation.toolNames, toolNames);
      if (shared < most) continue;
      most = shared;
      best = conversation;
    }
    return best;
  }

  /** A call for a subagent that a text begins the work of. */
  #startedBy(text: string): AgentCall | null {
    return this.#agentCalls.find(({ prompt }) => prompt !== '' && text.includes(prompt)) ?? null;
  }

  /** The thread of a conversation that begins. */
  #threadOf(request: ApiRequest, frame: Digest, toolNames: ReadonlySet<string>, asked: string): WorkThread {
    const { tools, messages } = request;
    const main = this.#main;
    const started = this.#startedBy(asked) ?? this.#startedBy(saidIn(messages[0]));
    if (started !== null) return this.#agentThread(started);
    const needsTools = this.main === 'with-tools' || (main !== null && main.toolNames.size > 0);
    if (tools.length === 0 && needsTools) return { kind: 'side', agent: null };
    if (ASKS_BESIDE.test(asked) || request.maxTokens <= NO_ANSWER_TOKENS)
      return { kind: 'side', agent: null };
    // What came without tools before the first request with tools was beside the work after all.
    if (main === null || (main.toolNames.size === 0 && tools.length > 0))
      return { kind: 'main', agent: null };
    if (main.frame === frame || sharedNames(main.toolNames, toolNames) === 1) return main.thread;
    if (tools.length === 0) return { kind: 'side', agent: null };
    return this.#agentThread(this.#agentCalls[0] ?? null);
  }

  #agentThread(call: AgentCall | null): WorkThread {
    this.#agentCalls = this.#agentCalls.filter((open) => open !== call);
    return { kind: 'agent', agent: call?.number ?? ++this.#agents };
  }

  #kindOf(request: ApiRequest, { thread }: Conversation, asked: string): RequestKind {
    const isBeside =
      (request.tools.length === 0 && (this.#main?.toolNames.size ?? 0) > 0) ||
      request.maxTokens <= NO_ANSWER_TOKENS ||
      ASKS_BESIDE.test(asked);
    return isBeside ? 'side' : thread.kind;
  }

  /** Conversations of which nothing is in the cache lose their prompts; the latest of them are still known. */
  #release(nowMs: number): void {
    const idle = [...this.#all].filter(({ expiresAtMs }) => expiresAtMs <= nowMs);
    for (const conversation of idle) conversation.latest = null;
    for (const conversation of idle.slice(0, -MOST_IDLE)) this.#all.delete(conversation);
  }

  #create(thread: WorkThread, nowMs: number): Conversation {
    this.#release(nowMs);
    const conversation: Conversation = {
      id: ++this.#count,
      detector: createBreakDetector(),
      thread,
      frame: 0,
      toolNames: new Set(),
      turns: 0,
      summarised: false,
      latest: null,
      cachedTokens: 0,
      expiresAtMs: nowMs,
    };
    if (thread.kind === 'main') this.#main = conversation;
    return conversation;
  }
}

import type { Digest } from '../../core/base/digest.js';
import type { Block } from '../../core/model/block.js';
import { createMessage, type Message, type MessageOrigin } from '../../core/model/message.js';
import { thinkingRule } from '../../core/model/model-name.js';
import type { RecordedCall, Step, Thread, ThreadEvent } from '../../core/model/transcript.js';
import { promptTokens, totalTokens } from '../../core/model/usage.js';
import { UNRECORDED_DROP } from '../drafts/thread-draft.js';
import { type ServedBlocks, sumOf, usageOf, type WholeRequest } from './served-blocks.js';

/** A block of the conversation and the message it is part of. */
interface Item {
  readonly block: Block;
  readonly message: string;
}

function isPrefix({ role }: Pick<Block, 'role'>): boolean {
  return role === 'tools' || role === 'system';
}

/** One conversation of a recording: its requests in order become the steps of a thread. */
export class ServedThread {
  readonly #steps: Step[] = [];
  readonly #summaries: Thread[] = [];
  #prefix: readonly Block[] | null = null;
  /** Tools and system prompt of the latest request. */
  #latestPrefix: readonly Block[] = [];
  /** What the latest prompt held behind them, without thinking. */
  #context: readonly Item[] = [];
  /** The latest call, until the next prompt shows what of its answer came back. */
  #open: { readonly step: number; readonly call: RecordedCall } | null = null;
  #latest: WholeRequest | null = null;
  /** A summary was asked for, and nothing came after it. */
  #summary: WholeRequest | null = null;
  #now = 0;
  #messages = 0;
  /** Compactions that show as a shorter prompt alone. */
  unsaidCompactions = 0;

  constructor(
    readonly id: string,
    readonly parentId: string | null,
    readonly label: string,
    readonly blocks: ServedBlocks,
  ) {}

  /** The conversation, and behind it the requests for its summaries. */
  threads(): readonly Thread[] {
    const { id, parentId, label } = this;
    const own: Thread = { id, parentId, label, prefix: this.#prefix ?? [], steps: this.#steps };
    return this.#prefix === null ? this.#summaries : [own, ...this.#summaries];
  }

  take(request: WholeRequest): void {
    this.#now = Math.max(this.#now, request.atMs);
    const all = this.blocks.ofPrompt(request);
    const firstOther = all.findIndex((block) => !isPrefix(block));
    const split = firstOther < 0 ? all.length : firstOther;
    const body = all.slice(split);
    if (request.kind === 'summary') this.#askSummary(request, all.slice(0, split), body);
    else {
      this.#takePrefix(request, all.slice(0, split));
      this.#takeBody(request, body);
      this.#call(request);
    }
  }

  #takePrefix({ n }: WholeRequest, prefix: readonly Block[]): void {
    if (this.#prefix === null) this.#prefix = prefix;
    else
      for (const what of ['tools', 'system'] as const) {
        const was = this.#latestPrefix.filter(({ role }) => role === what);
        const now = prefix.filter(({ role }) => role === what);
        if (sharedLength(was, now) === Math.max(was.length, now.length)) continue;
        const tools = [...was, ...now].filter(({ digest }, _, both) => countOf(both, digest) === 1);
        const names = [...new Set(tools.flatMap(({ tool }) => tool ?? []))];
        const label = `${what} before request ${n}`;
        const event = { kind: 'prefix-change', at: this.#now, what, label } as const;
        this.#event(names.length === 0 ? event : { ...event, tools: names });
      }
    this.#latestPrefix = prefix;
  }

  #takeBody(request: WholeRequest, body: readonly Block[]): void {
    const summary = this.#summary;
    this.#summary = null;
    const shared = this.#sharedWith(body);
    const cleared = this.#clearedIn(body);
    if (shared === this.#context.length) this.#grow(body);
    else if (cleared !== null) this.#clear(body, cleared);
    else if (summary !== null || this.#isMuchShorter(request)) this.#compact(request, body, summary);
    else this.#goBack(body, shared);
  }

  #isMuchShorter(request: WholeRequest): boolean {
    return promptTokens(usageOf(request)) < promptTokens(usageOf(this.#latest!)) * (1 - UNRECORDED_DROP);
  }

  /** Blocks that the conversation and a prompt begin with, without thinking. */
  #sharedWith(body: readonly Block[]): number {
    return sharedLength(
      this.#context.map(({ block }) => block),
      spoken(body),
    );
  }

  /** The prompt goes on: the answer comes back, and then what is new. */
  #grow(body: readonly Block[]): void {
    const fresh = behind(body, this.#context.length);
    const rest = fresh.findIndex(({ role }) => role !== 'assistant');
    const echo = fresh.slice(0, rest < 0 ? fresh.length : rest);
    this.#answerBack(echo);
    this.#say(fresh.slice(echo.length));
  }

  /** What came back of the latest answer is what the conversation holds of it. */
  #answerBack(echo: readonly Block[]): void {
    if (this.#open === null) {
      this.#say(echo);
      return;
    }
    const { step, call } = this.#open;
    this.#open = null;
    if (spoken(echo).length === 0) {
      if (call.response.blocks.length > 0)
        this.#event({ kind: 'rewind', at: this.#now, lastId: this.#lastId });
      return;
    }
    const thinking = call.response.blocks.filter(({ kind }) => kind === 'thinking');
    const isDropped = thinkingRule(call.model) !== 'keep-all' && spoken(echo).length === echo.length;
    const blocks = isDropped ? [...thinking, ...echo] : echo;
    const response = createMessage({ ...call.response, blocks });
    this.#steps[step] = { kind: 'call', call: { ...call, response } };
    this.#hold(response);
  }

  /** Calls whose results were emptied, where nothing else differs; null if something does. */
  #clearedIn(body: readonly Block[]): readonly string[] | null {
    const now = spoken(body);
    if (now.length < this.#context.length) return null;
    const ids: string[] = [];
    for (const [i, { block }] of this.#context.entries()) {
      const { kind, toolUseId, digest, tokens } = now[i]!;
      if (digest === block.digest) continue;
      const isEmptied = kind === 'tool_result' && block.kind === kind && toolUseId === block.toolUseId;
      if (!isEmptied || toolUseId === null || tokens >= block.tokens) return null;
      ids.push(toolUseId);
    }
    return ids;
  }

  #clear(body: readonly Block[], toolUseIds: readonly string[]): void {
    const now = spoken(body);
    const left = this.#context.map(({ message }, i) => ({ message, block: now[i]! }));
    this.#event({
      kind: 'recorded-microcompact',
      at: this.#now,
      trigger: 'auto',
      preTokens: totalTokens(usageOf(this.#latest!)),
      tokensSaved: sumOf(this.#context.map(({ block }) => block)) - sumOf(left.map(({ block }) => block)),
      toolUseIds,
    });
    this.#context = left;
    this.#grow(body);
  }

  /** What came behind a message is gone; what the prompt holds there comes in again. */
  #goBack(body: readonly Block[], shared: number): void {
    let kept = shared;
    while (kept > 0 && this.#context[kept]?.message === this.#context[kept - 1]!.message) kept--;
    this.#context = this.#context.slice(0, kept);
    this.#open = null;
    this.#event({ kind: 'rewind', at: this.#now, lastId: this.#lastId });
    this.#say(behind(body, kept));
  }

  /** The prompt was rewritten: the first new text is the summary, and what came with it is attached to it. */
  #compact(request: WholeRequest, body: readonly Block[], asked: WholeRequest | null): void {
    if (asked === null) this.unsaidCompactions++;
    const before = this.#latest!;
    const answer = this.#open?.call.response;
    const held = [
      ...this.#context,
      ...(answer?.blocks ?? []).map((block) => ({ block, message: answer!.id })),
    ];
    const now = spoken(body);
    const present = new Set(now.map(({ digest }) => digest));
    const lost = new Set(held.flatMap(({ block, message }) => (isThere(block, present) ? [] : [message])));
    const kept = held.filter(({ message }) => !lost.has(message));
    const owner = new Map(kept.map((item) => [item.block.digest, item]));
    const fresh = body.filter(({ digest, kind }) => kind !== 'thinking' && !owner.has(digest));
    const summary = summaryIn(fresh, asked);
    const message = summary === undefined ? null : this.#message('user', 'summary', [summary]);
    this.#open = null;
    this.#event({
      kind: 'recorded-compaction',
      at: this.#now,
      trigger: 'auto',
      preTokens: asked === null ? totalTokens(usageOf(before)) : promptTokens(usageOf(asked)),
      postTokens: promptTokens(usageOf(request)),
      durationMs: asked?.latencyMs ?? null,
      summary: message,
      keptIds: [...new Set(kept.map((item) => item.message))],
    });
    this.#context = [...(message === null ? [] : itemsOf(message)), ...kept];
    const calls = new Set(kept.flatMap(({ block }) => (block.kind === 'tool_use' ? [block.toolUseId] : [])));
    const isResult = ({ kind, toolUseId }: Block): boolean => kind === 'tool_result' && calls.has(toolUseId);
    const rest = fresh.filter((block) => block !== summary);
    // The last word is the user's, where the model had nothing left to do.
    const spokenLast =
      before.stop === 'tool_use' || rest.at(-1)?.role !== 'user' ? rest.length : rest.length - 1;
    for (const block of rest.slice(0, spokenLast)) {
      const role = block.role === 'assistant' ? 'assistant' : 'user';
      if (isResult(block)) this.#add(this.#message('user', 'tool', [block]));
      else this.#add(this.#message(role, 'attachment', [block], message?.id ?? null));
    }
    this.#say(rest.slice(spokenLast));
    // The next prompt is held against this one in its own order.
    const items = new Map(this.#context.map((item) => [item.block.digest, item]));
    this.#context = now.map((block) => items.get(block.digest) ?? { block, message: message?.id ?? '' });
  }

  /** A request for a summary is a thread of its own; what it shows of the conversation belongs there. */
  #askSummary(request: WholeRequest, prefix: readonly Block[], body: readonly Block[]): void {
    const history = body.slice(0, -1); // The last block asks for the summary.
    const goesOn = this.#prefix !== null && this.#sharedWith(history) === this.#context.length;
    // A client that keeps the last round leaves it out of the request: the answer is still to come back.
    if (goesOn && behind(history, this.#context.length).length > 0) this.#grow(history);
    this.#summary = request;
    const alone = new ServedThread(`summary-${request.n}`, this.id, 'compaction', this.blocks);
    alone.#now = this.#now;
    alone.#prefix = prefix;
    alone.#say(body);
    alone.#call(request);
    this.#now = alone.#now;
    this.#summaries.push(...alone.threads());
  }

  /** New content: each block of the user's side is a message, so that any of them can stay alone. */
  #say(blocks: readonly Block[]): void {
    let from = 0;
    while (from < blocks.length) {
      const isModel = blocks[from]!.role === 'assistant';
      let to = from + 1;
      while (to < blocks.length && (blocks[to]!.role === 'assistant') === isModel) to++;
      const run = blocks.slice(from, to);
      if (isModel) this.#add(this.#message('assistant', 'model', run));
      else
        for (const [i, block] of run.entries()) this.#add(this.#message('user', originOf(run, i), [block]));
      from = to;
    }
  }

  #add(message: Message): void {
    this.#steps.push({ kind: 'message', message });
    this.#hold(message);
  }

  #hold(message: Message): void {
    this.#context = [...this.#context, ...itemsOf(message)];
  }

  get #lastId(): string | null {
    return this.#context.at(-1)?.message ?? null;
  }

  #call(request: WholeRequest): void {
    const { n, model, stop, latencyMs } = request;
    if (this.#latest !== null && this.#latest.model !== model)
      this.#event({ kind: 'model-switch', at: this.#now, model });
    const startMs = this.#now;
    this.#now = startMs + latencyMs;
    const id = `request-${n}`;
    const usage = usageOf(request);
    const call: RecordedCall = {
      id,
      startMs,
      endMs: this.#now,
      model,
      response: createMessage({
        id: `response-${n}`,
        role: 'assistant',
        origin: 'model',
        blocks: this.blocks.ofAnswer(request),
        at: this.#now,
        responseId: id,
        usage,
      }),
      usage,
      outputIsPlaceholder: false,
      stopReason: stop,
      missReason: this.#latest === null ? null : changeBetween(this.#latest, request),
      effort: null,
    };
    this.#open = { step: this.#steps.length, call };
    this.#steps.push({ kind: 'call', call });
    this.#latest = request;
  }

  #message(
    role: Message['role'],
    origin: MessageOrigin,
    blocks: readonly Block[],
    attachedTo: string | null = null,
  ): Message {
    const id = `${this.id}-${++this.#messages}`;
    return createMessage({ id, role, origin, blocks, at: this.#now, attachedTo });
  }

  #event(event: ThreadEvent): void {
    this.#steps.push({ kind: 'event', event });
  }
}

/** What a prompt no longer has as the one before it had it, in the words of the API; null if it only grew. */
function changeBetween({ prompt: before }: WholeRequest, { prompt }: WholeRequest): string | null {
  const at = before.findIndex(({ digest }, i) => digest !== prompt[i]?.digest);
  if (at < 0) return null;
  const roles = [before[at]!.role, prompt[at]?.role];
  const part = (['tools', 'system'] as const).find((role) => roles.includes(role)) ?? 'messages';
  return `${part}_changed`;
}

function itemsOf(message: Message): readonly Item[] {
  return spoken(message.blocks).map((block) => ({ block, message: message.id }));
}

/** Thinking comes and goes by the model's own rule: prompts are compared without it. */
function spoken(blocks: readonly Block[]): readonly Block[] {
  return blocks.filter(({ kind }) => kind !== 'thinking');
}

/** What comes after this many blocks, not counting thinking. */
function behind(blocks: readonly Block[], count: number): readonly Block[] {
  let at = 0;
  for (let left = count; left > 0; at++) if (blocks[at]!.kind !== 'thinking') left--;
  return blocks.slice(at);
}

/** Last characters of the answer, less its closing tag, by which the summary is found in the new prompt. */
const ENDING = 40;

/** The text of the user's side that holds the summary: its last words where texts are kept, else its length tell. */
function summaryIn(fresh: readonly Block[], asked: WholeRequest | null): Block | undefined {
  const texts = fresh.filter(({ kind, role }) => kind === 'text' && role === 'user');
  if (asked === null) return texts[0];
  const said = asked.answer.findLast(({ kind }) => kind === 'text')?.text ?? '';
  const closed = said.trimEnd().replace(/\s*<\/\w+>$/, '');
  const ending = closed.slice(-ENDING).replace(/^.*>/s, '').trim();
  if (ending !== '') return texts.find(({ text }) => text?.read().includes(ending)) ?? texts[0];
  const away = ({ tokens }: Block): number => Math.abs(tokens - usageOf(asked).output);
  return texts.toSorted((a, b) => away(a) - away(b))[0];
}

function isThere({ kind, digest }: Block, present: ReadonlySet<Digest>): boolean {
  return kind === 'thinking' || present.has(digest);
}

function countOf(blocks: readonly Block[], digest: Digest): number {
  return blocks.reduce((count, block) => count + Number(block.digest === digest), 0);
}

function sharedLength(a: readonly Block[], b: readonly Block[]): number {
  let shared = 0;
  while (shared < a.length && shared < b.length && a[shared]!.digest === b[shared]!.digest) shared++;
  return shared;
}

/** Who a block of the user's side comes from: beside results the client speaks, else the last word is the user's. */
function originOf(run: readonly Block[], i: number): MessageOrigin {
  if (run[i]!.kind === 'tool_result') return 'tool';
  return i === run.length - 1 && !run.some(({ kind }) => kind === 'tool_result') ? 'human' : 'meta';
}

import { type Block, type BlockFacts, createBlock, type ToolEffect } from '../../../src/core/model/block.js';
import { createMessage, type Message } from '../../../src/core/model/message.js';
import type {
  RecordedCall,
  Step,
  Thread,
  ThreadEvent,
  Transcript,
} from '../../../src/core/model/transcript.js';
import type { Usage } from '../../../src/core/model/usage.js';
import { messageFrom } from '../blocks.js';

/** A tool call with its result: sizes of both, and what they are about. */
export interface ToolStep {
  readonly tool: string;
  readonly tokens: number;
  readonly path?: string;
  /** Tokens of the call, 20 unless told. */
  readonly callTokens?: number;
  readonly effect?: ToolEffect;
  /** What is known of the result besides its path. */
  readonly facts?: BlockFacts;
  /** Words of the result; each has its own unless told. */
  readonly text?: string;
}

/** Builds small transcripts step by step; sizes are true tokens, four characters each. */
export class Conversation {
  readonly steps: Step[] = [];
  private count = 0;
  private timeMs = 0;

  constructor(
    readonly options: {
      readonly model?: string;
      readonly toolsTokens?: number;
      readonly systemTokens?: number;
      /** What ids begin with, where conversations meet in one thread. */
      readonly ids?: string;
    } = {},
  ) {}

  /** Lets time pass before the next step. */
  wait(seconds: number): this {
    this.timeMs += seconds * 1_000;
    return this;
  }

  private id(kind: string): string {
    return `${this.options.ids ?? ''}${kind}${++this.count}`;
  }

  private block(
    kind: Block['kind'],
    role: Block['role'],
    tokens: number,
    rest: Partial<Parameters<typeof createBlock>[0]> = {},
  ): Block {
    const label = `${kind} ${this.count} `;
    return createBlock({
      kind,
      role,
      tokens,
      text: label.padEnd(tokens * 4, 'x').slice(0, tokens * 4),
      ...rest,
    });
  }

  private push(message: Message): this {
    this.steps.push({ kind: 'message', message });
    return this;
  }

  /** The user says something. */
  human(tokens: number, text?: string): this {
    const id = this.id('human');
    const block =
      text === undefined ? this.block('text', 'user', tokens) : this.block('text', 'user', tokens, { text });
    return this.push(messageFrom('human', id, [block], { at: this.timeMs }));
  }

  /** The user says something and gets an answer. */
  turn(said: number, answered: number): this {
    return this.human(said).answer(answered);
  }

  /** The user types a prompt: its content is a plain string. */
  type(tokens: number): this {
    const id = this.id('human');
    const blocks = [this.block('text', 'user', tokens, { facts: { plain: true } })];
    return this.push(messageFrom('human', id, blocks, { at: this.timeMs }));
  }

  /** Somebody else speaks in the place of the user. */
  say(origin: 'command' | 'meta', tokens: number): this {
    const id = this.id(origin);
    const blocks = [this.block('text', 'user', tokens)];
    return this.push(createMessage({ id, role: 'user', origin, blocks, at: this.timeMs }));
  }

  /** The user shows an image. */
  image(tokens: number): this {
    const id = this.id('human');
    const blocks = [this.block('image', 'user', tokens)];
    return this.push(messageFrom('human', id, blocks, { at: this.timeMs }));
  }

  /** The client attaches something to a message. */
  attach(tokens: number, attachedTo: string | null = null, facts: BlockFacts = { attachment: 'file' }): this {
    const id = this.id('attachment');
    const blocks = [this.block('text', 'user', tokens, { facts })];
    return this.push(messageFrom('attachment', id, blocks, { at: this.timeMs, attachedTo }));
  }

  /** The recording holds a compaction with a summary of this many tokens; its id is `summary`. */
  compaction(
    trigger: 'auto' | 'manual',
    summaryTokens: number,
    change: { readonly keptIds?: readonly string[]; readonly instructions?: string } = {},
  ): this {
    const blocks = [this.block('text', 'user', summaryTokens, { facts: { replaces: 'summary' } })];
    return this.event((at) => ({
      kind: 'recorded-compaction',
      at,
      trigger,
      preTokens: null,
      postTokens: null,
      durationMs: null,
      summary: messageFrom('summary', 'summary', blocks, { at }),
      keptIds: [],
      ...change,
    }));
  }

  /** A call answered by tool calls whose results follow. */
  tools(results: readonly ToolStep[], options: { readonly thinking?: number } = {}): this {
    const responseId = this.id('response');
    const uses = results.map((result, i) => ({ ...result, toolUseId: `${responseId}-${i}` }));
    const blocks = uses.map((use) =>
      this.block('tool_use', 'assistant', use.callTokens ?? 20, {
        toolUseId: use.toolUseId,
        tool: use.tool,
        facts: {
          ...(use.path !== undefined && { path: use.path }),
          ...(use.effect && { effect: use.effect }),
        },
      }),
    );
    if (options.thinking !== undefined) blocks.unshift(this.block('thinking', 'assistant', options.thinking));
    this.call(responseId, blocks);
    for (const use of uses) {
      const id = this.id('result');
      const block = this.block('tool_result', 'user', use.tokens, {
        toolUseId: use.toolUseId,
        tool: use.tool,
        facts: { ...(use.path !== undefined && { path: use.path }), ...use.facts },
        ...(use.text !== undefined && { text: use.text }),
      });
      this.push(messageFrom('tool', id, [block], { at: this.timeMs }));
    }
    return this;
  }

  /** A call answered by text: the loop ends. */
  answer(tokens: number, options: { readonly thinking?: number; readonly usage?: Usage } = {}): this {
    const id = this.id('response');
    const blocks = [this.block('text', 'assistant', tokens)];
    if (options.thinking !== undefined) blocks.unshift(this.block('thinking', 'assistant', options.thinking));
    this.call(id, blocks, options.usage ?? null);
    return this;
  }

  private call(id: string, blocks: readonly Block[], usage: Usage | null = null): void {
    const startMs = this.timeMs;
    this.timeMs += 1_000;
    const response = messageFrom('model', id, blocks, { at: this.timeMs, responseId: id });
    const call: RecordedCall = {
      id,
      startMs,
      endMs: this.timeMs,
      model: this.options.model ?? 'claude-sonnet-4-5',
      response,
      usage,
      outputIsPlaceholder: false,
      stopReason: null,
      missReason: null,
      effort: null,
    };
    this.steps.push({ kind: 'call', call });
  }

  /** Something happens. */
  event(make: (at: number) => ThreadEvent): this {
    this.steps.push({ kind: 'event', event: make(this.timeMs) });
    return this;
  }

  thread(id = 'main', parentId: string | null = null): Thread {
    const { toolsTokens = 12_000, systemTokens = 3_000 } = this.options;
    const prefix = [
      createBlock({ kind: 'tools', role: 'tools', tokens: toolsTokens, text: 'tools' }),
      createBlock({ kind: 'system', role: 'system', tokens: systemTokens, text: 'system' }),
    ];
    return { id, parentId, label: id, prefix, steps: this.steps };
  }

  transcript(change: Partial<Transcript> = {}): Transcript {
    return {
      id: 'built',
      source: 'test',
      carries: ['text', 'timestamps', 'tools'],
      agentVersion: null,
      startedAtMs: null,
      threads: [this.thread()],
      warnings: [],
      ...change,
    };
  }
}

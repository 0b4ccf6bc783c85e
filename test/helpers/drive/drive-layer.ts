import { layerParams } from '../../../src/agent/layers/support/param-reader.js';
import { createFiles } from '../../../src/core/base/files.js';
import { createRandom } from '../../../src/core/base/random.js';
import type { Block, BlockFacts } from '../../../src/core/model/block.js';
import { type Message, messageTokens } from '../../../src/core/model/message.js';
import { soloSession } from '../../../src/core/model/transcript.js';
import type { Action, BlockEdit, LayerReport } from '../../../src/core/run/action.js';
import {
  type ContextView,
  type HookContext,
  type LayerContext,
  type LayerDefinition,
  type LayerInstance,
  observeBy,
} from '../../../src/core/run/layer.js';
import { Limits } from '../../../src/core/run/limit.js';
import type { ParamValue } from '../../../src/core/run/params.js';
import type { RunPlan } from '../../../src/core/run/run-plan.js';
import { callOf, messageFrom, resultOf } from '../blocks.js';

/** How a tool result is made; a text decides over characters, characters over tokens. */
export interface ResultShape {
  readonly tool?: string;
  readonly text?: string;
  readonly chars?: number;
  readonly tokens?: number;
  readonly callTokens?: number;
  readonly facts?: BlockFacts;
}

/** A tool result block; without a text it is opaque. */
export function resultBlock(id: string, shape: ResultShape = {}): Block {
  const chars = shape.text?.length ?? shape.chars ?? (shape.tokens ?? 100) * 4;
  return resultOf(id, shape.tokens ?? Math.ceil(chars / 4), {
    chars,
    tool: shape.tool ?? 'Read',
    ...(shape.text === undefined ? {} : { text: shape.text }),
    ...(shape.facts === undefined ? {} : { facts: shape.facts }),
  });
}

/** A call of a tool. */
export function callBlock(id: string, shape: ResultShape = {}): Block {
  const { tool = 'Read', callTokens = 30 } = shape;
  const path = shape.facts?.path;
  return callOf(id, callTokens, {
    text: `${tool}{"id":"${id}"}`,
    tool,
    ...(path === undefined ? {} : { facts: { path } }),
  });
}

/** Layers of one thread over a conversation of literals: actions are carried out on it and collected. */
export class LayerDriver {
  messages: Message[] = [];
  readonly actions: Action[] = [];
  readonly files = createFiles();
  readonly layers: readonly LayerInstance[];
  /** Tokens the policy's counter sees besides the messages. */
  extraSeen = 0;
  extraTrue = 0;
  now = 0;
  turn = 1;
  source: HookContext['source'] = 'main';
  lastResponseMs: number | null = null;
  cacheIsWarm = true;
  deletedTokens = 0;
  private count = 0;
  /** Messages as they came, with what was frozen: what a new process reads back. */
  private recorded: Message[] = [];

  constructor(
    private readonly definitions: readonly LayerDefinition[],
    set: Readonly<Record<string, ParamValue>> = {},
    window = 200_000,
    policy: Partial<RunPlan['policy']> = {},
  ) {
    const params: Record<string, ParamValue> = {};
    const specs = [...layerParams('window'), ...definitions.flatMap((layer) => layer.params)];
    for (const spec of specs) params[spec.path] = spec.default;
    for (const path of Object.keys(set)) {
      if (!(path in params)) throw new Error(`no parameter ${path}`);
      params[path] = set[path]!;
    }
    const context: LayerContext = {
      params,
      thread: 'main',
      source: 'main',
      model: () => ({ name: 'claude-sonnet-4-5', window, maxOutput: 32_000 }),
      plan: { policy } as RunPlan,
      nextUse: () => Number.POSITIVE_INFINITY,
      limits: new Limits({ name: 'driven', ...policy, params }),
      isSumming: false,
      random: createRandom(1),
      shared: new Map(),
      session: soloSession(),
    };
    this.layers = definitions.map((layer) => layer.create(context));
  }

  get view(): ContextView {
    const driver = this;
    return {
      get messages() {
        return driver.messages;
      },
      prefix: [],
      prefixTokens: 0,
      get trueTokens() {
        return driver.trueTokens;
      },
      seenBy: () => 0,
      get seenTokens() {
        let total = driver.extraSeen;
        for (const { blocks } of driver.messages) for (const block of blocks) total += block.rough;
        return total;
      },
      files: driver.files,
      cacheIsWarm: driver.cacheIsWarm,
      cacheExpiresMs: null,
      cacheLifetimeMs: null,
      get deletedTokens() {
        return driver.deletedTokens;
      },
    };
  }

  get trueTokens(): number {
    let total = this.extraTrue - this.deletedTokens;
    for (const message of this.messages) total += messageTokens(message);
    return total;
  }

  get reports(): readonly LayerReport[] {
    return this.actions.flatMap((action) => (action.kind === 'report' ? [action.entry] : []));
  }

  /** A message joins the context. */
  join(message: Message): void {
    this.messages.push(message);
    this.recorded.push(message);
    for (const layer of this.layers) observeBy(layer, message);
  }

  /** The model answers. */
  respond(blocks: readonly Block[], responseId: string | null = null): void {
    this.lastResponseMs = this.now;
    this.join(messageFrom('model', this.nextId(), blocks, { at: this.now, responseId }));
  }

  /** One user message with results comes in. */
  receive(blocks: readonly Block[]): void {
    this.join(messageFrom('tool', this.nextId(), blocks, { at: this.now }));
  }

  /** A call of the model and its result, one of each. */
  exchange(id: string, shape: ResultShape = {}): void {
    this.respond([callBlock(id, shape)]);
    this.receive([resultBlock(id, shape)]);
  }

  /** Asks the layers of a point in order; returns the actions they took. */
  ask(point: HookContext['point'] = 'before-request'): readonly Action[] {
    const from = this.actions.length;
    const { now, turn, source, lastResponseMs } = this;
    const manual = point === 'manual' ? { instructions: null, partial: null } : null;
    const moment: HookContext = { point, now, turn, prompt: 1, source, lastResponseMs, manual };
    this.layers.forEach((layer, index) => {
      if (!this.definitions[index]!.points.includes(point)) return;
      const view = this.view;
      if (!layer.due(moment, view)) return;
      const actions = layer.act(moment, view);
      for (let step = actions.next(); step.done !== true; step = actions.next({ kind: 'done' })) {
        this.actions.push(step.value);
        this.carryOut(step.value);
      }
    });
    return this.actions.slice(from);
  }

  /** A compaction leaves other messages. */
  compact(messages: readonly Message[]): void {
    this.messages = [...messages];
    this.recorded = [...messages];
    this.deletedTokens = 0;
    for (const layer of this.layers) layer.reset?.(this.messages);
  }

  /** The process ends and the session is read back from its record. */
  resume(): void {
    this.messages = [...this.recorded];
    this.deletedTokens = 0;
    for (const layer of this.layers) layer.resume?.(this.messages, this.view);
  }

  /** The result of a call as it stands in the context. */
  result(id: string): Block {
    for (const message of this.messages) {
      for (const block of message.blocks) {
        if (block.kind === 'tool_result' && block.toolUseId === id) return block;
      }
    }
    throw new Error(`no result ${id}`);
  }

  /** Ids of the results whose content was cleared, in order. */
  cleared(): readonly string[] {
    return this.messages.flatMap((message) =>
      message.blocks
        .filter((block) => block.kind === 'tool_result' && block.facts.replaces === 'cleared')
        .map((block) => block.toolUseId!),
    );
  }

  private nextId(): string {
    return `m${++this.count}`;
  }

  private carryOut(action: Action): void {
    if (action.kind === 'rewrite-blocks') {
      this.messages = edit(this.messages, action.edits);
      if (action.keep === 'frozen') this.recorded = edit(this.recorded, action.edits);
    } else if (action.kind === 'delete-cached') {
      for (const { toolUseId, messageIndex } of action.results) {
        const found = this.messages[messageIndex]?.blocks.find((block) => block.toolUseId === toolUseId);
        if (found === undefined) throw new Error(`no result ${toolUseId} in message ${messageIndex}`);
        this.deletedTokens += found.tokens;
      }
    } else if (action.kind === 'attach') this.join(action.message);
    else if (action.kind === 'write-file') this.files.write(action.path, action.text, this.now);
  }
}

function edit(messages: readonly Message[], edits: readonly BlockEdit[]): Message[] {
  return messages.map((message) => {
    const own = edits.filter((item) => item.messageId === message.id);
    if (own.length === 0) return message;
    const blocks: (Block | null)[] = [...message.blocks];
    for (const { blockIndex, block } of own) blocks[blockIndex] = block;
    return { ...message, blocks: blocks.filter((block) => block !== null) };
  });
}

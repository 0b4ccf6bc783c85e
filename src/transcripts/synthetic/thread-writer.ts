import { chainDigest, type Digest, digestParts } from '../../core/base/digest.js';
import { type Block, type BlockInit, createBlock, NO_FACTS, uniformFacts } from '../../core/model/block.js';
import { createMessage, type Message } from '../../core/model/message.js';
import type { Step, Thread, ThreadEvent } from '../../core/model/transcript.js';
import { FACTS } from './synthetic.generated.js';
import { type FillerInit, FillerText } from './tools/filler-text.js';

/** A prompt that was typed is a plain string (TOK-3). */
const PLAIN = uniformFacts({ plain: true });

/** A block to be written: its text is described, not made. */
export interface WriterBlock
  extends Pick<BlockInit, 'kind' | 'role' | 'tokens' | 'toolUseId' | 'tool' | 'facts'> {
  readonly filler: FillerInit;
}

/** What a tool call and its result share. */
type WrittenUse = Pick<WriterBlock, 'tool' | 'toolUseId' | 'facts'>;

/** What identifies a thread that is being written. */
export interface WriterInit {
  readonly id: string;
  readonly parentId: string | null;
  readonly label: string;
  /** Equal origins give equal digests. */
  readonly origin: string;
  readonly text: 'none' | 'filler';
  /** Equal ones give equal tools and system prompts; the origin unless given. */
  readonly prefixOrigin?: string;
}

/** Collects the steps of a generated thread and gives blocks and messages their identities. */
export class ThreadWriter {
  readonly #digest: Digest;
  #steps: Step[] = [];
  #blocks = 0;
  #messages = 0;
  #calls = 0;
  #toolUses = 0;

  constructor(private readonly init: WriterInit) {
    this.#digest = digestParts(['synthetic', init.origin, init.id]);
  }

  toolUseId(): string {
    return `${this.init.id}-tool-${++this.#toolUses}`;
  }

  block(init: WriterBlock): Block {
    const { filler, tokens } = init;
    const digest = chainDigest(chainDigest(this.#digest, ++this.#blocks), tokens);
    const isText = this.init.text === 'filler' && init.kind !== 'image';
    return createBlock({
      kind: init.kind,
      role: init.role,
      tokens,
      text: isText ? new FillerText(filler, digest) : null,
      chars: filler.chars,
      digest,
      toolUseId: init.toolUseId ?? null,
      tool: init.tool ?? null,
      facts: init.facts ?? NO_FACTS,
    });
  }

  /** A tool call. */
  toolUse(use: WrittenUse, tokens: number, filler: FillerInit): Block {
    return this.block({ ...use, kind: 'tool_use', role: 'assistant', tokens, filler });
  }

  /** What a tool call gives back. */
  toolResult(use: WrittenUse, tokens: number, filler: FillerInit): Block {
    return this.block({ ...use, kind: 'tool_result', role: 'user', tokens, filler });
  }

  /** A message of one text. */
  say(origin: Message['origin'], tokens: number, filler: FillerInit, at: number, facts = NO_FACTS): void {
    this.message(origin, [this.block({ kind: 'text', role: 'user', tokens, filler, facts })], at);
  }

  message(origin: Message['origin'], blocks: readonly Block[], at: number): void {
    const [only] = blocks;
    const isTyped = origin === 'human' && blocks.length === 1 && only?.kind === 'text';
    const written = isTyped ? [{ ...only, facts: PLAIN }] : blocks;
    this.#steps.push({ kind: 'message', message: this.#message(origin, written, at, null) });
  }

  /** Writes a call and returns its id. */
  call(model: string, startMs: number, endMs: number, blocks: readonly Block[]): string {
    const id = `${this.init.id}-call-${++this.#calls}`;
    const usesTools = blocks.some((block) => block.kind === 'tool_use');
    this.#steps.push({
      kind: 'call',
      call: {
        id,
        startMs,
        endMs,
        model,
        response: this.#message('model', blocks, endMs, id),
        usage: null,
        outputIsPlaceholder: false,
        stopReason: usesTools ? 'tool_use' : 'end_turn',
        missReason: null,
        effort: null,
      },
    });
    return id;
  }

  event(event: ThreadEvent): void {
    this.#steps.push({ kind: 'event', event });
  }

  /** The steps since the last time; they are not kept. */
  takeSteps(): readonly Step[] {
    const steps = this.#steps;
    this.#steps = [];
    return steps;
  }

  /** The finished thread; its prefix depends on its size and label alone, so subagents of a kind share it. */
  thread(prefixTokens: number, charsPerToken: number): Thread {
    const { id, parentId, label } = this.init;
    const tools = Math.round(prefixTokens * FACTS.toolsShare);
    const prefix = (
      [
        ['tools', tools],
        ['system', prefixTokens - tools],
      ] as const
    )
      .filter(([, tokens]) => tokens > 0)
      .map(([role, tokens]) => {
        const digest = digestParts([
          'synthetic prefix',
          this.init.prefixOrigin ?? this.init.origin,
          label,
          role,
          tokens,
        ]);
        const chars = Math.round(tokens * charsPerToken);
        const text = this.init.text === 'none' ? null : new FillerText({ style: 'prose', chars }, digest);
        return createBlock({ kind: role, role, tokens, text, chars, digest });
      });
    return { id, parentId, label, prefix, steps: this.#steps };
  }

  #message(
    origin: Message['origin'],
    blocks: readonly Block[],
    at: number,
    responseId: string | null,
  ): Message {
    const id = `${this.init.id}-${++this.#messages}`;
    return createMessage({
      id,
      role: origin === 'model' ? 'assistant' : 'user',
      origin,
      blocks,
      at,
      responseId,
    });
  }
}

/** A session that is generated turn by turn. */
export interface SessionSource {
  /** Writes the opening, then a turn at a time. */
  write(): Generator<void, void, void>;
  /** The thread with the steps that are written and not taken; its prefix is known from the opening on. */
  thread(): Thread;
  /** The steps since the last time. */
  takeSteps(): readonly Step[];
}

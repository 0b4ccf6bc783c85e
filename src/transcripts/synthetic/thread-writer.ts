import { chainDigest, type Digest, digestParts } from '../../core/base/digest.js';
import type { Mutable } from '../../core/base/mutable.js';
import {
  type Block,
  type BlockFacts,
  type BlockInit,
  CHARS_PER_TOKEN,
  createBlock,
  NO_FACTS,
  type ToolEffect,
  uniformFacts,
} from '../../core/model/block.js';
import { createMessage, type Message } from '../../core/model/message.js';
import type { Step, Thread, ThreadEvent } from '../../core/model/transcript.js';
import type { Samplers } from './samplers.js';
import { FACTS, type ToolProfile } from './synthetic.generated.js';
import { type FillerInit, FillerText, fillerHole } from './tools/filler-text.js';
import type { ResultSketch, ToolSketch } from './tools/tool-sketch.js';

/** Responses keep at least this many tokens for text or thinking, or have none. */
const SMALLEST_TOKENS = 4;

/** A tool call that was made. */
export interface ToolUse {
  readonly id: string;
  readonly block: Block;
  readonly sketch: ToolSketch;
  readonly effect: ToolEffect | null;
}

/** Writes responses and results: what was sketched becomes blocks. */
export class TurnWriter {
  constructor(
    private readonly writer: ThreadWriter,
    private readonly samplers: Samplers,
  ) {}

  /** A response with these calls: thinking, text and calls share its output; calls that need more make it longer. */
  respond(
    drawnTokens: number,
    sketches: readonly ToolSketch[],
    at: number,
  ): { readonly blocks: readonly Block[]; readonly uses: readonly ToolUse[]; readonly endMs: number } {
    const uses: ToolUse[] = [];
    let called = 0;
    for (const sketch of sketches) {
      const use = this.#use(sketch);
      called += use.block.tokens;
      uses.push(use);
    }
    const part = this.samplers.thinkingPart();
    const least = uses.length === 0 ? SMALLEST_TOKENS : 0;
    let rest = Math.max(drawnTokens, least) - called;
    if (part > 0) rest = Math.max(rest, least + SMALLEST_TOKENS);
    else if (rest < SMALLEST_TOKENS) rest = least;
    const wanted = Math.max(SMALLEST_TOKENS, Math.round(part * (called + rest)));
    let thought = part === 0 ? 0 : Math.min(wanted, rest - least);
    if (rest - thought < SMALLEST_TOKENS && thought > 0 && least === 0) thought = rest;
    const blocks: Block[] = [];
    if (thought > 0) blocks.push(this.#prose('thinking', thought, this.samplers.thoughtCharsPerToken));
    if (rest > thought) blocks.push(this.#prose('text', rest - thought, this.samplers.spokenCharsPerToken));
    for (const use of uses) blocks.push(use.block);
    const endMs = at + Math.round(FACTS.callOverheadMs + (called + rest) * FACTS.msPerOutputToken);
    return { blocks, uses, endMs };
  }

  #prose(kind: 'thinking' | 'text', tokens: number, charsPerToken: (chars: number) => number): Block {
    const chars = Math.round(tokens * charsPerToken(tokens * CHARS_PER_TOKEN));
    return this.writer.block({ kind, role: 'assistant', tokens, filler: { style: 'prose', chars } });
  }

  #use(sketch: ToolSketch): ToolUse {
    const { tool, input, halves, path } = sketch;
    const frame = input.head.length + input.tail.length + (halves === null ? 0 : halves.between.length);
    const body = input.hasBody ? Math.max(1, sketch.inputChars - frame) : 0;
    const old = halves === null ? 0 : Math.round(body * halves.oldShare);
    const head = halves === null ? input.head : `${input.head}${fillerHole(old)}${halves.between}`;
    const chars = frame + body;
    const id = this.writer.toolUseId();
    const effect = sketch.effect === null ? null : sketch.effect(body, old);
    const tokens = Math.max(1, Math.round(chars / this.samplers.charsPerToken(chars)));
    const use = { tool: tool.profile.name, toolUseId: id, facts: callFacts(path, effect) };
    const block = this.writer.toolUse(use, tokens, { style: 'words', chars, head, tail: input.tail });
    return { id, block, sketch, effect };
  }

  /** The result of a call. */
  result({ id, sketch }: ToolUse, at: number): void {
    const { tool, path, result, isError } = sketch;
    const { profile } = tool;
    let tokens = Math.max(1, Math.round(result.chars / this.samplers.charsPerToken(result.chars)));
    tokens += result.moreTokens ?? 0;
    for (let i = 0; i < profile.images; i++) tokens += this.samplers.imageTokens();
    const facts = resultFacts(profile, result.path ?? path, result.effect ?? null, isError);
    const use = { tool: profile.name, toolUseId: id, facts };
    this.writer.message('tool', [this.writer.toolResult(use, tokens, fillerOf(profile.style, result))], at);
  }
}

function fillerOf(style: ToolProfile['style'], { chars, seed, head }: ResultSketch): FillerInit {
  if (seed !== undefined) return { style, chars, seed };
  return head === undefined ? { style, chars } : { style, chars, head };
}

function callFacts(path: string | null, effect: ToolEffect | null): BlockFacts {
  if (path === null) return effect === null ? NO_FACTS : { effect };
  return effect === null ? { path } : { path, effect };
}

function resultFacts(
  profile: ToolProfile,
  path: string | null,
  effect: ToolEffect | null,
  isError: boolean,
): BlockFacts {
  if (path === null && effect === null && !isError && profile.images === 0) return NO_FACTS;
  const facts: Mutable<BlockFacts> = {};
  if (path !== null) facts.path = path;
  if (effect !== null) facts.effect = effect;
  if (isError) facts.isError = true;
  if (profile.images > 0) facts.images = profile.images;
  if (profile.name === 'Read' && path?.endsWith('.json') === true) facts.jsonLike = true;
  return facts;
}

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
export interface WriterInit extends Pick<Thread, 'id' | 'parentId' | 'label'> {
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

import type { Mutable } from '../../core/base/mutable.js';
import { type Block, type BlockFacts, CHARS_PER_TOKEN, NO_FACTS } from '../../core/model/block.js';
import type { ToolEffect } from '../../core/model/tool-effect.js';
import type { Samplers } from './samplers.js';
import { FACTS, type ToolProfile } from './synthetic.generated.js';
import type { ThreadWriter } from './thread-writer.js';
import { type FillerInit, fillerHole } from './tools/filler-text.js';
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

import { type Digest, digestParts } from '../../core/base/digest.js';
import { type Block, createBlock } from '../../core/model/block.js';
import { promptTokens, type Usage } from '../../core/model/usage.js';
import { spread } from '../drafts/weights.js';
import { parseObject } from '../lines/json-lines.js';
import { toolCallPiece } from './pieces.js';
import type { ServedBlock, ServedRequest } from './served-lines.js';

/** A request with its whole prompt. */
export interface WholeRequest extends ServedRequest {
  readonly prompt: readonly ServedBlock[];
}

/** What was billed, or what the simulated cache predicts where nobody billed. */
export function usageOf({ usage, billed }: ServedRequest): Usage {
  return billed ?? usage;
}

/** Tokens of some blocks. */
export function sumOf(blocks: readonly { readonly tokens: number }[]): number {
  return blocks.reduce((sum, { tokens }) => sum + tokens, 0);
}

/** Stands for the part of a prompt that a lost line held. */
export function lostBlock(n: number, tokens: number): ServedBlock {
  const digest = digestParts(['lost', n, tokens]);
  return { kind: 'text', role: 'user', tokens, digest, tool: null, id: null, text: null, facts: {} };
}

/** The blocks of a recording: equal digests are one block, and together they are as long as what was billed. */
export class ServedBlocks {
  readonly #known = new Map<Digest, Block>();
  readonly #tools = new Map<string, Pick<Block, 'tool' | 'facts'>>();

  /** The blocks of a prompt. Where it was billed, what is new in it takes the tokens that the rest leaves. */
  ofPrompt({ prompt, billed }: WholeRequest): readonly Block[] {
    const fresh = prompt.filter(({ digest }) => !this.#known.has(digest));
    const known = prompt.flatMap(({ digest }) => this.#known.get(digest) ?? []);
    const left = billed === null ? sumOf(fresh) : promptTokens(billed) - sumOf(known);
    const sizes =
      left < 0
        ? []
        : spread(
            left,
            fresh.map(({ tokens }) => tokens),
          );
    for (const [i, block] of fresh.entries()) this.#make(block, sizes[i] ?? block.tokens);
    return prompt.map(({ digest }) => this.#known.get(digest)!);
  }

  /** The blocks of an answer; they stay as they are when they come back. */
  ofAnswer({ answer }: ServedRequest): readonly Block[] {
    return answer.map((block) => this.#known.get(block.digest) ?? this.#create(block, block.tokens));
  }

  #make(block: ServedBlock, tokens: number): void {
    if (!this.#known.has(block.digest)) this.#known.set(block.digest, this.#create(block, tokens));
  }

  #create({ kind, role, digest, tool, id, text, facts }: ServedBlock, tokens: number): Block {
    const call = kind === 'tool_result' && id !== null ? this.#tools.get(id) : undefined;
    const args = kind === 'tool_use' && text !== null ? parseObject(text.slice(tool?.length ?? 0)) : null;
    const named = args === null ? call?.facts : toolCallPiece({ id: id ?? '', tool, args }).facts;
    const block = createBlock({
      kind,
      role,
      tokens,
      text,
      digest,
      toolUseId: id,
      tool: tool ?? call?.tool ?? null,
      facts: { ...(named?.path === undefined ? {} : { path: named.path }), ...facts },
    });
    if (kind === 'tool_use' && id !== null) this.#tools.set(id, block);
    return block;
  }
}

import { type Digest, digestParts } from '../../core/base/digest.js';
import { getOrMake } from '../../core/base/once.js';
import { type Block, createBlock } from '../../core/model/block.js';
import { promptTokens, type Usage } from '../../core/model/usage.js';
import { estimateText } from '../../core/tokens/heuristic.js';
import { spread } from '../drafts/weights.js';
import { parseObject } from '../lines/json-lines.js';
import { toolCallPiece } from './pieces.js';
import type { ServedBlock, ServedRequest } from './served-lines.js';

/** What Claude Code appends to a tool result: notes (2.0.76), from 2.1.325 on also restored files (measured). Two of them are by the tool itself. */
const REMINDER = /\n\n<system-reminder>\n(?!Whenever you read a file|Warning: the file exists)/;

/** How reminders that are announced again behind a compaction begin, and the names transcripts have for them. */
const ANNOUNCED: readonly (readonly [opening: string, attachment: string])[] = [
  ['The following deferred tools are now', 'deferred_tools_delta'],
  ['Available agent types for the', 'agent_listing_delta'],
  ['The following skills are available', 'skill_listing'],
  ['# Environment', 'environment'],
  ['You are powered by the model', 'model'],
  ['Attribution for git commits', 'session_context'],
  ["Today's date is", 'date'],
];

function attachmentOf({ kind, role, text }: ServedBlock): string | undefined {
  if (kind !== 'text' || role !== 'user' || text === null) return undefined;
  return ANNOUNCED.find(([opening]) => text.startsWith(`<system-reminder>\n${opening}`))?.[1];
}

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
  /** A block of the recording: itself, or a result and the reminders that the client appended to it. */
  readonly #known = new Map<Digest, readonly Block[]>();
  readonly #reminders = new Map<Digest, Block>();
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
    return prompt.flatMap(({ digest }) => this.#known.get(digest)!);
  }

  /** The blocks of an answer; they stay as they are when they come back. */
  ofAnswer({ answer }: ServedRequest): readonly Block[] {
    return answer.flatMap((block) => this.#known.get(block.digest) ?? this.#create(block, block.tokens));
  }

  #make(block: ServedBlock, tokens: number): void {
    if (this.#known.has(block.digest)) return;
    const end = block.kind === 'tool_result' ? (block.text?.search(REMINDER) ?? -1) : -1;
    this.#known.set(
      block.digest,
      end < 0 ? [this.#create(block, tokens)] : this.#withoutReminders(block, tokens, end),
    );
  }

  /** Reminders stay when a result is cleared, and are no part of what the tool said. */
  #withoutReminders(block: ServedBlock, tokens: number, end: number): readonly Block[] {
    const { id } = block;
    const [said, added] = [block.text!.slice(0, end), block.text!.slice(end)];
    const digest = digestParts(['reminders', id ?? '', added]);
    // A note of the client is prose; behind a compaction the files it restores are like the result.
    const share = (tokens * added.length) / block.text!.length;
    const size = added.length < said.length ? Math.min(estimateText(added.length), share) : share;
    const reminder = getOrMake(this.#reminders, digest, () =>
      createBlock({ kind: 'text', role: block.role, tokens: Math.round(size), text: added, digest }),
    );
    const left = Math.max(0, tokens - reminder.tokens);
    return [
      this.#create({ ...block, text: said, digest: digestParts(['said', id ?? '', said]) }, left),
      reminder,
    ];
  }

  #create(served: ServedBlock, tokens: number): Block {
    const { kind, role, digest, tool, id, text, facts } = served;
    const attachment = attachmentOf(served);
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
      facts: {
        ...(named?.path === undefined ? {} : { path: named.path }),
        ...(attachment === undefined ? {} : { attachment }),
        ...facts,
      },
    });
    if (kind === 'tool_use' && id !== null) this.#tools.set(id, block);
    return block;
  }
}

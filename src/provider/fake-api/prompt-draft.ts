import { type Block, type BlockInit, createBlock, IMAGE_TOKENS } from '../../core/model/block.js';
import type { Breakpoint } from '../../core/model/prefix.js';
import { refuse } from '../cache/api-error.js';
import { thinkingKeptFrom } from '../cache/thinking.js';
import { isLongTtl } from '../cache/ttl.js';
import type { ModelRow } from '../prices/model-row.js';
import {
  type AnswerDemands,
  type ApiRequest,
  blocksOf,
  type CountTokens,
  countFor,
  type DefinedTool,
  type JsonObject,
  messagesOf,
  promptOf,
} from './api-request.js';
import type { WireBlock } from './messages/wire-block.js';

/** Most breakpoints a request may carry, the automatic one included (CCH-1). */
const MAX_BREAKPOINTS = 4;

/** One block of a request as far as its marker matters, in the order tools, system, messages. */
export type MarkableBlock = Pick<WireBlock, 'path' | 'isEmptyText' | 'ttlMs'> & {
  readonly block: Pick<Block, 'kind'>;
};

function ttlName(ttlMs: number): string {
  return isLongTtl(ttlMs) ? '1h' : '5m';
}

function checkCount(found: number): void {
  if (found > MAX_BREAKPOINTS)
    refuse(`A maximum of ${MAX_BREAKPOINTS} blocks with cache_control may be provided. Found ${found}.`);
}

/**
 * Checks the markers of a request and resolves automatic caching (`automaticTtlMs`, null when not asked for).
 * The wording for an automatic marker that contradicts an explicit one is not published and is ours.
 */
export function validateBreakpoints(
  blocks: readonly MarkableBlock[],
  automaticTtlMs: number | null = null,
): readonly Breakpoint[] {
  const breakpoints: Breakpoint[] = [];
  let lastEligible = -1;
  for (const [position, { path, block, isEmptyText, ttlMs }] of blocks.entries()) {
    const isThinking = block.kind === 'thinking';
    if (!isThinking && !isEmptyText) lastEligible = position;
    if (ttlMs === null) continue;
    if (isThinking) refuse(`${path}.thinking.cache_control: Extra inputs are not permitted`);
    if (isEmptyText) refuse(`${path}.text: cache_control cannot be set for empty text blocks`);
    breakpoints.push({ position, ttlMs });
  }
  checkCount(breakpoints.length);
  if (automaticTtlMs !== null && lastEligible >= 0) {
    const explicit = blocks[lastEligible]!.ttlMs;
    if (explicit === null) {
      checkCount(breakpoints.length + 1);
      breakpoints.push({ position: lastEligible, ttlMs: automaticTtlMs });
    } else if (explicit !== automaticTtlMs) {
      refuse(
        `cache_control.ttl: automatic caching asks for ttl='${ttlName(automaticTtlMs)}' but the last block is marked with ttl='${ttlName(explicit)}'`,
      );
    }
  }
  let shortSeen = false;
  for (const { position, ttlMs } of breakpoints) {
    if (!isLongTtl(ttlMs)) shortSeen = true;
    else if (shortSeen) {
      refuse(
        `${blocks[position]!.path}.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. Note that blocks are processed in the following order: \`tools\`, \`system\`, \`messages\`.`,
      );
    }
  }
  return breakpoints;
}

/** Who says something; what the system says behind the first turn stands among the turns. */
export type DraftRole = 'system' | 'user' | 'assistant';

interface DraftBlock extends MarkableBlock {
  readonly block: Block;
}

/** What a request says besides its prompt. */
type Settings = AnswerDemands &
  Pick<ApiRequest, 'model' | 'modelName' | 'maxTokens' | 'delivery' | 'salts' | 'thinking'>;

/** Tool calls without a result and results without a call, by id. */
interface Unpaired {
  readonly calls: readonly string[];
  readonly results: readonly string[];
}

/** A prompt while it is read, block by block, from a request of an API other than the Messages API. */
export class PromptDraft {
  readonly count: CountTokens;
  readonly #tools: DraftBlock[] = [];
  readonly #system: DraftBlock[] = [];
  readonly #turns: { role: 'user' | 'assistant'; blocks: DraftBlock[] }[] = [];
  readonly #defined: DefinedTool[] = [];

  constructor(model: ModelRow, counter: { count(text: string): number }) {
    this.count = countFor(model, counter);
  }

  /** Names of its tools. */
  get toolNames(): readonly string[] {
    return this.#defined.map(({ name }) => name);
  }

  get turns(): number {
    return this.#turns.length;
  }

  /** A tool as it is defined; its JSON is what the model is shown. */
  tool(name: string, source: JsonObject, input: JsonObject): void {
    const text = JSON.stringify(source);
    const block = createBlock({ kind: 'tools', role: 'tools', tokens: this.count(text), text, tool: name });
    this.#tools.push({ path: 'tools', block, isEmptyText: false, ttlMs: null });
    this.#defined.push({ name, input });
  }

  /** A text, with the lifetime that a mark at it asks for. */
  text(role: DraftRole, text: string, ttlMs: number | null = null): void {
    this.#add(role, { kind: 'text', text }, ttlMs);
  }

  /** What counts nothing and stands for these words. */
  sign(text: string): void {
    this.#add('user', { kind: 'text', text, tokens: 0 });
  }

  thinking(text: string): void {
    this.#add('assistant', { kind: 'thinking', text });
  }

  media(role: DraftRole, kind: 'image' | 'document', source: unknown): void {
    this.#add(role, { kind, text: JSON.stringify(source), tokens: IMAGE_TOKENS });
  }

  call(id: string, name: string, input: string): void {
    this.#add('assistant', { kind: 'tool_use', text: `${name}${input}`, toolUseId: id, tool: name });
  }

  result(id: string, text: string, images: number): void {
    const tokens = this.count(text) + images * IMAGE_TOKENS;
    const facts = images > 0 ? { images } : {};
    this.#add('user', { kind: 'tool_result', text, tokens, toolUseId: id, facts });
  }

  /** Content of a kind that is not known. */
  other(role: DraftRole, source: unknown): void {
    this.#add(role, { kind: 'other', text: JSON.stringify(source) });
  }

  #add(
    role: DraftRole,
    init: Omit<BlockInit, 'role' | 'tokens'> & { readonly text: string; readonly tokens?: number },
    ttlMs: number | null = null,
  ): void {
    const block = createBlock({ ...init, role, tokens: init.tokens ?? this.count(init.text) });
    const isEmptyText = init.kind === 'text' && init.text.trim() === '';
    const added = { path: 'messages', block, isEmptyText, ttlMs };
    const last = this.#turns.at(-1);
    const turn = role === 'assistant' ? 'assistant' : 'user';
    if (role === 'system' && last === undefined) this.#system.push(added);
    else if (last?.role === turn) last.blocks.push(added);
    else this.#turns.push({ role: turn, blocks: [added] });
  }

  /** What of the tool calls and results has no counterpart. */
  unpaired(): Unpaired {
    const idsOf = (kind: Block['kind']): readonly string[] =>
      this.#turns.flatMap(({ blocks }) =>
        blocks.flatMap(({ block }) => (block.kind === kind ? (block.toolUseId ?? []) : [])),
      );
    const calls = idsOf('tool_use');
    const results = idsOf('tool_result');
    const [called, answered] = [new Set(calls), new Set(results)];
    return {
      calls: calls.filter((id) => !answered.has(id)),
      results: results.filter((id) => !called.has(id)),
    };
  }

  /** The request that the prompt belongs to. */
  finish(settings: Settings): ApiRequest {
    const messages = messagesOf(this.#turns);
    const said = blocksOf(this.#turns, thinkingKeptFrom(settings.model, messages));
    const blocks = [...this.#tools, ...this.#system, ...said];
    return {
      ...settings,
      windowTokens: settings.model.window,
      overWindow: 'cut',
      ...promptOf(blocks, this.#tools.length, this.#system.length),
      breakpoints: validateBreakpoints(blocks),
      tools: this.#defined,
      messages,
      count: this.count,
    };
  }
}

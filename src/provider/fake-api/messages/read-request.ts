import { chainDigest, type Digest } from '../../../core/base/digest.js';
import { Recent } from '../../../core/base/queue.js';
import { createBlock } from '../../../core/model/block.js';
import { apiError, Refusal, refuse } from '../../cache/api-error.js';
import { levelSalts } from '../../cache/salts.js';
import {
  checkThinkingBinding,
  modifiedThinkingError,
  type ThinkingReplay,
  thinkingKeptFrom,
} from '../../cache/thinking.js';
import type { ModelRow } from '../../prices/model-row.js';
import { findModel, resolveWindow } from '../../prices/models.js';
import {
  type ApiCompaction,
  type ApiRequest,
  asList,
  asObject,
  asText,
  blocksOf,
  type CountTokens,
  countFor,
  type DefinedTool,
  type JsonObject,
  messagesOf,
  promptOf,
  type ReadTurn,
  spokenDigest,
} from '../api-request.js';
import { validateBreakpoints } from '../prompt-draft.js';
import type { ReadOptions } from '../wire-api.js';
import {
  type AppliedEdit,
  applyEdits,
  type Compact,
  readCompaction,
  readEdits,
  tokensIn,
} from './context-edits.js';
import {
  acceptsPrefill,
  answerDemands,
  cacheParameters,
  checkParameters,
  checkTypes,
  compacts,
  refusesOverWindow,
  tariffsOf,
  toolOverhead,
} from './parameters.js';
import { readContent, readMarker, readTool, type WireBlock } from './wire-block.js';

interface MadeThinking {
  /** Everything before the block but thinking, which is a chain of its own. */
  readonly prefix: Digest;
  readonly digest: Digest;
}

/** Thinking blocks that are remembered: one that was not sent back for so long is judged like one of another server. */
const MOST_BLOCKS = 5_000;

/** The thinking that the fake API gave away, by signature: it knows when a block comes back changed or in another place. */
export class ThinkingBook {
  readonly #made = new Recent<string, MadeThinking>(MOST_BLOCKS);

  /** Remembers the thinking of an answer to a prompt. */
  note(prompt: Digest, answer: readonly WireBlock[]): void {
    for (const [i, { block, signature }] of answer.entries()) {
      if (block.kind !== 'thinking' || signature === null) continue;
      this.#made.set(signature, { prefix: spokenDigest(answer.slice(0, i), prompt), digest: block.digest });
    }
  }

  /** The blocks that are left. Thinking of other servers cannot be judged and stays. */
  check(
    row: ModelRow,
    blocks: readonly WireBlock[],
    latest: readonly WireBlock[],
    onMismatch: NonNullable<ThinkingReplay['onMismatch']>,
  ): readonly WireBlock[] {
    const left: WireBlock[] = [];
    let prefix: Digest = 0;
    for (const wire of blocks) {
      const { block, path, signature } = wire;
      if (block.kind !== 'thinking') prefix = chainDigest(prefix, block.digest);
      const made = signature === null ? undefined : this.#made.get(signature);
      if (made !== undefined) {
        if (made.digest !== block.digest && latest.includes(wire))
          throw new Refusal(modifiedThinkingError(path));
        const verdict = checkThinkingBinding(row, {
          path,
          prefix: made.prefix === prefix ? 'unchanged' : 'changed',
          onMismatch,
        });
        if (verdict.kind === 'refused') throw new Refusal(verdict.error);
        if (verdict.kind === 'dropped') continue;
      }
      left.push(wire);
    }
    return left;
  }
}

/** A request to the Messages API. */
export interface MessagesRequest extends ApiRequest {
  /** The message to compare with; `off` when the request does not ask for diagnostics. */
  readonly diagnostics: 'off' | { readonly previousMessageId: string | null };
  /** What was done to the prompt before the model sees it; null when the request does not ask for it. */
  readonly edits: { readonly applied: readonly AppliedEdit[]; readonly originalTokens: number } | null;
  /** Whether the answer says what each of its parts used: those of a compaction are not in the sum. */
  readonly showsIterations: boolean;
}

/** What a request to the Messages API is read with. */
export interface MessagesOptions extends ReadOptions {
  /** `create` checks what only a call that answers needs. */
  readonly purpose: 'create' | 'count';
  readonly thinkingBook: ThinkingBook;
}

interface Turn extends ReadTurn<WireBlock> {
  /** Index of its last message in the request. */
  readonly index: number;
}

function idsOf(turn: Turn | undefined, kind: 'tool_use' | 'tool_result'): readonly string[] {
  if (turn === undefined) return [];
  return turn.blocks.flatMap(({ block }) =>
    block.kind === kind && block.toolUseId !== null ? [block.toolUseId] : [],
  );
}

function checkPairs(turns: readonly Turn[]): void {
  const seen = new Set<string>();
  for (const { block, path } of turns.flatMap(({ blocks }) => blocks)) {
    if (block.kind !== 'tool_use' || block.toolUseId === null) continue;
    if (seen.has(block.toolUseId)) refuse(`${path}: \`tool_use\` ids must be unique`);
    seen.add(block.toolUseId);
  }
  for (const [i, turn] of turns.entries()) {
    if (turn.role === 'assistant') {
      const answered = new Set(idsOf(turns[i + 1], 'tool_result'));
      const open = idsOf(turn, 'tool_use').filter((id) => !answered.has(id));
      if (open.length > 0) {
        refuse(
          `messages.${turn.index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
        );
      }
      continue;
    }
    const asked = new Set(idsOf(turns[i - 1], 'tool_use'));
    for (const { block, path } of turn.blocks) {
      if (block.kind === 'tool_result' && !asked.has(block.toolUseId ?? '')) {
        refuse(
          `${path}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${block.toolUseId}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
        );
      }
    }
  }
}

/** Refuses the messages of a request that are wrong. */
function checkMessages(turns: readonly Turn[], model: ModelRow): void {
  const spoken = turns.filter(({ role }) => role !== 'system');
  const first = spoken[0];
  if (first === undefined) refuse('messages: at least one message is required');
  if (first.role !== 'user' && first.blocks[0]?.isCompaction !== true)
    refuse('messages: first message must use the "user" role');
  if (spoken.some(({ blocks }) => blocks.some(({ isEmptyText }) => isEmptyText)))
    refuse('messages: text content blocks must be non-empty');
  checkPairs(spoken);
  if (!acceptsPrefill(model) && spoken.at(-1)!.role === 'assistant') {
    refuse(
      'This model does not support assistant message prefill. The conversation must end with a user message.',
    );
  }
}

/** Beta that lets a request choose what becomes of thinking in another place. */
const BETA_BINDING = 'thinking-binding-controls-2026-08-01';

/** What becomes of thinking that comes back in another place: an error unless the request says otherwise. */
function onMismatch(body: JsonObject, betas: readonly string[]): 'error' | 'drop_block' {
  const binding = asObject(asObject(body.thinking)?.block_binding);
  const asked = betas.includes(BETA_BINDING) && binding?.prefix_mismatch_behavior === 'drop_block';
  return asked ? 'drop_block' : 'error';
}

function thinkingSetting(body: JsonObject): ApiRequest['thinking'] {
  const type = asObject(body.thinking)?.type;
  return type === 'enabled' || type === 'adaptive' ? 'on' : 'off';
}

/** Beta that widens the window of older models. */
const BETA_1M = /^context-1m-/;

function readTurns(body: JsonObject, count: CountTokens): readonly Turn[] {
  const list = asList(body.messages);
  if (list === null) refuse('messages: Field required');
  const turns: { role: Turn['role']; index: number; blocks: WireBlock[] }[] = [];
  for (const [index, item] of list.entries()) {
    const message = asObject(item);
    const role = message?.role;
    if (message === null || (role !== 'user' && role !== 'assistant' && role !== 'system')) {
      refuse(`messages.${index}.role: Input should be 'user' or 'assistant'`);
    }
    const blocks = readContent(message.content, role, `messages.${index}.content`, count);
    const compactedAt = blocks.findLastIndex(({ isCompaction, isEmptyText }) => isCompaction && !isEmptyText);
    const left = blocks
      .slice(Math.max(0, compactedAt))
      .filter(({ isCompaction, isEmptyText }) => !isCompaction || !isEmptyText);
    if (compactedAt >= 0) turns.length = 0;
    if (left.length < blocks.length && left.length === 0) continue;
    const last = turns.at(-1);
    if (last?.role === role) {
      last.blocks.push(...left);
      last.index = index;
    } else turns.push({ role, index, blocks: left });
  }
  return turns;
}

/** A line that clients put before their system prompt to say who is billed; the API takes it out. */
const BILLING_LINE = /^x-anthropic-billing-header:/;

function readSystem(body: JsonObject, count: CountTokens): readonly WireBlock[] {
  const blocks = body.system == null ? [] : readContent(body.system, 'system', 'system', count);
  return BILLING_LINE.test(blocks[0]?.block.text?.read() ?? '') ? blocks.slice(1) : blocks;
}

function readTools(body: JsonObject, model: ModelRow, count: CountTokens): readonly WireBlock[] {
  return (asList(body.tools) ?? []).map((item, i) =>
    readTool(item, `tools.${i}`, i === 0 ? toolOverhead(body, model) : 0, count),
  );
}

function definedTools(body: JsonObject): readonly DefinedTool[] {
  return (asList(body.tools) ?? []).map((item) => {
    const tool = asObject(item)!;
    return { name: asText(tool.name)!, input: asObject(tool.input_schema) ?? {} };
  });
}

function readDiagnostics(body: JsonObject): MessagesRequest['diagnostics'] {
  const diagnostics = asObject(body.diagnostics);
  return diagnostics === null ? 'off' : { previousMessageId: asText(diagnostics.previous_message_id) };
}

/** Reads the body of a call; what the API refuses is refused in its words. */
export function readRequest(value: unknown, options: MessagesOptions): MessagesRequest {
  const body = asObject(value);
  const version = options.headers.get('anthropic-version') ?? '';
  const betas = (options.headers.get('anthropic-beta') ?? '').split(',').map((name) => name.trim());
  if (body === null) refuse('The request body is not valid JSON.');
  const modelName = asText(body.model);
  if (modelName === null) refuse('model: Field required');
  const plain = findModel(modelName);
  if (plain === null) throw new Refusal(apiError(404, 'not_found_error', `model: ${modelName}`));
  const tariffs = tariffsOf(body);
  const model = tariffs.length === 0 ? plain : findModel([modelName, ...tariffs].join(':'));
  if (model === null) refuse(`speed: \`${modelName}\` has no fast mode`);
  checkTypes(body);
  if (options.purpose === 'create') checkParameters(body, model, version, betas);
  const count = countFor(model, options.counter);
  const tools = readTools(body, model, count);
  const system = readSystem(body, count);
  const turns = readTurns(body, count);
  const messages = messagesOf(turns);
  const edits = readEdits(body, betas);
  const demanded = readCompaction(body, betas);
  const compact = demanded ?? edits?.find((edit) => edit.type === 'compact_20260112') ?? null;
  if (compact !== null && !compacts(model)) refuse(`compaction: \`${modelName}\` does not support it`);
  // An edit that says how much thinking stays decides in place of the model.
  const decides =
    edits?.some((edit) => edit.type === 'clear_thinking_20251015' && edit.keep !== null) === true;
  const keptFrom = decides ? 0 : thinkingKeptFrom(model, messages);
  const latest = turns.findLast(({ role }) => role === 'assistant')?.blocks ?? [];
  const bound = options.thinkingBook.check(
    model,
    [...tools, ...system, ...blocksOf(turns, keptFrom)],
    latest,
    onMismatch(body, betas),
  );
  const { blocks, applied } = applyEdits(bound, edits ?? [], count);
  const automaticTtlMs = readMarker(body.cache_control, 'request');
  const breakpoints = validateBreakpoints(blocks, automaticTtlMs);
  checkMessages(turns, model);
  const hasImages = blocks.some(({ block }) => block.kind === 'image' || (block.facts.images ?? 0) > 0);
  const maxTokens = body.max_tokens;
  const request: MessagesRequest = {
    model,
    modelName,
    windowTokens: resolveWindow(modelName, {
      beta1m: betas.some((beta) => BETA_1M.test(beta)) ? 'on' : 'off',
    }),
    maxTokens: typeof maxTokens === 'number' ? maxTokens : 0,
    delivery: body.stream === true ? 'stream' : 'plain',
    ...promptOf(blocks, tools.length, system.length),
    salts: levelSalts(cacheParameters(body, model, options.workspace, hasImages ? 'present' : 'absent')),
    breakpoints,
    messages,
    tools: definedTools(body),
    overWindow: refusesOverWindow(model) ? 'refused' : 'cut',
    diagnostics: readDiagnostics(body),
    edits: edits === null ? null : { applied, originalTokens: tokensIn(bound) },
    ...answerDemands(body),
    thinking: thinkingSetting(body),
    showsIterations: betas.some((beta) => BETA_COMPACTION.test(beta)) || maxTokens === 0,
    count,
  };
  if (options.purpose === 'count' || compact === null || request.promptTokens < compact.trigger)
    return request;
  return {
    ...request,
    compaction: compactionOf(request, compact, automaticTtlMs),
  };
}

/** Betas of compaction, at a threshold and on demand. */
const BETA_COMPACTION = /^compact-/;

/** What the model is told where a request has no instructions; how many tokens the API's own words count is not known. */
const OWN_WORDS = 'Create a summary of the conversation.';

/** A compaction by the API: a call with the whole prompt, and then the summary alone behind tools and system prompt. */
function compactionOf(
  whole: MessagesRequest,
  { instructions, isAlone }: Compact,
  automaticTtlMs: number | null,
): ApiCompaction {
  const { count, view, messages, breakpoints } = whole;
  const { toolsEnd, systemEnd } = view;
  const said = (text: string, tokens = count(text)) => ({
    block: createBlock({ kind: 'text', role: 'user', tokens, text }),
  });
  const promptWith = (kept: number, one: ReturnType<typeof said>) =>
    promptOf(
      [...view.blocks.slice(0, kept).map((block) => ({ block })), one],
      toolsEnd,
      systemEnd - toolsEnd,
    );
  const order = instructions === null ? said(OWN_WORDS, 0) : said(instructions);
  const { format: _format, ...free } = whole;
  return {
    isAlone,
    ask: {
      ...free,
      ...promptWith(view.length, order),
      messages: [...messages, ...messagesOf([{ role: 'user', blocks: [order] }])],
      delivery: 'plain',
      maxTokens: whole.model.maxOutput,
      overWindow: 'cut',
      toolChoice: 'none',
      stopSequences: [],
      thinking: 'off',
    },
    behind(summary) {
      if (summary === null) return whole;
      const one = said(summary);
      const automatic = automaticTtlMs === null ? [] : [{ position: systemEnd, ttlMs: automaticTtlMs }];
      return {
        ...whole,
        ...promptWith(systemEnd, one),
        messages: messagesOf([{ role: 'assistant', blocks: [one] }]),
        breakpoints: [...breakpoints.filter(({ position }) => position < systemEnd), ...automatic],
      };
    },
  };
}

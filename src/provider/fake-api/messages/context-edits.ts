import { createBlock } from '../../../core/model/block.js';
import { refuse } from '../../cache/api-error.js';
import { asList, asObject, asText, type CountTokens, type JsonObject } from '../api-request.js';
import type { WireBlock } from './wire-block.js';

/** An edit that the API carried out, as its answer tells. */
export type AppliedEdit =
  | {
      readonly type: 'clear_tool_uses_20250919';
      readonly cleared_tool_uses: number;
      readonly cleared_input_tokens: number;
    }
  | {
      readonly type: 'clear_thinking_20251015';
      readonly cleared_thinking_turns: number;
      readonly cleared_input_tokens: number;
    };

interface ClearToolUses {
  readonly type: 'clear_tool_uses_20250919';
  readonly trigger: { readonly type: 'input_tokens' | 'tool_uses'; readonly value: number };
  readonly keep: number;
  readonly atLeast: number;
  readonly exclude: ReadonlySet<string>;
  /** Tools whose calls lose their input too; `all` for every one. */
  readonly inputs: ReadonlySet<string> | 'all';
}

interface ClearThinking {
  readonly type: 'clear_thinking_20251015';
  /** Turns of the assistant whose thinking stays; null leaves it to the model. */
  readonly keep: number | null;
}

/** A summary that the API makes of a conversation, in place of it. */
export interface Compact {
  readonly type: 'compact_20260112';
  /** Tokens of a prompt from which on it is made. */
  readonly trigger: number;
  /** What the model is told to do; null leaves it to the API. */
  readonly instructions: string | null;
  /** Whether nothing is answered behind it. */
  readonly isAlone: boolean;
}

/** What a request asks the API to do to its prompt before the model sees it. */
export type ContextEdit = ClearToolUses | ClearThinking | Compact;

/** Stands for a cleared result; the API's own words are not published. */
const CLEARED = '[Old tool result content cleared]';

const TYPES = ['clear_thinking_20251015', 'clear_tool_uses_20250919', 'compact_20260112'] as const;

/** When results are cleared, and how many stay, where a request does not say (documentation of context editing). */
const TRIGGER = { type: 'input_tokens', value: 100_000 } as const;
const KEEP = 3;

/** When a conversation is compacted where a request does not say, and the least it may say (documentation of compaction). */
const COMPACT_AT = 150_000;
const LEAST_COMPACT_AT = 50_000;

/** Betas without which compaction is not known: at a threshold, and on demand. */
const BETA_THRESHOLD = 'compact-2026-01-12';
const BETA_ON_DEMAND = 'compact-2026-09-04';

function needsBeta(path: string, beta: string, betas: readonly string[]): void {
  if (!betas.includes(beta))
    refuse(`${path}: Extra inputs are not permitted without the \`anthropic-beta\` value ${beta}`);
}

function amountAt(value: unknown, types: readonly string[], path: string): { type: string; value: number } {
  const amount = asObject(value);
  const type = asText(amount?.type) ?? '';
  if (!types.includes(type)) refuse(`${path}.type: Input should be one of ${types.join(', ')}`);
  const number = amount?.value;
  if (typeof number !== 'number' || !Number.isInteger(number) || number < 0)
    refuse(`${path}.value: Input should be a valid integer`);
  return { type, value: number };
}

function namesIn(value: unknown): ReadonlySet<string> {
  return new Set((asList(value) ?? []).map(String));
}

function readToolUses(edit: JsonObject, path: string): ClearToolUses {
  const trigger =
    edit.trigger == null ? TRIGGER : amountAt(edit.trigger, ['input_tokens', 'tool_uses'], `${path}.trigger`);
  const keep = edit.keep == null ? { value: KEEP } : amountAt(edit.keep, ['tool_uses'], `${path}.keep`);
  const least =
    edit.clear_at_least == null
      ? { value: 0 }
      : amountAt(edit.clear_at_least, ['input_tokens'], `${path}.clear_at_least`);
  return {
    type: 'clear_tool_uses_20250919',
    trigger: trigger as ClearToolUses['trigger'],
    keep: keep.value,
    atLeast: least.value,
    exclude: namesIn(edit.exclude_tools),
    inputs: edit.clear_tool_inputs === true ? 'all' : namesIn(edit.clear_tool_inputs),
  };
}

function readThinking(edit: JsonObject, path: string): ClearThinking {
  const { keep } = edit;
  const type = 'clear_thinking_20251015';
  if (keep == null) return { type, keep: null };
  if (keep === 'all' || asObject(keep)?.type === 'all') return { type, keep: Number.POSITIVE_INFINITY };
  const turns = amountAt(keep, ['thinking_turns', 'all'], `${path}.keep`);
  if (turns.value === 0) refuse(`${path}.keep.value: Input should be greater than 0`);
  return { type, keep: turns.value };
}

function readCompact(edit: JsonObject, path: string, betas: readonly string[]): Compact {
  needsBeta(path, BETA_THRESHOLD, betas);
  const trigger =
    edit.trigger == null
      ? { value: COMPACT_AT }
      : amountAt(edit.trigger, ['input_tokens'], `${path}.trigger`);
  if (trigger.value < LEAST_COMPACT_AT)
    refuse(`${path}.trigger.value: Input should be greater than or equal to ${LEAST_COMPACT_AT}`);
  return {
    type: 'compact_20260112',
    trigger: trigger.value,
    instructions: asText(edit.instructions),
    isAlone: edit.pause_after_compaction === true,
  };
}

/** The summary that a request asks for on demand, in place of an answer; null without any. */
export function readCompaction(body: JsonObject, betas: readonly string[]): Compact | null {
  if (body.compaction == null) return null;
  const asked = asObject(body.compaction);
  if (asked?.type !== 'summarize') refuse("compaction.type: Input should be 'summarize'");
  needsBeta('compaction', BETA_ON_DEMAND, betas);
  if (body.context_management != null) refuse('compaction: cannot be combined with `context_management`');
  const instructions = asText(asked.instructions)?.trim() ? asText(asked.instructions) : null;
  return { type: 'compact_20260112', trigger: 0, instructions, isAlone: true };
}

/** The edits that a request asks for; null without any. The wording of some refusals is ours. */
export function readEdits(body: JsonObject, betas: readonly string[]): readonly ContextEdit[] | null {
  if (body.context_management == null) return null;
  const management = asObject(body.context_management);
  if (management === null) refuse('context_management: Input should be a valid dictionary');
  const list = management.edits == null ? [] : asList(management.edits);
  if (list === null) refuse('context_management.edits: Input should be a valid list');
  const edits: ContextEdit[] = [];
  for (const [i, item] of list.entries()) {
    const path = `context_management.edits.${i}`;
    const edit = asObject(item) ?? {};
    const type = asText(edit.type) ?? '';
    if (!TYPES.some((known) => known === type))
      refuse(`${path}.type: Input should be one of ${TYPES.join(', ')}`);
    if (type === 'clear_thinking_20251015' && i > 0)
      refuse(`${path}: \`clear_thinking_20251015\` must be the first edit`);
    edits.push(
      type === 'compact_20260112'
        ? readCompact(edit, path, betas)
        : type === 'clear_thinking_20251015'
          ? readThinking(edit, path)
          : readToolUses(edit, path),
    );
  }
  return edits;
}

/** Tokens of blocks. */
export function tokensIn(blocks: readonly WireBlock[]): number {
  return blocks.reduce((sum, { block }) => sum + block.tokens, 0);
}

/** A block with other words in its place; its marker stays. */
function replaced(wire: WireBlock, text: string, count: CountTokens): WireBlock {
  const { kind, role, toolUseId, tool } = wire.block;
  const facts = { replaces: 'cleared' } as const;
  return { ...wire, block: createBlock({ kind, role, tokens: count(text), text, toolUseId, tool, facts }) };
}

/** Clears the oldest results: the latest stay, and nothing happens below the trigger or where too little would go (MIC-4). */
function clearToolUses(
  blocks: readonly WireBlock[],
  edit: ClearToolUses,
  count: CountTokens,
): { readonly blocks: readonly WireBlock[]; readonly applied: AppliedEdit | null } {
  const tools = new Map<string, string>();
  for (const { block } of blocks)
    if (block.kind === 'tool_use') tools.set(block.toolUseId ?? '', block.tool ?? '');
  const { trigger, keep, exclude, inputs, atLeast } = edit;
  const reached = trigger.type === 'tool_uses' ? tools.size : tokensIn(blocks);
  const uses = blocks
    .filter(({ block }) => block.kind === 'tool_result')
    .map(({ block }) => block.toolUseId ?? '')
    .filter((id) => !exclude.has(tools.get(id) ?? ''));
  const cleared = new Set(uses.slice(0, Math.max(0, uses.length - keep)));
  const after = blocks.map((wire) => {
    const { kind, toolUseId, tool } = wire.block;
    if (toolUseId === null || !cleared.has(toolUseId)) return wire;
    if (kind === 'tool_result') return replaced(wire, CLEARED, count);
    const losesInput = inputs === 'all' || inputs.has(tool ?? '');
    return kind === 'tool_use' && losesInput ? replaced(wire, `${tool ?? ''}{}`, count) : wire;
  });
  const tokens = tokensIn(blocks) - tokensIn(after);
  if (reached <= trigger.value || tokens <= 0 || tokens < atLeast) return { blocks, applied: null };
  return {
    blocks: after,
    applied: { type: edit.type, cleared_tool_uses: cleared.size, cleared_input_tokens: tokens },
  };
}

/** Takes the thinking of all but the latest turns out; a loop of tool calls is one turn. */
function clearThinking(
  blocks: readonly WireBlock[],
  { type, keep }: ClearThinking,
): { readonly blocks: readonly WireBlock[]; readonly applied: AppliedEdit | null } {
  let turn = 0;
  const turnOf = blocks.map(({ block: { kind, role } }) => {
    if (role === 'user' && kind !== 'tool_result') turn += 1;
    return kind === 'thinking' ? turn : null;
  });
  const turns = [...new Set(turnOf.filter((number) => number !== null))];
  const cleared = new Set(keep === null ? [] : turns.slice(0, Math.max(0, turns.length - keep)));
  if (cleared.size === 0) return { blocks, applied: null };
  const left = blocks.filter((_, i) => turnOf[i] === null || !cleared.has(turnOf[i]!));
  const tokens = tokensIn(blocks) - tokensIn(left);
  return {
    blocks: left,
    applied: { type, cleared_thinking_turns: cleared.size, cleared_input_tokens: tokens },
  };
}

/** Carries edits out on a prompt, in their order, and says what each did. */
export function applyEdits(
  blocks: readonly WireBlock[],
  edits: readonly ContextEdit[],
  count: CountTokens,
): { readonly blocks: readonly WireBlock[]; readonly applied: readonly AppliedEdit[] } {
  const applied: AppliedEdit[] = [];
  let left = blocks;
  for (const edit of edits) {
    if (edit.type === 'compact_20260112') continue;
    const done =
      edit.type === 'clear_thinking_20251015' ? clearThinking(left, edit) : clearToolUses(left, edit, count);
    left = done.blocks;
    if (done.applied !== null) applied.push(done.applied);
  }
  return { blocks: left, applied };
}

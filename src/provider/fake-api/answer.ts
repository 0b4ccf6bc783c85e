import { attempt } from '../../core/base/errors.js';
import { type Block, createBlock } from '../../core/model/block.js';
import type { Usage } from '../../core/model/usage.js';
import type { FaultRule } from '../../core/run/run-plan.js';
import { type ApiRequest, asObject, type CountTokens, minimalValue } from './api-request.js';

/** A block of an answer. */
export type AnswerBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly thinking: string; readonly signature: string }
  | {
      readonly type: 'tool_use';
      readonly id: string;
      readonly name: string;
      readonly input: Readonly<Record<string, unknown>>;
    };

/** Why an answer ended. */
export const STOP_REASONS = [
  'end_turn',
  'max_tokens',
  'tool_use',
  'stop_sequence',
  'pause_turn',
  'refusal',
  'model_context_window_exceeded',
] as const;
export type StopReason = (typeof STOP_REASONS)[number];

/** What somebody wants to be answered; the API decides how much of it is. */
export interface GivenAnswer {
  readonly content: readonly AnswerBlock[];
  /** As the content says where absent. */
  readonly stopReason?: StopReason;
  /** As the content is counted where absent. */
  readonly outputTokens?: number;
  /** Time that the whole answer takes; as the model needs where absent. */
  readonly latencyMs?: number;
  /** What the client gets to see in place of the billed usage. */
  readonly usage?: Partial<Usage>;
}

/** An answer of the fake API. */
export interface ApiAnswer {
  readonly content: readonly AnswerBlock[];
  readonly stopReason: StopReason;
  /** The text that ended it; null for other reasons. */
  readonly stopSequence: string | null;
  readonly outputTokens: number;
}

const ERROR_CONTENT: readonly AnswerBlock[] = [
  {
    type: 'text',
    text: 'API Error: 500 {"type":"error","error":{"type":"api_error","message":"Internal server error"}}',
  },
];
const TOOL_CONTENT: readonly AnswerBlock[] = [
  { type: 'tool_use', id: 'toolu_fault', name: 'Read', input: { file_path: '/unwanted' } },
];

function faulty(content: readonly AnswerBlock[], fault: FaultRule | null): readonly AnswerBlock[] {
  switch (fault?.error) {
    case 'empty_summary':
      return [];
    case 'error_as_summary':
      return ERROR_CONTENT;
    case 'tool_call':
      return TOOL_CONTENT;
    case 'no_summary_tags':
      return content.map((block) =>
        block.type === 'text'
          ? { ...block, text: block.text.replace(/<\/?(summary|analysis)>/g, '') }
          : block,
      );
    default:
      return content;
  }
}

/** A call that a request forces, with the smallest input that the tool takes. */
function forcedCall(request: ApiRequest, name: string): AnswerBlock {
  const tool = request.tools.find((other) => other.name === name);
  const input = asObject(tool === undefined ? {} : minimalValue(tool.input)) ?? {};
  return { type: 'tool_use', id: `toolu_forced_${request.spoken.toString(36)}`, name, input };
}

function isJson(text: string): boolean {
  return attempt(() => typeof JSON.parse(text) === 'object', false);
}

/** What is left of the content, and what must be added, by what the request demands of tools and of the form of texts. */
function honour(content: readonly AnswerBlock[], request: ApiRequest): readonly AnswerBlock[] {
  const { toolChoice, allowedTools, callsAtOnce, format, tools } = request;
  let calls = content.filter((block) => block.type === 'tool_use');
  if (toolChoice === 'none') calls = [];
  if (allowedTools !== undefined) calls = calls.filter(({ name }) => allowedTools.includes(name));
  if (callsAtOnce === 'one') calls = calls.slice(0, 1);
  const forced = toolChoice === 'any' ? (allowedTools?.[0] ?? tools[0]?.name) : undefined;
  const added = calls.length === 0 && forced !== undefined ? [forcedCall(request, forced)] : [];
  const kept = content.filter((block) => block.type !== 'tool_use' || calls.includes(block));
  if (format === undefined || calls.length + added.length > 0) return [...kept, ...added];
  const [first] = kept.filter(({ type }) => type === 'text');
  if (first?.type === 'text' && isJson(first.text)) return kept;
  const text = JSON.stringify(minimalValue(format));
  return [...kept.filter(({ type }) => type !== 'text'), { type: 'text', text }];
}

/** A block of an answer as it comes back in the next prompt. */
export function blockOfAnswer(block: AnswerBlock, count: CountTokens): Block {
  const { type: kind } = block;
  const call = kind === 'tool_use' ? { toolUseId: block.id, tool: block.name } : {};
  const text = wordsOf(block);
  return createBlock({ kind, role: 'assistant', tokens: count(text), text, ...call });
}

function wordsOf(block: AnswerBlock): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'thinking':
      return block.thinking;
    case 'tool_use':
      return `${block.name}${JSON.stringify(block.input)}`;
  }
}

/** The blocks that fit into this many tokens; the first text that does not is cut in proportion. */
function cutContent(
  content: readonly AnswerBlock[],
  limit: number,
  request: ApiRequest,
): readonly AnswerBlock[] {
  const kept: AnswerBlock[] = [];
  let left = limit;
  for (const block of content) {
    const tokens = request.count(wordsOf(block));
    if (tokens > left) {
      const chars = block.type === 'text' ? Math.floor((block.text.length * left) / tokens) : 0;
      if (block.type === 'text' && chars > 0) kept.push({ type: 'text', text: block.text.slice(0, chars) });
      break;
    }
    kept.push(block);
    left -= tokens;
  }
  return kept;
}

/** The content up to the first text that ends it; null if none occurs. */
function cutAtSequence(
  content: readonly AnswerBlock[],
  sequences: readonly string[],
): { readonly content: readonly AnswerBlock[]; readonly sequence: string } | null {
  for (const [i, block] of content.entries()) {
    if (block.type !== 'text') continue;
    let at = block.text.length;
    let sequence: string | null = null;
    for (const candidate of sequences) {
      const found = block.text.indexOf(candidate);
      if (found === -1 || found >= at) continue;
      at = found;
      sequence = candidate;
    }
    if (sequence === null) continue;
    const kept = at === 0 ? [] : [{ ...block, text: block.text.slice(0, at) }];
    return { content: [...content.slice(0, i), ...kept], sequence };
  }
  return null;
}

/** Ends an answer where the request, the window or a fault ends it. */
export function finishAnswer(given: GivenAnswer, request: ApiRequest, fault: FaultRule | null): ApiAnswer {
  if (request.maxTokens === 0)
    return { content: [], stopReason: 'max_tokens', stopSequence: null, outputTokens: 0 };
  const said = faulty(honour(given.content, request), fault);
  const cut = cutAtSequence(said, request.stopSequences ?? []);
  const whole = cut?.content ?? said;
  let outputTokens = 0;
  for (const block of whole) outputTokens += request.count(wordsOf(block));
  outputTokens = Math.max(1, outputTokens);
  const room =
    request.overWindow === 'refused'
      ? Number.POSITIVE_INFINITY
      : Math.max(1, request.windowTokens - request.promptTokens);
  const limit = Math.min(request.maxTokens, room);
  if (outputTokens > limit) {
    const stopReason = room < request.maxTokens ? 'model_context_window_exceeded' : 'max_tokens';
    const content = cutContent(whole, limit, request);
    return { content, stopReason, stopSequence: null, outputTokens: limit };
  }
  if (fault?.error === 'cut_summary') {
    const half = Math.ceil(outputTokens / 2);
    const content = cutContent(whole, half, request);
    return { content, stopReason: 'max_tokens', stopSequence: null, outputTokens: half };
  }
  const natural = whole.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn';
  return {
    content: whole,
    stopReason: cut === null ? (given.stopReason ?? natural) : 'stop_sequence',
    stopSequence: cut?.sequence ?? null,
    outputTokens: cut === null ? Math.min(limit, given.outputTokens ?? outputTokens) : outputTokens,
  };
}

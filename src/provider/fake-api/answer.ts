import type { FaultRule } from '../../core/run/run-plan.js';
import type { ApiRequest } from './api-request.js';

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
export type StopReason = 'end_turn' | 'max_tokens' | 'tool_use' | 'model_context_window_exceeded';

/** An answer of the fake API. */
export interface ApiAnswer {
  readonly content: readonly AnswerBlock[];
  readonly stopReason: StopReason;
  readonly outputTokens: number;
}

/** What is said when nobody says otherwise. */
export function defaultContent(request: ApiRequest): readonly AnswerBlock[] {
  const { length } = request.messages;
  const text = `Read ${length} ${length === 1 ? 'turn' : 'turns'}.`;
  const said: AnswerBlock = { type: 'text', text };
  if (request.thinking === 'off') return [said];
  return [{ type: 'thinking', thinking: text, signature: `sig_${request.spoken.toString(36)}` }, said];
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

function tokensOf(block: AnswerBlock, request: ApiRequest): number {
  switch (block.type) {
    case 'text':
      return request.count(block.text);
    case 'thinking':
      return request.count(block.thinking);
    case 'tool_use':
      return request.count(`${block.name}${JSON.stringify(block.input)}`);
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
    const tokens = tokensOf(block, request);
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

/** Ends an answer where the request, the window or a fault ends it. */
export function finishAnswer(
  content: readonly AnswerBlock[],
  request: ApiRequest,
  fault: FaultRule | null,
): ApiAnswer {
  if (request.maxTokens === 0) return { content: [], stopReason: 'max_tokens', outputTokens: 0 };
  const whole = faulty(content, fault);
  let outputTokens = 0;
  for (const block of whole) outputTokens += tokensOf(block, request);
  outputTokens = Math.max(1, outputTokens);
  const room =
    request.overWindow === 'refused'
      ? Number.POSITIVE_INFINITY
      : Math.max(1, request.windowTokens - request.promptTokens);
  const limit = Math.min(request.maxTokens, room);
  if (outputTokens > limit) {
    const stopReason = room < request.maxTokens ? 'model_context_window_exceeded' : 'max_tokens';
    return { content: cutContent(whole, limit, request), stopReason, outputTokens: limit };
  }
  if (fault?.error === 'cut_summary') {
    const half = Math.ceil(outputTokens / 2);
    return { content: cutContent(whole, half, request), stopReason: 'max_tokens', outputTokens: half };
  }
  return {
    content: whole,
    stopReason: whole.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn',
    outputTokens,
  };
}

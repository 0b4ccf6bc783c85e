import type { Message } from '../../../core/model/message.js';
import { estimateMessage, PLAIN_RULES } from '../../../core/tokens/heuristic.js';
import type { KeepLimits } from './notes-file.js';

/** Origins that are not somebody speaking: their text does not count as a message with text (SES-6). */
const SILENT_ORIGINS: ReadonlySet<Message['origin']> = new Set([
  'attachment',
  'boundary',
  'context',
  'marker',
  'summary',
]);

/** True when somebody says something in the message (SES-6). @internal */
export function hasText(message: Message): boolean {
  if (SILENT_ORIGINS.has(message.origin)) return false;
  return message.blocks.some((block) => block.kind === 'text' && block.chars > 0);
}

/** Index behind the latest compaction: its boundary marker or its summary; 0 when there was none (SES-6). @internal */
export function afterLastBoundary(messages: readonly Message[]): number {
  for (let i = messages.length - 1; i >= 0; i--) {
    const { origin } = messages[i]!;
    if (origin === 'boundary' || origin === 'summary') return i + 1;
  }
  return 0;
}

/**
 * First message that a compaction from notes keeps (SES-6): the one after the last summarised message, or an earlier one
 * until the tail is large enough. It is not extended past the last boundary nor by a message that would bring it
 * over the maximum; what belongs together stays together even so (SES-7).
 */
export function keptTailStart(messages: readonly Message[], afterIndex: number, limits: KeepLimits): number {
  const floor = afterLastBoundary(messages);
  let start = Math.min(messages.length, Math.max(afterIndex + 1, floor));
  let tokens = 0;
  let withText = 0;
  for (let i = start; i < messages.length; i++) {
    tokens += estimateMessage(messages[i]!, PLAIN_RULES);
    if (hasText(messages[i]!)) withText++;
  }
  while (start > floor && (tokens < limits.minTokens || withText < limits.minMessages)) {
    const message = messages[start - 1]!;
    const extended = tokens + estimateMessage(message, PLAIN_RULES);
    if (extended > limits.maxTokens) break;
    tokens = extended;
    if (hasText(message)) withText++;
    start--;
  }
  return Math.max(floor, moveCutToWhole(messages, start));
}

/**
 * Moves a cut back until nothing is split (SES-7): every result behind it has its call behind it, and the messages of one
 * response (thinking included) are on one side. Results whose call is nowhere do not move it. @internal
 */
export function moveCutToWhole(messages: readonly Message[], index: number): number {
  const responses = new Set<string>();
  /** Results whose calls have not been met, going back. */
  const results = new Set<string>();
  let cut = index;
  let seen = messages.length;
  for (;;) {
    for (; seen > cut; seen--) {
      const { blocks, responseId } = messages[seen - 1]!;
      if (responseId !== null) responses.add(responseId);
      for (let i = blocks.length - 1; i >= 0; i--) {
        const { kind, toolUseId } = blocks[i]!;
        if (toolUseId === null) continue;
        if (kind === 'tool_result') results.add(toolUseId);
        else if (kind === 'tool_use' && results.size > 0) results.delete(toolUseId);
      }
    }
    const earlier = firstPart(messages, cut, responses, results);
    if (earlier === cut) return cut;
    cut = earlier;
  }
}

/** First message before a cut that holds part of a response or a call that the other side needs; the cut if none does. */
function firstPart(
  messages: readonly Message[],
  cut: number,
  responses: ReadonlySet<string>,
  results: ReadonlySet<string>,
): number {
  for (let i = 0; i < cut; i++) {
    const { role, blocks, responseId } = messages[i]!;
    if (responseId !== null && responses.has(responseId)) return i;
    if (role === 'user' || results.size === 0) continue;
    for (const { kind, toolUseId } of blocks)
      if (kind === 'tool_use' && toolUseId !== null && results.has(toolUseId)) return i;
  }
  return cut;
}

/**
 * Number of messages at the start in which every call is answered: what a fork may send and notes may cover (SES-3).
 * Only the latest response can have open calls; the search never goes further back.
 */
export function settledLength(messages: readonly Message[]): number {
  const start = lastResponseStart(messages);
  const open = new Set<string>();
  for (let i = start; i < messages.length; i++) {
    for (const { kind, toolUseId } of messages[i]!.blocks) {
      if (toolUseId === null) continue;
      if (kind === 'tool_use') open.add(toolUseId);
      else if (kind === 'tool_result') open.delete(toolUseId);
    }
  }
  return open.size === 0 ? messages.length : start;
}

function lastResponseStart(messages: readonly Message[]): number {
  let last = messages.length - 1;
  while (last >= 0 && messages[last]!.role !== 'assistant') last--;
  if (last < 0) return messages.length;
  const { responseId } = messages[last]!;
  if (responseId === null) return last;
  let start = last;
  for (let i = last - 1; i >= 0; i--) {
    const message = messages[i]!;
    if (message.role !== 'assistant') continue;
    if (message.responseId !== responseId) break;
    start = i;
  }
  return start;
}

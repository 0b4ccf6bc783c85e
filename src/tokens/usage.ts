import type { Message } from '../model/message.js';
import { totalTokens } from '../model/usage.js';
import { estimateMessages, type HeuristicRules } from './heuristic.js';

/** Tokens the API reported with the latest assistant message that carries usage; 0 when none does (TOK-4). */
export function tokensFromUsage(messages: readonly Message[]): number {
  const latest = latestUsageIndex(messages);
  return latest < 0 ? 0 : totalTokens(messages[latest]!.usage!);
}

/** Latest reported tokens plus the estimate of everything after the first message of that response (TOK-5). */
export function canonicalCount(messages: readonly Message[], rules: HeuristicRules): number {
  const latest = latestUsageIndex(messages);
  if (latest < 0) return estimateMessages(messages, rules);
  const anchor = firstOfResponse(messages, latest);
  return totalTokens(messages[latest]!.usage!) + estimateMessages(messages, rules, anchor + 1);
}

function latestUsageIndex(messages: readonly Message[]): number {
  for (let i = messages.length - 1; i >= 0; i--) {
    const message = messages[i]!;
    if (message.role === 'assistant' && message.usage !== null) return i;
  }
  return -1;
}

/** Walks back over interleaved results until another response begins. */
function firstOfResponse(messages: readonly Message[], latest: number): number {
  const { responseId } = messages[latest]!;
  if (responseId === null) return latest;
  let first = latest;
  for (let i = latest - 1; i >= 0; i--) {
    const { role, responseId: id } = messages[i]!;
    if (id === responseId) first = i;
    else if (role === 'assistant' && id !== null) break;
  }
  return first;
}

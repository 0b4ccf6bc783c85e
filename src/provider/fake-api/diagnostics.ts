import type { PrefixView } from '../../core/model/prefix.js';
import type { ApiRequest } from './api-request.js';

/** What of a request the next one is compared with. */
export type ComparedRequest = Pick<ApiRequest, 'model' | 'salts'> & { readonly view: PrefixView };

/** Why the cache missed, as the API tells it: the earliest difference from the previous request. */
export type CacheMissReason =
  | {
      readonly type: 'model_changed' | 'tools_changed' | 'system_changed' | 'messages_changed';
      readonly cache_missed_input_tokens: number;
    }
  | { readonly type: 'previous_message_not_found' | 'unavailable' };

/** The last position both prompts share up to, −1 when they differ from the start. */
export function sharedEnd(before: ComparedRequest, now: ComparedRequest): number {
  const length = Math.min(before.view.length, now.view.length);
  let end = -1;
  while (end + 1 < length && before.view.digests[end + 1] === now.view.digests[end + 1]) end += 1;
  return end;
}

/** Explains a request by the one before it; null when it only grew. */
export function explainMiss(before: ComparedRequest | undefined, now: ApiRequest): CacheMissReason | null {
  if (before === undefined) return { type: 'previous_message_not_found' };
  if (before.model.id !== now.model.id) {
    return { type: 'model_changed', cache_missed_input_tokens: now.promptTokens };
  }
  const shared = sharedEnd(before, now);
  const missed = { cache_missed_input_tokens: now.promptTokens - (shared < 0 ? 0 : now.view.sums[shared]!) };
  const { toolsEnd, systemEnd, length } = before.view;
  if (shared + 1 < toolsEnd || now.view.toolsEnd !== toolsEnd) return { type: 'tools_changed', ...missed };
  if (shared + 1 < systemEnd || now.view.systemEnd !== systemEnd)
    return { type: 'system_changed', ...missed };
  if (shared + 1 < length) return { type: 'messages_changed', ...missed };
  return before.salts.messages === now.salts.messages ? null : { type: 'unavailable' };
}

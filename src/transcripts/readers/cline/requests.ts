import type { Usage } from '../../../core/model/usage.js';
import { parseObject } from '../../lines/json-lines.js';
import { isObject, type JsonObject, numberOf, objectOf, textOf } from '../../lines/narrow.js';
import { timeOf } from '../../lines/time-of.js';

/** A compaction that happened before a request. */
export interface Condensed {
  readonly preTokens: number | null;
  readonly postTokens: number | null;
  readonly summary: string | null;
  /** Messages of the history that were taken out, first and last; null where the record does not say. */
  readonly range: readonly [number, number] | null;
}

/** A request as the messages of the user interface tell it. */
export interface UiRequest {
  readonly sentMs: number | null;
  readonly endMs: number | null;
  readonly model: string | null;
  readonly counts: JsonObject;
  /** What the user said before it, and what the model said in it. */
  readonly asked: readonly string[];
  readonly said: readonly string[];
  readonly condensed: Condensed | null;
}

const SPOKEN_BY_USER = new Set(['task', 'user_feedback', 'user_feedback_diff']);
const WRITTEN_BY_MODEL = new Set([
  'text',
  'reasoning',
  'tool',
  'command',
  'completion_result',
  'followup',
  'use_mcp_server',
]);

function rangeOf(value: unknown): readonly [number, number] | null {
  if (!Array.isArray(value)) return null;
  const [first, last] = [numberOf(value[0]), numberOf(value[1])];
  return first === null || last === null ? null : [first, last];
}

/** A request that failed or was stopped before anything was billed. */
function isVain(counts: JsonObject): boolean {
  const hasFailed = textOf(counts.cancelReason) !== null || textOf(counts.streamingFailedMessage) !== null;
  return hasFailed && usageOf(counts, 'apart') === null;
}

/** Whether the input of a request holds what was read and written: Roo's counts do for OpenAI's protocol, and later for both. */
export function inputRule(requests: readonly UiRequest[]): 'apart' | 'inside' {
  const cached = requests
    .map(({ counts }) => counts)
    .filter((counts) => textOf(counts.apiProtocol) !== null)
    .map((counts) => ({ all: numberOf(counts.tokensIn) ?? 0, cached: cachedOf(counts) }))
    .filter((counts) => counts.cached > 0);
  return cached.length > 0 && cached.every((counts) => counts.all >= counts.cached) ? 'inside' : 'apart';
}

function cachedOf(counts: JsonObject): number {
  return (numberOf(counts.cacheReads) ?? 0) + (numberOf(counts.cacheWrites) ?? 0);
}

/** Usage in the normal form; null where nothing was counted. */
export function usageOf(counts: JsonObject, rule: 'apart' | 'inside'): Usage | null {
  const all = numberOf(counts.tokensIn);
  if (all === null) return null;
  const cacheRead = numberOf(counts.cacheReads) ?? 0;
  const cacheWrite5m = numberOf(counts.cacheWrites) ?? 0;
  const output = numberOf(counts.tokensOut) ?? 0;
  if (all + cacheRead + cacheWrite5m + output <= 0) return null;
  const input = rule === 'inside' ? Math.max(0, all - cacheRead - cacheWrite5m) : all;
  return { input, cacheRead, cacheWrite5m, cacheWrite1h: 0, output };
}

function condensedOf(message: JsonObject): Condensed | null {
  const told = message.say === 'condense_context' ? message.contextCondense : message.contextTruncation;
  if (!isObject(told)) return null;
  return {
    preTokens: numberOf(told.prevContextTokens),
    postTokens: numberOf(told.newContextTokens),
    summary: textOf(told.summary),
    range: null,
  };
}

/** The requests of a task in order, with what happened between them. */
export function uiRequests(messages: readonly JsonObject[]): readonly UiRequest[] {
  const requests: UiRequest[] = [];
  let asked: string[] = [];
  let condensed: Condensed | null = null;
  let lastDeleted = -1;
  let open: { request: UiRequest; said: string[] } | null = null;
  const seen = new Set<number>();
  const close = (): void => {
    if (open !== null && !isVain(open.request.counts)) requests.push({ ...open.request, said: open.said });
    else if (open !== null) {
      asked = [...open.request.asked, ...asked];
      condensed = open.request.condensed ?? condensed;
    }
    open = null;
  };
  for (const message of messages) {
    const kind = textOf(message.say) ?? textOf(message.ask) ?? '';
    const timeMs = timeOf(message.ts);
    const words = textOf(message.text);
    const range = rangeOf(message.conversationHistoryDeletedRange);
    if (kind === 'api_req_started') {
      if (timeMs !== null && seen.has(timeMs)) continue;
      if (timeMs !== null) seen.add(timeMs);
      close();
      if (range !== null && range[1] > lastDeleted) {
        condensed ??= { preTokens: null, postTokens: null, summary: null, range };
        lastDeleted = range[1];
      }
      const counts = words === null ? {} : (parseObject(words) ?? {});
      const model = textOf(objectOf(message.modelInfo).modelId);
      open = {
        request: { sentMs: timeMs, endMs: null, model, counts, asked, said: [], condensed },
        said: [],
      };
      [asked, condensed] = [[], null];
    } else if (SPOKEN_BY_USER.has(kind)) {
      if (words !== null) asked.push(words);
    } else if (kind === 'condense_context' || kind === 'sliding_window_truncation') {
      condensed = condensedOf(message) ?? condensed;
    } else if (open !== null && WRITTEN_BY_MODEL.has(kind)) {
      if (words !== null && kind === 'text') open.said.push(words);
      open.request = { ...open.request, endMs: timeMs ?? open.request.endMs };
    }
  }
  close();
  return requests;
}

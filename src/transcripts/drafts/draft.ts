import type { Mutable } from '../../core/base/mutable.js';
import type { Block } from '../../core/model/block.js';
import { createMessage, type Message } from '../../core/model/message.js';
import type { RecordedCall, RecordedCompaction, ThreadEvent } from '../../core/model/transcript.js';
import type { Usage } from '../../core/model/usage.js';

/** A block whose tokens are still open: the only one of its members that may change, and only while it is a draft. */
export interface DraftBlock extends Omit<Block, 'tokens'> {
  tokens: number;
}

/** A message whose tokens and time are still open. */
export interface DraftMessage extends Omit<Message, 'blocks' | 'usage' | 'at'> {
  readonly timeMs: number | null;
  readonly blocks: DraftBlock[];
  usage: Usage | null;
  at: number;
}

/** A call whose times are still open. */
export interface DraftCall
  extends Mutable<Omit<RecordedCall, 'response' | 'outputTokens' | 'outputIsPlaceholder'>> {
  readonly message: DraftMessage;
  readonly version: string | null;
  /** No line of it says how long the response was. */
  outputIsMissing: boolean;
  /** When it was sent, where the record says so; else it follows what came before it at once. */
  readonly firstTimeMs?: number | null;
  lastTimeMs: number | null;
}

/** What an event does to the context: nothing, or which kind of rebuild follows. */
export type Rebuild = 'none' | 'resume' | 'microcompact' | 'compaction' | 'rewind';

/** An event whose time is still open. */
export interface DraftEvent {
  readonly rebuild: Rebuild;
  readonly timeMs: number | null;
  readonly keptIds: readonly string[];
  /** Messages that did not come back; emptied where sizes show that they did. */
  lostIds: readonly string[];
  summary: DraftMessage | null;
  /** What the user asked a compaction to do. */
  instructions?: string;
  /** The last message that a rewind leaves; null when it goes back to the beginning. */
  readonly lastId?: string | null;
  /** It tells nothing but who speaks. */
  readonly isSpeaker?: true;
  make(at: number, summary: Message | null): ThreadEvent;
}

/** An event that changes nothing in the context, unless `more` says so. */
export function draftEvent(
  timeMs: number | null,
  make: DraftEvent['make'],
  more: Partial<DraftEvent> = {},
): DraftEvent {
  return { rebuild: 'none', timeMs, keptIds: [], lostIds: [], summary: null, make, ...more };
}

type Microcompaction = Extract<ThreadEvent, { readonly kind: 'recorded-microcompact' }>;

/** A compaction; its summary, and what the user asked of it, may come later. */
export function compactionEvent(
  timeMs: number | null,
  { keptIds, ...recorded }: Omit<RecordedCompaction, 'kind' | 'at' | 'summary' | 'instructions'>,
  summary: DraftMessage | null = null,
): DraftEvent {
  const make: DraftEvent['make'] = (at, finished) => ({
    kind: 'recorded-compaction',
    at,
    ...recorded,
    summary: finished,
    keptIds,
    ...(event.instructions === undefined ? {} : { instructions: event.instructions }),
  });
  const event = draftEvent(timeMs, make, { rebuild: 'compaction', keptIds, summary });
  return event;
}

/** Old results were emptied, and everything else stayed. */
export function microcompactEvent(
  timeMs: number | null,
  recorded: Omit<Microcompaction, 'kind' | 'at'>,
): DraftEvent {
  const make = (at: number): ThreadEvent => ({ kind: 'recorded-microcompact', at, ...recorded });
  return draftEvent(timeMs, make, { rebuild: 'microcompact' });
}

/** The user went back to a message; null is the beginning. */
export function rewindEvent(timeMs: number | null, lastId: string | null): DraftEvent {
  return draftEvent(timeMs, (at) => ({ kind: 'rewind', at, lastId }), { rebuild: 'rewind', lastId });
}

/** A step of a thread while it is being read. */
export type DraftStep =
  | { readonly kind: 'message'; readonly message: DraftMessage }
  | { readonly kind: 'call'; readonly call: DraftCall }
  | { readonly kind: 'event'; readonly event: DraftEvent };

/** What is needed to start a draft message. */
export type DraftMessageInit = Pick<DraftMessage, 'id' | 'role' | 'origin' | 'timeMs' | 'blocks'> &
  Partial<Pick<DraftMessage, 'responseId' | 'attachedTo'>>;

/** Starts a message. */
export function draftMessage(init: DraftMessageInit): DraftMessage {
  return { responseId: null, attachedTo: null, ...init, usage: null, at: 0 };
}

/** True tokens of a draft message as far as they are known. */
export function draftTokens(message: DraftMessage): number {
  let total = 0;
  for (const block of message.blocks) total += block.tokens;
  return total;
}

/** The finished message. */
export function finishMessage(draft: DraftMessage): Message {
  const { id, role, origin, blocks, at, responseId, usage, attachedTo } = draft;
  return createMessage({ id, role, origin, blocks, at, responseId, usage, attachedTo });
}

/**
 * True when the recorded output count is only the value at the start of the stream. The last line of a response tells how it stopped, and the
 * final count with it. Clients before 2.1.59 wrote almost none of these lines (spec of transcripts §3); where they did, the count is final.
 */
export function isPlaceholderOutput(stopReason: string | null): boolean {
  return stopReason === null;
}

/** The finished call. */
export function finishCall(draft: DraftCall): RecordedCall {
  const { id, model, startMs, endMs, usage, stopReason, missReason, effort } = draft;
  return {
    id,
    startMs,
    endMs,
    model,
    response: finishMessage(draft.message),
    usage,
    outputIsPlaceholder: draft.outputIsMissing || isPlaceholderOutput(stopReason),
    stopReason,
    missReason,
    effort,
  };
}

/** Counts of a request as a record tells them; null if it has none. */
export interface Counts {
  readonly prompt: number | null;
  readonly read: number | null;
  readonly written: number | null;
  readonly output: number | null;
}

/** Whether the prompt of a record holds what was read and written. */
export type PromptRule = 'inside' | 'apart';

/** More read than the prompt is long cannot be inside it. */
export function promptRule(all: readonly Counts[]): PromptRule {
  return all.some(({ prompt, read }) => (read ?? 0) > (prompt ?? 0)) ? 'apart' : 'inside';
}

/** Usage in the normal form; null if nothing was counted. */
export function usageOf(counts: Counts, rule: PromptRule): Usage | null {
  const prompt = counts.prompt ?? 0;
  const output = counts.output ?? 0;
  const cacheRead = counts.read ?? 0;
  const cacheWrite5m = counts.written ?? 0;
  if (prompt + cacheRead + cacheWrite5m + output <= 0) return null;
  const input = rule === 'apart' ? prompt : Math.max(0, prompt - cacheRead - cacheWrite5m);
  return { input, cacheRead, cacheWrite5m, cacheWrite1h: 0, output };
}

/** Usage of a prompt that is as long as it says: no more was read and written than it holds. */
export function usageWithin(prompt: number, counts: Omit<Counts, 'prompt'>): Usage {
  const cacheRead = Math.min(prompt, counts.read ?? 0);
  const cacheWrite5m = Math.min(prompt - cacheRead, counts.written ?? 0);
  const input = prompt - cacheRead - cacheWrite5m;
  return { input, cacheRead, cacheWrite5m, cacheWrite1h: 0, output: counts.output ?? 0 };
}

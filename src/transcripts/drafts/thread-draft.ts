import { type Digest, digestParts } from '../../core/base/digest.js';
import { type BlockFacts, createBlock } from '../../core/model/block.js';
import type { MessageOrigin } from '../../core/model/message.js';
import type { Text } from '../../core/model/text.js';
import type { RecordedCompaction, ThreadEvent } from '../../core/model/transcript.js';
import { promptTokens, type Usage } from '../../core/model/usage.js';
import { idOf, soundTime } from '../lines/narrow.js';
import { isPlausibleUsage } from '../lines/plausible.js';
import {
  compactionEvent,
  type DraftBlock,
  type DraftCall,
  type DraftEvent,
  type DraftMessage,
  type DraftStep,
  draftEvent,
  draftMessage,
  microcompactEvent,
  rewindEvent,
} from './draft.js';

/** Something a message holds, as a reader finds it. Null text is content that the record leaves out. */
export interface Piece {
  readonly kind: 'text' | 'thinking' | 'tool_use' | 'tool_result' | 'image' | 'document' | 'other';
  readonly text: string | null;
  /** Where the text can be read again; where absent it stays in memory. */
  readonly source?: Text | null;
  /** How long content is that the record leaves out, as far as it tells. */
  readonly chars?: number;
  /** Name of the tool and id of the call, for calls and results. */
  readonly tool?: string | null;
  readonly toolUseId?: string | null;
  readonly facts?: BlockFacts;
}

/** A message of the user, a tool or the client. */
export interface Said {
  /** Unique in its thread; numbered where the source has none. */
  readonly id?: string | null;
  readonly timeMs: number | null;
  readonly origin: MessageOrigin;
  readonly pieces: readonly Piece[];
}

/** A response of the model with what was billed for its request. */
export interface Responded {
  /** One API call, one id: what repeats it is left out. */
  readonly id: string;
  readonly model: string;
  /** When the request was sent, where the source says so. */
  readonly sentMs?: number | null;
  /** When the response was complete. */
  readonly timeMs: number | null;
  readonly pieces: readonly Piece[];
  readonly usage: Usage | null;
  /** The source does not say how long the response was. */
  readonly outputIsMissing?: boolean;
  /** By whether it calls a tool, where the source does not say. */
  readonly stopReason?: string | null;
  readonly effort?: string | null;
}

/** A compaction as far as the source tells of it. */
export interface Compacted
  extends Pick<RecordedCompaction, 'trigger' | 'isAmongCalls'>,
    Partial<Pick<RecordedCompaction, 'preTokens' | 'postTokens' | 'durationMs' | 'keptIds'>> {
  readonly timeMs: number | null;
  /** Text of the summary; null if it is opaque. */
  readonly summary: string | null;
  /** Where that can be read again; where absent it stays in memory. */
  readonly summarySource?: Text | null;
}

/** A prompt this much shorter than the one before it has been compacted, whether the source says so or not. */
export const UNRECORDED_DROP = 0.4;

/** One conversation while a reader goes through its record: the way from a foreign format to the steps of a thread. */
export class ThreadDraft {
  readonly steps: DraftStep[] = [];
  readonly #calls = new Set<string>();
  readonly #ids = new Set<string>();
  #number = 0;
  #prompt: number | null = null;
  /** A compaction, a rewind or an emptied conversation explains a shorter prompt. */
  #isRebuilt = false;
  /** Compactions that show as a shorter prompt alone. */
  unsaidCompactions = 0;
  /** Responses whose usage no request can have: it is left out. */
  badUsages = 0;

  constructor(
    readonly id: string,
    readonly parentId: string | null = null,
    readonly label: string = id,
    /** What a much shorter prompt means if the source does not say: with clients that record every compaction, a rewind. */
    private readonly unrecordedDrop: 'compaction' | 'rewind' = 'compaction',
  ) {}

  /** Calls so far. */
  get calls(): number {
    return this.#calls.size;
  }

  /** A message that is not the model's; null when it holds nothing or was there before. */
  say({ id, timeMs, origin, pieces }: Said): DraftMessage | null {
    if (pieces.length === 0) return null;
    const message = this.#message(id ?? null, 'user', origin, timeMs, pieces);
    if (message !== null) this.steps.push({ kind: 'message', message });
    return message;
  }

  /** A response; null when the call was there before. */
  respond(response: Responded): DraftCall | null {
    const { timeMs } = response;
    const id = idOf(response.id) ?? response.id;
    const model = idOf(response.model) ?? response.model;
    if (this.#calls.has(id)) return null;
    this.#calls.add(id);
    const isBad = response.usage !== null && !isPlausibleUsage(response.usage);
    if (isBad) this.badUsages++;
    const usage = isBad ? null : response.usage;
    if (usage !== null) this.#noticeDrop(promptTokens(usage), response.sentMs ?? timeMs);
    const message = this.#message(`response-${id}`, 'assistant', 'model', timeMs, response.pieces, id)!;
    message.usage = usage;
    const hasCall = response.pieces.some(({ kind }) => kind === 'tool_use');
    const call: DraftCall = {
      id,
      model,
      message,
      version: null,
      usage,
      outputIsMissing: response.outputIsMissing ?? false,
      stopReason: response.stopReason ?? (hasCall ? 'tool_use' : 'end_turn'),
      missReason: null,
      effort: response.effort ?? null,
      firstTimeMs: response.sentMs == null ? null : soundTime(response.sentMs),
      lastTimeMs: timeMs,
      startMs: 0,
      endMs: 0,
    };
    this.steps.push({ kind: 'call', call });
    return call;
  }

  /** A compaction that the source tells of. */
  compact({ timeMs, summary, summarySource = null, ...recorded }: Compacted): void {
    const { trigger, preTokens, postTokens = null, durationMs = null, keptIds = [] } = recorded;
    const pieces: readonly Piece[] = [{ kind: 'text', text: summary, source: summarySource }];
    const message = summary === null ? null : this.#message(null, 'user', 'summary', timeMs, pieces);
    const known = {
      trigger,
      preTokens: preTokens ?? this.#prompt,
      postTokens,
      durationMs,
      keptIds,
      ...(recorded.isAmongCalls === undefined ? {} : { isAmongCalls: recorded.isAmongCalls }),
    };
    this.#rebuild(compactionEvent(timeMs, known, message));
  }

  /** Old results were emptied, and everything else stayed. */
  clear(timeMs: number | null, toolUseIds: readonly string[]): void {
    const preTokens = this.#prompt;
    this.#rebuild(microcompactEvent(timeMs, { trigger: 'auto', preTokens, tokensSaved: null, toolUseIds }));
  }

  /** The user went back: what came behind a message is gone. */
  rewind(timeMs: number | null, lastId: string | null): void {
    this.#rebuild(rewindEvent(timeMs, lastId));
  }

  /** Something that changes no content: a new process, another version, another prefix. */
  happen(timeMs: number | null, make: (at: number) => ThreadEvent): void {
    this.steps.push({ kind: 'event', event: draftEvent(timeMs, make) });
  }

  /** A thread beside this one, for the request that made a summary; nothing is known of its prompt. */
  summaryThread(id: string, label: string, timeMs: number | null): ThreadDraft {
    const thread = new ThreadDraft(id, this.id, label);
    thread.say({ timeMs, origin: 'meta', pieces: [{ kind: 'text', text: null }] });
    return thread;
  }

  #rebuild(event: DraftEvent): void {
    this.#isRebuilt = true;
    this.steps.push({ kind: 'event', event });
  }

  /** Without a word of it a prompt that lost more than two fifths was compacted, or the conversation went back to its beginning. */
  #noticeDrop(prompt: number, timeMs: number | null): void {
    const before = this.#prompt;
    const isUnrecorded = before !== null && !this.#isRebuilt && prompt < before * (1 - UNRECORDED_DROP);
    if (isUnrecorded && this.unrecordedDrop === 'rewind') this.rewind(timeMs, null);
    else if (isUnrecorded) {
      this.unsaidCompactions++;
      this.compact({ timeMs, trigger: 'auto', preTokens: before, postTokens: prompt, summary: null });
    }
    this.#isRebuilt = false;
    this.#prompt = prompt;
  }

  #message(
    id: string | null,
    role: 'user' | 'assistant',
    origin: MessageOrigin,
    timeMs: number | null,
    pieces: readonly Piece[],
    responseId: string | null = null,
  ): DraftMessage | null {
    const name = id ?? `${this.id}-${++this.#number}`;
    if (this.#ids.has(name)) return null;
    this.#ids.add(name);
    const blocks = pieces.map((piece, i) => draftBlock(piece, role, digestParts([name, i])));
    return draftMessage({ id: name, role, origin, timeMs, blocks, responseId });
  }
}

/** Content that the record leaves out has a digest of its place. */
function draftBlock(piece: Piece, role: 'user' | 'assistant', place: Digest): DraftBlock {
  const { kind, text, source = null, chars = 0, tool, toolUseId, facts } = piece;
  const block = createBlock({
    kind,
    role,
    tokens: 0,
    text,
    ...(text === null ? { chars, digest: place } : {}),
    tool: tool ?? null,
    toolUseId: toolUseId ?? null,
    ...(facts === undefined ? {} : { facts }),
  });
  return source === null ? block : { ...block, text: source };
}

import { isDeepStrictEqual } from 'node:util';
import { type Digest, digestText } from '../../../core/base/digest.js';
import type { Text } from '../../../core/model/text.js';
import type { Usage } from '../../../core/model/usage.js';
import type { WarningList } from '../../../core/run/warning.js';
import type { Compacted, Piece, Said, ThreadDraft } from '../../drafts/thread-draft.js';
import { SIGNATURE_CHARS_PER_TOKEN } from '../../drafts/weights.js';
import { isObject, type JsonObject, numberOf, objectOf, textOf } from '../../lines/narrow.js';
import { knownTokens } from '../../lines/plausible.js';
import { contentPieces, wordsOf } from '../pieces.js';
import {
  callIdOf,
  historyMessages,
  modelPieces,
  originOf,
  type RolloutUsage,
  resultPiece,
  rolloutUsage,
  totalsKey,
} from './response-items.js';

/** Model of calls before any turn says which. */
const UNKNOWN_MODEL = 'unknown';
/** Part of the model's window that Codex uses, and tells as the window. */
const USABLE_SHARE = 0.95;
/** Usage records that wait for the compaction they belong to. */
const KEPT_RECORDS = 4;
/** Lines that a fork copied were all written within this time. */
export const COPY_MS = 1_000;

/** A compaction whose size and reason the next lines tell. */
type Pending = { -readonly [Key in keyof Compacted]: Compacted[Key] } & { later: Said[] };

/** Where a part of a line is read again; null keeps its text in memory. */
export type SourceOf = (part: number, text: string) => Text | null;
const NO_SOURCE: SourceOf = () => null;

/** What the model said since its latest call. */
interface Saying {
  readonly pieces: Piece[];
  timeMs: number | null;
  /** Results and messages that came before the count of the call. */
  readonly after: Said[];
  /** How the turn stood before: a summary that is told twice leaves it so. */
  readonly before?: { readonly isSilent: boolean; readonly nowMs: number | null };
}

/** The latest call that was counted, and how things stood before it. */
interface Counted {
  readonly usage: Usage;
  readonly context: number | null;
  readonly before: Saying['before'];
}

/** Goes through the lines of a rollout: one call for each change of the session's sums. */
export class Rollout {
  readonly #draft: ThreadDraft;
  readonly #warnings: WarningList;
  readonly #tools = new Map<string, string>();
  readonly #seen = new Set<string>();
  readonly #totals = new Set<string>();
  readonly #records = new Map<string, RolloutUsage>();
  /** Messages by the digest of their words, for histories that keep them. */
  readonly #byWords = new Map<Digest, string>();
  /** The last message before each turn of the user. */
  readonly #turns: (string | null)[] = [];
  #sourceOf: SourceOf = NO_SOURCE;
  #lastId: string | null = null;
  #saying: Saying | null = null;
  #pending: Pending | null = null;
  #model = UNKNOWN_MODEL;
  #effort: string | null = null;
  #context: number | null = null;
  #latest: Counted | null = null;
  #nowMs: number | null = null;
  #firstMs: number | null = null;
  /** Neither the user nor the model has spoken in this turn. */
  #isSilent = true;
  #copied = 0;
  #unsaidCompactionCalls = 0;
  /** The session that this one was copied from. */
  #forkedFrom: string | null = null;
  sessionId: string | null = null;
  version: string | null = null;
  provider: string | null = null;
  /** The whole window of the model. */
  window: number | null = null;

  constructor(draft: ThreadDraft, warnings: WarningList) {
    this.#draft = draft;
    this.#warnings = warnings;
  }

  /** Takes the next line, whose texts can be read again where `sourceOf` says. */
  take(line: JsonObject, timeMs: number | null, sourceOf: SourceOf = NO_SOURCE): void {
    const payload = line.payload;
    if (!isObject(payload)) return;
    this.#sourceOf = sourceOf;
    this.#firstMs ??= timeMs;
    switch (line.type) {
      case 'response_item':
        this.#item(payload, timeMs);
        break;
      case 'event_msg':
        this.#event(payload, timeMs);
        break;
      case 'turn_context':
        this.#model = textOf(payload.model) ?? this.#model;
        this.#effort = textOf(payload.effort);
        break;
      case 'compacted':
        this.#compacted(payload, timeMs);
        break;
      case 'token_usage_record':
        this.#record(payload);
        break;
      case 'session_meta':
        this.#meta(payload, timeMs);
        break;
      default:
        return;
    }
    this.#nowMs = timeMs ?? this.#nowMs;
  }

  /** What is left when the record ends. */
  finish(): void {
    this.#settle();
    this.#unbilled();
    this.#warnings.add(
      'compaction-calls-missing',
      'calls that summarise are missing in the record and in its totals',
      'Codex writes their usage from 0.154 on; until then the recorded cost is too low by these calls',
      this.#unsaidCompactionCalls,
    );
    this.#warnings.add(
      'copied-calls',
      `calls were copied from session ${this.#forkedFrom}: they carry the time of the copy`,
      'leave the fork out where both files are counted',
      this.#copied,
    );
  }

  #meta(payload: JsonObject, timeMs: number | null): void {
    const id = textOf(payload.id);
    if (this.sessionId === null) {
      this.sessionId = id;
      this.provider = textOf(payload.model_provider);
      this.version = textOf(payload.cli_version);
      this.#forkedFrom = textOf(payload.forked_from_id);
    } else if (id === this.sessionId) {
      const version = textOf(payload.cli_version);
      if (version !== null && version !== this.version && this.#draft.calls > 0)
        this.#draft.happen(timeMs, (at) => ({ kind: 'version', at, version }));
    }
  }

  #event(payload: JsonObject, timeMs: number | null): void {
    switch (payload.type) {
      case 'token_count':
        this.#count(objectOf(payload.info), timeMs);
        return;
      case 'task_complete':
      case 'turn_complete':
        if (this.#pending !== null && this.#isSilent) this.#pending.trigger = 'manual';
        return;
      case 'task_started':
      case 'turn_started':
        this.#settle();
        this.#unbilled();
        this.#isSilent = true;
        return;
      case 'thread_rolled_back':
        this.#rollBack(numberOf(payload.num_turns) ?? 1, timeMs);
        return;
      default:
    }
  }

  #item(item: JsonObject, timeMs: number | null): void {
    if (item.type === 'compaction') return;
    this.#settle();
    const result = resultPiece(item, this.#tools);
    if (result !== null) {
      const id = `result-${result.toolUseId}`;
      this.#say({ id, timeMs, origin: 'tool', pieces: this.#placed([result]) });
      return;
    }
    const said = modelPieces(item);
    if (said === null) {
      const pieces = this.#placed(contentPieces(item.content));
      const words = wordsOf(pieces);
      const origin = item.type === 'message' ? originOf(item.role, words) : 'meta';
      this.#say({ id: textOf(item.id), timeMs, origin, pieces }, words);
      return;
    }
    const id = callIdOf(item);
    if (id !== null && this.#seen.has(id)) return;
    if (id !== null) this.#seen.add(id);
    for (const { tool, toolUseId } of said)
      if (tool != null && toolUseId != null) this.#tools.set(toolUseId, tool);
    const before = { isSilent: this.#isSilent, nowMs: this.#nowMs };
    this.#saying ??= { pieces: [], timeMs, after: [], before };
    this.#saying.pieces.push(...this.#placed(said));
    this.#saying.timeMs = timeMs ?? this.#saying.timeMs;
    this.#isSilent = false;
  }

  /** Pieces of the line at hand, from a part of it on, with where their texts are read again. */
  #placed(pieces: readonly Piece[], from = 0): readonly Piece[] {
    return pieces.map((piece, i) =>
      piece.text === null ? piece : { ...piece, source: this.#sourceOf(from + i, piece.text) },
    );
  }

  /** What came while the model spoke comes after what it said. */
  #say(said: Said, words: string | null = null): void {
    if (this.#saying !== null) this.#saying.after.push(said);
    else {
      const before = this.#lastId;
      const message = this.#draft.say(said);
      if (message === null) return;
      this.#lastId = message.id;
      if (words !== null) this.#byWords.set(digestText(words), message.id);
      if (said.origin === 'human') {
        this.#turns.push(before);
        this.#isSilent = false;
      }
    }
  }

  /** A call for each change of the sums; the same sums again are a repetition, no sums tell of limits alone. */
  #count(info: JsonObject, timeMs: number | null): void {
    const usable = knownTokens(info.model_context_window);
    if (usable !== null && usable > 0) this.window = Math.round(usable / USABLE_SHARE);
    const key = totalsKey(info.total_token_usage);
    const last = rolloutUsage(info.last_token_usage);
    if (key === null || last === null) return;
    if (this.#totals.has(key)) {
      if (this.#pending !== null && last.usage.output === 0 && last.total > 0)
        this.#pending.postTokens = last.total;
      return;
    }
    this.#totals.add(key);
    this.#settle();
    this.#respond(key, last, timeMs);
  }

  #respond(id: string, counted: RolloutUsage | null, timeMs: number | null): void {
    const saying: Saying = this.#saying ?? { pieces: [], timeMs: null, after: [] };
    const { pieces, timeMs: saidMs, after, before } = saying;
    this.#saying = null;
    const response = this.#draft.respond({
      id,
      model: this.#model,
      timeMs: saidMs ?? timeMs,
      pieces: pieces.length === 0 ? [{ kind: 'text', text: null }] : sizeThinking(pieces, counted),
      usage: counted?.usage ?? null,
      effort: this.#effort,
    });
    if (response !== null) {
      this.#lastId = response.message.id;
      const spoken = pieces.filter(({ kind }) => kind !== 'thinking');
      if (spoken.length === 1 && spoken[0]!.kind === 'text')
        this.#byWords.set(digestText(spoken[0]!.text ?? ''), response.message.id);
    }
    if (counted !== null) {
      this.#latest = { usage: counted.usage, context: this.#context, before };
      this.#context = counted.total;
      if (this.#isCopy(timeMs)) this.#copied++;
    }
    for (const said of after) this.#say(said, said.origin === 'tool' ? null : wordsOf(said.pieces));
  }

  /** A line that a fork has from another session, with the time of the copy. */
  #isCopy(timeMs: number | null): boolean {
    return this.#forkedFrom !== null && (timeMs ?? 0) - (this.#firstMs ?? 0) < COPY_MS;
  }

  /** A response that was never counted: the turn ended, or the copy of it. */
  #unbilled(): void {
    if (this.#saying !== null) this.#respond(`uncounted-${this.#draft.calls}`, null, this.#saying.timeMs);
  }

  #record(payload: JsonObject): void {
    const id = textOf(payload.response_id);
    const usage = rolloutUsage(payload.usage);
    if (id === null || usage === null) return;
    this.#records.set(id, usage);
    for (const oldest of this.#records.keys()) {
      if (this.#records.size <= KEPT_RECORDS) break;
      this.#records.delete(oldest);
    }
  }

  /** The call that made a summary, where the record holds its usage; from 0.169 on it has been counted like any other. */
  #summarise(
    payload: JsonObject,
    summary: string | null,
    timeMs: number | null,
  ): Counted | 'added' | 'unsaid' {
    const id = textOf(payload.compaction_response_id);
    if (id !== null && this.#seen.has(id)) return 'added';
    const record = objectOf(payload.latest_token_usage_record);
    const own = record.response_id === id ? rolloutUsage(record.usage) : null;
    const usage = id === null ? null : (this.#records.get(id) ?? own);
    if (id === null || usage === null) {
      if (!this.#isCopy(timeMs)) this.#unsaidCompactionCalls++;
      return 'unsaid';
    }
    this.#seen.add(id);
    const latest = this.#latest;
    if (latest !== null && isDeepStrictEqual(usage.usage, latest.usage)) return latest;
    this.#draft.say({ timeMs: this.#nowMs, origin: 'meta', pieces: [{ kind: 'text', text: null }] });
    this.#saying = { pieces: [...this.#placed([{ kind: 'text', text: summary }])], timeMs, after: [] };
    this.#respond(`compaction-${id}`, usage, timeMs);
    return 'added';
  }

  #compacted(payload: JsonObject, timeMs: number | null): void {
    this.#settle();
    this.#unbilled();
    const summary = textOf(payload.message);
    let [preTokens, startMs] = [this.#context, this.#nowMs];
    const counted = this.#summarise(payload, summary, timeMs);
    if (typeof counted === 'object') {
      preTokens = counted.context;
      startMs = counted.before?.nowMs ?? startMs;
      this.#isSilent = counted.before?.isSilent ?? this.#isSilent;
    }
    const keptIds: string[] = [];
    const later: Said[] = [];
    let part = 1;
    for (const item of historyMessages(payload)) {
      const pieces = this.#placed(contentPieces(item.content), part);
      part += pieces.length;
      const words = wordsOf(pieces);
      if (summary !== null && words.includes(summary)) continue;
      const kept = this.#byWords.get(digestText(words));
      if (kept === undefined) later.push({ timeMs, origin: 'attachment', pieces });
      else keptIds.push(kept);
    }
    this.#pending = {
      timeMs,
      trigger: 'auto',
      preTokens,
      postTokens: null,
      durationMs: timeMs === null || startMs === null ? null : Math.max(0, timeMs - startMs),
      summary,
      summarySource: summary === null ? null : this.#sourceOf(0, summary),
      keptIds,
      later,
      ...(counted === 'unsaid' ? {} : { isAmongCalls: true }),
    };
  }

  /** Adds the compaction that is waiting for its size. */
  #settle(): void {
    if (this.#pending === null) return;
    const { later, ...compacted } = this.#pending;
    this.#pending = null;
    this.#draft.compact(compacted);
    for (const said of later) this.#say(said, wordsOf(said.pieces));
  }

  #rollBack(turns: number, timeMs: number | null): void {
    this.#settle();
    this.#unbilled();
    const gone = this.#turns.splice(Math.max(0, this.#turns.length - turns));
    if (gone.length === 0) return;
    this.#lastId = gone[0]!;
    this.#draft.rewind(timeMs, this.#lastId);
  }
}

/** Thinking that the record seals has the length that was billed for it. */
function sizeThinking(pieces: readonly Piece[], counted: RolloutUsage | null): readonly Piece[] {
  const sealed = pieces.filter(({ kind, text }) => kind === 'thinking' && text === null).length;
  if (sealed === 0 || counted === null) return pieces;
  const chars = Math.round((counted.reasoning * SIGNATURE_CHARS_PER_TOKEN) / sealed);
  return pieces.map((piece) =>
    piece.kind === 'thinking' && piece.text === null ? { ...piece, chars } : piece,
  );
}

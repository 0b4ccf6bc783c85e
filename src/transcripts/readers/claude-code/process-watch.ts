import type { ThreadEvent } from '../../../core/model/transcript.js';
import { type DraftEvent, draftEvent } from '../../drafts/draft.js';
import type { AttachmentLine, HiddenLine, Line } from './lines/lines.js';

/** An event at the time of the line that tells of it; what a response tells of came before its request. */
export function lineEvent(
  line: Line,
  make: (at: number) => ThreadEvent,
  more: Partial<DraftEvent> = {},
): DraftEvent {
  const timeMs = line.type === 'assistant' && !line.synthetic ? null : line.timeMs;
  return draftEvent(timeMs, make, more);
}

/** Follows the processes that wrote a conversation: where a new one took it up, and what that one may not have found. */
export class ProcessWatch {
  version: string | null = null;
  #sessionId: string | null = null;
  #exited = false;
  /** What began since the latest response: the hooks of a process may tell of it more than once. */
  #began: 'nothing' | 'process' | 'conversation' = 'nothing';
  #hasResponse = false;
  /** Results of the latest response with several calls, and all but the last of earlier ones (K12). */
  #parallel: { readonly response: string; readonly ids: string[] } | null = null;
  #lostIds: string[] = [];

  /** What happened between the line before and this one. */
  before(line: Line): readonly DraftEvent[] {
    const events = this.#changes(line);
    if (events.length > 0) {
      this.#exited = false;
      if (this.#began === 'nothing') this.#began = 'process';
    }
    return events;
  }

  #changes(line: Line): readonly DraftEvent[] {
    const { version, sessionId } = line;
    const before = { version: this.version, sessionId: this.#sessionId };
    this.version = version ?? before.version;
    this.#sessionId = sessionId ?? before.sessionId;
    if (version !== null && before.version !== null && version !== before.version) {
      const updated = lineEvent(line, (at) => ({ kind: 'version', at, version }));
      return [updated, this.#resume(line, `version ${before.version} became ${version}`)];
    }
    if (sessionId !== null && before.sessionId !== null && sessionId !== before.sessionId)
      return [this.#resume(line, 'the session id changed')];
    const isStillLeaving = line.type === 'hidden' || (line.type === 'user' && line.isCommand);
    return !this.#exited || isStillLeaving
      ? []
      : [this.#resume(line, 'the client was left and started again')];
  }

  /** What a hook tells of a process that began (K3): the first one of a session is no news. */
  hook(line: HiddenLine | AttachmentLine): DraftEvent | null {
    const { start } = line;
    if (start === null || !this.#hasResponse || this.#began === 'conversation') return null;
    if (start === 'clear') {
      this.#began = 'conversation';
      return lineEvent(line, (at) => ({ kind: 'clear', at }), { rebuild: 'compaction' });
    }
    if (this.#began === 'process') return null;
    this.#began = 'process';
    return this.#resume(line, `the hook of a process that began (${start})`);
  }

  /** The process ended and the session was resumed; what it may not find again is known by id (K12). */
  #resume(line: Line, reason: string): DraftEvent {
    const make = (at: number): ThreadEvent => {
      const { lostIds } = event;
      return { kind: 'resume', at, reason, ...(lostIds.length === 0 ? {} : { lostIds }) };
    };
    const event = lineEvent(line, make, { rebuild: 'resume', lostIds: this.#takeLost() });
    return event;
  }

  /** Results beside the record's chain of parents, which a client that goes along it does not find (K12). */
  #takeLost(): readonly string[] {
    const lost = [...this.#lostIds, ...(this.#parallel?.ids.slice(0, -1) ?? [])];
    this.forgetResults();
    return lost;
  }

  /** The client was told to end. */
  noteExit(): void {
    this.#exited = true;
  }

  /** A response began. */
  noteResponse(): void {
    this.#hasResponse = true;
    this.#began = 'nothing';
  }

  /** A message with results of a response was read. */
  noteResults(response: string, messageId: string): void {
    if (this.#parallel?.response === response) {
      this.#parallel.ids.push(messageId);
      return;
    }
    if (this.#parallel !== null) this.#lostIds.push(...this.#parallel.ids.slice(0, -1));
    this.#parallel = { response, ids: [messageId] };
  }

  /** The results so far cannot be lost any more: they are gone already. */
  forgetResults(): void {
    this.#lostIds = [];
    this.#parallel = null;
  }
}

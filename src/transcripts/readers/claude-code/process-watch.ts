import type { DraftEvent } from '../../drafts/draft.js';
import { type ClientState, changeEvents, clearEvent, nextState, resumeEvent } from './events.js';
import type { AttachmentLine, HiddenLine, Line } from './lines/lines.js';

/** Follows the processes that wrote a conversation: where a new one took it up, and what that one may not have found. */
export class ProcessWatch {
  #state: ClientState = { version: null, sessionId: null };
  #exited = false;
  /** What began since the latest response: the hooks of a process may tell of it more than once. */
  #began: 'nothing' | 'process' | 'conversation' = 'nothing';
  #hasResponse = false;
  /** Results of the latest response with several calls, and all but the last of earlier ones (K12). */
  #parallel: { readonly response: string; readonly ids: string[] } | null = null;
  #lostIds: string[] = [];

  get version(): string | null {
    return this.#state.version;
  }

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
    if (!this.#exited && this.#isUnchanged(line)) return [];
    const state = nextState(this.#state, line);
    const events = changeEvents(this.#state, state, line, () => this.#takeLost());
    this.#state = state;
    if (events.length > 0 || !this.#exited || line.type === 'hidden') return events;
    const isStillLeaving = line.type === 'user' && line.isCommand;
    return isStillLeaving ? [] : [this.#resume(line, 'the client was left and started again')];
  }

  #isUnchanged(line: Line): boolean {
    const { version, sessionId } = this.#state;
    return (
      (line.version === null || line.version === version) &&
      (line.sessionId === null || line.sessionId === sessionId)
    );
  }

  /** What a hook tells of a process that began (K3): the first one of a session is no news. */
  hook(line: HiddenLine | AttachmentLine): DraftEvent | null {
    const { start } = line;
    if (start === null || !this.#hasResponse || this.#began === 'conversation') return null;
    if (start === 'clear') {
      this.#began = 'conversation';
      return clearEvent(line);
    }
    if (this.#began === 'process') return null;
    this.#began = 'process';
    return this.#resume(line, `the hook of a process that began (${start})`);
  }

  #resume(line: Line, reason: string): DraftEvent {
    return resumeEvent(line, reason, this.#takeLost());
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

import type { SpokenThinking, ThreadEvent } from '../../../core/model/transcript.js';
import type { DraftEvent } from '../../drafts/draft.js';
import type { CompactLine, Line, MicrocompactLine } from './lines/lines.js';

/** An event at the time of the line that tells of it; what a response tells of came before its request. */
function plainEvent(line: Line, make: (at: number) => ThreadEvent): DraftEvent {
  const timeMs = line.type === 'assistant' && !line.synthetic ? null : line.timeMs;
  return { rebuild: 'none', timeMs, keptIds: [], lostIds: [], summary: null, make };
}

/** The process ended and the session was taken up again; what it may not find again is known by id (K12). */
export function resumeEvent(line: Line, reason: string, lostIds: readonly string[]): DraftEvent {
  const event: DraftEvent = {
    ...plainEvent(line, (at) => ({
      kind: 'resume',
      at,
      reason,
      ...(event.lostIds.length === 0 ? {} : { lostIds: event.lostIds }),
    })),
    rebuild: 'resume',
    lostIds,
  };
  return event;
}

/** Somebody speaks and decides about thinking (K1). */
export function speakerEvent(line: Line, thinking: SpokenThinking): DraftEvent {
  return { ...plainEvent(line, (at) => ({ kind: 'speaker', at, thinking })), isSpeaker: true };
}

/** The response of this line came in one piece (K4). */
export function fallbackEvent(line: Line): DraftEvent {
  return plainEvent(line, (at) => ({ kind: 'fallback', at }));
}

/** The conversation was emptied (K3). */
export function clearEvent(line: Line): DraftEvent {
  return { ...plainEvent(line, (at) => ({ kind: 'clear', at })), rebuild: 'compaction' };
}

/** The user went back to a message; null is the beginning. */
export function rewindEvent(line: Line, lastId: string | null): DraftEvent {
  return { ...plainEvent(line, (at) => ({ kind: 'rewind', at, lastId })), rebuild: 'rewind', lastId };
}

/** What the client was when the latest line was written. */
export interface ClientState {
  readonly version: string | null;
  readonly sessionId: string | null;
}

/** The client's state after a line; what a line does not say stays. */
export function nextState(state: ClientState, line: Line): ClientState {
  return { version: line.version ?? state.version, sessionId: line.sessionId ?? state.sessionId };
}

/** The events between two lines whose version or session differs. */
export function changeEvents(
  before: ClientState,
  after: ClientState,
  line: Line,
  lostIds: () => readonly string[],
): DraftEvent[] {
  const { version } = after;
  if (version !== null && before.version !== null && version !== before.version) {
    return [
      plainEvent(line, (at) => ({ kind: 'version', at, version })),
      resumeEvent(line, `version ${before.version} became ${version}`, lostIds()),
    ];
  }
  const moved = before.sessionId !== null && after.sessionId !== before.sessionId;
  return moved ? [resumeEvent(line, 'the session id changed', lostIds())] : [];
}

/** A compaction; its summary, and what the user asked of it, are on later lines. */
export function compactionEvent(line: CompactLine, keptIds: readonly string[]): DraftEvent {
  const { trigger, preTokens, postTokens, durationMs } = line;
  const event: DraftEvent = {
    rebuild: 'compaction',
    timeMs: line.timeMs,
    keptIds,
    lostIds: [],
    summary: null,
    make: (at, summary) => ({
      kind: 'recorded-compaction',
      at,
      trigger,
      preTokens,
      postTokens,
      durationMs,
      summary,
      keptIds,
      ...(event.instructions === undefined ? {} : { instructions: event.instructions }),
    }),
  };
  return event;
}

/** A microcompaction. */
export function microcompactEvent(line: MicrocompactLine): DraftEvent {
  const { trigger, preTokens, tokensSaved, toolUseIds } = line;
  return {
    ...plainEvent(line, (at) => ({
      kind: 'recorded-microcompact',
      at,
      trigger,
      preTokens,
      tokensSaved,
      toolUseIds,
    })),
    rebuild: 'microcompact',
  };
}

import type { DraftEvent } from './draft.js';
import type { CompactLine, Line, MicrocompactLine } from './lines.js';

/** The process ended and the session was taken up again. */
export function resumeEvent(line: Line, reason: string): DraftEvent {
  return {
    rebuild: 'resume',
    timeMs: line.timeMs,
    keptIds: [],
    summary: null,
    make: (at) => ({ kind: 'resume', at, reason }),
  };
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
export function changeEvents(before: ClientState, after: ClientState, line: Line): DraftEvent[] {
  const { version } = after;
  if (version !== null && before.version !== null && version !== before.version) {
    return [
      {
        rebuild: 'none',
        timeMs: line.timeMs,
        keptIds: [],
        summary: null,
        make: (at) => ({ kind: 'version', at, version }),
      },
      resumeEvent(line, `version ${before.version} became ${version}`),
    ];
  }
  const moved = before.sessionId !== null && after.sessionId !== before.sessionId;
  return moved ? [resumeEvent(line, 'the session id changed')] : [];
}

/** A compaction; its summary is on a later line. */
export function compactionEvent(line: CompactLine, keptIds: readonly string[]): DraftEvent {
  const { trigger, preTokens, postTokens, durationMs } = line;
  return {
    rebuild: 'compaction',
    timeMs: line.timeMs,
    keptIds,
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
    }),
  };
}

/** A microcompaction. */
export function microcompactEvent(line: MicrocompactLine): DraftEvent {
  const { trigger, preTokens, tokensSaved, toolUseIds } = line;
  return {
    rebuild: 'microcompact',
    timeMs: line.timeMs,
    keptIds: [],
    summary: null,
    make: (at) => ({ kind: 'recorded-microcompact', at, trigger, preTokens, tokensSaved, toolUseIds }),
  };
}

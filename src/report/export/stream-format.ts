import type { SentRequest, SentSession } from '../../core/model/sent-request.js';

/** What a session adds to the output as its requests come, and at its end. */
export interface SessionWriter {
  add(request: SentRequest): readonly string[];
  end(): readonly string[];
}

/** A format of request streams for other tools. */
export interface StreamFormat {
  /**
   * `session`: lines as they are, sessions one after the other. `time`: lines of all sessions by time; each is an object without its
   * brace and its `timestamp`, which is known once all sessions are. `file`: a file for each session.
   */
  readonly order: 'session' | 'time' | 'file';
  open(session: SentSession): SessionWriter;
}

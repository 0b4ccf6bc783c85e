/** Where in the loop a layer is asked (LOP-1). */
export type Hook =
  /** Tool results came in and wait for the next request. */
  | 'results'
  /** Before each API call. */
  | 'before-request'
  /** The main request was refused as too long. */
  | 'refused'
  /** The user asked for a compaction. */
  | 'manual'
  /** The user asked for old results to be cleared, and for no more than that (MIC-1). */
  | 'manual-clear'
  /** The user ends a dream that runs (C48). */
  | 'end-dream'
  /** A response came in. */
  | 'after-response'
  /** A final answer without tool calls: the loop ends. */
  | 'end-of-loop'
  /** A time came that a layer asked to be woken at. */
  | 'wake'
  /** Nothing is left of the thread. */
  | 'thread-end'
  /** The process of the session ends. */
  | 'session-end';

import type { Step, Thread } from '../../core/model/transcript.js';

/** A session that is generated turn by turn. */
export interface SessionSource {
  /** Writes the opening, then a turn at a time. */
  write(): Generator<void, void, void>;
  /** The thread with the steps that are written and not taken; its prefix is known from the opening on. */
  thread(): Thread;
  /** The steps since the last time. */
  takeSteps(): readonly Step[];
}

import type { SessionEnding } from './transcript.js';

/** The process a thread runs in, and what it knows of the others. */
export interface SessionContext {
  readonly name: string;
  readonly pid: number;
  readonly ending: SessionEnding;
  /**
   * When its process waits for its user: also after its last step, only between steps because another process takes the session
   * up, or never because a program drives it.
   */
  readonly waits: 'always' | 'between' | 'never';
  /** Project it works in, and which checkout of it; null for the only one. */
  readonly project: string;
  readonly checkout: string | null;
  /** Wall-clock time at the simulated time 0 (ms since 1970); null when unknown. */
  readonly startedAtMs: number | null;
  /** Where the session's record is kept in the simulated home. */
  readonly recordPath: string;
  /** Memory files of the project's folders with their tokens, where the transcript knows them (NES-1). */
  readonly memoryFiles: Readonly<Record<string, number>>;
  /** Whether a process is running now. */
  isAlive(pid: number): boolean;
  /** State shared by the layers of all threads of this session, by name. */
  readonly shared: Map<string, unknown>;
  /** State shared by all sessions of the run, by name. */
  readonly world: Map<string, unknown>;
}

/** Folder of the sessions' records. */
export const RECORD_DIRECTORY = '/projects';

/** Name of the session of a transcript that holds only one. */
export const ONLY_SESSION = 'session';

/** Name of the project of sessions that do not say. */
export const ONLY_PROJECT = 'repo';

/** Process ids are given in the order of the sessions (assumed: any distinct numbers would do). */
export const FIRST_PID = 1_001;

/** A session alone in its home. */
export function soloSession(): SessionContext {
  return {
    name: ONLY_SESSION,
    pid: FIRST_PID,
    ending: 'clean',
    waits: 'always',
    project: ONLY_PROJECT,
    checkout: null,
    startedAtMs: null,
    recordPath: `${RECORD_DIRECTORY}/${ONLY_SESSION}.jsonl`,
    memoryFiles: {},
    isAlive: (pid) => pid === FIRST_PID,
    shared: new Map(),
    world: new Map(),
  };
}

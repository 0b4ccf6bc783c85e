import { driverOf } from '../../agent/client/recorded-client.js';
import {
  FIRST_PID,
  ONLY_PROJECT,
  ONLY_SESSION,
  RECORD_DIRECTORY,
  type SessionContext,
} from '../../core/model/session.js';
import type { SessionEnding, SessionInfo, Thread, Transcript } from '../../core/model/transcript.js';
import type { HomePlan } from '../../core/run/run-plan.js';

/** The process of one session: alive from its first step to its last. */
export class SessionState implements SessionContext {
  readonly shared = new Map<string, unknown>();
  state: 'waiting' | 'running' | 'ended' = 'waiting';

  constructor(
    readonly name: string,
    readonly pid: number,
    readonly ending: SessionEnding,
    readonly waits: SessionContext['waits'],
    /** That of an earlier session when it takes one up. */
    readonly recordPath: string,
    readonly project: string,
    readonly checkout: string | null,
    private readonly sessions: Sessions,
  ) {}

  get startedAtMs(): number | null {
    return this.sessions.startedAtMs;
  }

  get memoryFiles(): SessionContext['memoryFiles'] {
    return this.sessions.memoryFiles;
  }

  get world(): Map<string, unknown> {
    return this.sessions.world;
  }

  isAlive(pid: number): boolean {
    return this.sessions.isAlive(pid);
  }
}

/** All sessions of a run. A transcript without a list of them is one session. */
export class Sessions {
  readonly world = new Map<string, unknown>();
  readonly memoryFiles: SessionContext['memoryFiles'];
  private readonly byName = new Map<string, SessionState>();
  private readonly foreignPids = new Set<number>();
  readonly startedAtMs: number | null;

  constructor(transcript: Transcript, home: HomePlan | undefined) {
    this.startedAtMs = transcript.startedAtMs;
    this.memoryFiles = transcript.memoryFiles ?? {};
    const infos: readonly SessionInfo[] = transcript.sessions ?? [ONLY];
    const takenUp = new Set(infos.map(({ resumes }) => resumes));
    const isDriven = driverOf(transcript) === 'program';
    infos.forEach(({ name, ending, resumes, project = ONLY_PROJECT, checkout = null }, i) => {
      const resumed = resumes === null ? undefined : this.byName.get(resumes);
      const recordPath = resumed?.recordPath ?? `${RECORD_DIRECTORY}/${name}.jsonl`;
      const waits = isDriven ? 'never' : takenUp.has(name) ? 'between' : 'always';
      this.byName.set(
        name,
        new SessionState(name, FIRST_PID + i, ending, waits, recordPath, project, checkout, this),
      );
    });
    if (home?.lock?.process === 'alive') this.foreignPids.add(Number(home.lock.body));
  }

  of(thread: Thread): SessionState {
    return this.byName.get(thread.session ?? ONLY_SESSION)!;
  }

  isAlive(pid: number): boolean {
    if (this.foreignPids.has(pid)) return true;
    for (const session of this.byName.values()) if (session.pid === pid) return session.state === 'running';
    return false;
  }
}

const ONLY: SessionInfo = { name: ONLY_SESSION, startMs: 0, resumes: null, ending: 'clean' };

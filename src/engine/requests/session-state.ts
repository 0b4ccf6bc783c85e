import { tokensOfChars } from '../../agent/layers/auto-memory/fork-turns.js';
import { type LoadedIndex, loadIndex } from '../../agent/layers/auto-memory/memory-index.js';
import { indexLimits } from '../../agent/layers/auto-memory/params.js';
import type { Files, StoredFile } from '../../core/base/files.js';
import { type Block, createBlock } from '../../core/model/block.js';
import { MEMORY_INDEX } from '../../core/model/memory.js';
import {
  FIRST_PID,
  ONLY_PROJECT,
  ONLY_SESSION,
  RECORD_DIRECTORY,
  type SessionContext,
} from '../../core/model/session.js';
import type { SessionEnding, SessionInfo, Thread, Transcript } from '../../core/model/transcript.js';
import type { ParamValues } from '../../core/run/params.js';
import type { HomePlan } from '../../core/run/run-plan.js';

/** Marks the block of the system prompt that holds the memory index. */
export const INDEX_FACT = 'memory-index';

/** The process of one session: alive from its first step to its last. */
export class SessionState implements SessionContext {
  readonly shared = new Map<string, unknown>();
  state: 'waiting' | 'running' | 'ended' = 'waiting';

  constructor(
    readonly name: string,
    readonly pid: number,
    readonly ending: SessionEnding,
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
    infos.forEach(({ name, ending, resumes, project = ONLY_PROJECT, checkout = null }, i) => {
      const resumed = resumes === null ? undefined : this.byName.get(resumes);
      const recordPath = resumed?.recordPath ?? `${RECORD_DIRECTORY}/${name}.jsonl`;
      this.byName.set(
        name,
        new SessionState(name, FIRST_PID + i, ending, recordPath, project, checkout, this),
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

/** What an index file puts into the system prompt. */
interface RenderedIndex {
  /** Null when there is nothing to show. */
  readonly block: Block | null;
  readonly loaded: LoadedIndex;
  readonly params: ParamValues;
}

/** Rendered once for each writing of the file. */
const RENDERED = new WeakMap<StoredFile, RenderedIndex>();

/** The block of the system prompt that follows from the index file (AUT-3); null without one. */
export function indexBlock(files: Files, params: ParamValues): RenderedIndex | null {
  const file = files.read(MEMORY_INDEX);
  if (file === null) return null;
  let rendered = RENDERED.get(file);
  if (rendered?.params !== params) {
    rendered = renderIndex(file, params);
    RENDERED.set(file, rendered);
  }
  return rendered;
}

function renderIndex(file: StoredFile, params: ParamValues): RenderedIndex {
  const loaded = loadIndex(file, indexLimits(params));
  if (loaded.text === null) return { block: null, loaded, params };
  const block = createBlock({
    kind: 'system',
    role: 'system',
    tokens: tokensOfChars(loaded.text.chars),
    text: loaded.text,
    digest: loaded.digest,
    facts: { attachment: INDEX_FACT },
  });
  return { block, loaded, params };
}

import type { BehavioursAt } from '../../agent/client/call-plan.js';
import type { ClientBehaviour } from '../../agent/client/client.js';
import { driverOf, type RecordedClient } from '../../agent/client/recorded-client.js';
import type { Files } from '../../core/base/files.js';
import type { Random } from '../../core/base/random.js';
import {
  FIRST_PID,
  ONLY_PROJECT,
  ONLY_SESSION,
  RECORD_DIRECTORY,
  type SessionContext,
  type SessionEnding,
  type SessionInfo,
  type Thread,
  type Transcript,
} from '../../core/model/transcript.js';
import type { BreakCause } from '../../core/run/break-causes.js';
import type { LayerDefinition } from '../../core/run/layer.js';
import type { Limits } from '../../core/run/limit.js';
import type { ParamValues } from '../../core/run/params.js';
import type { LogSink } from '../../core/run/run-log.js';
import type { FakeLlmPlan, HomePlan, LeastFaults, RunPlan } from '../../core/run/run-plan.js';
import type { WarningList } from '../../core/run/warning.js';
import type { UsesByCall } from '../../core/uses/uses.js';
import type { PromptCache } from '../../provider/cache/prompt-cache.js';
import type { AdjustOutcome, FakeLlm, LlmCall } from '../../provider/fake-llm/fake-llm.js';
import type { Cassette } from '../../provider/fake-llm/summaries/cassette.js';
import type { PriceTimes } from '../../provider/prices/price.js';
import type { Course, RunConditions } from './conditions.js';
import type { ChanceTally } from './provider-doubts.js';
import type { CacheKinds } from './provider-of.js';
import type { StatusCheck } from './shown-status.js';

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

/** How a policy's client goes about its requests: read from the parameters once, asked at every request. */
interface ClientRules {
  /** How often a transient error is tried again. */
  readonly retries: number;
  /** A prompt refused as too long is sent once more without streaming. */
  readonly resends: boolean;
  /** The model's own rule for thinking of earlier turns holds (api.md 1.7). */
  readonly dropsThinking: boolean;
  /** Where cache breakpoints go. */
  readonly breakpoints: ClientBehaviour['breakpoints'];
  /** A fork marks the end of what its siblings share. */
  readonly marksSharedEnd: boolean;
  /** Deleted content is billed no more (MIC-3). */
  readonly deletedIsFree: boolean;
  /** The session's record is kept up to date for dreams (DRM-1). */
  readonly keepsRecord: boolean;
}

/** The rules that parameters and layers describe. */
export function clientRules(
  params: ParamValues,
  layers: readonly LayerDefinition[],
  behaviours: ClientBehaviour,
): ClientRules {
  return {
    retries: params['client.retries'] as number,
    resends: params['client.resendWithoutStreaming'] === true,
    dropsThinking: behaviours.thinking === 'model',
    breakpoints: behaviours.breakpoints,
    marksSharedEnd: params['agents.mark'] === 'shared-end',
    deletedIsFree: params['microcompact.cached.billDeleted'] !== 'read',
    keepsRecord: layers.some(({ name }) => name === 'dreaming'),
  };
}

/** What all threads of one run share. */
export interface RunEnv {
  readonly plan: RunPlan;
  /** The thresholds that layers hold counts against. */
  readonly limits: Limits;
  readonly sink: LogSink;
  /** How the fake LLM answers what layers ask. */
  readonly answers: FakeLlmPlan;
  readonly llm: FakeLlm;
  /** Summaries that a model has written; null if the fake LLM writes them. */
  readonly cassette: Cassette | null;
  /** Layers of the policy, in order; those the transcript cannot support are left out and said so. */
  readonly layers: readonly LayerDefinition[];
  /** How the client goes about its requests. */
  readonly client: ClientRules;
  /** What the client does to its requests towards the cache; at the first version of the recording, and at others. */
  readonly behaviours: ClientBehaviour;
  readonly behavioursAt: BehavioursAt;
  /** What the recording shows of the client that made it. */
  readonly recorded: RecordedClient;
  /** What requests need to know of the cache. */
  readonly cacheKinds: CacheKinds;
  /** When a request counts for prices. */
  readonly pricedAt: PriceTimes;
  /** The cache behind the LLM, for what others than this run's requests have left in it; null without one. */
  readonly cache: PromptCache | null;
  /** What is taken from the recording because no policy decides it; null if nothing is. */
  readonly whatIf: RunConditions | null;
  /** What calls need of what came before them, by thread; null if the transcript has no text. */
  readonly uses: () => ReadonlyMap<string, UsesByCall> | null;
  /** Reader or generator that made the transcript. */
  readonly source: string;
  /** How threads begin. */
  readonly course: Course;
  readonly files: Files;
  readonly random: Random;
  readonly warnings: WarningList;
  readonly timing: TimingSink;
  readonly totals: RunTotals;
  /** What chance adds to the cost. */
  readonly luck: ChanceTally;
  readonly sessions: Sessions;
  /** Called with every request before it is sent; null without a listener. */
  readonly onRequest: RequestListener | null;
  /** Gets what the client could show before each request, instead of the log; null if the log gets it. */
  readonly onStatus: StatusListener | null;
}

/** Hears which request a thread is about to send; the view in it changes afterwards. */
export type RequestListener = (thread: string, out: Outgoing) => void;

/** Hears how full the context of a main thread is. */
export type StatusListener = (check: StatusCheck) => void;

/** Counters of the run as it goes. */
export interface RunTotals {
  requests: number;
  turns: number;
  costNano: number;
  /** The least that faults could have come to in threads with some; null if there were none. */
  least: LeastFaults | null;
}

/** A request of a thread, ready to be sent. */
export interface Outgoing extends Omit<LlmCall, 'luck' | 'outsideTokens' | 'adjust'> {
  readonly turn: number;
  /** Tokens at its beginning that others keep in the cache. */
  readonly outsideTokens: number;
  readonly seen: number | null;
  /** Share of the session's own content that is still in the request; null for requests beside the loop. */
  readonly kept: number | null;
  /** Tokens it would hold had no layer taken anything out; null for requests beside the loop. */
  readonly untouched: number | null;
  /** Tokens that no earlier request of the thread held. */
  readonly freshTokens: number;
  /** First position that differs from the thread's previous request; null when it only grew. */
  readonly firstChanged: number | null;
  /** What a layer announced as the reason of the change (BRD-3). */
  readonly announced: BreakCause | null;
  /** Names of the tools that changed since the thread's previous request; absent if unknown. */
  readonly changedTools?: readonly string[];
  /** Chance that it breaks for no reason the recording shows (K14). */
  readonly risk: number;
  /** Adjusts the cache's answer to the recording; null if it does not. */
  readonly adjust: AdjustOutcome | null;
}

/**
 * Called when a part of the loop begins and ends. The engine never reads a clock: to get timings, pass a sink
 * that does, and keeps them beside the log, never in it.
 */
export interface TimingSink {
  begin(part: string): void;
  end(part: string): void;
}

/** A sink that does nothing. */
export const NO_TIMING: TimingSink = { begin() {}, end() {} };

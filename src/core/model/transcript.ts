import { getOrMake, oncePer } from '../base/once.js';
import type { Capability } from '../run/capability.js';
import type { PlannedModel } from '../run/run-plan.js';
import type { Warning } from '../run/warning.js';
import type { ThreadUses } from '../uses/uses.js';
import type { Block } from './block.js';
import { type Message, messageTokens, withBlocks } from './message.js';
import type { Usage } from './usage.js';

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

/** A call whose model did not think: neither the blocks nor the output they were. A response of thinking alone stays. */
function quietCall(call: RecordedCall): RecordedCall {
  const { response, usage, outputTokens } = call;
  const blocks = response.blocks.filter(({ kind }) => kind !== 'thinking');
  if (blocks.length === response.blocks.length || blocks.length === 0) return call;
  let thought = 0;
  for (const { kind, tokens } of response.blocks) if (kind === 'thinking') thought += tokens;
  return {
    ...call,
    response: withBlocks(response, blocks),
    usage: usage === null ? null : { ...usage, output: Math.max(1, usage.output - thought) },
    ...(outputTokens === undefined ? {} : { outputTokens: Math.max(1, outputTokens - thought) }),
  };
}

function quietStep(step: Step): Step {
  if (step.kind !== 'call') return step;
  const call = quietCall(step.call);
  return call === step.call ? step : { kind: 'call', call };
}

function quietFlow({ calls, steps }: StepFlow): StepFlow {
  return {
    calls,
    *steps() {
      for (const step of steps()) yield quietStep(step);
    },
  };
}

function quietThread(thread: Thread): Thread {
  const { steps, flow } = thread;
  return {
    ...thread,
    steps: steps.map(quietStep),
    ...(flow === undefined ? {} : { flow: quietFlow(flow) }),
  };
}

/** A transcript whose models did not think (R21), each made once. */
export const withoutThinking = oncePer(
  (transcript: Transcript): Transcript => ({ ...transcript, threads: transcript.threads.map(quietThread) }),
);

/** One API call as recorded or generated: when it began, what came back, what was billed. */
export interface RecordedCall {
  readonly id: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly model: string;
  readonly response: Message;
  /** Usage the source reports; null when it has none. */
  readonly usage: Usage | null;
  /** Output that a source reports beside no other usage; more than the response holds where not all of it comes back in prompts. */
  readonly outputTokens?: number;
  /** The recorded output count is a placeholder (Claude Code before 2.1.59). */
  readonly outputIsPlaceholder: boolean;
  readonly stopReason: string | null;
  /** Why the API says the cache missed, where it said so. */
  readonly missReason: string | null;
  readonly effort: string | null;
}

/** A compaction the user asks for (FUL-10, FUL-11). */
export interface ManualCompaction {
  readonly instructions: string | null;
  /** Null summarises everything; otherwise one side of a pivot, this many messages before the end. */
  readonly partial: { readonly direction: 'from' | 'up_to'; readonly messagesBack: number } | null;
  /** Set where nobody asked: the recording, which is followed, compacts by itself here. */
  readonly isRecorded?: true;
}

/** Who asked for a compaction, as the log says it: the user or, where a recording is followed, its client. */
export function askedBy(manual: ManualCompaction | null) {
  return manual?.isRecorded === true
    ? ({ trigger: 'auto', reason: 'the recording compacts here' } as const)
    : ({ trigger: 'manual', reason: 'the user asked for it' } as const);
}

/** What a speaker says about thinking. */
export type SpokenThinking = 'on' | 'off' | 'unsaid';

/** Something that happens to a thread besides messages and calls. */
export type ThreadEvent =
  /** A compaction the recording holds: one by hand happens in every run, an automatic one is the policy's to decide (C1). */
  | {
      readonly kind: 'recorded-compaction';
      readonly at: number;
      readonly trigger: 'auto' | 'manual';
      readonly preTokens: number | null;
      readonly postTokens: number | null;
      readonly durationMs: number | null;
      readonly summary: Message | null;
      /** Messages kept verbatim behind the summary, by id. */
      readonly keptIds: readonly string[];
      /** What the user asked the summary to do. */
      readonly instructions?: string;
      /** Set where the request that made the summary is one of the calls of the thread. */
      readonly isAmongCalls?: true;
    }
  | {
      readonly kind: 'recorded-microcompact';
      readonly at: number;
      readonly trigger: 'auto' | 'manual';
      readonly preTokens: number | null;
      readonly tokensSaved: number | null;
      readonly toolUseIds: readonly string[];
    }
  /** The user asks for a compaction. */
  | { readonly kind: 'manual-compact'; readonly at: number; readonly compaction: ManualCompaction }
  /** The user asks for old results to be cleared, without a summary (MIC-1). */
  | { readonly kind: 'manual-microcompact'; readonly at: number }
  /** The user ends a dream that runs (C48). */
  | { readonly kind: 'end-dream'; readonly at: number }
  /** The process ended and the session was resumed. */
  | {
      readonly kind: 'resume';
      readonly at: number;
      readonly reason: string;
      /** Results that a client which reads the record back along its parents does not find again, by message id. */
      readonly lostIds?: readonly string[];
    }
  /** The user emptied the conversation. */
  | { readonly kind: 'clear'; readonly at: number }
  /** The user went back: what came behind a message is gone. Null goes back to the beginning. */
  | { readonly kind: 'rewind'; readonly at: number; readonly lastId: string | null }
  /** Somebody speaks, and with that decides about thinking; `unsaid` where the record does not tell. */
  | { readonly kind: 'speaker'; readonly at: number; readonly thinking: SpokenThinking }
  /** The next call was answered in one piece, after its stream had failed. */
  | { readonly kind: 'fallback'; readonly at: number }
  /** The client had a summary made for a user who was away (K17). */
  | { readonly kind: 'away-summary'; readonly at: number }
  | { readonly kind: 'model-switch'; readonly at: number; readonly model: string }
  /** The agent's version changed. */
  | { readonly kind: 'version'; readonly at: number; readonly version: string }
  /** System prompt or tools change from here on. */
  | {
      readonly kind: 'prefix-change';
      readonly at: number;
      readonly what: 'system' | 'tools';
      readonly label: string;
      /** Names of the tools that change, where known. */
      readonly tools?: readonly string[];
    }
  /** The agent writes to another one (AGT-4). */
  | { readonly kind: 'agent-message'; readonly at: number; readonly message: AgentMessage };

/** How a message between agents travels (AGT-4): in the process, through a file of the team, or to another session. */
export const LETTER_WAYS = ['process', 'team', 'bridge'] as const;
export type MessageRoute = (typeof LETTER_WAYS)[number];

/** What a message between agents is about (AGT-4). */
export const LETTER_SUBJECTS = [
  'message',
  'shutdown-request',
  'shutdown-response',
  'plan-request',
  'plan-response',
  'plan-rejection',
] as const;
export type MessageSubject = (typeof LETTER_SUBJECTS)[number];

/** A message of one agent to another, or to all (`*`). */
export interface AgentMessage {
  readonly to: string;
  readonly way: MessageRoute;
  readonly subject: MessageSubject;
  readonly tokens: number;
  /** For a plan: how often it is turned down before it is approved; absent for never. */
  readonly rejections?: number;
}

/** A step of a thread, in order. */
export type Step =
  | { readonly kind: 'message'; readonly message: Message }
  | { readonly kind: 'call'; readonly call: RecordedCall }
  | { readonly kind: 'event'; readonly event: ThreadEvent };

/** Steps of a long generated session, which nobody holds all at once: no usage was recorded, and no plan is gone through again. */
export interface StepFlow {
  /** Calls among them. */
  readonly calls: number;
  /** All of them from the first on, each time the same. */
  steps(): Iterable<Step>;
}

/** One conversation with its own cache chain: the main one, a subagent, a fork. */
export interface Thread {
  readonly id: string;
  /** Thread that started this one; null for a main thread. */
  readonly parentId: string | null;
  readonly label: string;
  /** Tool definitions and system prompt: blocks of role tools, then system. */
  readonly prefix: readonly Block[];
  readonly steps: readonly Step[];
  /** The same steps made as they are taken, where there are too many to be kept. */
  readonly flow?: StepFlow;
  /** Session it belongs to, where the transcript holds several. */
  readonly session?: string;
  /** Thread whose record it takes up: it starts with that conversation. */
  readonly continues?: string;
  /** It starts as a copy of its parent right after the response to this call (AGT-1). */
  readonly fork?: { readonly callId: string };
}

/** How the process of a session comes to its end. */
export const SESSION_ENDINGS = ['clean', 'killed', 'crashed'] as const;
export type SessionEnding = (typeof SESSION_ENDINGS)[number];

/** One of several sessions that share a home and a clock. */
export interface SessionInfo {
  readonly name: string;
  readonly startMs: number;
  /** Earlier session whose record it takes up. */
  readonly resumes: string | null;
  readonly ending: SessionEnding;
  /** Project it works in, and which checkout of it; absent if all work in the same. */
  readonly project?: string;
  readonly checkout?: string;
}

/** A recorded or generated session: what the agent's conversation consisted of, whatever policy replays it. */
export interface Transcript {
  readonly id: string;
  /** Reader or generator that made it. */
  readonly source: string;
  readonly carries: readonly Capability[];
  /** Version of the agent that recorded it, first seen. */
  readonly agentVersion: string | null;
  /** Provider whose cache the recording shows, where it is not the one of the models' rows. */
  readonly provider?: string;
  /** Context window that the recording's client worked with, where the record tells it. */
  readonly window?: number;
  /** How the recording's client was started, as it says itself: `cli`, `sdk-cli`, `claude-desktop`. */
  readonly entrypoint?: string;
  /** What the recording's client says the session cost, requests for summaries included, where it does. */
  readonly clientCostUsd?: number;
  /** Wall-clock time of the first step (ms since 1970), for day changes; null when unknown. */
  readonly startedAtMs: number | null;
  /** Day whose prices count for all requests, where the user names one; absent: the day of each. */
  readonly priceDay?: string;
  /** Models whose prices the user gives; absent: those of the table. */
  readonly models?: readonly PlannedModel[];
  readonly threads: readonly Thread[];
  /** Memory files of the project's folders with their tokens, where the source knows them (NES-1). */
  readonly memoryFiles?: Readonly<Record<string, number>>;
  /** Sessions in the order of their starts, where there are several. */
  readonly sessions?: readonly SessionInfo[];
  readonly warnings: readonly Warning[];
  /** What its calls need of what came before them, where that is known already (`usesOf`). */
  readonly uses?: () => readonly ThreadUses[];
}

/** A compaction that a recording holds. */
export type RecordedCompaction = Extract<ThreadEvent, { readonly kind: 'recorded-compaction' }>;

/** The calls of threads. */
export function callsIn(threads: readonly Pick<Thread, 'steps'>[]): readonly RecordedCall[] {
  return threads.flatMap(({ steps }) => steps.flatMap((step) => (step.kind === 'call' ? [step.call] : [])));
}

/** The compactions that threads were recorded with. */
export function compactionsIn(threads: readonly Pick<Thread, 'steps'>[]): readonly RecordedCompaction[] {
  return threads.flatMap(({ steps }) =>
    steps.flatMap((step) =>
      step.kind === 'event' && step.event.kind === 'recorded-compaction' ? [step.event] : [],
    ),
  );
}

/** Calls of a transcript. */
export function countCalls({ threads }: Pick<Transcript, 'threads'>): number {
  let calls = 0;
  for (const thread of threads) {
    if (thread.flow !== undefined) calls += thread.flow.calls;
    else for (const step of thread.steps) if (step.kind === 'call') calls++;
  }
  return calls;
}

/** Labels of the forks that write Claude Code's summaries begin so (spec of transcripts §6). */
const SUMMARY_FORK = 'acompact-';
/** What readers call the requests that other agents record for their summaries. */
const SUMMARY_REQUESTS: ReadonlySet<string> = new Set(['compaction', 'condensation']);

/** Whether a thread is the request for a summary that a client made when it compacted another. */
export function isSummaryFork({ label, parentId }: Pick<Thread, 'label' | 'parentId'>): boolean {
  return parentId !== null && (label.startsWith(SUMMARY_FORK) || SUMMARY_REQUESTS.has(label));
}

const replayable = new WeakMap<Transcript, Transcript>();

/** What a run replays of a transcript: all but the requests for summaries, which it makes for itself where it compacts. */
export function withoutSummaryForks(transcript: Transcript): Transcript {
  if (!transcript.threads.some(isSummaryFork)) return transcript;
  return getOrMake(replayable, transcript, () => ({
    ...transcript,
    threads: transcript.threads.filter((thread) => !isSummaryFork(thread)),
  }));
}

/** The model of a thread's first call; null without calls. */
export function firstModel(thread: Thread): string | null {
  for (const step of thread.flow?.steps() ?? thread.steps) if (step.kind === 'call') return step.call.model;
  return null;
}

/** Wall-clock time of the last call of a session; null if the record does not tell. */
export function endedAtMs({
  startedAtMs,
  threads,
}: Pick<Transcript, 'startedAtMs' | 'threads'>): number | null {
  let last = 0;
  for (const { flow, steps } of threads)
    for (const step of flow?.steps() ?? steps)
      if (step.kind === 'call') last = Math.max(last, step.call.endMs);
  return startedAtMs === null ? null : startedAtMs + last;
}

/** True where the output that was billed is not recorded: it is at least what is, and likely the response's own tokens. */
export function isOutputEstimated(call: RecordedCall): boolean {
  return (call.usage === null && call.outputTokens === undefined) || call.outputIsPlaceholder;
}

/**
 * Billed output of a call: as recorded, or the response's own tokens where the record is a placeholder. A placeholder is a count
 * from within the stream, and such a count only grows: no estimate is below it.
 */
export function outputOf(call: RecordedCall): number {
  const recorded = call.usage?.output ?? call.outputTokens ?? 0;
  return isOutputEstimated(call) ? Math.max(recorded, messageTokens(call.response)) : recorded;
}

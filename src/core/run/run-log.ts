import type { Item, UseKind } from '../uses/uses.js';
import type { RecordedBill } from './recorded-bill.js';
import type { CallPurpose, LeastFaults, PlannedPlugin } from './run-plan.js';
import type { Warning } from './warning.js';

/** Version of the log format; readers refuse others. */
export const RUN_LOG_VERSION = 2;

/** The layers of the reference system, plus the loop itself. */
export const LAYERS = [
  'storage',
  'snip',
  'microcompact',
  'collapse',
  'session-memory',
  'full-compact',
  'reactive',
  'auto-memory',
  'dreaming',
  'agents',
  'nested-memory',
  'hooks',
  'rules',
] as const;
export type Layer = (typeof LAYERS)[number];

/** Why cache tokens that were there had to be written again: each cause, and how it is said to a user. */
export const CAUSE_SENTENCES = {
  system: 'the system prompt changed',
  tools: 'the tools changed',
  model: 'another model',
  parameters: 'parameters changed',
  messages: 'earlier messages changed',
  thinking: 'thinking was taken out',
  'ttl-5m': 'five minutes had passed',
  'ttl-1h': 'an hour had passed',
  expired: 'its lifetime had passed',
  'not-readable-yet': 'asked before the first answer began',
  lookback: 'no marker within 20 blocks of what is cached',
  compaction: 'the conversation was compacted',
  microcompaction: 'earlier results were cleared',
  snip: 'early rounds were left out',
  collapse: 'finished tasks were folded',
  chance: 'the provider did not find it',
  rounding: 'the cache is read in steps',
  'no-cache': 'nothing is cached',
  server: 'the server had lost it',
} as const;

/** One of them. */
export type BreakCause = keyof typeof CAUSE_SENTENCES;

/** All of them, in the order of reports. */
export const BREAK_CAUSES = Object.keys(CAUSE_SENTENCES) as readonly BreakCause[];

/** First line: what was run. */
export interface RunEntry {
  readonly type: 'run';
  readonly version: typeof RUN_LOG_VERSION;
  readonly name: string;
  readonly seed: number;
  readonly policy: string;
  /** Digest of the plan: equal plans over equal transcripts give equal logs. */
  readonly planDigest: string;
  readonly plan: unknown;
  /** The plug-ins it was made with; absent when there were none. */
  readonly plugins?: readonly PlannedPlugin[];
  readonly transcript: {
    readonly id: string;
    readonly source: string;
    readonly agentVersion: string | null;
    readonly carries: readonly string[];
    readonly threads: number;
    readonly calls: number;
    /** What the session cost when it was recorded; absent if unknown. */
    readonly recorded?: RecordedBill;
    /** How well the recording is reproduced by its own client; absent where nothing is taken from it. */
    readonly reproduced?: Reproduced;
  };
}

/** The notice that the context of a thread is no longer that of its recording. */
export const PARTED = 'parted';

/** What the requests of a recording cost on the input side, by its usage and by a replay as its own client. Nano-dollars. */
export interface Reproduced {
  readonly recordedNano: number;
  readonly simulatedNano: number;
  /** Why the two may differ, in words. */
  readonly reasons: readonly string[];
}

/** A conversation begins. */
export interface ThreadEntry {
  readonly type: 'thread';
  readonly t: number;
  readonly thread: string;
  readonly parent: string | null;
  readonly label: string;
  readonly prefixTokens: number;
  readonly window: number | null;
  /** For a fork: tokens it shares with its parent byte for byte, tools and system included (AGT-1). */
  readonly sharedTokens?: number;
  /** True tokens that layers had taken out of the conversation it starts with, by layer; absent when none had. */
  readonly takenOut?: Readonly<Partial<Record<Layer, number>>>;
  /** Session it belongs to, where there are several. */
  readonly session?: string;
}

/** One API request that was answered. prompt = input + read + write5m + write1h; cost in nano-dollars. */
export interface RequestEntry {
  readonly type: 'request';
  readonly t: number;
  readonly thread: string;
  /** Number of the request in the run, from 1. */
  readonly n: number;
  /** Main-loop turn of its thread, from 1; requests made by a layer carry the turn they interrupt. */
  readonly turn: number;
  readonly purpose: CallPurpose;
  readonly model: string;
  readonly prompt: number;
  readonly read: number;
  readonly write5m: number;
  readonly write1h: number;
  readonly input: number;
  readonly output: number;
  /** Tokens the model holds after its answer: prompt and output, less what was deleted on the server (MIC-3). */
  readonly context: number;
  /** What the policy's own counter said before the request; null when the policy has none. */
  readonly estimatedTokens: number | null;
  /** Share of the session's own tokens (tools and system included) that the request still holds as they came; null beside the loop. */
  readonly kept: number | null;
  /** What the prompt would have been had no layer taken anything out of the conversation (LOP-3); null beside the loop. */
  readonly uncompactedTokens: number | null;
  /** Tokens of the prompt that the thread's previous request did not hold. */
  readonly newTokens: number;
  /** Tokens that request held and that were not read from the cache this time. */
  readonly rewritten: number;
  /** Why they were not; null when nothing was rewritten. */
  readonly cause: BreakCause | null;
  readonly latencyMs: number;
  readonly readCost: number;
  readonly writeCost: number;
  readonly inputCost: number;
  readonly outputCost: number;
  readonly cost: number;
  /** Part of the cost that pays for `rewritten`. */
  readonly rewriteCost: number;
  /** An unpredictable break (K14): its chance, and what it would add; absent where the client knows of none. */
  readonly risk?: { readonly chance: number; readonly cost: number };
}

/** The cache served markedly less than before (BRD-1). */
export interface BreakEntry {
  readonly type: 'break';
  readonly t: number;
  readonly thread: string;
  readonly n: number;
  readonly cause: BreakCause;
  /** Announced by a layer beforehand (BRD-3). */
  readonly expected: boolean;
  readonly lostTokens: number;
  /** First position that changed, where the messages did. */
  readonly position: number | null;
  /** Names of the tools that changed, where known. */
  readonly tools?: readonly string[];
}

/** The API would not take a request. */
export interface RefusedEntry {
  readonly type: 'refused';
  readonly t: number;
  readonly thread: string;
  readonly turn: number;
  readonly purpose: CallPurpose;
  readonly status: number;
  readonly error: string;
  readonly message: string;
  readonly prompt: number;
  readonly limit: number | null;
}

/** Recorded calls that could not take place because an earlier one of the same prompt failed. */
export interface LostEntry {
  readonly type: 'lost';
  readonly t: number;
  readonly thread: string;
  readonly calls: number;
  readonly reason: string;
}

/** Recorded calls that were not made because another agent had ended theirs: no work was lost (C36). */
export interface EndedEntry {
  readonly type: 'ended';
  readonly t: number;
  readonly thread: string;
  readonly calls: number;
  readonly reason: string;
}

/** A layer acted. */
export interface LayerEntry {
  readonly type: 'layer';
  readonly t: number;
  readonly thread: string;
  readonly turn: number;
  readonly layer: Layer;
  /** What it did, e.g. `clear`, `compact`, `extract`, `store`. */
  readonly action: string;
  readonly trigger: 'auto' | 'manual' | 'reactive' | 'idle' | 'server';
  readonly outcome: 'done' | 'failed' | 'declined';
  /** One sentence: why it fired, or why it failed. */
  readonly reason: string;
  /** Stable name of the failure, for counting; null when it did not fail. */
  readonly failure: string | null;
  readonly estimatedBefore: number | null;
  readonly estimatedAfter: number | null;
  readonly trueBefore: number;
  readonly trueAfter: number;
  /** Tokens it took out of the context just then; what came back later is in `returned` entries. */
  readonly saved: number;
  /** Cached tokens after the first changed position that no earlier change since the last request had destroyed. */
  readonly cacheLost: number;
  /** Requests this action made, and what they cost in nano-dollars. */
  readonly calls: number;
  readonly cost: number;
  /** Numbers and names particular to the layer. */
  readonly details: Readonly<Record<string, unknown>>;
}

/** Content that a layer had taken out is in the context again. */
export interface ReturnedEntry {
  readonly type: 'returned';
  readonly t: number;
  readonly thread: string;
  readonly turn: number;
  readonly layer: Layer;
  readonly tokens: number;
  /** `expired`: deletions went with the cache (MIC-3); `resume`: the record still had it. */
  readonly why: 'expired' | 'resume';
}

/** The context that no layer has touched since the last compaction crossed the auto-compact threshold (LOP-3). */
export interface CrossingEntry {
  readonly type: 'crossing';
  readonly t: number;
  readonly thread: string;
  readonly turn: number;
  /** `avoided`: the real one did not; `made`: it has followed, so that the compaction was only deferred. */
  readonly state: 'avoided' | 'made';
  readonly threshold: number;
  /** Both contexts as the policy's counter sees them. */
  readonly estimatedTokens: number;
  readonly uncompactedTokens: number;
  /** Layers without which the real one would have crossed it too; all that took something out when no single one made it. */
  readonly layers: readonly Layer[];
}

/** What the client shows of a main conversation, written when it changes (WIN-5). */
export interface StatusEntry {
  readonly type: 'status';
  readonly t: number;
  readonly thread: string;
  readonly turn: number;
  /** Number of the request that is sent with it. */
  readonly n: number;
  /** The context as the policy's counter sees it, and the size at which nothing is left. */
  readonly estimatedTokens: number;
  readonly limit: number;
  readonly percentLeft: number;
  readonly warning: boolean;
  readonly error: boolean;
}

/** The breaker opened: no more automatic attempts. */
export interface BreakerEntry {
  readonly type: 'breaker';
  readonly t: number;
  readonly thread: string;
  readonly turn: number;
  readonly failures: number;
  readonly state: 'tripped' | 'skipped' | 'reset';
}

/** A call needs content that its context no longer holds. */
export interface FaultEntry extends Omit<Item, 'block'> {
  readonly type: 'fault';
  readonly t: number;
  readonly thread: string;
  readonly turn: number;
  /** `refetch`: it can be fetched again; `masked`: a placeholder says where; `lost`: text that cannot be fetched. */
  readonly kind: 'refetch' | 'masked' | 'lost';
  /** Chance that it has to be fetched, as fitted: below 1 if a summary may keep it. */
  readonly chance: number;
  /** The same under the survival that the plan assumes. */
  readonly weight: number;
  /** Summaries since it came; 0 where it was taken out without one. */
  readonly rounds: number;
  /** What fetching its tokens again costs at once, in nano-dollars: the prompt is read once more, and the result written. */
  readonly cost: number;
  readonly use: UseKind;
  /** What shows that it is needed: an identifier or a line. */
  readonly what: string;
}

/** Something that happened to a thread: resume, model switch, blocked input, end of the run by a guard. */
export interface NoticeEntry {
  readonly type: 'notice';
  readonly t: number;
  readonly thread: string;
  readonly what: string;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** Something the transcript cannot support. */
export interface SkippedEntry {
  readonly type: 'skipped';
  readonly what: string;
  readonly needs: string;
}

/** A warning with its remedy. */
export interface WarningEntry extends Warning {
  readonly type: 'warning';
}

/** Where the tokens of a thread's conversation went (TOK-7…9), true tokens. */
export interface BreakdownEntry {
  readonly type: 'breakdown';
  readonly thread: string;
  readonly breakdown: unknown;
  readonly estimator: { readonly heuristic: number; readonly true: number; readonly ratio: number | null };
}

/** Last line: the run finished. */
export interface EndEntry extends Partial<LeastFaults> {
  readonly type: 'end';
  readonly t: number;
  readonly turns: number;
  readonly requests: number;
  readonly cost: number;
  /** Where a provider's hits are chance: what the loop lost by it in this draw, on average, and the ends of the 90 % interval; nano-dollars. */
  readonly chance?: {
    readonly lost: number;
    readonly expected: number;
    readonly low: number;
    readonly high: number;
  };
}

export type LogEntry =
  | RunEntry
  | ThreadEntry
  | RequestEntry
  | BreakEntry
  | RefusedEntry
  | LostEntry
  | EndedEntry
  | LayerEntry
  | ReturnedEntry
  | CrossingEntry
  | StatusEntry
  | BreakerEntry
  | FaultEntry
  | NoticeEntry
  | SkippedEntry
  | WarningEntry
  | BreakdownEntry
  | EndEntry;

/** Takes the entries of a run, in order. */
export interface LogSink {
  write(entry: LogEntry): void;
}

/** A sink that sums a run up. */
export interface SummingSink extends LogSink {
  /** What the entries came to; asking for it changes nothing. */
  finish(): unknown;
  /**
   * Goes on from what such a sink made of a run in which the same happened under other limits. Of the new run it gets what
   * limits have a say in: its first entry, what clients show, and layers that fired at a limit; of the requests of main loops, in
   * their place, how large their clients see the context.
   */
  resume(sum: unknown): void;
  seen(thread: string, tokens: number): void;
}

import { EVENT_SHAPES, type EventEntry, type LineShapes } from './log-entries.js';
import type { RecordedBill } from './recorded-bill.js';
import type { LeastFaults, PlannedPlugin } from './run-plan.js';
import type { Warning } from './warning.js';

/** Version of the log format; readers refuse others. */
export const RUN_LOG_VERSION = 2;

/** How the text of a log begins. */
export const LOG_HEAD = '{"type":"run"';

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
    /** How well the recording is reproduced by its own client; absent if nothing is taken from it. */
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

/** An entry of a log. */
export type LogEntry = RunEntry | EventEntry | SkippedEntry | WarningEntry | BreakdownEntry | EndEntry;

/** What is checked of a log that is read. */
export const LINE_SHAPES: LineShapes<LogEntry> = {
  ...EVENT_SHAPES,
  run: {
    string: ['name', 'policy', 'planDigest'],
    number: ['seed'],
    object: ['transcript'],
    inside: ['transcript', { string: ['id', 'source'], number: ['calls', 'threads'] }],
  },
  skipped: {
    string: ['what', 'needs'],
  },
  warning: {
    string: ['code', 'message'],
    number: ['count'],
  },
  breakdown: {
    string: ['thread'],
    object: ['estimator'],
    inside: ['estimator', { number: ['heuristic', 'true'] }],
  },
  end: {
    number: ['t', 'turns', 'requests', 'cost'],
    maybe: { number: ['leastFaults', 'leastRefetchTokens', 'leastRefetchCost'] },
  },
};

/** Takes the entries of a run, in order. */
export interface LogSink {
  write(entry: LogEntry): void;
  /** Set by a sink that only adds up: entries may leave out details that take time to find and that nothing adds up. */
  readonly isSumming?: boolean;
}

/** A sink that sums a run up. */
export interface SummingSink extends LogSink {
  readonly isSumming: true;
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

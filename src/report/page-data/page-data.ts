import type { MetricUnit } from '../../core/base/format.js';
import type { LayerEntry } from '../../core/run/log-entries.js';
import type { Warning } from '../../core/run/warning.js';
import type { Conclusion } from '../text/conclusion.js';
import type { PolicyInfo } from '../text/policy-info.js';

/** A table that sets several runs side by side. */
export interface ComparisonTable {
  readonly caption: string;
  readonly columns: readonly string[];
  /** The metric of each column; absent if columns are no metrics. */
  readonly metrics?: readonly string[];
  readonly rows: readonly ComparisonRow[];
  /** Sentences below the table. */
  readonly notes: readonly string[];
  /** Those of them that the short form has too: what is missing in the numbers; absent if nothing is. */
  readonly alarms?: readonly string[];
}

/** One variant of a comparison. */
export interface ComparisonRow {
  readonly name: string;
  /** Behind the name, such as that it did not finish. */
  readonly note?: string;
  /** The command that makes its run alone. */
  readonly command?: string;
  /** The page of its run. */
  readonly page?: string;
  /** Whether a search dropped it before it had seen all sessions. */
  readonly isDiscarded?: true;
  readonly cells: readonly ComparisonCell[];
}

/** A value of a comparison as people read it. */
export interface ComparisonCell {
  readonly text: string;
  /** What rows are sorted by; null or absent for a cell without a number. */
  readonly value?: number | null;
  /** A second, smaller line, such as the difference to the baseline. */
  readonly note?: string;
  /** Where the mean lies, shown in pages alone. */
  readonly interval?: string;
  readonly mark?: 'best' | 'worse';
}

/** A label with a value and what there is to say about it. */
export interface PageFact {
  readonly label: string;
  readonly value: string;
  readonly note: string;
  readonly tone: 'plain' | 'strong' | 'bad';
}

/** A column of requests; costs are in nano-dollars, `cause` is −1 where nothing was written again. */
export type RequestColumn =
  | 't'
  | 'thread'
  | 'turn'
  | 'purpose'
  | 'model'
  | 'read'
  | 'write5m'
  | 'write1h'
  | 'input'
  | 'output'
  | 'context'
  | 'rewritten'
  | 'cause'
  | 'latencyMs'
  | 'readCost'
  | 'freshCost'
  | 'rewriteCost'
  | 'outputCost';

/** Requests as columns: every array has one value per request; names are indexes into `names`. */
export type PageRequests = Readonly<Record<RequestColumn, readonly number[]>>;

/** What the page lacks of a long run: each column has one value per request that is there. */
export interface PageLeftOut {
  /** Requests of the whole run. */
  readonly requests: number;
  /** Number among all, from 1. */
  readonly n: readonly number[];
  /** Sums over the requests left out before it; costs in nano-dollars. */
  readonly count: readonly number[];
  readonly prompt: readonly number[];
  readonly read: readonly number[];
  readonly readCost: readonly number[];
  readonly freshCost: readonly number[];
  readonly outputCost: readonly number[];
  /** Causes by name, also those of no request that is there. */
  readonly rewriteCosts: Readonly<Record<string, readonly number[]>>;
}

/** Something that happened besides answered requests. */
export interface PageEvent {
  readonly kind: 'layer' | 'break' | 'refused' | 'lost' | 'breaker' | 'notice';
  readonly t: number;
  readonly thread: string;
  readonly turn: number | null;
  /** Requests in the log before it: its place between them. */
  readonly after: number;
  /** What acted or what kind it is: a layer, a cause, an error. */
  readonly name: string;
  readonly action: string;
  readonly outcome: string;
  /** One sentence. */
  readonly reason: string;
  readonly layer?: PageLayerFigures;
  /** Cached tokens that a layer’s action destroyed. */
  readonly destroyed?: number;
  /** How many tokens fewer a request with a cache break read than the one before. */
  readonly readDrop?: number;
  readonly details: Readonly<Record<string, unknown>>;
}

/** The figures of a layer's action; its cost is in nano-dollars. */
type PageLayerFigures = Pick<
  LayerEntry,
  'trigger' | 'estimatedBefore' | 'estimatedAfter' | 'trueBefore' | 'trueAfter' | 'saved' | 'calls' | 'cost'
>;

/** What one layer did over the run. */
export interface PageLayer {
  readonly name: string;
  /** Times it did something, or tried to. */
  readonly acts: number;
  /** Times it looked and left things as they were. */
  readonly declined: number;
  /** Tokens it keeps out of the conversations at their ends. */
  readonly saved: number;
  /** Those tokens summed over the requests. */
  readonly notCarried: number;
  /** Compactions it prevented, and those it only deferred. */
  readonly prevented: number;
  readonly deferred: number;
  /** Cached tokens that it destroyed. */
  readonly destroyed: number;
  /** Nano-dollars. */
  readonly cost: number;
}

/** Parts of the prompts of some requests, from the front to the end: tokens, how many more than in the request before. */
export type PageFill = readonly {
  readonly title: string;
  readonly color: string;
  readonly grown: readonly number[];
}[];

/** What the charts over requests need of a run or a recording. */
export interface ChartedRun {
  readonly threads: readonly {
    readonly id: string;
    readonly parent: string | null;
    readonly label: string;
  }[];
  readonly names: {
    readonly threads: readonly string[];
    readonly purposes: readonly string[];
    readonly models: readonly string[];
    readonly causes: readonly string[];
  };
  readonly requests: PageRequests;
  /** Absent where every request is there. */
  readonly leftOut?: PageLeftOut;
  /** What fills the prompts; absent if nobody looked. */
  readonly fill?: PageFill;
}

/** One run as the page shows it. */
export interface PageRun extends ChartedRun {
  readonly name: string;
  readonly digest: string | null;
  /** What went unanswered, and why; null for a run that finished. */
  readonly unfinished: string | null;
  /** Who ran what, in short. */
  readonly about: readonly (readonly [string, string])[];
  readonly cards: readonly PageFact[];
  /** Sentences that the reader must know to read the numbers. */
  readonly assumptions: readonly string[];
  readonly blocks: readonly { readonly title: string; readonly facts: readonly PageFact[] }[];
  readonly thresholds: readonly { readonly name: string; readonly tokens: number }[];
  readonly gaps: readonly (readonly [number, number])[];
  /** Why it is not said what fills the prompts; null if it is, or nobody asks. */
  readonly noFill: string | null;
  readonly events: readonly PageEvent[];
  /** Layers that acted. */
  readonly layers: readonly PageLayer[];
  readonly policy: PolicyInfo | null;
  /** The settings of the scenario besides the policy's numbers. */
  readonly settings: readonly (readonly [string, string])[];
  readonly skipped: readonly { readonly what: string; readonly needs: string }[];
  readonly warnings: readonly Pick<Warning, 'message' | 'remedy' | 'count'>[];
}

/** Everything the page of runs shows. */
export interface PageData {
  readonly kind: 'runs';
  readonly title: string;
  readonly conclusion: Conclusion | null;
  readonly runs: readonly PageRun[];
  readonly comparison: ComparisonTable | null;
  /** The sessions behind the comparison; null if there is one. */
  readonly sessions: ComparisonTable | null;
  /** Over the rows of the comparison. */
  readonly charts: readonly StudyChart[];
}

/** What an axis of a chart counts. */
export interface StudyAxis {
  readonly title: string;
  /** How its values are written; null for plain numbers. */
  readonly unit: MetricUnit | null;
  readonly scale: 'linear' | 'log';
  /** Names of the places 0, 1, 2 …, where the axis has names instead of numbers. */
  readonly names?: readonly string[];
}

/** A point of a chart. */
export interface StudyPoint {
  readonly x: number;
  readonly y: number;
  /** Ends of its interval. */
  readonly low?: number;
  readonly high?: number;
  /** Index of the row it belongs to; null for none. */
  readonly row: number | null;
  readonly mark?: 'best' | 'unranked' | 'discarded';
  /** Written beside it, as far as there is room. */
  readonly label?: string;
}

/** Points that belong together. */
export interface StudySeries {
  readonly name: string;
  readonly color: string;
  readonly drawn: 'line' | 'dots';
  readonly points: readonly StudyPoint[];
}

/** A chart of points that the reader asks for their rows. */
export interface StudyChart {
  /** Kebab-case: what files of it are called. */
  readonly name: string;
  readonly title: string;
  readonly x: StudyAxis;
  readonly y: StudyAxis;
  readonly series: readonly StudySeries[];
  /** Lines to read points against: where both axes are equal, or levels with names. */
  readonly guide?: 'equal' | readonly { readonly name: string; readonly y: number }[];
  /** What happened at places of the first axis. */
  readonly events?: readonly { readonly x: number; readonly name: string; readonly color: string }[];
}

/** Everything the page of a study shows. */
export interface StudyPageData {
  readonly kind: 'study';
  readonly title: string;
  /** The result in a sentence. */
  readonly lead: string;
  /** What to do about it, or to doubt of it; null if the result says all. */
  readonly advice: string | null;
  readonly cards: readonly PageFact[];
  /** What a row is: a point, a session, a run. */
  readonly of: string;
  readonly table: ComparisonTable;
  readonly charts: readonly StudyChart[];
  /** Charts of the rows in small, in their order; empty if there are none. */
  readonly runs: readonly (ChartedRun | null)[];
  readonly notes: readonly string[];
}

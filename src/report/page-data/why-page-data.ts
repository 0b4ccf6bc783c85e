import type { ChartedRun, PageFact } from './page-data.js';

/** What one cause took of all the money. */
export interface WhyPageCause {
  readonly title: string;
  /** Its colour in the charts. */
  readonly color: string;
  readonly usd: number;
  readonly share: number | null;
  /** 0 for what every session pays. */
  readonly events: number;
  readonly avoidableUsd: number;
  /** What would have avoided it; null if nothing would. */
  readonly remedy: string | null;
  /** What is said of one of its breaks of which nothing was avoidable as far as is known. */
  readonly unavoided: string;
}

/** What a change would have saved, and how sure that is. */
export interface WhyPageChange {
  readonly name: string;
  readonly usd: number;
  readonly low: number;
  readonly high: number;
}

/** What a session paid for one model on one day. */
export interface WhyPageSpent {
  readonly model: string;
  readonly day: string;
  readonly usd: number;
}

/** What one source of prompts and responses took. */
interface WhyPageSource {
  readonly title: string;
  /** Empty where the title says it. */
  readonly kind: string;
  readonly tokens: number;
  /** How often a token of it was paid for, on average. */
  readonly times: string;
  readonly usd: number;
  readonly share: number | null;
}

/** What fills the context. */
export interface WhyPageSources {
  readonly rows: readonly WhyPageSource[];
  readonly notes: readonly string[];
}

/** One session. */
export interface WhyPageSession {
  readonly name: string;
  readonly project: string;
  readonly day: string | null;
  readonly requests: number;
  readonly hitRate: number | null;
  readonly usd: number;
  /** What its breaks cost, and what of that was avoidable. */
  readonly lostUsd: number;
  readonly avoidableUsd: number;
  /** The break that cost most; null if there is none. */
  readonly topBreak: string | null;
  readonly spent: readonly WhyPageSpent[];
  /** Its requests in the order of time; null if the page has no room for them. */
  readonly run: ChartedRun | null;
}

/** One break. */
export interface WhyPageBreak {
  /** Index of its session, and number of its request there, from 1. */
  readonly session: number;
  readonly request: number;
  /** Conversation and number of the request in it. */
  readonly thread: string;
  readonly inThread: number;
  /** Index among the causes. */
  readonly cause: number;
  readonly usd: number;
  readonly avoidableUsd: number;
  readonly tokens: number;
  readonly gapMs: number | null;
  readonly at: string | null;
  readonly model: string;
}

/** One recorded compaction, and what was needed again behind it. */
export interface WhyPageCompaction {
  readonly session: number;
  /** The first request behind it; null if there is none. */
  readonly request: number | null;
  readonly at: string | null;
  readonly trigger: string;
  /** Tokens of the context on both sides; null if the record does not tell. */
  readonly tokensBefore: number | null;
  readonly tokensAfter: number | null;
  /** Tokens that were read again behind it, and in front of it. */
  readonly rereadTokens: number;
  readonly rereadBefore: number;
  readonly rereadUsd: number;
  readonly carriedUsd: number;
  /** How many items are missing, and the lines that they stand in. */
  readonly lost: number;
  readonly missing: string;
}

/** Everything the page of `ccbench why` shows. */
export interface WhyPageData {
  readonly kind: 'why';
  readonly title: string;
  /** How far the figures can be trusted, and what to do first. */
  readonly trust: string;
  readonly advice: string;
  readonly cards: readonly PageFact[];
  readonly causes: readonly WhyPageCause[];
  readonly sources: WhyPageSources;
  readonly changes: readonly WhyPageChange[];
  /** What the savings assume. */
  readonly assumed: string;
  /** The most expensive first. */
  readonly sessions: readonly WhyPageSession[];
  readonly breaks: readonly WhyPageBreak[];
  readonly compactions: readonly WhyPageCompaction[];
  /** What they come to, in words. */
  readonly forgotten: readonly string[];
  /** What the reader must know besides, such as what is not shown. */
  readonly notes: readonly string[];
  readonly setAside: readonly { readonly name: string; readonly reason: string }[];
}

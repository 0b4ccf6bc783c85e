import type { Warning } from '../run/warning.js';

/** One recorded request without text: when it went out, how large it was, and its prompt as block ids (E1). */
export interface TraceRequest {
  /** Whole milliseconds since the start of the conversation. */
  readonly startMs: number;
  readonly model: string;
  readonly promptTokens: number;
  readonly outputTokens: number;
  /** The prompt cut into blocks of the trace's block size; equal ids are equal contents. */
  readonly hashIds: Uint32Array;
  /** Kinds of the content that is new in this request. */
  readonly inputTypes: readonly string[];
  readonly outputTypes: readonly string[];
  readonly stop: string | null;
  /** Duration of the API call; null where it was not recorded. */
  readonly apiMs: number | null;
}

/** The requests of one conversation: the main one or a subagent's. */
export interface TraceThread {
  readonly id: string;
  readonly parentId: string | null;
  readonly label: string;
  /** Recorded size of the tool definitions; null when absent. */
  readonly toolTokens: number | null;
  readonly systemTokens: number | null;
  readonly requests: readonly TraceRequest[];
}

/** A recorded conversation as sizes, times and block ids. */
export interface RequestTrace {
  readonly id: string;
  readonly models: readonly string[];
  /** Tokens per block id. */
  readonly blockSize: number;
  readonly hashScope: string | null;
  /** The main thread first, subagents in the order they started. */
  readonly threads: readonly TraceThread[];
  /** Requests left out because a number in them cannot be right. */
  readonly omitted: number;
  readonly warnings: readonly Warning[];
}

import type { CallPurpose } from '../run/run-plan.js';
import type { Warning } from '../run/warning.js';
import type { Thread } from './transcript.js';

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
  /** Duration of the API call; null if it was not recorded. */
  readonly apiMs: number | null;
}

/** The requests of one conversation: the main one or a subagent's. */
export interface TraceThread extends Pick<Thread, 'id' | 'parentId' | 'label'> {
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
  readonly warnings: readonly Warning[];
}

/** One request as other tools replay or draw it: sizes, times and block ids, never text. */
export interface SentRequest {
  readonly thread: string;
  readonly purpose: CallPurpose;
  /** Milliseconds since the start of the session. */
  readonly startMs: number;
  readonly endMs: number;
  readonly provider: string;
  readonly model: string;
  readonly promptTokens: number;
  readonly outputTokens: number;
  /** Tokens read from the cache; null if nobody tells. */
  readonly readTokens: number | null;
  /** Tokens written to the cache; null if nobody tells. */
  readonly writtenTokens: number | null;
  /** Set where its response has no usage, though others of the recording have: the sizes are those of a replay. */
  readonly isEstimated?: true;
  /** The prompt in blocks of `HASH_BLOCK_TOKENS`, the last one may be shorter. Equal ids: the prompts are equal up to the end of the block. */
  readonly hashIds: readonly number[];
}

/** A session whose requests are written one after the other. */
export interface SentSession {
  /** Unique among the sessions of one export. */
  readonly name: string;
  /** Ms since 1970; null if it has no clock. */
  readonly startedAtMs: number | null;
  readonly threads: readonly Pick<Thread, 'id' | 'parentId' | 'label'>[];
}

/** Tokens of a block of `hashIds`: what Mooncake's traces have, and what replays of them expect. */
export const HASH_BLOCK_TOKENS = 512;

/** Whether a request belongs to the conversation of its thread; others are made beside it. */
export function isOfLoop({ purpose }: Pick<SentRequest, 'purpose'>): boolean {
  return purpose === 'main' || purpose === 'subagent';
}

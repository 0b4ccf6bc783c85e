import type { RecordedBill } from '../../core/run/recorded-bill.js';
import type { Prices } from '../../provider/prices/model-row.js';

/** What a layer did before a request. */
export interface LaneAct {
  readonly layer: string;
  readonly action: string;
  readonly outcome: 'done' | 'failed' | 'declined';
  readonly reason: string;
  /** The context as the policy's counter saw it; null where nobody counted. */
  readonly seen: number | null;
  readonly saved: number | null;
}

/** One request of a lane. */
export interface LaneRequest {
  readonly thread: string;
  /** Call of its thread, from 1: what two lanes are aligned by. */
  readonly turn: number;
  readonly purpose: string;
  /** Number of the request in its lane, from 1. */
  readonly n: number;
  readonly t: number;
  readonly model: string;
  readonly prompt: number;
  readonly read: number;
  readonly written: number;
  readonly input: number;
  readonly output: number;
  readonly costNano: number;
  /** Dollars per million tokens for its prompt; null where its model has no price, so that it counts as nothing. */
  readonly prices: Prices | null;
  /** What the policy's counter said before it; null where nobody counted. */
  readonly seen: number | null;
  /** The size at which nothing is left, as the client shows it; null where it shows none. */
  readonly limit: number | null;
  /** Why cached tokens were not read; null where all were, or nobody tells. */
  readonly cause: string | null;
  /** What layers did since the request before it. */
  readonly acts: readonly LaneAct[];
}

/** A run or a recording as a sequence of requests. */
export interface Lane {
  readonly title: string;
  readonly source: 'run' | 'recorded';
  /** Name of the session; null where nothing tells. */
  readonly session: string | null;
  /** Digest of the plan of a run; null for a recording, or where nothing tells. */
  readonly plan: string | null;
  /** What a recording was billed, as far as its requests do not tell; left out for a run. */
  readonly bill?: RecordedBill;
  readonly requests: readonly LaneRequest[];
}

import type { Digest } from '../../core/base/digest.js';
import type { Breakpoint, DeletedContent, PrefixView } from '../../core/model/prefix.js';
import type { BreakCause } from '../../core/run/run-log.js';
import type { CallPurpose, FaultRule } from '../../core/run/run-plan.js';
import type { LevelSalts } from '../../provider/cache/salts.js';
import type { ModelRow } from '../../provider/prices/model-row.js';

/** A request of a thread, ready to be sent. */
export interface Outgoing {
  readonly purpose: CallPurpose;
  readonly turn: number;
  readonly model: ModelRow;
  readonly salts: LevelSalts;
  readonly view: PrefixView;
  readonly breakpoints: readonly Breakpoint[];
  readonly startMs: number;
  readonly write: 'write' | 'read-only';
  readonly windowTokens: number | null;
  readonly outputTokens: number;
  /** First block of the answer; absent beside the loop. */
  readonly answer?: Digest | null;
  /** Tokens of the answer where a fault changes it. */
  readonly outputWith?: (fault: FaultRule) => number;
  readonly recordedLatencyMs: number | null;
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
  /** What of the request was deleted on the server (MIC-3); null when nothing was. */
  readonly deleted: DeletedContent | null;
  /** Chance that it breaks for no reason the recording tells (K14). */
  readonly risk: number;
}

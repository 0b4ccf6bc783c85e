import { quantile } from '../../core/base/stats.js';
import type { RecordedCall } from '../../core/model/transcript.js';
import type { Reproduced } from '../../core/run/run-log.js';

/**
 * What a recording shows about one request and no policy decides: the abduction of a what-if. Found by replaying the recording
 * as its own client, and given to every variant.
 */
export interface CallCondition {
  /** Tokens of the prompt that no line explains; negative where it holds less than its lines. */
  readonly extra: number;
  /** Tokens that it read. */
  readonly read: number;
  /** Tokens found in the cache beyond what the replay finds: what others, or the server, kept. */
  readonly warm: number;
  /** A break from outside: of what the replay finds after these first tokens, a share was read. */
  readonly floor: number;
  readonly kept: number;
  /** Tokens that were neither read nor written; by the provider's rules if the recording has no writes. */
  readonly plain: number;
  /** Share of what was written that was written for an hour; null if nothing was. */
  readonly long: number | null;
}

/** Tokens that a client may add after a compaction without a file among them: lists, reminders, its own words. */
const LARGEST_REST = 3_000;

/** What a recording shows about its requests, by thread and call. */
export class Conditions {
  private readonly found = new Map<string, Map<string, CallCondition>>();
  /** By how much each recorded compaction left more than the policy's own would have. */
  private readonly left: number[] = [];
  /** How well the recording was reproduced; null while it is replayed. */
  reproduced: Reproduced | null = null;
  /** What its requests cost on the input side, in nano-dollars. */
  recordedNano = 0;

  constructor(
    /** Whether the recording reports writes. */
    readonly tellsWrites: boolean,
    /** `finding` while the recording is replayed as its own client; `given` from then on. */
    public state: 'finding' | 'given' = 'finding',
  ) {}

  of(thread: string, { id }: RecordedCall): CallCondition | null {
    return this.found.get(thread)?.get(id) ?? null;
  }

  addCompaction(moreTokens: number): void {
    this.left.push(moreTokens);
  }

  /**
   * What a compaction of the session leaves besides what the policy's own does, in tokens; 0 where none was recorded, or the
   * difference is that of whole files, which the policy chooses.
   */
  get leftMore(): number {
    const more = Math.round(quantile(this.left, 0.5) ?? 0);
    return Math.abs(more) > LARGEST_REST ? 0 : more;
  }

  add(thread: string, { id }: RecordedCall, condition: CallCondition): void {
    const calls = this.found.get(thread);
    if (calls === undefined) this.found.set(thread, new Map([[id, condition]]));
    else calls.set(id, condition);
  }
}

/**
 * How a thread goes through its recording. `recorded`: compactions happen where they were recorded, and no layer decides. `same`: the
 * policy decides, and its context is that of the recording so far. `parted`: it is not, or nothing is taken from a recording.
 */
export type Course = 'recorded' | 'same' | 'parted';

/** What of the conditions a run takes: the sizes of prompts, and what was read where the cache is the recorded provider's. */
export interface RunConditions {
  readonly conditions: Conditions;
  readonly reads: 'as-recorded' | 'own';
}

import type { Policy } from '../../agent/policies/policy.js';
import {
  type NamedLimits,
  type ShownLimits,
  shownLimits,
  shownStatus,
} from '../../agent/policies/shown-limits.js';
import type { StatusEntry } from '../../core/run/log-entries.js';
import type { PlannedPolicy } from '../../core/run/run-plan.js';

/** How full a main conversation is as a request is sent. */
export interface StatusCheck extends Pick<StatusEntry, 't' | 'thread' | 'turn' | 'n'> {
  readonly type: 'status-check';
  readonly seen: number;
  /** The same object as long as the model is the same; null if there is no window. */
  readonly model: NamedLimits | null;
}

/**
 * What the client shows of one conversation (WIN-5, C30): one entry at the first request, and one whenever warning or error
 * come or go or the limit is another one. Nothing where there is no window.
 */
export class ShownStatus {
  private model: NamedLimits | null = null;
  private limits: ShownLimits | null = null;
  private shown: 'nothing yet' | Pick<StatusEntry, 'limit' | 'warning' | 'error'> = 'nothing yet';

  constructor(
    private readonly policy: Policy,
    private readonly planned: PlannedPolicy,
  ) {}

  /** What is shown at a request; null when it is what was shown before. */
  at({ t, thread, turn, n, seen, model }: StatusCheck): StatusEntry | null {
    if (model === null) return null;
    if (model !== this.model) {
      this.model = model;
      this.limits = shownLimits(this.policy, this.planned, model);
    }
    const { limits, shown } = this;
    if (limits === null) return null;
    const { percentLeft, warning, error } = shownStatus(limits, seen);
    if (
      shown !== 'nothing yet' &&
      shown.warning === warning &&
      shown.error === error &&
      shown.limit === limits.limit
    )
      return null;
    const { limit } = limits;
    this.shown = { limit, warning, error };
    return { type: 'status', t, thread, turn, n, estimatedTokens: seen, limit, percentLeft, warning, error };
  }
}

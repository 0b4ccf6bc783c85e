import { policyOf } from '../../policies/catalogue.js';
import { isReadBy } from '../../policies/param-readers.js';
import { type ShownLimits, shownLimits, shownStatus } from '../../policies/shown-limits.js';
import type { RequestingThread } from './requesting-thread.js';
import type { ThreadModel } from './thread-model.js';

/**
 * What the client shows of a main conversation as each request is sent (WIN-5, C30): one entry at the first request, and one
 * whenever warning or error come or go or the limit is another one. Nothing where there is no window.
 */
export class StatusWatch {
  private facts: ThreadModel['facts'] | null = null;
  private limits: ShownLimits | null = null;
  private shown:
    | 'nothing yet'
    | { readonly limit: number; readonly warning: boolean; readonly error: boolean } = 'nothing yet';

  constructor(private readonly run: RequestingThread) {}

  /** Asked before each request of the loop, after the layers have acted. */
  check(): void {
    const { run } = this;
    if (run.model.facts !== this.facts) this.learn();
    const { limits, shown } = this;
    if (limits === null) return;
    const { tokens } = run.seen;
    const warning = tokens >= limits.warning;
    const error = tokens >= limits.error;
    if (
      shown !== 'nothing yet' &&
      shown.warning === warning &&
      shown.error === error &&
      shown.limit === limits.limit
    )
      return;
    this.shown = { limit: limits.limit, warning, error };
    run.env.sink.write({
      type: 'status',
      t: run.now,
      thread: run.thread.id,
      turn: run.turn,
      n: run.env.totals.requests + 1,
      seen: tokens,
      limit: limits.limit,
      percentLeft: shownStatus(limits, tokens).percentLeft,
      warning,
      error,
    });
  }

  private learn(): void {
    const { model, env } = this.run;
    const policy = policyOf(env.plan.policy);
    const { facts } = model;
    const window = isReadBy(policy, 'window.reserve') ? facts.window : model.apiWindow();
    this.facts = facts;
    this.limits = window === null ? null : shownLimits(policy, env.plan.policy, { ...facts, window });
  }
}

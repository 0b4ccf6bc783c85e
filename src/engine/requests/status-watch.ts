import { policyOf } from '../../agent/policies/catalogue.js';
import { isReadBy } from '../../agent/policies/param-readers.js';
import type { NamedLimits } from '../../agent/policies/shown-limits.js';
import type { RequestingThread } from './requesting-thread.js';
import { ShownStatus } from './shown-status.js';
import type { ThreadModel } from './thread-model.js';

/** Watches what the client shows of a main conversation as each request is sent. */
export class StatusWatch {
  private facts: ThreadModel['facts'] | null = null;
  private model: NamedLimits | null = null;
  private readonly status: ShownStatus;

  constructor(private readonly run: RequestingThread) {
    const { policy } = run.env.plan;
    this.status = new ShownStatus(policyOf(policy), policy);
  }

  /** Asked before each request of the loop, after the layers have acted. */
  check(): void {
    const { run } = this;
    const { env } = run;
    if (run.model.facts !== this.facts) this.learn();
    const check = {
      type: 'status-check',
      t: run.now,
      thread: run.thread.id,
      turn: run.turn,
      n: env.totals.requests + 1,
      seen: run.seen.tokens,
      model: this.model,
    } as const;
    if (env.onStatus !== null) {
      env.onStatus(check);
      return;
    }
    const entry = this.status.at(check);
    if (entry !== null) env.sink.write(entry);
  }

  private learn(): void {
    const { model, env } = this.run;
    const { facts } = model;
    this.facts = facts;
    const window = isReadBy(policyOf(env.plan.policy), 'window.reserve') ? facts.window : model.apiWindow();
    this.model = window === null ? null : { ...facts, window };
  }
}

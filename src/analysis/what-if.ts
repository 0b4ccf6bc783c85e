import { policyRegistry } from '../agent/policies/catalogue.js';
import { clientPolicy, ownPlan, type Settings } from '../agent/policies/own-policy.js';
import { planPolicy } from '../agent/policies/plan-policy.js';
import type { Transcript } from '../core/model/transcript.js';
import type { LogEntry } from '../core/run/run-log.js';
import type { RunPlan } from '../core/run/run-plan.js';
import { NO_TIMING, type RequestListener } from '../engine/requests/run-env.js';
import { replay } from '../engine/run/replay.js';
import type { RunFacts } from '../metrics/facts.js';
import { createMetricsFold } from '../metrics/fold.js';

/** What is changed about a recording: settings of its own policy, or the lifetime of its cache entries. */
export interface Change {
  readonly set?: Settings;
  readonly lifetime?: '5m' | '1h';
}

/** The plan of a recording as it was, but for a change. */
export function changedPlan(transcript: Transcript, { set, lifetime }: Change = {}): RunPlan {
  const own = clientPolicy(transcript);
  const base = ownPlan(transcript, own);
  const plan: RunPlan =
    set === undefined
      ? base
      : { ...base, policy: planPolicy(policyRegistry.get(own.use), { ...own.set, ...set }) };
  if (lifetime === undefined) return plan;
  return { ...plan, cache: { ...plan.cache, ttl: lifetime, subagentTtl: lifetime } };
}

/** Who hears of such a run, and whether its policy decides from the first request on. */
interface RunOptions {
  onEntry?(entry: LogEntry): void;
  /** Hears of every request before it is sent. */
  readonly onRequest?: RequestListener;
  readonly course?: 'free';
}

/** Runs a recording as it was, but for a change: every command that says what a change would cost asks this. */
export function runChanged(plan: RunPlan, transcript: Transcript, options: RunOptions = {}): RunFacts {
  const fold = createMetricsFold();
  const sink = {
    write(entry: LogEntry) {
      fold.write(entry);
      options.onEntry?.(entry);
    },
  };
  const { course, onRequest } = options;
  replay(plan, transcript, sink, NO_TIMING, {
    reproduced: 'at-end', // sums look at it when all is over
    ...(course === undefined ? {} : { course }),
    ...(onRequest === undefined ? {} : { onRequest }),
  });
  return fold.finish();
}

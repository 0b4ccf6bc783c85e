import { messageBus } from '../../agent/client/message-bus.js';
import { hasJitter } from '../../agent/policy-file/expression.js';
import { type Copied, restoreState } from '../../core/base/checkpoint.js';
import { type Transcript, withoutSummaryForks } from '../../core/model/transcript.js';
import { Limits } from '../../core/run/limit.js';
import type { PolicyRules, TestPart } from '../../core/run/policy-rules.js';
import type { LogEntry, LogSink } from '../../core/run/run-log.js';
import type { PlannedPolicy, RunPlan } from '../../core/run/run-plan.js';
import { createWarnings } from '../../core/run/warning.js';
import type { PromptCache } from '../../provider/cache/prompt-cache.js';
import { Sessions, type StatusListener } from '../requests/run-env.js';
import type { ThreadEnv } from '../requests/running-thread.js';
import { ThreadRun } from '../thread/thread-run.js';
import { llmOf, logBreakdown, logEnd } from './replay.js';

/** Steps between two chances to do something else. */
const STEPS_PER_PART = 64;

/** Called when a layer of a run is about to act before a request. */
export type ActListener = (run: ThreadRun, layer: number) => void;

/** Where a resumed run writes its log, and who follows it. */
interface Listeners {
  readonly sink: LogSink;
  readonly onStatus: StatusListener;
  readonly onAct: ActListener;
}

/**
 * Whether checkpoints can be taken of a run, judged by its plan: one thread that nothing else depends on, and no chance in what
 * it meets but what is drawn by place.
 */
export function canCheckpoint(plan: RunPlan, recording: Transcript): boolean {
  const { threads, sessions } = withoutSummaryForks(recording);
  const [thread] = threads;
  const { rules } = plan.policy;
  return (
    threads.length === 1 &&
    thread!.flow === undefined &&
    thread!.continues === undefined &&
    sessions === undefined &&
    plan.home === undefined &&
    plan.llm.faults.length === 0 &&
    (rules === undefined || !drawsLots(rules))
  );
}

/** Whether a condition of a policy draws from a row of its own, which a copy would begin again. */
function drawsLots({ rules }: PolicyRules): boolean {
  const draws = (test: TestPart): boolean =>
    test.kind === 'chance' ||
    (typeof test.is === 'object' && 'amount' in test.is && hasJitter(test.is.amount));
  return rules.some(({ when }) => when.some(({ tests }) => tests.some(draws)));
}

/** A copy of a run from right before a layer acts, which can be resumed once under other limits. */
export class Checkpoint {
  /** Set when it is resumed. */
  private listeners: Listeners | null = null;
  private readonly run: ThreadRun;

  private constructor(
    original: ThreadRun,
    private readonly transcript: Transcript,
    private readonly layer: number,
    cache: PromptCache | null,
  ) {
    const { env, thread } = original;
    const { plan } = env;
    const warnings = createWarnings();
    for (const { code, message, remedy, count } of env.warnings.list())
      warnings.add(code, message, remedy, count);
    const copy: ThreadEnv = {
      ...env,
      limits: new Limits(env.limits.policy),
      sink: {
        write: (entry: LogEntry) => this.listeners!.sink.write(entry),
        isSumming: env.sink.isSumming === true,
      },
      llm: llmOf(plan, cache, null),
      cache,
      files: env.files.clone(),
      warnings,
      totals: { ...env.totals },
      sessions: new Sessions(transcript, plan.home),
      onStatus: (check) => this.listeners!.onStatus(check),
      onAct: (actor, position) => this.listeners!.onAct(actor as ThreadRun, position),
    };
    this.run = new ThreadRun(copy, thread);
    const bus = messageBus(copy.sessions.world);
    bus.register(thread.id, this.run.session.name, this.run.isMain);
    bus.arrive(thread.id);
    const copied: Copied = new Map<object, object>([[env, copy]]);
    for (const name of Object.keys(env) as (keyof ThreadEnv)[]) {
      const [own, other] = [env[name], copy[name]];
      if (typeof own === 'object' && own !== null) copied.set(own, other as object);
    }
    copy.limits.restoreMarked(env.limits, copied);
    restoreState(this.run, original, copied);
  }

  /** A checkpoint of a run whose layer at a position is about to act; null if something of it cannot be copied. */
  static of(run: ThreadRun, recording: Transcript, layer: number): Checkpoint | null {
    if (!run.host.canCheckpoint) return null;
    const { cache } = run.env;
    const copy = cache === null ? null : cache.copy?.();
    return copy === undefined ? null : new Checkpoint(run, withoutSummaryForks(recording), layer, copy);
  }

  get limits(): Limits {
    return this.run.env.limits;
  }

  /** Runs to the end under the limits of a policy that has run the same so far. Once. */
  *resume(policy: PlannedPolicy, listeners: Listeners): Generator<void, void, void> {
    const { run } = this;
    const { env } = run;
    this.listeners = listeners;
    env.limits.become(policy);
    run.resumeTurn(this.layer);
    for (let steps = 1; run.nextTimeMs() !== null; steps++) {
      if (steps % STEPS_PER_PART === 0) yield;
      run.advance();
    }
    const endMs = run.now;
    run.finish();
    logBreakdown(env, run);
    logEnd(env, this.transcript, endMs);
  }
}

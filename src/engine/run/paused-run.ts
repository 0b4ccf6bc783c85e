import { messageBus } from '../../agent/client/message-bus.js';
import { hasJitter } from '../../agent/policy-file/expression.js';
import { type Copied, restoreState } from '../../core/base/checkpoint.js';
import { type Transcript, withoutSummaryForks } from '../../core/model/transcript.js';
import { Limits } from '../../core/run/limit.js';
import type { PartsPolicy, TestPart } from '../../core/run/parts.js';
import type { LogEntry, LogSink } from '../../core/run/run-log.js';
import type { PlannedPolicy, RunPlan } from '../../core/run/run-plan.js';
import { createWarnings } from '../../core/run/warning.js';
import type { StatusListener } from '../requests/run-env.js';
import type { ThreadEnv } from '../requests/running-thread.js';
import { Sessions } from '../requests/session-state.js';
import { ThreadRun } from '../thread/thread-run.js';
import { llmOf, tellBreakdown, tellEnd } from './replay.js';

/** Steps between two chances to do something else. */
const STEPS_PER_PART = 64;

/** Where the entries of a paused run go once somebody lets it go on. */
interface Door {
  sink: LogSink | null;
  onStatus: StatusListener | null;
  onAct: ActListener | null;
}

/** Hears which tier of a run is about to act before a request. */
export type ActListener = (run: ThreadRun, tier: number) => void;

/** Who hears of a paused run that goes on. */
interface Hearers {
  readonly sink: LogSink;
  readonly onStatus: StatusListener;
  readonly onAct: ActListener;
}

/**
 * Whether a run can be paused, as far as its plan tells: one thread that nothing else depends on, and no chance in what it meets
 * but what is drawn by place.
 */
export function canPause(plan: RunPlan, recording: Transcript): boolean {
  const { threads, sessions } = withoutSummaryForks(recording);
  const [thread] = threads;
  const { parts } = plan.policy;
  return (
    threads.length === 1 &&
    thread!.flow === undefined &&
    thread!.continues === undefined &&
    sessions === undefined &&
    plan.home === undefined &&
    plan.llm.faults.length === 0 &&
    (parts === undefined || !drawsLots(parts))
  );
}

/** Whether a condition of a policy draws from a row of its own, which a copy would begin anew. */
function drawsLots({ rules }: PartsPolicy): boolean {
  const draws = (test: TestPart): boolean =>
    test.kind === 'chance' ||
    (typeof test.is === 'object' && 'amount' in test.is && hasJitter(test.is.amount));
  return rules.some(({ when }) => when.some(({ tests }) => tests.some(draws)));
}

/** A copy of a run, standing still where a tier is about to act: whoever lets it go on decides by which limits. */
export class PausedRun {
  private constructor(
    private readonly run: ThreadRun,
    private readonly transcript: Transcript,
    private readonly tier: number,
    private readonly door: Door,
  ) {}

  /** A copy of a run whose tier at a position is about to act; null where something of it cannot be copied. */
  static of(run: ThreadRun, recording: Transcript, tier: number): PausedRun | null {
    const { env } = run;
    if (!run.host.canCheckpoint) return null;
    const cache = env.cache?.copy?.();
    if (env.cache !== null && cache === undefined) return null;
    const { plan } = env;
    const transcript = withoutSummaryForks(recording);
    const door: Door = { sink: null, onStatus: null, onAct: null };
    const limits = new Limits(env.limits.policy);
    const sessions = new Sessions(transcript, plan.home);
    const warnings = createWarnings();
    for (const { code, message, remedy, count } of env.warnings.list())
      warnings.add(code, message, remedy, count);
    const copy: ThreadEnv = {
      ...env,
      limits,
      sink: { write: (entry: LogEntry) => door.sink!.write(entry) },
      llm: llmOf(plan, cache ?? null, null),
      cache: cache ?? null,
      files: env.files.clone(),
      warnings,
      totals: { ...env.totals },
      sessions,
      onStatus: (check) => door.onStatus!(check),
      onAct: (actor, position) => door.onAct!(actor as ThreadRun, position),
    };
    const paused = new ThreadRun(copy, run.thread);
    for (const name of run.shared.keys()) if (!paused.shared.has(name)) return null;
    const bus = messageBus(sessions.world);
    bus.register(run.thread.id, paused.session.name, paused.isMain);
    bus.arrive(run.thread.id);
    const copied: Copied = new Map<object, object>([[env, copy]]);
    for (const name of Object.keys(env) as (keyof ThreadEnv)[]) {
      const [own, other] = [env[name], copy[name]];
      if (typeof own === 'object' && typeof other === 'object' && own !== null && other !== null)
        copied.set(own, other);
    }
    limits.restoreMarked(env.limits, copied);
    restoreState(paused, run, copied);
    return new PausedRun(paused, transcript, tier, door);
  }

  get limits(): Limits {
    return this.run.env.limits;
  }

  /** Lets it go on to its end by the limits of a policy that it has gone the way of so far. Once. */
  *goOn(policy: PlannedPolicy, hearers: Hearers): Generator<void, void, void> {
    const { run, door } = this;
    const { env } = run;
    Object.assign(door, hearers);
    env.limits.become(policy);
    run.goOn(this.tier);
    for (let steps = 1; run.nextTimeMs() !== null; steps++) {
      if (steps % STEPS_PER_PART === 0) yield;
      run.advance();
    }
    const endMs = run.now;
    run.finish();
    tellBreakdown(env, run);
    tellEnd(env, this.transcript, endMs);
  }
}

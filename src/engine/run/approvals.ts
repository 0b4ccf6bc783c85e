import { type MessageBus, messageBus } from '../../agent/client/message-bus.js';
import type { ThreadRun } from '../thread/thread-run.js';

/** How the waiting of an agent ended. */
type Verdict = 'approved' | 'rejected' | 'shut-down' | 'unanswered';

/** Agents that have sent a plan and wait for the answer (AGT-5, C36). */
export class Approvals {
  private readonly waiting = new Map<string, ThreadRun>();
  private readonly bus: MessageBus;

  constructor(world: Map<string, unknown>) {
    this.bus = messageBus(world);
  }

  /** The agent does nothing until its answer comes. */
  wait(run: ThreadRun): void {
    this.waiting.set(run.thread.id, run);
  }

  isWaiting(run: ThreadRun): boolean {
    return this.waiting.has(run.thread.id);
  }

  /** Agents whose answer has been sent since the last asking: they continue from then. */
  takeAnswered(): readonly ThreadRun[] {
    const runs: ThreadRun[] = [];
    for (const { to, subject, atMs } of this.bus.takeAnswers()) {
      const run = this.waiting.get(to);
      if (run === undefined) continue;
      this.release(run, verdictOf(subject), atMs);
      runs.push(run);
    }
    return runs;
  }

  /** No agent is left to answer: the recording shows that they continued anyway. */
  releaseAll(nowMs: number): readonly ThreadRun[] {
    const runs = [...this.waiting.values()];
    for (const run of runs) this.release(run, 'unanswered', nowMs);
    return runs;
  }

  private release(run: ThreadRun, verdict: Verdict, atMs: number): void {
    this.waiting.delete(run.thread.id);
    const waitedMs = Math.max(0, atMs - run.now);
    run.now += waitedMs;
    const again = verdict === 'rejected' ? run.steps.repeatPlan() : [];
    const [first] = again;
    if (first === undefined) run.steps.keepPlan();
    // What follows moves only as far as the answer, or the planning that is done again, makes it late.
    const planned = run.steps.upcoming();
    const startMs = first?.startMs ?? (planned?.kind === 'call' ? planned.call.startMs : planned?.event.at);
    if (startMs !== undefined) run.shiftMs = Math.max(run.shiftMs, run.now - startMs);
    run.note(`plan-${verdict}`, SENTENCES[verdict], { waitedMs, calls: again.length });
  }
}

const SENTENCES: Readonly<Record<Verdict, string>> = {
  approved: 'the plan was approved: the agent goes on',
  rejected: 'the plan was rejected: its planning is done again',
  'shut-down': 'the agent was told to shut down while it waited for its approval',
  unanswered: 'nobody was left to answer the plan: the agent goes on as recorded',
};

function verdictOf(subject: string): Verdict {
  if (subject === 'plan-rejection') return 'rejected';
  return subject === 'shutdown-request' ? 'shut-down' : 'approved';
}

import type { Block } from '../../core/model/block.js';
import type { Message } from '../../core/model/message.js';
import type { RecordedCall, Step, Thread } from '../../core/model/transcript.js';
import { callsIn } from '../../core/model/transcript.js';
import type { RunPlan } from '../../core/run/run-plan.js';

/** A step that takes time of its own. */
export type TimedStep = Exclude<Step, { readonly kind: 'message' }>;

/** The steps of a thread in order; the planning that led to a rejected plan is gone through again (C36). */
export class StepQueue {
  private cursor = 0;
  /** First step of the plan that is being made; −1 before the first call. */
  private planFrom = -1;
  /** Steps before this one have been taken already. */
  private takenTo = 0;
  private round = 0;
  /** Whether the latest step was taken before. */
  isAgain = false;

  private readonly flow: Iterator<Step> | null;
  /** The steps from number `from` on: all of them, or those of a flow that lie ahead. */
  private readonly steps: readonly Step[];
  private readonly ahead: Step[] = [];
  private from = 0;

  constructor(thread: Pick<Thread, 'steps' | 'flow'>) {
    this.flow = thread.flow?.steps()[Symbol.iterator]() ?? null;
    this.steps = this.flow === null ? thread.steps : this.ahead;
  }

  /** Takes the next step; null after the last. */
  take(): Step | null {
    const step = this.at(this.cursor);
    if (step === undefined) return null;
    if (this.flow !== null) {
      this.ahead.shift();
      this.from++;
    }
    if (this.planFrom === -1 && step.kind === 'call') this.planFrom = this.cursor;
    this.isAgain = this.cursor++ < this.takenTo;
    return this.isAgain ? repeated(step, this.round) : step;
  }

  /** The next call or event, which decides when the thread continues; null if none is left. */
  upcoming(): TimedStep | null {
    for (let i = this.cursor; ; i++) {
      const step = this.at(i);
      if (step === undefined) return null;
      if (step.kind !== 'message') return step;
    }
  }

  private at(index: number): Step | undefined {
    if (this.flow !== null) {
      while (this.from + this.ahead.length <= index) {
        const next = this.flow.next();
        if (next.done === true) return undefined;
        this.ahead.push(next.value);
      }
    }
    return this.steps[index - this.from];
  }

  /** The plan made up to here is kept: the next one begins. */
  keepPlan(): void {
    this.planFrom = this.cursor;
  }

  /** Goes back to the first call of the plan; returns its calls. */
  repeatPlan(): readonly RecordedCall[] {
    const from = Math.max(0, this.planFrom);
    const calls = callsIn([{ steps: this.steps.slice(from, this.cursor) }]);
    if (calls.length === 0) return calls;
    this.takenTo = Math.max(this.takenTo, this.cursor);
    this.cursor = from;
    this.round++;
    return calls;
  }
}

/** A step with its own names, so that nothing is in the conversation twice. */
function repeated(step: Step, round: number): Step {
  const again = (id: string): string => `${id}~${round}`;
  const block = (item: Block): Block =>
    item.toolUseId === null ? item : { ...item, toolUseId: again(item.toolUseId) };
  const message = (item: Message): Message => ({
    ...item,
    id: again(item.id),
    blocks: item.blocks.map(block),
    responseId: item.responseId === null ? null : again(item.responseId),
  });
  const call = (item: RecordedCall): RecordedCall => ({
    ...item,
    id: again(item.id),
    response: message(item.response),
  });
  if (step.kind === 'message') return { kind: 'message', message: message(step.message) };
  return step.kind === 'call' ? { kind: 'call', call: call(step.call) } : step;
}

/** Times at which a thread wants to be asked again, earliest first. @internal */
export class Wakes {
  private readonly times: number[] = [];

  get nextMs(): number | null {
    return this.times[0] ?? null;
  }

  add(timeMs: number): void {
    if (this.times.includes(timeMs)) return;
    this.times.push(timeMs);
    this.times.sort((a, b) => a - b);
  }

  /** Removes the earliest. */
  take(): number {
    return this.times.shift()!;
  }
}

/** The time of one thread: the recording's, moved by what took longer here, and when layers want to be asked again. */
export class ThreadClock {
  now = 0;
  /** Milliseconds by which simulated time is behind the recording. */
  shiftMs = 0;
  private readonly wakes = new Wakes();
  /** Simulated and recorded end of the latest call. */
  private previousEndMs: number | null = null;
  private recordedEndMs = 0;

  constructor(
    private readonly timing: RunPlan['timing'],
    private readonly steps: StepQueue,
  ) {}

  /** Simulated time of the next call, event or wake-up; null if there is none. */
  nextMs(): number | null {
    const stepMs = this.nextStepMs();
    const wakeMs = this.wakes.nextMs;
    if (wakeMs === null || (stepMs !== null && stepMs <= wakeMs)) return stepMs;
    return Math.max(wakeMs, this.now);
  }

  private nextStepMs(): number | null {
    const step = this.steps.upcoming();
    return step === null ? null : Math.max(this.timeOf(step), this.now);
  }

  private timeOf(step: TimedStep): number {
    return step.kind === 'call' ? this.startOf(step.call) : step.event.at + this.shiftMs;
  }

  /** Start of a call: as recorded plus the shift, or the think time after the simulated end of the previous one. */
  private startOf(call: RecordedCall): number {
    if (this.timing === 'recorded' || this.previousEndMs === null) return call.startMs + this.shiftMs;
    return this.previousEndMs + Math.max(0, call.startMs - this.recordedEndMs);
  }

  /** It is time for a step. */
  reach(step: TimedStep): void {
    this.now = Math.max(this.now, this.timeOf(step));
  }

  /** A layer wants to be asked again at a time. */
  wakeAt(timeMs: number): void {
    this.wakes.add(timeMs);
  }

  /** Goes on to the next wake-up if it is due before the next step; false when it is not. */
  wake(): boolean {
    const wakeMs = this.wakes.nextMs;
    if (wakeMs === null) return false;
    const stepMs = this.nextStepMs();
    if (stepMs !== null && wakeMs >= stepMs) return false;
    this.now = Math.max(this.now, this.wakes.take());
    return true;
  }

  /** Lets simulated time pass; everything later in the transcript moves with it. */
  pass(ms: number): void {
    this.now += ms;
    this.shiftMs += ms;
  }

  /** The answer to a call has come; the recording knows of the time it took. */
  answered(call: RecordedCall, latencyMs: number): void {
    this.now += latencyMs;
    this.previousEndMs = this.now;
    this.recordedEndMs = call.endMs;
  }
}

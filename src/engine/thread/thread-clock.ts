import type { RecordedCall } from '../../core/model/transcript.js';
import type { RunPlan } from '../../core/run/run-plan.js';
import type { StepQueue, TimedStep } from './step-queue.js';

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
  /** Milliseconds by which simulated time runs behind the recording. */
  shiftMs = 0;
  private readonly wakes = new Wakes();
  /** Simulated and recorded end of the latest call. */
  private previousEndMs: number | null = null;
  private recordedEndMs = 0;

  constructor(
    private readonly timing: RunPlan['timing'],
    private readonly steps: StepQueue,
  ) {}

  /** Simulated time of the next call, event or wake-up; null when there is none. */
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

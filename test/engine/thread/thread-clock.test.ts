import { describe, expect, it } from 'vitest';
import type { RunPlan } from '../../../src/core/run/run-plan.js';
import { type StepQueue, ThreadClock, type TimedStep } from '../../../src/engine/thread/thread-clock.js';
import { Conversation } from '../../helpers/generators/conversation.js';

/** A clock over steps that the test hands out one by one. */
function clockOver(timing: RunPlan['timing'], steps: readonly TimedStep[]) {
  const left = [...steps];
  const clock = new ThreadClock(timing, { upcoming: () => left[0] ?? null } as StepQueue);
  return { clock, next: () => left.shift()! };
}

/** Calls of a second each, with this many seconds between them. */
const calls = (...pauses: readonly number[]): TimedStep[] => {
  const talk = new Conversation();
  for (const pause of pauses) talk.wait(pause).answer(1);
  return talk.steps.filter((step): step is TimedStep => step.kind !== 'message');
};

describe('the time of a thread', () => {
  it('is the one of the recording, later by what took longer here', () => {
    const cleared = { kind: 'event', event: { kind: 'clear', at: 30_000 } } as const;
    const { clock, next } = clockOver('recorded', [...calls(5, 10), cleared]);
    expect([clock.now, clock.shiftMs, clock.nextMs()]).toEqual([0, 0, 5_000]);
    const first = next();
    clock.reach(first);
    if (first.kind === 'call') clock.answered(first.call, 0);
    clock.pass(300);
    expect([clock.now, clock.shiftMs]).toEqual([5_300, 300]);
    // The second call began at 16 seconds; an answer that takes long here holds up what comes next, and moves nothing else.
    expect(clock.nextMs()).toBe(16_300);
    clock.now = 20_000;
    expect(clock.nextMs()).toBe(20_000);
    clock.reach(next());
    expect([clock.now, clock.nextMs()]).toEqual([20_000, 30_300]);
    clock.reach(next());
    expect([clock.now, clock.nextMs()]).toEqual([30_300, null]);
  });

  it('by think time goes on from the simulated end of the call before', () => {
    const steps = calls(5, 10, 0);
    const { clock, next } = clockOver('think-time', steps);
    // There is none before the first.
    expect(clock.nextMs()).toBe(5_000);
    const first = next();
    clock.reach(first);
    if (first.kind === 'call') clock.answered(first.call, 4_000);
    // Recorded: from 6 to 16 seconds.
    expect([clock.now, clock.nextMs()]).toEqual([9_000, 19_000]);
    const second = next();
    clock.reach(second);
    // An answer that was recorded to end after the next call began leaves no time to think, not less than none.
    if (second.kind === 'call') clock.answered({ ...second.call, endMs: second.call.endMs + 500 }, 1_000);
    expect([clock.now, clock.nextMs()]).toEqual([20_000, 20_000]);
  });

  it('stops for those who want to be asked again before the next step, the earliest first and each time once', () => {
    const { clock, next } = clockOver('recorded', calls(100));
    for (const ms of [50_000, 20_000, 50_000]) clock.wakeAt(ms);
    const told: number[] = [];
    while (clock.nextMs()! < 100_000) {
      told.push(clock.nextMs()!);
      expect(clock.wake()).toBe(true);
      expect(clock.now).toBe(told.at(-1));
    }
    expect(told).toEqual([20_000, 50_000]);
    expect(clock.wake()).toBe(false);
    // At the time of a step the step comes first.
    clock.wakeAt(100_000);
    expect([clock.wake(), clock.nextMs()]).toEqual([false, 100_000]);
    clock.reach(next());
    clock.pass(1_000);
    // What was due before now is due now.
    expect(clock.nextMs()).toBe(101_000);
    expect([clock.wake(), clock.now, clock.nextMs()]).toEqual([true, 101_000, null]);
  });
});

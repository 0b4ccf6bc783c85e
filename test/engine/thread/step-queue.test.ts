import { describe, expect, it } from 'vitest';
import type { RecordedCall, Step } from '../../../src/core/model/transcript.js';
import { StepQueue, ThreadClock, Wakes } from '../../../src/engine/thread/thread-clock.js';
import { Conversation } from '../../helpers/generators/conversation.js';

/** A prompt, a call with a result, and an answer. */
const STEPS: readonly Step[] = new Conversation()
  .human(10)
  .tools([{ tool: 'Read', tokens: 5 }])
  .answer(10).steps;

const nameOf = (step: Step | null): string | null => {
  if (step === null) return null;
  if (step.kind === 'call') return `call ${step.call.response.id}`;
  return step.kind === 'message' ? step.message.id : step.event.kind;
};

function all(queue: StepQueue): readonly (string | null)[] {
  const names: (string | null)[] = [];
  for (let step = queue.take(); step !== null; step = queue.take()) names.push(nameOf(step));
  return names;
}

describe('the steps of a thread', () => {
  const streamed = { steps: [], flow: { steps: () => STEPS } } as unknown as { steps: readonly Step[] };

  it('come in order, and the next that takes time can be seen, from a list or as they are made', () => {
    for (const thread of [{ steps: STEPS }, streamed]) {
      const queue = new StepQueue(thread);
      expect(nameOf(queue.upcoming())).toBe('call response2');
      expect(all(queue)).toEqual(['human1', 'call response2', 'result3', 'call response4']);
      expect([queue.take(), queue.upcoming()]).toEqual([null, null]);
    }
  });

  it('of a plan that was rejected come again under names of their own, each round again', () => {
    const queue = new StepQueue({ steps: STEPS });
    queue.take();
    queue.take();
    queue.take();
    expect(queue.isAgain).toBe(false);
    // The plan begins with the first call; the prompt before it is not said again.
    expect(queue.repeatPlan().map(({ response }) => response.id)).toEqual(['response2']);
    const again = queue.take()!;
    expect([nameOf(again), queue.isAgain]).toEqual(['call response2~1', true]);
    const [use] = again.kind === 'call' ? again.call.response.blocks : [];
    expect(use!.toolUseId).toBe('response2-0~1');
    const result = queue.take()!;
    expect(nameOf(result)).toBe('result3~1');
    if (result.kind === 'message') expect(result.message.blocks[0]!.toolUseId).toBe(use!.toolUseId);
    queue.repeatPlan();
    expect(nameOf(queue.take())).toBe('call response2~2');
    expect(nameOf(queue.take())).toBe('result3~2');
    expect(queue.isAgain).toBe(true);
    expect([nameOf(queue.take()), queue.isAgain]).toEqual(['call response4', false]);
  });

  it('of a plan that stands do not come again', () => {
    const queue = new StepQueue({ steps: STEPS });
    for (let i = 0; i < 3; i++) queue.take();
    queue.keepPlan();
    expect(queue.repeatPlan()).toEqual([]);
    queue.take();
    expect(queue.repeatPlan().map(({ response }) => response.id)).toEqual(['response4']);
    expect(all(queue)).toEqual(['call response4~1']);
  });
});

describe('the time of a thread', () => {
  const call = (startMs: number, endMs: number): RecordedCall => ({ startMs, endMs }) as RecordedCall;
  const clockOf = (timing: 'recorded' | 'think-time', ...calls: readonly RecordedCall[]) => {
    const queue = new StepQueue({ steps: calls.map((each) => ({ kind: 'call', call: each })) as never });
    return { clock: new ThreadClock(timing, queue), queue };
  };

  it('is that of the recording, moved by what took longer', () => {
    const { clock } = clockOf('recorded', call(1_000, 2_000));
    expect(clock.nextMs()).toBe(1_000);
    clock.shiftMs = 500;
    expect(clock.nextMs()).toBe(1_500);
    clock.now = 4_000;
    expect(clock.nextMs()).toBe(4_000);
  });

  it('is the think time behind the answer before, where that is asked for', () => {
    const { clock, queue } = clockOf('think-time', call(1_000, 2_000), call(5_000, 6_000));
    const first = queue.take()!;
    if (first.kind !== 'call') throw new Error('no call');
    clock.reach(first);
    expect(clock.now).toBe(1_000);
    clock.answered(first.call, 7_000);
    // The answer came at 8,000 in place of 2,000; three seconds lie between it and the next call.
    expect([clock.now, clock.nextMs()]).toEqual([8_000, 11_000]);
  });

  it('stops at what layers asked to be woken at, before the next step', () => {
    const { clock } = clockOf('recorded', call(1_000, 2_000));
    expect(clock.wake()).toBe(false);
    clock.wakeAt(900);
    clock.wakeAt(1_000);
    expect(clock.nextMs()).toBe(900);
    expect([clock.wake(), clock.now]).toEqual([true, 900]);
    // A step at the same time comes first.
    expect([clock.nextMs(), clock.wake(), clock.now]).toEqual([1_000, false, 900]);
    clock.pass(50);
    expect(clock.now).toBe(950);
  });

  it('of an event is that of the recording too, moved by what took longer', () => {
    const event = { kind: 'event', event: { kind: 'clear', at: 3_000 } } as const;
    const clock = new ThreadClock('think-time', new StepQueue({ steps: [event] as never }));
    clock.pass(500);
    expect(clock.nextMs()).toBe(3_500);
    clock.reach(event);
    expect(clock.now).toBe(3_500);
    expect([clock.shiftMs, new ThreadClock('recorded', new StepQueue({ steps: [] })).nextMs()]).toEqual([
      500,
      null,
    ]);
  });

  it('never goes back: not for a step, not for a waking, not for calls that overlapped', () => {
    const { clock, queue } = clockOf('think-time', call(1_000, 9_000), call(5_000, 9_500));
    clock.now = 2_000;
    clock.wakeAt(1_500);
    // The waking is due before the step at the same time, and both are late.
    expect(clock.nextMs()).toBe(2_000);
    const first = queue.take()!;
    if (first.kind !== 'call') throw new Error('no call');
    clock.reach(first);
    expect(clock.now).toBe(2_000);
    clock.answered(first.call, 100);
    // By the record the second began before the first was answered: nobody thought in between.
    expect([clock.wake(), clock.now]).toEqual([true, 2_100]);
    expect(clock.nextMs()).toBe(2_100);
  });

  it('goes on to a waking where no step is left', () => {
    const { clock } = clockOf('recorded');
    expect([clock.nextMs(), clock.wake()]).toEqual([null, false]);
    clock.wakeAt(700);
    expect([clock.nextMs(), clock.wake(), clock.now, clock.nextMs()]).toEqual([700, true, 700, null]);
  });

  it('knows each time once, the earliest first', () => {
    const wakes = new Wakes();
    expect(wakes.nextMs).toBeNull();
    for (const timeMs of [30, 10, 20, 10]) wakes.add(timeMs);
    expect([wakes.take(), wakes.take(), wakes.take(), wakes.nextMs]).toEqual([10, 20, 30, null]);
  });
});

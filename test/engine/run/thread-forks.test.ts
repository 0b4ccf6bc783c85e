import { describe, expect, it } from 'vitest';
import type { RecordedCall, Thread, Transcript } from '../../../src/core/model/transcript.js';
import type { RunningThread } from '../../../src/engine/requests/running-thread.js';
import { ThreadForks } from '../../../src/engine/run/thread-forks.js';
import { Conversation } from '../../helpers/generators/conversation.js';

const talk = new Conversation()
  .human(10)
  .tools([{ tool: 'Task', tokens: 5 }])
  .answer(10);
const main = talk.thread();
const callIds = talk.steps.flatMap((step) => (step.kind === 'call' ? [step.call.id] : []));

const fork = (id: string, callId: string, parentId: string | null = 'main'): Thread => ({
  ...new Conversation({ ids: id }).turn(5, 5).thread(id, parentId),
  fork: { callId },
});
const pointsOf = (...forks: readonly Thread[]) =>
  new ThreadForks(talk.transcript({ threads: [main, ...forks] }) as Transcript);
const lost = (points: ThreadForks, callId: string, parent = 'main', shiftMs = 0) =>
  points.lose({ thread: { id: parent }, shiftMs } as RunningThread, { id: callId } as RecordedCall);

describe('where threads fork', () => {
  const [first, second] = [fork('a', callIds[0]!), fork('b', callIds[0]!)];
  const later = fork('c', callIds[1]!);

  it('C4 children wait for the call that starts them, and are numbered among those of the same one', () => {
    const points = pointsOf(first, second, later);
    expect([main, first, second, later].map((thread) => points.waits(thread))).toEqual([
      false,
      true,
      true,
      true,
    ]);
    expect([first, second, later].map((thread) => points.numberOf(thread))).toEqual([1, 2, 1]);
    expect(points.numberOf(main)).toBe(0);
    expect([points.hasReady, points.takeReady()]).toEqual([false, []]);
    // Nobody’s child is no fork.
    expect(points.waits(fork('d', callIds[0]!, null))).toBe(false);
  });

  it('C4 a lost call takes its own children with it, later than recorded as the parent was; each is told once', () => {
    const points = pointsOf(first, second, later);
    lost(points, callIds[0]!, 'somebody else', 900);
    expect(points.hasReady).toBe(false);
    lost(points, callIds[0]!, 'main', 700);
    expect(points.hasReady).toBe(true);
    expect(points.takeReady()).toEqual(['a', 'b']);
    expect([points.hasReady, points.takeReady()]).toEqual([false, []]);
    expect([first, second, later].map((thread) => points.whyLost(thread))).toEqual([
      'the call that starts it was not answered',
      'the call that starts it was not answered',
      null,
    ]);
    expect([first, later, main].map((thread) => points.shiftOf(thread))).toEqual([700, 0, 0]);
    expect(points.snapshotOf(first)).toBeNull();
  });

  it('C4 INV-15 a child of a call that its parent never made is lost from the beginning', () => {
    const stray = fork('x', 'nowhere');
    // The call is there, but it is another thread’s.
    const foreign = fork('y', callIds[0]!, 'a');
    const points = pointsOf(first, stray, foreign);
    expect(points.takeReady()).toEqual(['x', 'y']);
    expect(points.whyLost(stray)).toBe('the transcript has no call nowhere that could start it');
    expect(points.whyLost(first)).toBeNull();
  });

  it('CCH-5 siblings wait until the response of the first begins, and for nothing before that is known', () => {
    const points = pointsOf(first, second, later);
    const holds = () => [first, second, later, main].map((thread) => points.holdUntil(thread));
    expect(holds()).toEqual([null, null, null, null]);
    points.warmed(second, 3_000);
    points.warmed(main, 3_000);
    expect(holds()).toEqual([null, null, null, null]);
    points.warmed(first, 5_000);
    points.warmed(first, 9_000);
    expect(holds()).toEqual([null, 5_000, null, null]);
  });
});

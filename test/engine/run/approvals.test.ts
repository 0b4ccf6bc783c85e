import { describe, expect, it } from 'vitest';
import type { LogEntry } from '../../../src/core/run/run-log.js';
import { Approvals } from '../../../src/engine/run/approvals.js';
import { StepQueue } from '../../../src/engine/thread/thread-clock.js';
import { ThreadRun } from '../../../src/engine/thread/thread-run.js';
import { Conversation } from '../../helpers/generators/conversation.js';

/** An agent that has planned with one call from 0 to 1 s; the next two start at 10 and 21 s. */
function agent(id: string, nowMs: number) {
  const entries: LogEntry[] = [];
  const { steps } = new Conversation()
    .human(10)
    .tools([{ tool: 'Read', tokens: 5 }])
    .wait(9)
    .tools([{ tool: 'Read', tokens: 5 }])
    .wait(10)
    .answer(5);
  const run = {
    thread: { id },
    now: nowMs,
    shiftMs: 0,
    note: ThreadRun.prototype.note,
    steps: new StepQueue({ steps }),
    env: { sink: { write: (entry: LogEntry) => entries.push(entry) } },
  };
  for (let i = 0; i < 3; i++) run.steps.take();
  return { run: run as unknown as ThreadRun, entries };
}

describe('agents that wait for the approval of their plans', () => {
  it('C36 wait until they are released, and only those that asked', () => {
    const approvals = new Approvals(new Map());
    const [one, two] = [agent('one', 1_000).run, agent('two', 1_000).run];
    expect(approvals.isWaiting(one)).toBe(false);
    approvals.wait(one);
    expect([approvals.isWaiting(one), approvals.isWaiting(two)]).toEqual([true, false]);
    approvals.wait(two);
    expect(approvals.releaseAll(5_000)).toEqual([one, two]);
    expect([approvals.isWaiting(one), approvals.isWaiting(two)]).toEqual([false, false]);
    expect(approvals.releaseAll(5_000)).toEqual([]);
    expect(approvals.takeAnswered()).toEqual([]);
  });

  it('C36 that nobody answers go on from then: what follows moves only as far as that is late', () => {
    const released = (nowMs: number, atMs: number, shiftMs = 0) => {
      const approvals = new Approvals(new Map());
      const { run, entries } = agent('one', nowMs);
      run.shiftMs = shiftMs;
      approvals.wait(run);
      approvals.releaseAll(atMs);
      expect(entries).toMatchObject([{ type: 'notice', what: 'plan-unanswered', t: run.now, thread: 'one' }]);
      const { details } = entries[0] as Extract<LogEntry, { type: 'notice' }>;
      return { now: run.now, shift: run.shiftMs, details };
    };
    // The next call starts at 10 s.
    expect(released(1_000, 8_000)).toEqual({ now: 8_000, shift: 0, details: { waitedMs: 7_000, calls: 0 } });
    expect(released(1_000, 14_000)).toMatchObject({ now: 14_000, shift: 4_000 });
    expect(released(1_000, 14_000, 6_000)).toMatchObject({ now: 14_000, shift: 6_000 });
    // What was over before the agent asked keeps it waiting for no time.
    expect(released(1_000, 400)).toEqual({ now: 1_000, shift: 0, details: { waitedMs: 0, calls: 0 } });
  });
});

import { describe, expect, it } from 'vitest';
import type { LogEntry } from '../../../src/core/run/run-log.js';
import { Halt, stopOf } from '../../../src/engine/thread/session-record.js';
import { above, COMPACTION_ONLY } from '../../helpers/drive/above-threshold.js';
import { Conversation } from '../../helpers/generators/conversation.js';
import { logFor, mainRequests, ofType } from '../../helpers/plan.js';

describe('what stops a thread', () => {
  it('BRK-3 the thrash guard ends the run: later prompts are lost with the one it stopped', () => {
    // A floor that no compaction removes: three compactions at calls 2, 3 and 4 of 14, the end at call 5.
    const talk = above({ prefixTokens: 166_000, from: 168_000, rounds: 12, before: 2 });
    talk.turn(10, 10).turn(10, 10);
    const entries = logFor({ policy: 'claude-code/2.1.112', set: COMPACTION_ONLY }, talk);
    expect(ofType(entries, 'notice').map(({ what }) => what)).toEqual(['run-ended']);
    expect(mainRequests(entries)).toHaveLength(4);
    expect(ofType(entries, 'lost')).toMatchObject([{ calls: 16 - 4 }]);
  });

  it('a request that the API refuses ends its prompt: the next one is answered', () => {
    const talk = new Conversation().human(10);
    for (let i = 0; i < 3; i++) talk.tools([{ tool: 'Read', tokens: 10 }]);
    talk.answer(10).turn(10, 10);
    const faults = [{ call: 'main', error: 'invalid_request', nth: 2 }] as const;
    const entries = logFor({ faults }, talk);
    expect(ofType(entries, 'notice').map(({ what }) => what)).toEqual(['prompt-ended']);
    expect(ofType(entries, 'lost')).toMatchObject([{ calls: 3 }]);
    expect(mainRequests(entries)).toHaveLength(2);
  });

  it('C36 an agent that another one shuts down ends for good, and what it would have done is no loss', () => {
    expect(stopOf('shut-down', 'asked')).toEqual({ reason: 'asked', until: 'end', how: 'ended' });
  });
});

function halt() {
  const entries: LogEntry[] = [];
  return { entries, still: new Halt({ write: (entry) => entries.push(entry) }, 'main') };
}

describe('calls that a thread loses', () => {
  it('are logged once, when the next prompt begins, and counted again behind it', () => {
    const { entries, still } = halt();
    still.stop = { reason: 'a guard', how: 'lost', until: 'next-prompt' };
    still.lose();
    still.lose();
    still.userActs(5_000);
    expect(still.stop).toBeNull();
    still.userActs(6_000);
    still.stop = { reason: 'another', how: 'lost', until: 'next-prompt' };
    still.lose();
    still.userActs(7_000);
    expect(entries).toEqual([
      { type: 'lost', t: 5_000, thread: 'main', calls: 2, reason: 'a guard' },
      { type: 'lost', t: 7_000, thread: 'main', calls: 1, reason: 'another' },
    ]);
  });

  it('are not told where there are none', () => {
    const { entries, still } = halt();
    still.log(1_000);
    still.stop = { reason: 'a guard', how: 'lost', until: 'next-prompt' };
    still.userActs(2_000);
    still.lose();
    still.log(3_000);
    expect(entries).toEqual([]);
    expect(still.stop).toBeNull();
  });

  it('go on being lost where no prompt ends the halt', () => {
    const { entries, still } = halt();
    const stop = { reason: 'over', how: 'ended', until: 'end' } as const;
    still.stop = stop;
    still.lose();
    still.userActs(2_000);
    expect([still.stop, entries]).toEqual([stop, []]);
    still.log(3_000);
    expect(entries).toEqual([{ type: 'ended', t: 3_000, thread: 'main', calls: 1, reason: 'over' }]);
  });
});

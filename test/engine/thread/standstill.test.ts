import { describe, expect, it } from 'vitest';
import type { LogEntry } from '../../../src/core/run/run-log.js';
import { Standstill } from '../../../src/engine/thread/standstill.js';

function standstill() {
  const entries: LogEntry[] = [];
  return { entries, still: new Standstill({ write: (entry) => entries.push(entry) }, 'main') };
}

describe('calls that a thread loses', () => {
  it('are told once, when the next prompt begins, and counted anew behind it', () => {
    const { entries, still } = standstill();
    still.stop = { reason: 'a guard', how: 'lost', until: 'next-prompt' };
    still.lose();
    still.lose();
    still.promptBegins(5_000);
    expect(still.stop).toBeNull();
    still.promptBegins(6_000);
    still.stop = { reason: 'another', how: 'lost', until: 'next-prompt' };
    still.lose();
    still.promptBegins(7_000);
    expect(entries).toEqual([
      { type: 'lost', t: 5_000, thread: 'main', calls: 2, reason: 'a guard' },
      { type: 'lost', t: 7_000, thread: 'main', calls: 1, reason: 'another' },
    ]);
  });

  it('are not told where there are none', () => {
    const { entries, still } = standstill();
    still.tell(1_000);
    still.stop = { reason: 'a guard', how: 'lost', until: 'next-prompt' };
    still.promptBegins(2_000);
    still.lose();
    still.tell(3_000);
    expect(entries).toEqual([]);
    expect(still.stop).toBeNull();
  });

  it('go on being lost where no prompt ends the standstill', () => {
    const { entries, still } = standstill();
    const stop = { reason: 'over', how: 'ended', until: 'end' } as const;
    still.stop = stop;
    still.lose();
    still.promptBegins(2_000);
    expect([still.stop, entries]).toEqual([stop, []]);
    still.tell(3_000);
    expect(entries).toEqual([{ type: 'ended', t: 3_000, thread: 'main', calls: 1, reason: 'over' }]);
  });
});

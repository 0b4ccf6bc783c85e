import { describe, expect, it } from 'vitest';
import type { Transcript } from '../../../src/core/model/transcript.js';
import type { RequestEntry } from '../../../src/core/run/log-entries.js';
import type { LogEntry } from '../../../src/core/run/run-log.js';
import { bugfixSession } from '../../helpers/generators/bugfix-session.js';
import { planOf, runLog } from '../../helpers/plan.js';

/** A session whose calls ask for an effort; null leaves it to the model. */
function asking(effort: string | null): Transcript {
  const transcript = bugfixSession(60, { seed: 3 });
  const threads = transcript.threads.map((thread) => ({
    ...thread,
    steps: thread.steps.map((step) =>
      step.kind === 'call' ? { ...step, call: { ...step.call, effort } } : step,
    ),
  }));
  return { ...transcript, threads };
}

const besides = (log: readonly LogEntry[]): readonly RequestEntry[] =>
  log.filter((entry): entry is RequestEntry => entry.type === 'request' && entry.purpose !== 'main');

describe('CCH-1 the effort of a session', () => {
  it.each(['claude-code/2.1', 'claude-code/2026', 'peers/codex-remote'])(
    '%s: requests of layers that go on from its own have the same, and read what these left',
    (policy) => {
      const plan = planOf({ policy, window: 70_000 });
      const plain = besides(runLog(plan, asking(null)));
      expect(plain.length).toBeGreaterThan(0);
      expect(plain.reduce((sum, { read }) => sum + read, 0)).toBeGreaterThan(0);
      // Whatever the effort is called: all requests of the session ask for the same.
      const lower = besides(runLog(plan, asking('low')));
      expect(lower.map(({ read, cause }) => ({ read, cause }))).toEqual(
        plain.map(({ read, cause }) => ({ read, cause })),
      );
    },
  );
});

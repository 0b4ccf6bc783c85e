import { describe, expect, it } from 'vitest';
import type { FaultEntry } from '../../src/core/run/run-log.js';
import { FaultFold } from '../../src/metrics/fault-fold.js';

const FAULT: FaultEntry = {
  type: 'fault',
  t: 0,
  thread: 'main',
  turn: 9,
  kind: 'refetch',
  chance: 0.5,
  weight: 0.5,
  rounds: 1,
  tokens: 1_000,
  cost: 40,
  use: 'echo',
  origin: 'result',
  tool: 'Read',
  path: null,
  message: 'm',
  seenAt: 2,
  what: 'retry_limit',
};

describe('the faults of a run', () => {
  it('cost what fetching brings by its chance, and at most all of it; what the recording reads again is paid already', () => {
    const fold = new FaultFold();
    fold.add(FAULT);
    fold.add({ ...FAULT, use: 'reread' });
    fold.add({ ...FAULT, kind: 'masked', chance: 1, weight: 1 });
    fold.add({ ...FAULT, kind: 'lost', origin: 'user' });
    expect(fold.finish(null)).toMatchObject({
      none: 4,
      all: 1,
      fitted: 2.5,
      refetchTokens: 1_500,
      refetchNano: 60,
      refetchMostNano: 80,
      lost: 0.5,
    });
  });
});

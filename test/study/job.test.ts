import { describe, expect, it } from 'vitest';
import { cutTranscript } from '../../src/study/job.js';
import { runKey } from '../../src/study/point.js';
import { generateTranscript } from '../../src/transcripts/synthetic/generate-transcript.js';
import { planOf } from '../helpers/plan.js';
import { callsOf } from '../helpers/session.js';

const WHOLE = generateTranscript({
  workload: 'refactor',
  turns: 40,
  seed: 1,
  text: 'none',
  subagents: { everyTurns: 10, turns: 4 },
});

describe('cutTranscript', () => {
  it('keeps the beginning of the main thread and what others did until then', () => {
    const cut = cutTranscript(WHOLE, 0.25);
    const [main, ...others] = cut.threads;
    expect(callsOf(main!)).toEqual(callsOf(WHOLE.threads[0]!).slice(0, 10));
    const endMs = callsOf(main!).at(-1)!.startMs;
    for (const thread of others) {
      for (const call of callsOf(thread)) expect(call.startMs).toBeLessThanOrEqual(endMs);
    }
    expect(others.flatMap((thread) => callsOf(thread)).length).toBeLessThan(
      WHOLE.threads.slice(1).flatMap((thread) => callsOf(thread)).length,
    );
  });

  it('is the transcript itself at a share of one, and has at least one call', () => {
    expect(cutTranscript(WHOLE, 1)).toBe(WHOLE);
    expect(callsOf(cutTranscript(WHOLE, 0.001).threads[0]!)).toHaveLength(1);
  });
});

const key = (share: number, transcript = 't') => runKey({ plan: planOf({}), transcript, share } as never);

it('equal plans over equal transcripts have one address, which a part of the transcript changes', () => {
  expect(key(1)).toBe(key(1));
  expect(key(1, 'u')).not.toBe(key(1));
  expect(key(1)).toMatch(/-t$/);
  expect(key(0.5)).toBe(`${key(1)}-0.500000`);
  // A millionth more is another part.
  expect(key(0.500001)).not.toBe(key(0.5));
});

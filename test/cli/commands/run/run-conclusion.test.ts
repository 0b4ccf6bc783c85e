import { describe, expect, it } from 'vitest';
import { failedSentence, runConclusion } from '../../../../src/cli/commands/run/runs-conclusion.js';
import type { LogEntry, RunEntry } from '../../../../src/core/run/run-log.js';
import { foldLog } from '../../../../src/metrics/fold.js';
import { breakEntry, endEntry, requestEntry, runEntry } from '../../../helpers/log.js';

const factsOf = (entries: readonly LogEntry[], transcript: Partial<RunEntry['transcript']> = {}) => {
  const run = runEntry();
  const body = [{ ...run, transcript: { ...run.transcript, ...transcript } }, ...entries];
  return foldLog([...body, endEntry(body)]);
};
const CALL = requestEntry({ read: 30, input: 10, outputCost: 2e9 });
const adviceOn = (...entries: readonly LogEntry[]): string =>
  runConclusion(factsOf([CALL, ...entries]), []).advice;
const check = (text: string, passed: boolean) => ({ text, metric: 'turns', actual: 1, passed, message: '' });

describe('what one run came to', () => {
  it('is its cost for its calls', () => {
    expect(runConclusion(factsOf([CALL]), []).result).toBe(
      'tiny cost $2.00 for 1 call, with 75.0% of its prompts read from the cache.',
    );
    expect(runConclusion(factsOf([]), []).result).toBe('No call of tiny was answered.');
  });

  it('advises by the cause of the largest drop in reads, where there is one', () => {
    expect(adviceOn(breakEntry({ cause: 'model', lostTokens: 0 }))).toMatch(/^The session is generated/);
    expect(adviceOn(breakEntry({ cause: 'model', lostTokens: 1 }))).toBe(
      'Most of the drop in cache reads is due to one cause, model (1 break, 1 token).',
    );
    const both = [
      breakEntry({ cause: 'model', lostTokens: 50 }),
      breakEntry({ cause: 'ttl-5m', lostTokens: 40 }),
      breakEntry({ cause: 'ttl-5m', lostTokens: 1_200 }),
    ];
    expect(adviceOn(...both)).toContain('(2 breaks, 1,240 tokens); a run with --set cache.ttl=1h');
    const givenUp = breakEntry({ cause: 'compaction', expected: true, lostTokens: 5_000 });
    expect(adviceOn(...both, givenUp)).toMatch(
      /^Most of the drop in cache reads, apart from expected breaks, is due to pauses of more than 5 minutes \(/,
    );
    // 50 of 99 are most of it, 50 of 100 are not.
    const two = (other: number) => [
      breakEntry({ cause: 'model', lostTokens: 50 }),
      breakEntry({ cause: 'tools', lostTokens: other }),
    ];
    expect(adviceOn(...two(49))).toMatch(/^Most of the drop in cache reads is due to one cause, model \(/);
    expect(adviceOn(...two(25), breakEntry({ cause: 'system', lostTokens: 25 }))).toMatch(
      /^The largest part of the drop in cache reads is due to one cause, model \(/,
    );
    expect(adviceOn(breakEntry({ cause: 'model', expected: true, lostTokens: 50 }))).toMatch(
      /^The session is generated/,
    );
  });

  it('says first what failed or did not finish', () => {
    const lost: LogEntry = { type: 'lost', t: 0, thread: 'main', calls: 1, reason: 'x' };
    expect(adviceOn(lost, breakEntry({ lostTokens: 9 }))).toMatch(/^It did not finish/);
    expect(failedSentence([check('a', true), check('b', true)])).toBeNull();
    const results = [check('a', true), check('b', false), check('c', false)];
    expect(failedSentence(results)).toBe('2 of 3 expectations failed, the first: b.');
    expect(runConclusion(factsOf([CALL, lost]), results).advice).toMatch(/^2 of 3/);
    expect(runConclusion(factsOf([CALL], { source: 'claude-code' as never }), []).advice).toMatch(
      /^This is one session/,
    );
  });
});

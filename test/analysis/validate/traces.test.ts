import { describe, expect, it } from 'vitest';
import { traceHitRate, validateTraces } from '../../../src/analysis/validate/report.js';
import { parseRequestTrace } from '../../../src/transcripts/readers/request-trace/parse-request-trace.js';
import { TRACE } from '../../cli/cli.js';

describe('hit rates of request traces', () => {
  it('E1 are the reusable tokens of a conversation over all its prompt tokens', () => {
    const trace = parseRequestTrace(new TextEncoder().encode(TRACE), { id: 'hand' });
    expect(traceHitRate(trace)).toBeCloseTo((3 * 640) / 4_000);
  });

  it('state the range that sampling alone explains', () => {
    const same = validateTraces([0.93, 0.93, 0.93, null]);
    expect(same).toMatchObject({ conversations: 3, leftOut: 1, minimum: 0.93 });
    expect(same.statistics.map(({ name, low, high, verdict }) => [name, low, high, verdict])).toEqual([
      ['median', 0.93, 0.93, 'outside'],
      ['quartile', 0.93, 0.93, 'outside'],
      ['mean', expect.closeTo(0.93), expect.closeTo(0.93), 'within'],
    ]);
    const wide = validateTraces([0.8, 0.9, 0.92, 0.96, 0.98, 0.99]);
    for (const { value, low, high } of wide.statistics) {
      expect(low).toBeLessThan(value);
      expect(high).toBeGreaterThan(value);
    }
  });

  it('say nothing about nothing', () => {
    expect(validateTraces([null])).toEqual({ conversations: 0, leftOut: 1, minimum: null, statistics: [] });
  });
});

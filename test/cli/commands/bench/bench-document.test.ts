import { describe, expect, it } from 'vitest';
import { benchBlocks, benchConclusion } from '../../../../src/cli/commands/bench/bench.js';
import type { BenchResult } from '../../../../src/cli/commands/bench/result.js';
import { documentText } from '../../../../src/report/document/document-text.js';
import { plainStyle } from '../../../../src/report/text/table.js';

const RESULT: BenchResult = {
  results: [
    { name: 'b', size: 1_000, p50Ms: 0.25, p99Ms: 1.5, opsPerSec: 4_000 },
    { name: 'a', size: 10_000, p50Ms: 0.01, p99Ms: 0.02, opsPerSec: 100_000 },
    { name: 'a', size: 1_000, p50Ms: 0.001_234, p99Ms: 0.009_9, opsPerSec: 810_000 },
  ],
  growth: [
    { name: 'kept', exponent: 1.1, wholeWindow: false, promised: 1.1, input: 'turns' },
    { name: 'missed', exponent: 1.2, wholeWindow: false, promised: 1.1, input: 'tokens' },
    { name: 'window', exponent: 2, wholeWindow: true, promised: null, input: 'window' },
    { name: 'flat', exponent: -0.2, wholeWindow: false, promised: 1.1, input: 'turns' },
  ],
  ratios: [
    { name: 'good', ratio: 200, detail: 'two to one', promised: 200 },
    { name: 'poor', ratio: 1.234, detail: 'one to one', promised: 1.5 },
    { name: 'stated', ratio: 7, detail: 'as it is', promised: null },
  ],
  notes: ['a note'],
};
const NOTHING: BenchResult = { results: [], growth: [], ratios: [], notes: [] };
const style = { ...plainStyle, red: (text: string) => `<r>${text}</r>` };
const SLOWER = [{ name: 'a', size: 10_000, beforeMs: 0.02, nowMs: 0.05, factor: 2.5 }];
const benchText = (...input: Parameters<typeof benchBlocks>): string =>
  documentText(benchBlocks(...input), { width: 100, style });
const cellsOf = (line: string): readonly string[] => line.trim().split(/ {2,}/);

describe('the text of a benchmark', () => {
  const lines = benchText(RESULT, SLOWER).split('\n');
  const below = (head: string, count: number): readonly string[] => {
    const at = lines.findIndex((line) => line.includes(head));
    return lines.slice(at + 1, at + 1 + count);
  };

  it('has times in microseconds by name and size, more decimals for short ones', () => {
    expect(below('hot path', 4).map(cellsOf)).toEqual([
      ['a', '1,000', '1.234', '9.9', '810,000'],
      ['a', '10,000', '10', '20', '100,000'],
      ['b', '1,000', '250', '1,500', '4,000'],
      [''],
    ]);
  });

  it('draws growth as bars of ten for each power, and marks what is faster than promised', () => {
    expect(below('works on', 5).map(cellsOf)).toEqual([
      ['kept', '1.10', '█'.repeat(11), '≤ 1.1', 'turns'],
      ['<r>missed', '1.20', '█'.repeat(12), '≤ 1.1', 'MISSED', 'tokens</r>'],
      ['window', '2.00', '█'.repeat(20), 'whole window', 'window'],
      ['flat', '−0.20', '≤ 1.1', 'turns'],
      [''],
    ]);
  });

  it('has ratios with what they were promised to be', () => {
    expect(below('Ratios', 7)).toEqual([
      '    200.00  good  promised ≥ 200',
      '            two to one',
      '<r>      1.23  poor  promised ≥ 1.5  MISSED</r>',
      '            one to one',
      '      7.00  stated',
      '            as it is',
      '',
    ]);
  });

  it('ends with notes and what became slower', () => {
    expect(lines.slice(-5)).toEqual([
      '  a note',
      '',
      'Slower than the saved run:',
      '  a at 10,000: 20 → 50 µs (2.50 ×)',
      '',
    ]);
    expect(benchText(RESULT, [])).not.toContain('Slower');
    expect(benchText(NOTHING, null)).toBe('\n');
  });
});

describe('what a benchmark comes to', () => {
  it('is how many promises hold', () => {
    // growth: two of three; ratios: one of two
    expect(benchConclusion(RESULT, null).result).toBe('3 of 5 promises hold.');
    expect(benchConclusion({ ...RESULT, growth: [] }, null).result).toBe('1 of 2 promises holds.');
    expect(benchConclusion({ ...RESULT, growth: [], ratios: [] }, null).result).toBe(
      '3 times measured, none of them promised.',
    );
    expect(benchConclusion(RESULT, null).advice).toContain('--save keeps them');
  });

  it('is what became slower where a saved run is there', () => {
    expect(benchConclusion(RESULT, []).result).toBe(
      'No path is slower than the saved run by more than noise.',
    );
    expect(benchConclusion(RESULT, SLOWER)).toEqual({
      result: '1 path is slower than the saved run by more than noise.',
      advice: '3 of 5 promises hold. Compare only times from the same machine with little else running.',
    });
    expect(benchConclusion(RESULT, [...SLOWER, ...SLOWER]).result).toMatch(/^2 paths are slower/);
  });
});

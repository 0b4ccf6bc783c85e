import { describe, expect, it } from 'vitest';
import type { RunResult } from '../../../../src/cli/commands/run/run-result.js';
import { variantTable } from '../../../../src/cli/commands/run/runs-conclusion.js';
import type { LogEntry } from '../../../../src/core/run/run-log.js';
import { foldLog } from '../../../../src/metrics/fold.js';
import { metricValues } from '../../../../src/metrics/registry.js';
import { documentLines } from '../../../../src/report/document/document-text.js';
import { plainStyle } from '../../../../src/report/text/table.js';
import { endEntry, requestEntry, runEntry, threadEntry } from '../../../helpers/log.js';

/** A run of one call at this cost; with a lost call it is not finished. */
function run(label: string, usd: number, ...more: readonly LogEntry[]): RunResult {
  const body = [
    runEntry(),
    threadEntry(),
    requestEntry({ read: 30, input: 10, outputCost: usd * 1e9 }),
    ...more,
  ];
  const facts = foldLog([...body, endEntry(body)]);
  const execution = { facts, digest: `${label}${'0123456789abcdef'.repeat(4)}`.slice(-64) };
  return { planned: { label }, metrics: metricValues(facts), execution } as unknown as RunResult;
}
const LOST: LogEntry = { type: 'lost', t: 0, thread: 'main', calls: 1, reason: 'x' };
const rows = (results: readonly RunResult[], width = 120) =>
  documentLines([variantTable(results)], { width, style: plainStyle }).map((line) =>
    line.trim().split(/ {2,}/),
  );

describe('the table of variants', () => {
  it('sets costs against the first, with the first twelve digits of the digest', () => {
    const digest = '0123456789ab';
    expect(rows([run('base', 4), run('dear', 5), run('cheap', 3), run('same', 4)])).toEqual([
      ['run', 'cost', 'against first', 'answered', 'cache hits', 'compactions', 'peak context', 'digest'],
      ['base', '$4.00', '100.0%', '75.0%', '0', '40', digest],
      ['dear', '$5.00', '+25.0 %', '100.0%', '75.0%', '0', '40', digest],
      ['cheap', '$3.00', '−25.0 %', '100.0%', '75.0%', '0', '40', digest],
      ['same', '$4.00', '=', '100.0%', '75.0%', '0', '40', digest],
    ]);
  });

  it('compares nothing with a run that did not finish', () => {
    expect(rows([run('base', 4), run('cut', 3, LOST)])[2]!.slice(0, 3)).toEqual([
      'cut (unfinished)',
      '$3.00',
      '50.0%',
    ]);
    expect(rows([run('cut', 4, LOST), run('other', 3)])[2]!.slice(0, 3)).toEqual([
      'other',
      '$3.00',
      '100.0%',
    ]);
    expect(rows([run('free', 0), run('other', 3)])[2]!.slice(0, 3)).toEqual(['other', '$3.00', '100.0%']);
  });

  it('leaves out columns that do not fit, the digest first', () => {
    expect(rows([run('base', 4)], 60)[0]).not.toContain('digest');
    expect(rows([run('base', 4)], 200)[0]).toContain('digest');
  });
});

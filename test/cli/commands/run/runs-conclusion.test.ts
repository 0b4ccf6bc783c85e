import { describe, expect, it } from 'vitest';
import type { RunResult } from '../../../../src/cli/commands/run/run-result.js';
import { scenarioConclusion, scenariosConclusion } from '../../../../src/cli/commands/run/runs-conclusion.js';
import type { LogEntry } from '../../../../src/core/run/run-log.js';
import { foldLog } from '../../../../src/metrics/fold.js';
import { metricValues } from '../../../../src/metrics/registry.js';
import { endEntry, requestEntry, runEntry } from '../../../helpers/log.js';

const LOST: LogEntry = { type: 'lost', t: 0, thread: 'main', calls: 1, reason: 'x' };
const check = (passed: boolean) => ({ text: 'turns == 1', metric: 'turns', actual: 1, passed, message: '' });

/** A run at this cost over a transcript. */
function run(
  label: string,
  usd: number,
  options: { id?: string; cut?: boolean; passed?: boolean } = {},
): RunResult {
  const head = runEntry();
  const body = [
    { ...head, transcript: { ...head.transcript, id: options.id ?? 't1' } },
    requestEntry({ outputCost: usd * 1e9 }),
    ...(options.cut === true ? [LOST] : []),
  ];
  const facts = foldLog([...body, endEntry(body)]);
  const expectations = options.passed === undefined ? [] : [check(options.passed)];
  return {
    planned: { label },
    metrics: metricValues(facts),
    execution: { facts },
    expectations,
  } as unknown as RunResult;
}
const conclude = (...results: readonly RunResult[]) => scenarioConclusion('n', 'a.yaml', results);

describe('what the runs of a scenario came to', () => {
  it('is the cheapest of one session, where they differ and all finished', () => {
    expect(conclude(run('a', 3), run('b', 2), run('c', 4))).toEqual({
      result: 'Of 3 runs of n the cheapest is b, at $2.00.',
      advice: expect.stringContaining('They are runs of one session: ccbench compare a.yaml'),
    });
    expect(conclude(run('a', 2), run('b', 2)).result).toBe('2 runs of n cost $4.00 in all.');
    expect(conclude(run('a', 3), run('b', 2, { id: 't2' }))).toEqual({
      result: '2 runs of n cost $5.00 in all.',
      advice: 'Which of their differences are more than noise: ccbench compare a.yaml.',
    });
    expect(conclude(run('a', 3), run('b', 2, { cut: true }))).toEqual({
      result: '2 runs of n cost $5.00 in all.',
      advice: '1 of them did not finish: do not compare that cost with runs that did.',
    });
    expect(conclude(run('a', 3)).result).toMatch(/^tiny cost \$3\.00 for 1 call/);
  });

  it('is first what failed', () => {
    expect(conclude(run('a', 3, { passed: true }), run('b', 2, { passed: false, cut: true })).advice).toBe(
      '1 of 2 expectations failed, the first: turns == 1.',
    );
  });
});

it('several scenarios are added up, with the first run to look at', () => {
  const results = [
    run('a', 3, { passed: true }),
    run('b', 2, { passed: false }),
    run('c', 1, { passed: false }),
  ];
  expect(scenariosConclusion(2, results)).toEqual({
    result: '3 runs of 2 scenarios cost $6.00 in all; 1 of 3 expectations holds.',
    advice: 'Look at b first.',
  });
  expect(scenariosConclusion(1, [run('a', 3)])).toEqual({
    result: '1 run of 1 scenario cost $3.00 in all; 0 of 0 expectations hold.',
    advice: 'The conclusion of each is below its tables.',
  });
});

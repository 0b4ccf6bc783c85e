import type { ExpectationResult } from '../../../metrics/expect.js';
import type { Regression } from '../../runs/earlier-run.js';
import type { Execution } from '../../runs/execute.js';
import type { PlannedRun } from '../../runs/plan-runs.js';

/** What one run came to. */
export interface RunResult {
  readonly planned: PlannedRun;
  readonly execution: Execution;
  readonly metrics: Readonly<Record<string, number | null>>;
  readonly expectations: readonly ExpectationResult[];
  readonly regressions: readonly Regression[];
  /** What changed since the last report in the same place; null without one. */
  readonly since: string | null;
  /** What changed since the baseline; null without one. */
  readonly sinceBaseline: string | null;
  /** Folder of its report, as the user would write it; null when none is written. */
  readonly report: string | null;
}

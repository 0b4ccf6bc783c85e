import { completionOf } from '../../../metrics/completion.js';
import { unfinishedText } from '../../../report/text/unfinished-text.js';
import { readTextInput } from '../../../transcripts/files/read-input.js';
import { annotate, summarise } from '../../ci/github.js';
import { caseName, junitXml } from '../../ci/junit.js';
import { runSummary } from '../../ci/run-summary.js';
import { type Judged, lineOf, type Verdict } from '../../ci/verdict.js';
import type { OutputFile } from '../../files/output.js';
import { type EarlierRun, gatedMetrics } from '../../runs/earlier-run.js';
import type { PlannedRun, PlannedScenario } from '../../runs/plan-runs.js';
import type { CliSession } from '../../session.js';
import type { RunResult } from './run-result.js';

function verdictsOn(
  { execution, expectations, regressions }: RunResult,
  baseline: EarlierRun | undefined,
  text: string,
): readonly Verdict[] {
  const isAnswered = completionOf(execution.facts).answered !== 0;
  const answered: Verdict = {
    kind: 'run',
    name: 'calls are answered',
    passed: isAnswered,
    message: isAnswered ? 'calls were answered' : (unfinishedText(execution.facts) ?? 'no call was answered'),
    line: null,
  };
  const expected = expectations.map(
    (result): Verdict => ({
      kind: 'expectation',
      name: result.text,
      passed: result.passed,
      message: result.message,
      line: lineOf(text, result.text),
    }),
  );
  const held = (baseline === undefined ? [] : gatedMetrics(baseline)).map((name): Verdict => {
    const worse = regressions.find(({ metric }) => metric === name);
    return {
      kind: 'regression',
      name,
      passed: worse === undefined,
      message: worse?.message ?? `${name} is no worse`,
      line: null,
    };
  });
  return [answered, ...expected, ...held];
}

/** What the runs were held against, run by run. */
function judge(
  session: CliSession,
  scenarios: readonly PlannedScenario[],
  results: readonly RunResult[],
  baseline: ReadonlyMap<PlannedRun, EarlierRun>,
): readonly Judged[] {
  const { cwd } = session.host;
  return scenarios.flatMap(({ file, runs }) => {
    const text = readTextInput(file, { cwd });
    return results
      .filter(({ planned }) => runs.includes(planned))
      .map((result): Judged => {
        const before = baseline.get(result.planned);
        return {
          label: result.planned.label,
          file,
          verdicts: verdictsOn(result, before, text),
          metrics: result.metrics,
          before: before?.metrics ?? null,
        };
      });
  });
}

/** Tells those who count test cases, and GitHub, how the runs came out. */
export async function tellVerdicts(
  session: CliSession,
  scenarios: readonly PlannedScenario[],
  results: readonly RunResult[],
  baseline: ReadonlyMap<PlannedRun, EarlierRun>,
  junit: OutputFile | null,
): Promise<void> {
  if (junit === null && session.github !== 'on') return;
  const runs = judge(session, scenarios, results, baseline);
  await junit?.write(junitXml(runs));
  junit?.commit();
  summarise(session, runSummary(runs));
  for (const { label, file, verdicts } of runs)
    for (const verdict of verdicts)
      if (!verdict.passed) {
        const place = { file, line: verdict.line ?? 1 };
        annotate(session, label, `${caseName(verdict)}: ${verdict.message}`, place);
      }
}

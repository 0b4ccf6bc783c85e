import { formatMoney, formatShare, markdownText, markupText } from '../../../core/base/format.js';
import { completionOf } from '../../../metrics/facts.js';
import { unfinishedText } from '../../../report/text/as-recorded.js';
import { readTextInput } from '../../../transcripts/files/read-input.js';
import { annotate, summarise } from '../../ci/github.js';
import type { OutputFile } from '../../files/output.js';
import { type EarlierRun, type Guard, guardedMetrics } from '../../runs/earlier-run.js';
import type { PlannedRun, PlannedScenario } from '../../runs/plan-runs.js';
import type { CliSession } from '../../session.js';
import type { RunResult } from './run-result.js';

function change(before: number | null | undefined, now: number | null): string {
  if (before === null || before === undefined || now === null) return '';
  if (before === now) return '=';
  const money = `${formatMoney(before)} before`;
  if (before === 0) return money;
  const percent = ((now - before) / before) * 100;
  return `${percent > 0 ? '+' : '−'}${Math.abs(percent).toFixed(1)} % (${money})`;
}

/** The runs of a command as Markdown: a table of costs, then everything that failed. */
function runSummary(runs: readonly Judged[]): string {
  const hasBaseline = runs.some(({ before }) => before !== null);
  const headers = ['run', 'cost', ...(hasBaseline ? ['against the baseline'] : []), 'cache hits', 'verdict'];
  const rows = runs.map(({ label, verdicts, metrics, before }) => {
    const failed = verdicts.filter(({ passed }) => !passed).length;
    const cost = metrics.costUsd ?? null;
    return [
      markdownText(label),
      formatMoney(cost),
      ...(hasBaseline ? [change(before?.costUsd, cost)] : []),
      formatShare(metrics.cacheHitRate ?? null),
      failed === 0 ? `✅ ${verdicts.length} passed` : `❌ ${failed} of ${verdicts.length} failed`,
    ];
  });
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const failures = runs.flatMap(({ label, verdicts }) =>
    verdicts
      .filter(({ passed }) => !passed)
      .map(
        (verdict) =>
          `- **${markdownText(label)}**: ${markdownText(caseName(verdict))}: ${markdownText(verdict.message)}`,
      ),
  );
  return [
    '### ccbench',
    '',
    line(headers),
    line(headers.map((header) => (header === 'run' || header === 'verdict' ? '---' : '---:'))),
    ...rows.map(line),
    ...(failures.length === 0 ? [] : ['', ...failures]),
    '',
  ].join('\n');
}

function verdictsOn(
  { execution, expectations, regressions }: RunResult,
  baseline: EarlierRun | undefined,
  guard: Guard,
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
  const held = (baseline === undefined ? [] : guardedMetrics(baseline, guard)).map((name): Verdict => {
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

/** What was checked on each run. */
function judge(
  session: CliSession,
  scenarios: readonly PlannedScenario[],
  results: readonly RunResult[],
  baseline: ReadonlyMap<PlannedRun, EarlierRun>,
  guard: Guard,
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
          verdicts: verdictsOn(result, before, guard, text),
          metrics: result.metrics,
          before: before?.metrics ?? null,
        };
      });
  });
}

/** Reports how the runs came out as JUnit test cases and to GitHub. */
export async function reportVerdicts(
  session: CliSession,
  scenarios: readonly PlannedScenario[],
  results: readonly RunResult[],
  baseline: ReadonlyMap<PlannedRun, EarlierRun>,
  guard: Guard,
  junit: OutputFile | null,
): Promise<void> {
  if (junit === null && session.github !== 'on') return;
  const runs = judge(session, scenarios, results, baseline, guard);
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

function attributes(values: Readonly<Record<string, string | number | null>>): string {
  return Object.entries(values)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => ` ${name}="${markupText(String(value))}"`)
    .join('');
}

const NAMES: Readonly<Record<Verdict['kind'], (name: string) => string>> = {
  run: (name) => name,
  expectation: (name) => `expects ${name}`,
  regression: (name) => `${name} is no worse than in the baseline`,
};

/** A verdict as the name of a test case. */
function caseName({ kind, name }: Verdict): string {
  return NAMES[kind](name);
}

function testCase(run: Judged, verdict: Verdict): string {
  const head = attributes({
    classname: run.label,
    name: caseName(verdict),
    file: run.file,
    line: verdict.line,
  });
  if (verdict.passed) return `    <testcase${head}/>`;
  const failure = attributes({ type: verdict.kind, message: verdict.message });
  return `    <testcase${head}>\n      <failure${failure}>${markupText(verdict.message)}</failure>\n    </testcase>`;
}

function counts(verdicts: readonly Verdict[]) {
  const failures = verdicts.filter(({ passed }) => !passed).length;
  return { tests: verdicts.length, failures, errors: 0, skipped: 0 };
}

/** Verdicts as a JUnit file: a suite for each run, a case for each verdict. It holds no time: the same runs give the same bytes. */
function junitXml(runs: readonly Judged[]): string {
  const suites = runs.map((run) => {
    const head = attributes({ name: run.label, file: run.file, ...counts(run.verdicts) });
    const cases = run.verdicts.map((verdict) => testCase(run, verdict));
    return [`  <testsuite${head}>`, ...cases, '  </testsuite>'].join('\n');
  });
  const all = attributes({ name: 'ccbench', ...counts(runs.flatMap(({ verdicts }) => verdicts)) });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${all}>`,
    ...suites,
    '</testsuites>',
    '',
  ].join('\n');
}

/** One check of a run and its result: a JUnit test case. */
interface Verdict {
  /** `run`: calls were answered at all; `expectation`: of the scenario; `regression`: a metric against the baseline. */
  readonly kind: 'run' | 'expectation' | 'regression';
  /** What was asked, such as `costUsd <= 5`. */
  readonly name: string;
  readonly passed: boolean;
  /** One sentence: what was found. */
  readonly message: string;
  /** Where it is written, from the top of the scenario; null if no line says so. */
  readonly line: number | null;
}

/** The verdicts on one run. */
interface Judged {
  /** The run, as tables call it. */
  readonly label: string;
  /** The scenario file, as the user wrote it. */
  readonly file: string;
  readonly verdicts: readonly Verdict[];
  readonly metrics: Readonly<Record<string, number | null>>;
  /** What the baseline had; null without one. */
  readonly before: Readonly<Record<string, number | null>> | null;
}

/** The line of a scenario on which an expectation is written; null where it is written in another way. @internal */
export function lineOf(text: string, expectation: string): number | null {
  const index = text.split('\n').findIndex((line) => line.includes(expectation));
  return index < 0 ? null : index + 1;
}

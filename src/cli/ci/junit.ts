import { markupText } from '../../core/base/format.js';

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
export function caseName({ kind, name }: Verdict): string {
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
export function junitXml(runs: readonly Judged[]): string {
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

/** One thing that a run was held against, and how it came out: a test case for whoever counts them. */
export interface Verdict {
  /** `run`: calls were answered at all; `expectation`: of the scenario; `regression`: a metric against the baseline. */
  readonly kind: 'run' | 'expectation' | 'regression';
  /** What was asked, such as `costUsd <= 5`. */
  readonly name: string;
  readonly passed: boolean;
  /** One sentence: what was found. */
  readonly message: string;
  /** Where it is written, from the top of the scenario; null where no line says so. */
  readonly line: number | null;
}

/** The verdicts on one run. */
export interface Judged {
  /** The run, as tables call it. */
  readonly label: string;
  /** The scenario file, as the user wrote it. */
  readonly file: string;
  readonly verdicts: readonly Verdict[];
  readonly metrics: Readonly<Record<string, number | null>>;
  /** What the baseline had; null without one. */
  readonly before: Readonly<Record<string, number | null>> | null;
}

/** The line of a scenario on which an expectation is written; null where it is written in another way. */
export function lineOf(text: string, expectation: string): number | null {
  const index = text.split('\n').findIndex((line) => line.includes(expectation));
  return index < 0 ? null : index + 1;
}

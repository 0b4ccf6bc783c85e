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

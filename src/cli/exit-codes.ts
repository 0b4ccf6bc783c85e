/** The exit codes of the process. */
export const EXIT = {
  fine: 0,
  /** A fault of ccbench itself. */
  internal: 1,
  /** Bad input or usage; a run in which no call was answered is one of bad input. */
  input: 2,
  /** A metric is worse than the baseline's. */
  regression: 98,
  /** An expectation of a scenario did not hold, or no setting of a search does what is asked of it. */
  expectation: 99,
  interrupted: 130,
} as const;

/** One of the exit codes; `exec` passes on that of its command. */
export type ExitCode = number;

/** What each code means, for help texts. */
export const EXIT_MEANING: readonly (readonly [ExitCode, string])[] = [
  [EXIT.fine, 'success'],
  [EXIT.internal, 'a bug in ccbench'],
  [EXIT.input, 'bad input or usage, or a run in which no call was answered'],
  [EXIT.regression, 'a regression against a baseline'],
  [EXIT.expectation, 'an expectation failed, or no setting of a search qualifies'],
  [EXIT.interrupted, 'interrupted'],
];

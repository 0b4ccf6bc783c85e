import { CcbenchError } from '../../../core/base/errors.js';
import { parseExpectation } from '../../../metrics/expect.js';
import type { Goal } from '../../../study/trial.js';
import { chosenMetric } from '../study/chosen-metrics.js';

/** The options that say what a search wants. */
export interface GoalOptions {
  readonly minimise?: string;
  readonly maximise?: string;
  readonly subjectTo: readonly string[];
}

/** What a search wants, as the command line says it. */
export function goalOf(options: GoalOptions): Goal {
  const { minimise, maximise } = options;
  if ((minimise === undefined) === (maximise === undefined)) {
    throw new CcbenchError('bad-usage', 'say what to search for: --minimise or --maximise, one of them', {
      hint: 'for example: --minimise costUsd',
    });
  }
  const option = minimise === undefined ? '--maximise' : '--minimise';
  const metric = chosenMetric(minimise ?? maximise!, option).name;
  const constraints = options.subjectTo.map((text) =>
    parseExpectation(text, { file: `--subject-to ${text}` }),
  );
  return { metric, sign: minimise === undefined ? -1 : 1, constraints };
}

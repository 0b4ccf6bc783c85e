import type { VariantRuns } from '../../../study/completeness.js';
import { EXIT, type ExitCode } from '../../exit-codes.js';
import { type CliSession, note } from '../../session.js';

/** The exit code of a study that came to its end: one in which nothing at all was answered has no result. */
export function answeredExit(session: CliSession, runs: readonly VariantRuns[]): ExitCode {
  const isAnswered = runs.some(({ byTranscript }) =>
    [...byTranscript.values()].some((record) => (record?.callsAnswered ?? 0) > 0),
  );
  if (isAnswered) return EXIT.fine;
  note(session, 'no call was answered in any run: ccbench run says for each one why');
  return EXIT.input;
}

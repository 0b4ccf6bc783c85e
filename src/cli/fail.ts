import { CcbenchError, formatPlace, messageOf, ProblemList } from '../core/base/errors.js';
import { bounded, formatCounted, printable } from '../core/base/format.js';
import { annotate } from './ci/github.js';
import { type CliSession, EXIT, type ExitCode, note, printJson } from './session.js';
import { Interrupted } from './terminal/interrupt.js';

/** Codes that mean ccbench itself is wrong, not what it was given. */
const OWN_FAULTS = new Set<string>(['internal', 'invariant']);

/** Problems shown one by one; the rest is counted. */
const SHOWN_PROBLEMS = 50;

/** Length of a hint on the screen. */
const HINT_CHARS = 700;

/** Length of an error on the screen. */
const ERROR_CHARS = 2_000;

/** A long list of names is cut after a whole one; with --json it is complete. */
function shortened(hint: string): string {
  if (hint.length <= HINT_CHARS) return hint;
  const end = hint.lastIndexOf(', ', HINT_CHARS);
  if (end < 0) return bounded(hint, HINT_CHARS);
  return `${hint.slice(0, end)} … and ${hint.slice(end).split(', ').length - 1} more`;
}

function errorLines(error: CcbenchError): string[] {
  const place = error.place === null ? '' : ` ${formatPlace(error.place)}`;
  const lines = [printable(bounded(`error[${error.code}]${place}: ${error.message}`, ERROR_CHARS))];
  if (error.hint !== null) lines.push(`  hint: ${shortened(printable(error.hint))}`);
  return lines;
}

/** An error on one line, for a problem that does not end the command. */
export function reasonLine(error: CcbenchError): string {
  return errorLines(error)[0]!;
}

function problemsOf(error: CcbenchError): readonly CcbenchError[] {
  return error instanceof ProblemList ? error.problems.flatMap(problemsOf) : [error];
}

function errorJson(error: CcbenchError): object {
  return { code: error.code, message: error.message, hint: error.hint, place: error.place };
}

function internalFault(error: unknown): CcbenchError {
  const said = messageOf(error);
  return new CcbenchError('internal', `this is a fault of ccbench: ${said}`, {
    hint: 'run the same command with --debug and report what it prints',
    cause: error,
  });
}

/** The error for what failed beside a command: a plug-in's, where its file is among the places. */
export function strayFault(error: unknown): CcbenchError {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const file = /file:\/\/(\S+?)\?sha256=/.exec(stack)?.[1];
  const said = printable(messageOf(error));
  return file === undefined
    ? internalFault(error)
    : new CcbenchError('bad-plugin', `plug-in ${decodeURI(file)} failed during the command: ${said}`);
}

/** Tells the user what went wrong and returns the exit code; a stack only with --debug. */
export function reportFailure(session: CliSession, error: unknown): ExitCode {
  if (error instanceof Interrupted) {
    const message = 'interrupted: earlier reports are unchanged';
    note(session, message);
    if (session.json)
      printJson(session, { error: { code: 'interrupted', message, hint: null, place: null } });
    return EXIT.interrupted;
  }
  const known = error instanceof CcbenchError ? error : internalFault(error);
  const problems = problemsOf(known);
  for (const problem of problems.slice(0, SHOWN_PROBLEMS)) note(session, errorLines(problem).join('\n'));
  for (const { code, message, hint, place } of problems.slice(0, SHOWN_PROBLEMS))
    annotate(session, code, hint === null ? message : `${message} (${hint})`, place);
  if (problems.length > SHOWN_PROBLEMS)
    note(session, `… and ${formatCounted(problems.length - SHOWN_PROBLEMS, 'more problem')}`);
  if (session.debug) note(session, stackOf(error));
  if (session.json) {
    const [first, ...rest] = problems.map(errorJson);
    printJson(session, {
      error: rest.length === 0 ? first : { ...errorJson(known), problems: [first, ...rest] },
    });
  }
  return OWN_FAULTS.has(known.code) ? EXIT.internal : EXIT.input;
}

function stackOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? '' : `\ncaused by ${stackOf(error.cause)}`;
  return `${error.stack ?? error.message}${cause}`;
}

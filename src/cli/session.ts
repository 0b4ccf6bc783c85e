import { CcbenchError, formatPlace } from '../core/base/errors.js';
import type { CacheChoice } from '../transcripts/files/read-input.js';
import { jsonPieces } from './files/json-pieces.js';
import type { Host } from './host.js';
import type { ColorChoice } from './terminal/own-codes.js';

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

/** How much a command prints: the answer, also the notes on it, or everything. */
export type Detail = 'brief' | 'notes' | 'verbose';

/** What every command gets: the host and the options that all commands share. */
export interface CliSession {
  readonly host: Host;
  readonly debug: boolean;
  readonly colors: ColorChoice;
  /** One JSON object on stdout instead of text. */
  readonly json: boolean;
  /** Everything where absent. */
  readonly detail?: Detail;
  /** Notes that the short form counts instead of printing them. */
  readonly heldNotes?: string[];
  /** Where compiled transcripts are kept and used again. */
  readonly cache: CacheChoice;
  /** Day whose prices count for all requests; absent if none is given. */
  readonly priceDay?: string;
  /** Whether failures are reported to GitHub, beside the user; off where absent. */
  readonly github?: GithubChoice;
  /** Whether an option was given; none was where absent. */
  isGiven?(option: string): boolean;
  /** What is done when the command is over, also after an error. */
  readonly atEnd?: (() => void)[];
  /** Keeps in mind that something was not written which an option asked for. */
  notWritten?(): void;
}

/** Control characters that JSON leaves as they are. */
const LATE_CONTROL = /[\u007f-\u009f]/g;

function escaped(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Prints one JSON object: all that stdout holds with --json. */
export function printJson(session: CliSession, value: object): void {
  for (const piece of jsonPieces(value)) session.host.stdout.write(piece.replace(LATE_CONTROL, escaped));
}

/** A note for the user beside the result. */
export function note(session: CliSession, text: string): void {
  session.host.stderr.write(`${text}\n`);
}

/** A remark on what was read: printed beside the result, or counted in the short form. */
export function remark(session: CliSession, text: string): void {
  if (session.detail === 'brief' && session.heldNotes !== undefined) session.heldNotes.push(text);
  else note(session, text);
}

/**
 * Tells that files beside the answer were not written: a warning, and in the exit code only where an option asked for them. Everything
 * else that went wrong is thrown on.
 */
export function warnUnwritten(session: CliSession, option: string, error: unknown): void {
  if (!(error instanceof CcbenchError) || error.code !== 'output-unwritable') throw error;
  note(session, `warning: ${error.message}${error.hint === null ? '' : `; ${error.hint}`}`);
  if (session.isGiven?.(option) === true) session.notWritten?.();
}

const NOWHERE = { isTerminal: false, columns: null, write: () => {} };

/** The same session for what was printed already: no note and no progress comes of it. */
export function silent(session: CliSession): CliSession {
  return { ...session, host: { ...session.host, stderr: NOWHERE } };
}

/** The same session for what writes files alone: notes and progress are shown, an answer is not. */
export function withoutAnswer(session: CliSession): CliSession {
  return { ...session, host: { ...session.host, stdout: NOWHERE } };
}

/** Notes what is doubtful in the policies of a command, each doubt once. */
export function doubtNotes(session: CliSession): (doubt: CcbenchError) => void {
  const printed = new Set<string>();
  return ({ place, message, hint }) => {
    const text = `${place === null ? '' : `${formatPlace(place)}: `}warning: ${message}`;
    if (!printed.has(text)) note(session, `${text}${hint === null ? '' : `; ${hint}`}`);
    printed.add(text);
  };
}

/** Whether failures are reported to GitHub. */
type GithubChoice = 'on' | 'off';

/** Whether to report to GitHub: in a workflow of GitHub Actions and with --github, never with --no-github. */
export function githubChoice(
  flags: { readonly on: boolean; readonly off: boolean },
  env: Readonly<Record<string, string | undefined>>,
): GithubChoice {
  if (flags.off) return 'off';
  return flags.on || env.GITHUB_ACTIONS === 'true' ? 'on' : 'off';
}

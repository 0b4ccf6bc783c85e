/** Where in a user's file a problem sits. Lines and columns count from 1. */
export interface Place {
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
}

/** Stable names for everything that can go wrong; scripts may match on them. */
export type ErrorCode =
  | 'bad-input'
  | 'bad-scenario'
  | 'bad-transcript'
  | 'bad-log'
  | 'bad-plugin'
  | 'bad-usage'
  | 'bad-value'
  | 'duplicate-name'
  | 'file-missing'
  | 'file-unreadable'
  | 'internal'
  | 'invariant'
  | 'no-effect'
  | 'not-supported'
  | 'output-unwritable'
  | 'unknown-name';

/** The details of a CcbenchError besides its sentence. */
export interface ErrorDetails {
  readonly hint?: string;
  readonly place?: Place;
  readonly cause?: unknown;
}

/** An error a user can act on: a stable code, one sentence, and a way out. */
export class CcbenchError extends Error {
  readonly code: ErrorCode;
  readonly hint: string | null;
  readonly place: Place | null;

  constructor(code: ErrorCode, sentence: string, details: ErrorDetails = {}) {
    super(sentence, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'CcbenchError';
    this.code = code;
    this.hint = details.hint ?? null;
    this.place = details.place ?? null;
  }
}

/** Several problems of one input, reported together. */
export class ProblemList extends CcbenchError {
  readonly problems: readonly CcbenchError[];

  constructor(code: ErrorCode, subject: string, problems: readonly CcbenchError[]) {
    super(code, `${subject}: ${problems.length} problem${problems.length === 1 ? '' : 's'}`);
    this.name = 'ProblemList';
    this.problems = problems;
  }
}

/** `file:line:column` as editors and terminals link it. */
export function formatPlace(place: Place): string {
  let text = place.file;
  if (place.line !== undefined) text += `:${place.line}`;
  if (place.line !== undefined && place.column !== undefined) text += `:${place.column}`;
  return text;
}

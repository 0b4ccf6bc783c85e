import { ownValue } from './own-value.js';

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

/** What an act gives, or something else where it throws. */
export function attempt<T, U>(act: () => T, otherwise: U): T | U {
  try {
    return act();
  } catch {
    return otherwise;
  }
}

/** What went wrong, in the words of whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Whether an act does not throw. */
export function succeeds(act: () => unknown): boolean {
  try {
    act();
    return true;
  } catch {
    return false;
  }
}

/** `file:line:column` as editors and terminals link it. */
export function formatPlace(place: Place): string {
  let text = place.file;
  if (place.line !== undefined) text += `:${place.line}`;
  if (place.line !== undefined && place.column !== undefined) text += `:${place.column}`;
  return text;
}

/** Keys and list positions from the top of a file. */
export type Path = readonly (string | number)[];

/** Something wrong in a file as written: where, what, and a way out. */
export interface Problem {
  readonly path: Path;
  /** Whether the key is meant, or its value. */
  readonly side: 'key' | 'value';
  /** Character of the value that is meant; null for all of it. */
  readonly offset: number | null;
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint: string | null;
  /** A warning leaves the file usable. */
  readonly weight: 'error' | 'warning';
}

/** Takes problems in. */
export type Problems = (problem: Problem) => void;

/** Passes problems on, and tells whether no error was among them. */
export function watchProblems(report: Problems): { readonly problems: Problems; isSound(): boolean } {
  let isSound = true;
  const problems: Problems = (problem) => {
    if (problem.weight === 'error') isSound = false;
    report(problem);
  };
  return { problems, isSound: () => isSound };
}

/** What a problem may say besides its path and its sentence. */
export type ProblemDetails = Partial<Omit<Problem, 'path' | 'message'>>;

/** A problem with the value at a path, unless the details say otherwise. */
export function problemAt(path: Path, message: string, details: ProblemDetails = {}): Problem {
  return {
    path,
    side: 'value',
    offset: null,
    code: 'bad-value',
    message,
    hint: null,
    weight: 'error',
    ...details,
  };
}

/** Whether a value is a group of keys. */
export function isGroup(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value at a path, undefined if there is none. */
export function valueAt(value: unknown, path: Path): unknown {
  let current = value;
  for (const part of path) {
    if (current === null || typeof current !== 'object' || !Object.hasOwn(current, part)) return undefined;
    current = ownValue(current as Record<string | number, unknown>, part);
  }
  return current;
}

/** `rules[0].when.tokens` as messages show it. */
export function formatPath(path: Path): string {
  let text = '';
  for (const part of path) text += typeof part === 'number' ? `[${part}]` : text === '' ? part : `.${part}`;
  return text;
}

/** A value as messages show it. */
export function foundWords(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : `a list of ${value.length}`;
  if (typeof value === 'function') return 'a function';
  if (typeof value === 'object') return 'a group of keys';
  if (typeof value === 'number' && !Number.isFinite(value))
    return Number.isNaN(value) ? '.nan' : value < 0 ? '-.inf' : '.inf'; // as YAML writes it
  if (typeof value !== 'string') return String(value);
  return JSON.stringify(value.length > 60 ? `${value.slice(0, 57)}…` : value);
}

/** A problem as one sentence, with its path where the message does not name it. */
export function withPath({ path, message }: Problem): string {
  const at = formatPath(path);
  return at === '' || message.includes(`\`${at}\``) ? message : `${at}: ${message}`;
}

import { CcbenchError, isGroup } from '../core/base/errors.js';
import { ownValue } from '../core/base/own-value.js';
import type { LineShape } from '../core/run/log-entries.js';
import { LINE_SHAPES, type LogEntry, RUN_LOG_VERSION } from '../core/run/run-log.js';

type FieldKind = 'number' | 'string' | 'object';
type Fields = Readonly<Partial<Record<FieldKind, readonly string[]>>>;

type Members = Readonly<Record<string, unknown>>;

function isOfKind(field: unknown, kind: FieldKind): boolean {
  if (kind === 'object') return field !== null && typeof field === 'object';
  return kind === 'number' ? Number.isFinite(field) : typeof field === kind;
}

/** The first member that is not of its kind; null if all are. */
function lackingIn(members: Members, fields: Fields, prefix = ''): string | null {
  for (const kind of ['number', 'string', 'object'] as const) {
    const name = fields[kind]?.find((each) => !isOfKind(ownValue(members, each), kind));
    if (name !== undefined) return `lacks ${prefix}${name}, which must be of type ${kind}`;
  }
  return null;
}

/** What is wrong with members that not every entry has. */
function openProblem(entry: Members, { maybe }: LineShape): string | null {
  const isOdd = (name: string): boolean =>
    (ownValue(entry, name) ?? null) !== null && !Number.isFinite(ownValue(entry, name));
  const odd = maybe?.number?.find(isOdd);
  if (odd !== undefined) return `has a ${odd} that is no number`;
  const text = maybe?.string?.find((name) => typeof (ownValue(entry, name) ?? '') !== 'string');
  if (text !== undefined) return `has a ${text} that is no text`;
  if (entry.type === 'end') return chanceProblem(entry.chance);
  if (entry.type !== 'request' || entry.risk === undefined) return null;
  const { chance, cost } = (entry.risk ?? {}) as { readonly chance?: unknown; readonly cost?: unknown };
  const isRisk = Number.isFinite(cost) && typeof chance === 'number' && chance >= 0 && chance <= 1;
  return isRisk ? null : 'has a risk without a chance from 0 to 1 and a cost';
}

/** What is wrong with what chance added to a run. */
function chanceProblem(chance: unknown): string | null {
  if (chance === undefined) return null;
  const members = (chance ?? {}) as Members;
  const odd = ['lost', 'expected', 'low', 'high'].find((name) => !Number.isFinite(ownValue(members, name)));
  return odd === undefined ? null : `has a chance whose ${odd} is no number`;
}

/** What is wrong with the members of an entry. */
function memberProblem(entry: Members, shape: LineShape): string | null {
  const lacking = lackingIn(entry, shape);
  if (lacking !== null) return lacking;
  for (const [name, known] of Object.entries(shape.known ?? {}))
    if (!known.includes(ownValue(entry, name) as string))
      return `has the unknown ${name} ${JSON.stringify(ownValue(entry, name))}`;
  const [owner, fields] = shape.inside ?? ['', {}];
  return (
    lackingIn((ownValue(entry, owner) ?? {}) as Members, fields, `${owner}.`) ?? openProblem(entry, shape)
  );
}

/** The request's numbers that may be absent are null if they are. */
function whole(entry: LogEntry): LogEntry {
  if (entry.type !== 'request') return entry;
  const {
    estimatedTokens: seen = null,
    kept = null,
    uncompactedTokens: untouched = null,
    cause = null,
  } = entry;
  return { ...entry, estimatedTokens: seen, kept, uncompactedTokens: untouched, cause };
}

function problemOf(value: unknown): string | null {
  if (!isGroup(value)) return 'is not an object';
  const entry = value as Members;
  if (entry.type === undefined) return 'has no type';
  const shape: LineShape | undefined =
    typeof entry.type === 'string' ? ownValue(LINE_SHAPES, entry.type) : undefined;
  if (shape === undefined) return `has the unknown type ${JSON.stringify(entry.type)}`;
  const problem = memberProblem(entry, shape);
  return problem === null ? null : `(${entry.type}) ${problem}`;
}

function checkVersion(first: unknown, file: string): void {
  const header = first as { readonly type?: unknown; readonly version?: unknown } | null;
  const place = { file, line: 1 };
  if (header === null || typeof header !== 'object' || header.type !== 'run') {
    throw new CcbenchError('bad-log', 'the file does not begin with the header of a run', {
      hint: 'give the run.jsonl that a run wrote',
      place,
    });
  }
  if (header.version === RUN_LOG_VERSION) return;
  throw new CcbenchError(
    'bad-log',
    `the log was written by another version: format ${JSON.stringify(header.version) ?? 'unknown'}, this one reads ${RUN_LOG_VERSION}`,
    { hint: 'run the scenario again, or report it with the version that wrote it', place },
  );
}

function truncated(): LogEntry {
  return {
    type: 'warning',
    code: 'truncated-log',
    message: 'the log has no last line: the run was interrupted, and its numbers are partial',
    remedy: 'run the scenario again',
    count: 1,
  };
}

/** One line of a log. */
export interface LogLine {
  readonly text: string;
  /** False for a last line without its line feed. */
  readonly complete: boolean;
}

/** Reads a log line by line; a log that was cut short ends in a warning entry, anything else wrong is an error. */
export function* readLog(lines: Iterable<LogLine>, file: string): Generator<LogEntry, void, void> {
  let count = 0;
  let ended = false;
  for (const { text, complete } of lines) {
    const place = { file, line: ++count };
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch (cause) {
      if (count > 1 && !complete) break;
      throw new CcbenchError('bad-log', `line ${count} is not JSON`, {
        hint:
          count === 1
            ? 'give the run.jsonl that a run wrote'
            : 'the file was changed after the run; run the scenario again',
        place,
        cause,
      });
    }
    if (count === 1) checkVersion(value, file);
    const problem = problemOf(value);
    if (problem !== null) {
      throw new CcbenchError('bad-log', `line ${count} ${problem}`, {
        hint: 'the file was changed after the run; run the scenario again',
        place,
      });
    }
    const entry = whole(value as LogEntry);
    if (entry.type === 'end') ended = true;
    yield entry;
  }
  if (count === 0) checkVersion(null, file);
  if (!ended) yield truncated();
}

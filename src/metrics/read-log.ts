import { CcbenchError } from '../core/base/errors.js';
import { LAYERS, type LogEntry, RUN_LOG_VERSION } from '../core/run/run-log.js';
import { CALL_PURPOSES } from '../core/run/run-plan.js';

type FieldKind = 'number' | 'string' | 'object';

const REQUEST_NUMBERS = [
  't',
  'n',
  'turn',
  'prompt',
  'read',
  'write5m',
  'write1h',
  'input',
  'output',
  'latencyMs',
  'readCost',
  'writeCost',
  'inputCost',
  'outputCost',
  'cost',
  'rewriteCost',
] as const;

function fields(kind: FieldKind, names: readonly string[]): [string, FieldKind][] {
  return names.map((name) => [name, kind]);
}

/** What a line of each type must hold for the metrics to be right. */
const FIELDS: Readonly<Record<LogEntry['type'], readonly (readonly [string, FieldKind])[]>> = {
  run: [...fields('string', ['name', 'policy', 'planDigest']), ['seed', 'number'], ['transcript', 'object']],
  thread: [['t', 'number'], ...fields('string', ['thread', 'label'])],
  request: [...fields('number', REQUEST_NUMBERS), ...fields('string', ['thread', 'purpose', 'model'])],
  break: [...fields('number', ['t', 'lostTokens']), ...fields('string', ['thread', 'cause'])],
  refused: [...fields('number', ['t', 'status']), ...fields('string', ['thread', 'error'])],
  lost: [...fields('number', ['t', 'calls']), ...fields('string', ['thread', 'reason'])],
  ended: [...fields('number', ['t', 'calls']), ...fields('string', ['thread', 'reason'])],
  layer: [
    ...fields('number', ['t', 'turn', 'saved', 'cacheLost', 'calls', 'cost']),
    ...fields('string', ['thread', 'layer', 'action', 'outcome']),
    ['details', 'object'],
  ],
  returned: [...fields('number', ['t', 'tokens']), ...fields('string', ['thread', 'layer'])],
  crossing: [
    ...fields('number', ['t', 'threshold']),
    ...fields('string', ['thread', 'state']),
    ['layers', 'object'],
  ],
  status: [...fields('number', ['t', 'n', 'limit', 'percentLeft']), ['thread', 'string']],
  breaker: [...fields('number', ['t']), ...fields('string', ['thread', 'state'])],
  notice: [...fields('number', ['t']), ...fields('string', ['thread', 'what'])],
  skipped: fields('string', ['what', 'needs']),
  warning: [...fields('string', ['code', 'message']), ['count', 'number']],
  breakdown: [
    ['thread', 'string'],
    ['estimator', 'object'],
  ],
  end: fields('number', ['t', 'turns', 'requests', 'cost']),
};

const CLOSED: readonly (readonly [LogEntry['type'], string, readonly string[]])[] = [
  ['request', 'purpose', CALL_PURPOSES],
  ['layer', 'layer', LAYERS],
  ['returned', 'layer', LAYERS],
  ['crossing', 'state', ['avoided', 'made']],
  ['layer', 'outcome', ['done', 'failed', 'declined']],
];

/** Numbers that may be absent or null. */
const OPEN_NUMBERS: Readonly<Partial<Record<LogEntry['type'], readonly string[]>>> = {
  request: ['context', 'seen', 'kept', 'untouched', 'fresh', 'rewritten'],
  thread: ['prefixTokens', 'window', 'sharedTokens'],
  break: ['n', 'position'],
  layer: ['seenBefore', 'seenAfter', 'trueBefore', 'trueAfter'],
  status: ['turn', 'seen'],
};

/** Texts that may be absent or null. */
const OPEN_TEXTS: Readonly<Partial<Record<LogEntry['type'], readonly string[]>>> = {
  request: ['cause'],
  thread: ['parent', 'session'],
  refused: ['purpose', 'message'],
  layer: ['trigger', 'reason', 'failure'],
  returned: ['why'],
  notice: ['message'],
};

function isOfKind(field: unknown, kind: FieldKind): boolean {
  if (kind === 'object') return field !== null && typeof field === 'object';
  return kind === 'number' ? Number.isFinite(field) : typeof field === kind;
}

/** What objects inside an entry must hold. */
const INSIDE: Readonly<
  Partial<Record<LogEntry['type'], readonly [string, readonly (readonly [string, FieldKind])[]]>>
> = {
  run: ['transcript', [...fields('string', ['id', 'source']), ...fields('number', ['calls', 'threads'])]],
  breakdown: ['estimator', fields('number', ['heuristic', 'true'])],
};

/** What is wrong with an object inside an entry. */
function insideProblem(entry: Record<string, unknown>, type: LogEntry['type']): string | null {
  const [owner, members] = INSIDE[type] ?? ['', []];
  const inside = entry[owner] as Record<string, unknown>;
  const lacking = members.find(([name, kind]) => !isOfKind(inside[name], kind));
  if (lacking === undefined) return null;
  return `(${type}) lacks ${owner}.${lacking[0]}, which must be of type ${lacking[1]}`;
}

/** What is wrong with members that not every entry has. */
function openProblem(entry: Record<string, unknown>, type: LogEntry['type']): string | null {
  const isOdd = (name: string): boolean => (entry[name] ?? null) !== null && !Number.isFinite(entry[name]);
  const odd = OPEN_NUMBERS[type]?.find(isOdd);
  if (odd !== undefined) return `(${type}) has a ${odd} that is no number`;
  const text = OPEN_TEXTS[type]?.find((name) => typeof (entry[name] ?? '') !== 'string');
  if (text !== undefined) return `(${type}) has a ${text} that is no text`;
  if (type === 'end') return chanceProblem(entry.chance);
  if (type !== 'request' || entry.risk === undefined) return null;
  const { chance, cost } = (entry.risk ?? {}) as { readonly chance?: unknown; readonly cost?: unknown };
  const isRisk = Number.isFinite(cost) && typeof chance === 'number' && chance >= 0 && chance <= 1;
  return isRisk ? null : '(request) has a risk without a chance from 0 to 1 and a cost';
}

/** What is wrong with what chance added to a run. */
function chanceProblem(chance: unknown): string | null {
  if (chance === undefined) return null;
  const members = (chance ?? {}) as Record<string, unknown>;
  const odd = ['lost', 'expected', 'low', 'high'].find((name) => !Number.isFinite(members[name]));
  return odd === undefined ? null : `(end) has a chance whose ${odd} is no number`;
}

/** The request's numbers that may be absent are null where they are. */
function whole(entry: LogEntry): LogEntry {
  if (entry.type !== 'request') return entry;
  const { seen = null, kept = null, untouched = null, cause = null } = entry;
  return { ...entry, seen, kept, untouched, cause };
}

function problemOf(value: unknown): string | null {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return 'is not an object';
  const entry = value as Record<string, unknown>;
  if (entry.type === undefined) return 'has no type';
  if (typeof entry.type !== 'string' || !Object.hasOwn(FIELDS, entry.type)) {
    return `has the unknown type ${JSON.stringify(entry.type)}`;
  }
  const type = entry.type as LogEntry['type'];
  for (const [name, kind] of FIELDS[type]) {
    const field = entry[name];
    if (!isOfKind(field, kind)) return `(${type}) lacks ${name}, which must be of type ${kind}`;
  }
  for (const [owner, name, known] of CLOSED) {
    if (owner === type && !known.includes(entry[name] as string)) {
      return `(${type}) has the unknown ${name} ${JSON.stringify(entry[name])}`;
    }
  }
  return insideProblem(entry, type) ?? openProblem(entry, type);
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

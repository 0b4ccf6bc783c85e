import { attempt, isGroup } from '../../core/base/errors.js';
import { BLOCK_KINDS, BLOCK_ROLES } from '../../core/model/block.js';
import type { Usage } from '../../core/model/usage.js';
import type { Action } from '../../core/run/action.js';
import { BREAK_CAUSES } from '../../core/run/break-causes.js';
import { LAYERS } from '../../core/run/log-entries.js';
import { isPlausibleUsage, MOST_TOKENS } from '../../transcripts/lines/plausible.js';

/** What is wrong with something that a plug-in gave, as `path must be …`; null if nothing is. */
type Check = (value: unknown, path: string) => string | null;

/** More milliseconds than any session has: a thousand years. */
const MOST_MS = 1e15;

/** A value as messages show it. */
export function shown(value: unknown): string {
  if (typeof value === 'function') return 'a function';
  if (typeof value === 'number') return String(value);
  if (value === undefined) return 'nothing';
  return attempt(() => JSON.stringify(value) ?? typeof value, 'what cannot be written down');
}

function when(isFine: (value: unknown) => boolean, wanted: string): Check {
  return (value, path) => (isFine(value) ? null : `\`${path}\` must be ${wanted}, not ${shown(value)}`);
}

function isUpTo(value: unknown, high: number): boolean {
  return typeof value === 'number' && value >= 0 && value <= high;
}

const text = when((value) => typeof value === 'string', 'a text');
const time = when((value) => isUpTo(value, MOST_MS), 'a time of 0 or more milliseconds');
const count = when((value) => isUpTo(value, MOST_TOKENS), `a number from 0 to ${MOST_TOKENS}`);
const size = when(Number.isFinite, 'a number');
const place = when((value) => Number.isInteger(value), 'a whole number');
const content = when((value) => typeof value === 'string' || isGroup(value), 'a text');
const usage = when(
  (value) => value === null || (isGroup(value) && isPlausibleUsage(value as unknown as Usage)),
  'null or counts that a request can have',
);

function oneOf(words: readonly string[]): Check {
  return when((value) => words.includes(value as string), `one of ${words.join(', ')}`);
}

function orNull(check: Check): Check {
  return (value, path) => (value === null ? null : check(value, path));
}

function each(check: Check): Check {
  return (value, path) => {
    if (!Array.isArray(value)) return `\`${path}\` must be a list, not ${shown(value)}`;
    for (const [i, item] of value.entries()) {
      const problem = check(item, `${path}[${i}]`);
      if (problem !== null) return problem;
    }
    return null;
  };
}

function members(checks: Readonly<Record<string, Check>>): Check {
  const all = Object.entries(checks);
  return (value, path) => {
    if (!isGroup(value)) return `\`${path}\` must be an object, not ${shown(value)}`;
    const given = new Map(Object.entries(value));
    for (const [name, check] of all) {
      const problem = check(given.get(name), path === '' ? name : `${path}.${name}`);
      if (problem !== null) return problem;
    }
    return null;
  };
}

const block = members({ kind: oneOf(BLOCK_KINDS), role: oneOf(BLOCK_ROLES), tokens: count });
const message = members({ id: text, role: text, at: time, blocks: each(block) });
const layer = oneOf(LAYERS);
const by = members({ layer, reason: text });
const request = members({
  purpose: text,
  messages: each(message),
  instruction: message,
  maxOutputTokens: orNull(count),
  retries: when((value) => isUpTo(value, 1_000), 'a number from 0 to 1000'),
});

const entry = members({
  layer,
  action: text,
  trigger: oneOf(['auto', 'manual', 'reactive', 'idle', 'server']),
  outcome: oneOf(['done', 'failed', 'declined']),
  reason: text,
  failure: orNull(text),
  estimatedBefore: orNull(size),
  estimatedAfter: orNull(size),
  trueBefore: size,
  trueAfter: size,
  saved: size,
  details: when(isGroup, 'an object'),
});

const ACTIONS: ReadonlyMap<string, Check> = new Map<Action['kind'], Check>([
  [
    'rewrite-blocks',
    members({
      by,
      cause: oneOf(BREAK_CAUSES),
      keep: oneOf(['frozen', 'live', 'server']),
      edits: each(members({ messageId: text, blockIndex: place, block: orNull(block) })),
    }),
  ],
  ['delete-cached', members({ by, results: each(members({ toolUseId: text, messageIndex: place })) })],
  ['ask', members({ by, request })],
  ['replace-history', members({ by, messages: each(message) })],
  ['attach', members({ by, message })],
  ['write-file', members({ by, path: text, text: content })],
  ['set-mtime', members({ by, path: text, mtimeMs: time })],
  ['wake-at', members({ by, timeMs: time })],
  ['remove-file', members({ by, path: text })],
  ['wait', members({ by, ms: time })],
  ['report', members({ entry })],
  ['breaker', members({ by, state: oneOf(['tripped', 'skipped', 'reset']), failures: count })],
  [
    'stop',
    members({ by, what: oneOf(['blocked', 'prompt-ended', 'run-ended', 'shut-down']), message: text }),
  ],
  ['cleanup', members({ by })],
]);

/** What is wrong with an action that a plug-in asks for; null if the engine can carry it out. */
export function actionProblem(action: unknown): string | null {
  const check = isGroup(action) ? ACTIONS.get(String(action.kind)) : undefined;
  if (check === undefined) return `${shown(action)}, which is not an action`;
  const problem = check(action, '');
  return problem === null ? null : `an action in which ${problem}`;
}

const call = members({ id: text, model: text, startMs: time, endMs: time, usage, response: message });
const STEPS: ReadonlyMap<string, Check> = new Map([
  ['message', members({ message })],
  ['call', members({ call })],
  ['event', members({ event: members({ kind: text, at: time }) })],
]);

const step: Check = (value, path) => {
  const check = isGroup(value) ? STEPS.get(String(value.kind)) : undefined;
  return check === undefined ? `\`${path}\` must be a step, not ${shown(value)}` : check(value, path);
};

const transcript = members({
  id: text,
  source: text,
  carries: each(text),
  warnings: each(members({ code: text, message: text })),
  threads: each(members({ id: text, prefix: each(block), steps: each(step) })),
});

/** What is wrong with a transcript that a reader of a plug-in gave. */
export function transcriptProblem(value: unknown): string | null {
  return isGroup(value) ? transcript(value, '') : shown(value);
}

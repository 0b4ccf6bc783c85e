import type { Fields } from '../session.js';

const START = Date.UTC(2026, 0, 2);

/** Milliseconds as opencode writes them, this many seconds after the start of the session. */
export function at(seconds: number): number {
  return START + seconds * 1_000;
}

/** Counts of a request as opencode writes them: input stands apart from the cache. */
export function tokens(
  input: number,
  read: number,
  write: number,
  output: number,
  fields: Fields = {},
): Fields {
  return { input, output, reasoning: 0, cache: { read, write }, ...fields };
}

/** A message with its parts. */
export interface Recorded extends Fields {
  readonly info: Fields;
  readonly parts: readonly Fields[];
}

/** A message of the user with its parts. */
export function typed(id: string, seconds: number, text: string, fields: Fields = {}): Recorded {
  const info = { id, sessionID: 'ses_1', role: 'user', time: { created: at(seconds) } };
  return { info, parts: [{ id: `${id}-p`, type: 'text', text, ...fields }] };
}

/** A message of the model: from when to when, and its parts. */
export function answer(
  id: string,
  [from, to]: readonly [number, number],
  parts: readonly Fields[],
  fields: Fields = {},
): Recorded {
  const time = { created: at(from), completed: at(to) };
  return { info: { id, sessionID: 'ses_1', role: 'assistant', modelID: 'model-x', time, ...fields }, parts };
}

/** The end of one request. */
export function finish(id: string, counts: Fields): Fields {
  return { id, type: 'step-finish', reason: 'stop', tokens: counts };
}

/** A call of a tool with its result. */
export function tool(callID: string, [start, end]: readonly [number, number], fields: Fields = {}): Fields {
  const time = { start: at(start), end: at(end), ...fields };
  const state = { status: 'completed', input: { filePath: 'a.ts' }, output: 'const x = 1;', time };
  return { id: `part-${callID}`, type: 'tool', tool: 'read', callID, state };
}

/** A session as `opencode export` writes it. */
export function exported(messages: readonly Fields[], info: Fields = {}): Buffer {
  const session = { id: 'ses_1', projectID: 'p', title: 'a session', version: '1.1.0', ...info };
  return Buffer.from(JSON.stringify({ info: session, messages }, null, 2));
}

/** An answer, a compaction at the prompt of 9,000 tokens with its summary, and another answer. */
export const COMPACTED_MESSAGES: readonly Fields[] = [
  typed('m1', 0, 'go'),
  answer('m2', [1, 2], [finish('f1', tokens(9_000, 0, 0, 40))]),
  {
    info: { id: 'm3', role: 'user', time: { created: at(3) } },
    parts: [{ id: 'x', type: 'compaction' }],
  },
  answer('m4', [4, 9], [{ id: 'y', type: 'text', text: 'so far' }, finish('f2', tokens(9_600, 0, 0, 300))], {
    summary: true,
  }),
  typed('m5', 10, 'on'),
  answer('m6', [11, 12], [finish('f3', tokens(1_500, 0, 0, 40))]),
];

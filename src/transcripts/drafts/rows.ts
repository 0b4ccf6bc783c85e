import { addTo } from '../../core/base/groups.js';
import { CHARS_PER_TOKEN } from '../../core/model/block.js';
import { type Capability, less } from '../../core/run/capability.js';
import type { WarningList } from '../../core/run/warning.js';
import { isPlausibleUsage, warnOfUsage } from '../lines/plausible.js';
import { usageWithin } from './draft.js';
import type { Reading } from './finish-recording.js';
import { type Piece, type Said, ThreadDraft, UNRECORDED_DROP } from './thread-draft.js';

/** One request as a row tells it; null is unknown. */
export interface Row {
  readonly id: string | null;
  readonly session: string;
  readonly thread: string | null;
  readonly provider: string | null;
  readonly model: string;
  readonly timeMs: number | null;
  readonly endedMs: number | null;
  /** The whole prompt. */
  readonly prompt: number;
  readonly cached: number | null;
  readonly written: number | null;
  readonly output: number | null;
  /** The line it is on, where that is known. */
  readonly line?: number;
  /** Ids of the blocks that the prompt begins with; empty when unknown. */
  readonly prefix: readonly string[];
  /** What came since the response before, where content was recorded. */
  readonly said?: readonly Pick<Said, 'origin' | 'pieces'>[];
  /** What the model said, where content was recorded. */
  readonly answer?: readonly Piece[];
}

/** One call, one id: where a row has none, equal rows are one call. */
function rowId({ id, session, thread, timeMs, prompt, output }: Row): string {
  return id ?? [session, thread ?? '', timeMs, prompt, output].join('/');
}

function charsOf(tokens: number): number {
  return Math.round(Math.max(0, tokens) * CHARS_PER_TOKEN);
}

/** The requests of one conversation: what a prompt grew by since the response before it came from outside. */
class RowThread {
  readonly draft: ThreadDraft;
  /** Tokens up to the end of each message that is in the context. */
  #ends: { readonly id: string; readonly tokens: number }[] = [];
  #before: Row | null = null;

  constructor(draft: ThreadDraft) {
    this.draft = draft;
  }

  take(row: Row): void {
    const before = this.#before;
    const kept = before === null ? 0 : before.prompt + (before.output ?? 0);
    const shared = before === null ? kept : this.#goBack(before, row);
    const chars = charsOf(row.prompt - shared);
    const origin = before === null ? 'human' : 'meta';
    const opaque = [{ origin, pieces: [{ kind: 'text', text: null, chars }] }] as const;
    let saidId: string | null = null;
    for (const said of row.said ?? opaque)
      saidId = this.draft.say({ timeMs: row.timeMs, ...said })?.id ?? saidId;
    const call = this.draft.respond({
      id: rowId(row),
      model: row.model,
      sentMs: row.timeMs,
      timeMs: row.endedMs ?? row.timeMs,
      pieces: row.answer ?? [{ kind: 'text', text: null, chars: charsOf(row.output ?? 0) }],
      usage: row.cached === null ? null : usageWithin(row.prompt, { ...row, read: row.cached }),
      outputIsMissing: row.output === null,
      stopReason: 'end_turn',
    });
    if (saidId !== null) this.#ends.push({ id: saidId, tokens: row.prompt });
    if (call !== null) this.#ends.push({ id: call.message.id, tokens: row.prompt + (row.output ?? 0) });
    this.#before = row;
  }

  /** Goes back to where the prefixes part, if they do and the prompt was not compacted; the tokens that stay. */
  #goBack(before: Row, row: Row): number {
    const whole = before.prompt + (before.output ?? 0);
    const shared = sharedLength(before.prefix, row.prefix);
    if (row.prefix.length === 0 || shared >= before.prefix.length) return whole;
    if (shared > 0 && row.prompt < before.prompt * (1 - UNRECORDED_DROP)) {
      this.#ends = [];
      return 0;
    }
    const tokens = Math.floor((before.prompt * shared) / before.prefix.length);
    this.#ends = this.#ends.filter((end) => end.tokens <= tokens);
    const last = this.#ends.at(-1);
    this.draft.rewind(row.timeMs, last?.id ?? null);
    return last?.tokens ?? 0;
  }
}

function sharedLength(a: readonly string[], b: readonly string[]): number {
  let shared = 0;
  while (shared < a.length && shared < b.length && a[shared] === b[shared]) shared++;
  return shared;
}

/** The rows of each conversation, each row once. */
function groupRows(rows: Iterable<Row>, warnings: WarningList): ReadonlyMap<string, readonly Row[]> {
  const groups = new Map<string, Row[]>();
  const seen = new Set<string>();
  let repeated = 0;
  let firstBad: number | null = null;
  for (const row of rows) {
    const { cached: read, written, output } = row;
    if (!isPlausibleUsage(usageWithin(row.prompt, { read, written, output }))) {
      firstBad ??= row.line ?? null;
      warnOfUsage(warnings, firstBad);
      continue;
    }
    const key = rowId(row);
    if (seen.has(key)) {
      repeated++;
      continue;
    }
    seen.add(key);
    addTo(groups, row.thread === null ? row.session : `${row.session}/${row.thread}`, row);
  }
  warnings.add('repeated-rows', 'requests stand in the file twice: counted once', null, repeated);
  return groups;
}

function draftOf(name: string, rows: readonly Row[], groups: ReadonlyMap<string, unknown>): ThreadDraft {
  const { session, thread } = rows[0]!;
  const draft = new ThreadDraft(name, thread !== null && groups.has(session) ? session : null);
  const conversation = new RowThread(draft);
  for (const row of rows) conversation.take(row);
  return draft;
}

/** What the rows can tell of all that their format can. */
function carriesOf(best: readonly Capability[], rows: readonly Row[]): readonly Capability[] {
  const missing: Capability[] = [];
  if (rows.every(({ written }) => written === null)) missing.push('cache-writes');
  if (rows.every(({ endedMs }) => endedMs === null)) missing.push('latency');
  if (rows.every(({ thread }) => thread === null)) missing.push('subagents');
  if (rows.every(({ answer }) => answer === undefined)) missing.push('text', 'tools');
  return less(best, missing);
}

/** Requests that are known one by one: a thread for each session and each thread in it. */
export function readRows(from: Iterable<Row>, best: readonly Capability[], warnings: WarningList): Reading {
  const groups = groupRows(from, warnings);
  const rows = [...groups.values()].flat();
  const firstMs = ([, [first]]: readonly [string, readonly Row[]]) => first?.timeMs ?? 0;
  const ordered = [...groups].sort((a, b) => firstMs(a) - firstMs(b));
  const [provider, ...others] = new Set(rows.flatMap((row) => row.provider ?? []));
  return {
    carries: carriesOf(best, rows),
    provider: provider === undefined || others.length > 0 ? null : provider,
    threads: ordered.map(([name, own]) => draftOf(name, own, groups)),
  };
}

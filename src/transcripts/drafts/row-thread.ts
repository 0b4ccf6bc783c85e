import { CHARS_PER_TOKEN } from '../../core/model/block.js';
import type { Usage } from '../../core/model/usage.js';
import { type Piece, type Said, type ThreadDraft, UNSAID_DROP } from './thread-draft.js';

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
  /** Ids of the blocks that the prompt begins with; empty when unknown. */
  readonly prefix: readonly string[];
  /** What came since the response before, where content was recorded. */
  readonly said?: readonly Pick<Said, 'origin' | 'pieces'>[];
  /** What the model said, where content was recorded. */
  readonly answer?: readonly Piece[];
}

/** What a row says was billed; null where it does not say what was read. */
function usageOf({ prompt, cached, written, output }: Row): Usage | null {
  if (cached === null) return null;
  const cacheRead = Math.min(prompt, cached);
  const cacheWrite5m = Math.min(prompt - cacheRead, written ?? 0);
  return {
    input: prompt - cacheRead - cacheWrite5m,
    cacheRead,
    cacheWrite5m,
    cacheWrite1h: 0,
    output: output ?? 0,
  };
}

/** One call, one id: where a row has none, equal rows are one call. */
export function rowId({ id, session, thread, timeMs, prompt, output }: Row): string {
  return id ?? [session, thread ?? '', timeMs, prompt, output].join('/');
}

function charsOf(tokens: number): number {
  return Math.round(Math.max(0, tokens) * CHARS_PER_TOKEN);
}

/** The requests of one conversation: what a prompt grew by since the response before it came from outside. */
export class RowThread {
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
      usage: usageOf(row),
      outputIsUnsaid: row.output === null,
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
    if (shared > 0 && row.prompt < before.prompt * (1 - UNSAID_DROP)) {
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

import { CHARS_PER_TOKEN } from '../../model/block.js';
import type { Usage } from '../../model/usage.js';
import { type ThreadDraft, UNSAID_DROP } from '../drafts/thread-draft.js';
import type { Row } from './rows.js';

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
    const said = this.draft.say({
      timeMs: row.timeMs,
      origin: before === null ? 'human' : 'meta',
      pieces: [{ kind: 'text', text: null, chars }],
    });
    const call = this.draft.respond({
      id: row.id ?? [row.session, row.thread ?? '', row.timeMs, row.prompt, row.output].join('/'),
      model: row.model,
      sentMs: row.timeMs,
      timeMs: row.endedMs ?? row.timeMs,
      pieces: [{ kind: 'text', text: null, chars: charsOf(row.output ?? 0) }],
      usage: usageOf(row),
      outputIsUnsaid: row.output === null,
    });
    if (said !== null) this.#ends.push({ id: said.id, tokens: row.prompt });
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

import { isObject, type JsonObject, listOf, textOf } from '../../lines/narrow.js';

/** Something that happened to the conversation of a chat, in order. */
export type ChatStep =
  | { readonly kind: 'message'; readonly id: string; record: JsonObject }
  /** A message and everything behind it is gone; null takes everything. */
  | { readonly kind: 'rewind'; readonly lastId: string | null }
  /** The history was written anew: what was put in front of the messages that stayed. */
  | {
      readonly kind: 'rewritten';
      readonly added: readonly JsonObject[];
      readonly keptIds: readonly string[];
    };

function isSpoken({ type }: JsonObject): boolean {
  return type === 'user' || type === 'gemini';
}

function isResults({ content }: JsonObject): boolean {
  const parts = listOf(content);
  return parts.length > 0 && parts.every((part) => isObject(part) && isObject(part.functionResponse));
}

/** The steps of a chat from its records: a message that is written again replaces itself, `$rewindTo` and `$set` change the history. */
export class ChatHistory {
  readonly steps: ChatStep[] = [];
  readonly #known = new Map<string, Extract<ChatStep, { kind: 'message' }>>();
  /** Messages that the conversation holds now, by id. */
  #live: string[] = [];
  /** Messages that were written again. */
  repeated = 0;

  take(record: JsonObject): void {
    const rewindTo = textOf(record.$rewindTo);
    if (rewindTo !== null) this.#rewind(rewindTo);
    else if (isObject(record.$set)) this.#set(listOf(record.$set.messages).filter(isObject));
    else if (Array.isArray(record.messages))
      for (const each of record.messages.filter(isObject)) this.#add(each);
    else if (textOf(record.id) !== null) this.#add(record);
  }

  #add(record: JsonObject): void {
    const id = textOf(record.id) ?? `message-${this.steps.length + 1}`;
    const known = this.#known.get(id);
    if (known !== undefined) {
      known.record = record;
      this.repeated++;
      return;
    }
    if (!isSpoken(record)) return;
    const step = { kind: 'message', id, record } as const;
    this.#known.set(id, step);
    this.#live.push(id);
    this.steps.push(step);
  }

  #rewind(id: string): void {
    const at = this.#live.indexOf(id);
    this.#live = this.#live.slice(0, Math.max(0, at));
    this.steps.push({ kind: 'rewind', lastId: this.#live.at(-1) ?? null });
  }

  /** Masked contents leave the messages as they were sent first; a shorter list is a history written anew. */
  #set(messages: readonly JsonObject[]): void {
    const spoken = messages.filter((record) => isSpoken(record) && !isResults(record));
    if (spoken.length === 0 || spoken.length >= this.#live.length) return;
    const ids = new Set(spoken.map(({ id }) => id));
    const keptIds = this.#live.filter((id) => ids.has(id));
    if (keptIds.length === this.#live.length) return;
    const added = spoken.filter(({ id }) => typeof id !== 'string' || !this.#known.has(id));
    this.#live = [...keptIds];
    this.steps.push({ kind: 'rewritten', added, keptIds });
  }
}

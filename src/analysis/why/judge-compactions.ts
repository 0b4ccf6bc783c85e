import { getOrMake } from '../../core/base/once.js';
import type { Message } from '../../core/model/message.js';
import {
  isSummaryFork,
  type RecordedCompaction,
  type Step,
  type Thread,
  type Transcript,
} from '../../core/model/transcript.js';
import { promptTokens } from '../../core/model/usage.js';
import { usesOf } from '../../core/uses/find-uses.js';
import type { Item, ThreadUses, Use } from '../../core/uses/uses.js';
import type { ModelBook } from '../../provider/prices/model-book.js';
import { modelsOf } from '../../provider/prices/models.js';
import { type PriceTimes, pricesFor, priceTimes, priceUsage } from '../../provider/prices/price.js';
import { RESTORED_CONTEXT } from '../../transcripts/drafts/calibrate.js';
import { callKeys } from '../../transcripts/sessions/copy-keys.js';
import { isCopied, type Truth } from '../validate/truth.js';
import { PER_TOKEN_NANO } from './attribute.js';

/** Calls on either side of a compaction in which it is looked for what is read again. */
const CALLS_AROUND = 24;

/** Characters of a line that is shown. */
const LINE_CHARS = 100;

/** What was read again in a stretch of calls of what was there in front of it. */
export interface Rereads {
  readonly calls: number;
  readonly rereads: number;
  readonly tokens: number;
  /** What they cost the requests that first sent them. */
  readonly writtenNano: number;
  /** What reading them costs the requests behind, up to the next compaction. */
  readonly carriedNano: number;
}

/** Content that a call needs and no message behind a compaction holds. */
export interface LostItem extends Pick<Item, 'origin' | 'tool' | 'path' | 'tokens'> {
  readonly kind: Use['kind'];
  /** What shows the need, and the line of the content that it stands in. */
  readonly what: string;
  readonly line: string;
  /** Request of the thread that needs it first, from 1. */
  readonly request: number;
}

/** A recorded compaction, and what was needed again behind it. */
export interface JudgedCompaction {
  /** What it is known by in other files. */
  readonly key: string;
  readonly threadId: string;
  readonly isMain: boolean;
  /** The first request behind it, counted in its thread from 1. */
  readonly request: number;
  readonly atMs: number;
  readonly trigger: 'auto' | 'manual';
  readonly tokensBefore: number | null;
  readonly tokensAfter: number | null;
  readonly before: Rereads;
  readonly after: Rereads;
  /** Messages in which the user says again what was said before it. */
  readonly repeats: number;
  /** The largest first; null if the recording does not hold the summary. */
  readonly lost: readonly LostItem[] | null;
}

/** A stretch of calls, and the step in front of which content was there before it. */
interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly step: number;
}

interface Found {
  readonly event: RecordedCompaction;
  readonly key: string;
  /** Its step, and the number of the first call behind it. */
  readonly step: number;
  readonly call: number;
}

function compactionOf(step: Step | undefined): RecordedCompaction | null {
  return step?.kind === 'event' && step.event.kind === 'recorded-compaction' ? step.event : null;
}

function messageOf(step: Step): Message | null {
  if (step.kind === 'message') return step.message;
  return step.kind === 'call' ? step.call.response : (compactionOf(step)?.summary ?? null);
}

/** A thread with compactions, and what its calls need. */
class JudgedThread {
  readonly #thread: Thread;
  readonly #uses: ThreadUses;
  /** Step of each call, step of each message by its id, and how many calls with usage come before each call. */
  readonly #callSteps: number[] = [];
  readonly #stepOf = new Map<string, number>();
  readonly #billed: number[] = [0];
  /** What a token costs each request that does not read it; and the sums of what reading one costs those in front of a call. */
  readonly #writeNano: number[] = [];
  readonly #readNano: number[] = [0];

  constructor(thread: Thread, uses: ThreadUses, models: ModelBook, pricedAt: PriceTimes) {
    this.#thread = thread;
    this.#uses = uses;
    for (const [i, step] of thread.steps.entries()) {
      const message = messageOf(step);
      if (message !== null && !this.#stepOf.has(message.id)) this.#stepOf.set(message.id, i);
      if (step.kind !== 'call') continue;
      const { usage, model, startMs } = step.call;
      this.#callSteps.push(i);
      this.#billed.push(this.#billed.at(-1)! + (usage === null ? 0 : 1));
      const row = usage === null ? null : models.find(model);
      const prices = row === null ? null : pricesFor(row, promptTokens(usage!), pricedAt(startMs));
      this.#readNano.push(this.#readNano.at(-1)! + (prices?.cacheRead ?? 0) * PER_TOKEN_NANO);
      if (row === null) {
        this.#writeNano.push(0);
        continue;
      }
      const { cacheWrite5m, cacheWrite1h } = usage!;
      const written = cacheWrite5m + cacheWrite1h;
      const cost = priceUsage(row, usage!, pricedAt(startMs));
      this.#writeNano.push(
        written > 0
          ? (cost.cacheWrite5mNano + cost.cacheWrite1hNano) / written
          : prices!.input * PER_TOKEN_NANO,
      );
    }
  }

  judge(keys: ReadonlyMap<number, string>, truth: Truth): readonly JudgedCompaction[] {
    const all: Found[] = [];
    for (const [step, key] of keys) {
      const event = compactionOf(this.#thread.steps[step]);
      if (event === null || isCopied(event, truth)) continue;
      const call = this.#callSteps.filter((place) => place < step).length;
      all.push({ event, key, step, call });
    }
    return all.map((found, i) => this.#judged(found, all[i - 1] ?? null, all[i + 1] ?? null));
  }

  #judged(found: Found, previous: Found | null, next: Found | null): JudgedCompaction {
    const { event, key, step, call } = found;
    const end = next?.call ?? this.#callSteps.length;
    const after = { from: call, to: Math.min(end, call + CALLS_AROUND), step };
    const from = Math.max(0, call - CALLS_AROUND);
    const isWhole = previous === null || from > previous.call;
    const before = isWhole
      ? { from, to: call, step: this.#callSteps[from] ?? step }
      : { from: previous.call, to: call, step: previous.step };
    return {
      key,
      threadId: this.#thread.id,
      isMain: this.#thread.parentId === null,
      request: this.#billed[call]! + 1,
      atMs: event.at,
      trigger: event.trigger,
      tokensBefore: event.preTokens,
      tokensAfter: event.postTokens,
      before: this.#rereads(before, call),
      after: this.#rereads(after, end),
      repeats: this.#repeats(after),
      lost: this.#lost(found, after),
    };
  }

  #stepOfItem({ message }: Item): number {
    return this.#stepOf.get(message) ?? -1;
  }

  /** What is read again; `end` is the call in front of which the results leave the context. */
  #rereads({ from, to, step }: Stretch, end: number): Rereads {
    let [rereads, tokens, writtenNano, carriedNano] = [0, 0, 0, 0];
    for (const use of this.#uses.uses) {
      if (use.kind !== 'reread' || use.isStale || use.at < from || use.at >= to) continue;
      if (this.#stepOfItem(this.#uses.items[use.item]!) >= step) continue;
      rereads++;
      tokens += use.tokens;
      let sent = use.at + 1;
      while (sent < end && this.#billed[sent + 1] === this.#billed[sent]) sent++;
      if (sent >= end) continue;
      writtenNano += Math.round(use.tokens * this.#writeNano[sent]!);
      carriedNano += Math.round(use.tokens * (this.#readNano[end]! - this.#readNano[sent + 1]!));
    }
    return { calls: to - from, rereads, tokens, writtenNano, carriedNano };
  }

  /** A message belongs to the call in front of it: one between the compaction and the first call behind it has the number before. */
  #repeats({ from, to, step }: Stretch): number {
    const firstStep = this.#callSteps[from] ?? this.#thread.steps.length;
    const isAsked = this.#thread.steps
      .slice(step, firstStep)
      .some((each) => each.kind === 'message' && each.message.origin === 'human');
    const first = isAsked ? from - 1 : from;
    return this.#uses.uses.filter(
      ({ kind, at, item }) =>
        kind === 'repeat' && at >= first && at < to - 1 && this.#stepOfItem(this.#uses.items[item]!) < step,
    ).length;
  }

  #lost({ event, step }: Found, { from, to }: Stretch): readonly LostItem[] | null {
    const summary = event.summary?.blocks.flatMap(({ text }) => (text === null ? [] : [text.read()])) ?? [];
    if (summary.length === 0) return null;
    const kept = new Set(event.keptIds);
    const found = new Map<number, LostItem>();
    for (const { kind, at, item: index, holders, what } of this.#uses.uses) {
      if ((kind !== 'echo' && kind !== 'edit') || at < from || at >= to || found.has(index)) continue;
      const all = holders.map((holder) => this.#uses.items[holder]!);
      if (all.some((item) => this.#stepOfItem(item) >= step || kept.has(item.message))) continue;
      const behind = this.#thread.steps.slice(step, this.#callSteps[at]!);
      if (behind.some((each) => isHeld(messageOf(each), what, all))) continue;
      const item = this.#uses.items[index]!;
      const { origin, tool, path, tokens } = item;
      const line = kind === 'edit' ? what : lineAround(this.#textOf(item), what);
      const request = this.#billed[at]! + 1;
      found.set(index, { kind, what, line, origin, tool, path, tokens, request });
    }
    return [...found.values()].sort((a, b) => b.tokens - a.tokens || a.request - b.request);
  }

  #textOf(item: Item): string {
    const step = this.#thread.steps[this.#stepOfItem(item)];
    return (step === undefined ? null : messageOf(step))?.blocks[item.block]?.text?.read() ?? '';
  }
}

/** Whether a message tells what is needed, attaches the file that it stood in, or may attach it: older clients record only the size of what they restore. */
function isHeld(message: Message | null, sought: string, items: readonly Item[]): boolean {
  return (
    message?.blocks.some(({ kind, text, facts: { attachment, path } }) => {
      if (attachment === RESTORED_CONTEXT && text === null) return items.some((item) => item.path !== null);
      if (attachment !== undefined && path !== undefined && items.some((item) => item.path === path))
        return true;
      return kind !== 'thinking' && text !== null && text.read().includes(sought);
    }) ?? false
  );
}

/** The line of a text that something stands in, cut around it. */
function lineAround(text: string, what: string): string {
  const at = text.indexOf(what);
  if (at < 0) return what;
  const from = text.lastIndexOf('\n', at) + 1;
  const end = text.indexOf('\n', at);
  const to = end < 0 ? text.length : end;
  const room = Math.max(0, LINE_CHARS - what.length);
  if (to - from <= LINE_CHARS) return text.slice(from, to).trim();
  const start = Math.max(from, at - Math.floor(room / 2));
  const shown = text.slice(start, Math.min(to, start + LINE_CHARS)).trim();
  return `${start > from ? '…' : ''}${shown}${start + LINE_CHARS < to ? '…' : ''}`;
}

/** What was needed again behind the recorded compactions; sessions without any, and without text, are not looked through. */
export function judgeCompactions(transcript: Transcript, truth: Truth): readonly JudgedCompaction[] {
  const byThread = new Map<number, Map<number, string>>();
  for (const { thread, step, key } of callKeys(transcript)) {
    const own = transcript.threads[thread]!;
    if (compactionOf(own.steps[step]) === null || isSummaryFork(own)) continue;
    getOrMake(byThread, thread, () => new Map()).set(step, key);
  }
  if (byThread.size === 0) return [];
  const uses = new Map(usesOf(transcript)?.map((own) => [own.thread, own]));
  return [...byThread].flatMap(([index, keys]) => {
    const thread = transcript.threads[index]!;
    const own = uses.get(thread.id);
    if (own === undefined) return [];
    return new JudgedThread(thread, own, modelsOf(transcript), priceTimes(transcript)).judge(keys, truth);
  });
}

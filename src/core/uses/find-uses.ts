import { digestPart } from '../base/digest.js';
import { addTo, groupBy } from '../base/groups.js';
import { getOrMake } from '../base/once.js';
import type { Block } from '../model/block.js';
import type { Message } from '../model/message.js';
import { callsIn, isSummaryFork, type Thread, type Transcript } from '../model/transcript.js';
import { eachLine, Holders } from './holders.js';
import {
  eachName,
  type Item,
  type ItemOrigin,
  type ThreadUses,
  type Use,
  type UseKind,
  type UsesByCall,
} from './uses.js';

/** A result is fetched again where at least this share of its lines was there before. */
const REREAD_SHARE = 0.5;
const REREAD_LINES = 3;

/** What looks at content: a tool for it, or a command. The results of others come again because something was run again. */
const LOOKING_TOOL = /^(?:read|grep|glob|view|open|cat|search)/i;
const LOOKING_COMMAND =
  /\b(?=(?:cat|sed -n|head|tail|nl|less|bat|rg|grep|git show|git diff)\s)(?<![|\w./-]\s*)/;

/** Sessions that are made up say nothing that is needed again. */
const GENERATED = 'synthetic';

function originOf({ origin, role }: Message, { kind, facts }: Block): ItemOrigin | null {
  if (kind === 'thinking' || kind === 'image' || kind === 'document') return null;
  if (kind === 'tool_result') return 'result';
  if (role === 'assistant') return 'assistant';
  if (origin === 'summary') return 'summary';
  return origin === 'human' && facts.attachment === undefined ? 'user' : 'attachment';
}

/** Finds what the calls of one thread need of what came before, in one pass over its text. */
class ThreadWalk {
  readonly items: Item[] = [];
  readonly uses: Use[] = [];
  readonly #lines = new Holders();
  readonly #names = new Holders();
  /** Where each file was edited last, by the number of the call. */
  readonly #edited = new Map<string, number>();
  /** Calls of tools that look at content, by id. */
  readonly #looks = new Set<string>();
  #calls = 0;
  #asking = '';

  walk({ steps }: Thread): void {
    for (const step of steps) {
      if (step.kind === 'message') this.#message(step.message);
      else if (step.kind === 'call') this.#respond(step.call.id, step.call.response);
      else if (step.event.kind === 'recorded-compaction' && step.event.summary !== null)
        this.#message(step.event.summary);
    }
  }

  #message(message: Message): void {
    for (const [i, block] of message.blocks.entries()) {
      const origin = originOf(message, block);
      if (origin !== null && block.text !== null) this.#take(message, i, origin);
    }
  }

  #take(message: Message, place: number, origin: ItemOrigin): void {
    const block = message.blocks[place]!;
    const text = block.text!.read();
    const lines = this.#lines;
    const names = this.#names;
    const seen = new Seen(lines);
    const item = this.items.length;
    const call = Math.max(0, this.#calls - 1);
    const isSought = origin === 'user' || (origin === 'result' && this.#looks.has(block.toolUseId ?? ''));
    eachLine(text, (from, to) => {
      const key = digestPart(text, from, to);
      const entry = lines.find(key);
      if (isSought) seen.line(entry, from, to);
      lines.add(key, entry, item);
    });
    eachName(text, (from, to) => {
      const key = digestPart(text, from, to);
      names.add(key, names.find(key), item);
    });
    this.items.push({
      message: message.id,
      block: place,
      origin,
      tool: block.tool,
      path: block.facts.path ?? null,
      tokens: block.tokens,
      seenAt: this.#calls,
    });
    const again = seen.again();
    if (again === null || this.#calls === 0) return;
    const needed = this.items[again.item]!;
    // Results that came together were asked for together.
    if (needed.seenAt > call) return;
    if (origin === 'user' && needed.origin !== 'user') return;
    const what = text.slice(again.from, again.to);
    this.#use(origin === 'user' ? 'repeat' : 'reread', call, what, again.holders, again.item, {
      tokens: Math.round(block.tokens * again.share),
      isStale: this.#isEdited(needed.path, needed.seenAt),
    });
  }

  /** A response: what it names, and what it edits. */
  #respond(id: string, response: Message): void {
    this.#asking = id;
    const needed = new Map<
      number,
      { readonly kind: UseKind; readonly what: string; readonly holders: readonly number[] }
    >();
    const need = (kind: UseKind, text: string, from: number, to: number): void => {
      const table = kind === 'edit' ? this.#lines : this.#names;
      const entry = table.find(digestPart(text, from, to));
      const count = entry === -1 ? 0 : table.count(entry);
      if (count === 0) return;
      const item = this.#fetched(table, entry, count);
      if (item === null || this.items[item]!.seenAt > this.#calls) return;
      const known = needed.get(item);
      if (known === undefined || count < known.holders.length)
        needed.set(item, { kind, what: text.slice(from, to), holders: table.list(entry, count) });
    };
    for (const block of response.blocks) {
      if (block.kind === 'thinking' || block.text === null) continue;
      const text = block.kind === 'tool_use' ? unescaped(block.text.read()) : block.text.read();
      if (block.facts.effect?.kind === 'edit' || block.tool === 'apply_patch')
        eachLine(text, (from, to) => need('edit', text, from, to));
      eachName(text, (from, to) => need('echo', text, from, to));
    }
    for (const [item, { kind, what, holders }] of needed)
      this.#use(kind, this.#calls, what, holders, item, { tokens: 0, isStale: false });
    for (const block of response.blocks) {
      const { path, effect } = block.facts;
      // What a call writes may hold commands, and its result is no look at content.
      if (effect?.kind === 'edit' || effect?.kind === 'write') {
        if (path !== undefined) this.#edited.set(path, this.#calls);
      } else if (isLook(block)) this.#looks.add(block.toolUseId ?? '');
    }
    this.#calls++;
    this.#message(response);
  }

  /** The item to fetch of those that hold something: nothing if the agent said it first. */
  #fetched(table: Holders, entry: number, count: number): number | null {
    const first = table.at(entry, 0);
    if (this.items[first]!.origin === 'assistant') return null;
    for (let place = count - 1; place > 0; place--) {
      const item = table.at(entry, place);
      if (this.items[item]!.origin === 'result') return item;
    }
    return first;
  }

  #isEdited(path: string | null, since: number): boolean {
    return path !== null && (this.#edited.get(path) ?? -1) >= since;
  }

  #use(
    kind: UseKind,
    at: number,
    what: string,
    holders: readonly number[],
    item: number,
    more: Pick<Use, 'tokens' | 'isStale'>,
  ): void {
    this.uses.push({
      kind,
      call: this.#asking,
      at,
      what: what.slice(0, LINE_SHOWN),
      item,
      holders,
      ...more,
    });
  }
}

function isLook({ kind, tool, text }: Block): boolean {
  if (kind !== 'tool_use' || tool === null) return false;
  return LOOKING_TOOL.test(tool) || LOOKING_COMMAND.test(text?.read() ?? '');
}

/** Characters of a line that are kept to show it. */
const LINE_SHOWN = 80;

/** How much of a text was there before, and where. */
class Seen {
  #lines = 0;
  #seen = 0;
  readonly #by = new Map<number, SeenItem>();

  constructor(private readonly held: Holders) {}

  /** A line at a place of the text, and its entry before the text is added to it. */
  line(entry: number, from: number, to: number): void {
    const count = entry === -1 ? null : this.held.count(entry);
    if (count === 0) return;
    this.#lines++;
    if (count === null) return;
    this.#seen++;
    const item = this.held.at(entry, count - 1);
    const by = this.#by.get(item);
    if (by === undefined) this.#by.set(item, { lines: 1, entry, count, from, to });
    else by.lines++;
  }

  /** The item that most of it was in; null if little of it was there before. */
  again() {
    const share = this.#seen / this.#lines;
    if (this.#lines < REREAD_LINES || share < REREAD_SHARE) return null;
    let best: (SeenItem & { readonly item: number }) | null = null;
    for (const [item, found] of this.#by)
      if (best === null || found.lines > best.lines) best = { item, ...found };
    if (best === null) return null;
    const { item, entry, count, from, to } = best;
    // A line of several items counts the text itself among them.
    const holders = this.held.list(entry, count === 1 ? 1 : this.held.count(entry) || count);
    return { item, from, to, holders, share };
  }
}

/** An item that held lines of a text before: how many, and the first of them. */
interface SeenItem {
  lines: number;
  readonly entry: number;
  readonly count: number;
  readonly from: number;
  readonly to: number;
}

/** The input of a call as it was meant: each member on lines of its own. */
function unescaped(json: string): string {
  const members = json.replaceAll(/":\s?"|",\s?"|"\}/g, '\n');
  if (!members.includes('\\')) return members;
  return members.replaceAll('\\n', '\n').replaceAll('\\t', '\t').replaceAll('\\"', '"');
}

/** The uses of a thread with the items they name, and no others. */
function usedOnly(thread: string, all: readonly Item[], uses: readonly Use[]): ThreadUses {
  const places = new Map<number, number>();
  const items: Item[] = [];
  const placeOf = (item: number): number => {
    return getOrMake(places, item, () => items.push(all[item]!) - 1);
  };
  const renamed = uses.map((use) => ({ ...use, item: placeOf(use.item), holders: use.holders.map(placeOf) }));
  return { thread, items, uses: renamed };
}

function findUses(threads: readonly Thread[]): readonly ThreadUses[] {
  return threads
    .filter((thread) => !isSummaryFork(thread) && thread.flow === undefined)
    .map((thread) => {
      const walk = new ThreadWalk();
      walk.walk(thread);
      return usedOnly(thread.id, walk.items, walk.uses);
    });
}

/** Whether a transcript has text that tells what is needed again. */
export function hasUses({
  carries,
  source,
}: {
  readonly carries: readonly string[];
  readonly source: string;
}): boolean {
  return carries.includes('text') && source !== GENERATED;
}

const found = new WeakMap<readonly Thread[], readonly ThreadUses[]>();

/** What the calls of a recording need of what came before them; null if it carries no text of its own. */
export function usesOf({ carries, source, threads, uses }: Transcript): readonly ThreadUses[] | null {
  if (uses !== undefined) return uses();
  if (!hasUses({ carries, source })) return null;
  return getOrMake(found, threads, () => findUses(threads));
}

const byThread = new WeakMap<readonly ThreadUses[], ReadonlyMap<string, UsesByCall>>();

/** The same by thread and by the call that needs something. */
export function usesByThread(transcript: Transcript): ReadonlyMap<string, UsesByCall> | null {
  const all = usesOf(transcript);
  if (all === null) return null;
  return getOrMake(
    byThread,
    all,
    () => new Map(all.map(({ thread, items, uses }) => [thread, { items, at: byCall(uses) }])),
  );
}

function byCall(uses: readonly Use[]): UsesByCall['at'] {
  return groupBy(
    uses.filter(({ isStale }) => !isStale),
    ({ call }) => call,
  );
}

/** When each item of a thread is needed, by its place, and the numbers of the calls. */
interface NeedIndex {
  readonly calls: ReadonlyMap<string, number>;
  readonly needs: ReadonlyMap<string, readonly number[]>;
}

const needIndexes = new WeakMap<UsesByCall, NeedIndex>();

function needIndexOf(thread: Thread, uses: UsesByCall): NeedIndex {
  return getOrMake(needIndexes, uses, () => {
    const calls = new Map<string, number>();
    const needs = new Map<string, number[]>();
    for (const { id } of callsIn([thread])) {
      for (const { item, at } of uses.at.get(id) ?? []) addTo(needs, placeName(uses.items[item]!), at);
      calls.set(id, calls.size);
    }
    return { calls, needs };
  });
}

function placeName({ message, block }: Pick<Item, 'message' | 'block'>): string {
  return `${message} ${block}`;
}

/** The number of the call that needs an item next, from a call on; infinite where none does. */
export function nextUse(
  thread: Thread,
  uses: UsesByCall,
  call: string,
  place: Pick<Item, 'message' | 'block'>,
): number {
  const { calls, needs } = needIndexOf(thread, uses);
  const from = calls.get(call) ?? 0;
  return needs.get(placeName(place))?.find((at) => at >= from) ?? Number.POSITIVE_INFINITY;
}

import { getOrMake } from '../../core/base/once.js';
import type { PromptFills, SourceKind, SourceName } from '../../core/model/source-kind.js';
import { usd } from '../../metrics/metric.js';
import type { AttributedRequest } from './attribute.js';
import type { ContextTape, TapeBlock, TapeRequest, ThreadTape } from './context-tape.js';
import {
  BEYOND_LINES,
  filledBy,
  NOT_REPLAYED,
  type Origin,
  type SourceBy,
  SUMMARY_REQUESTS,
  sourceOf,
} from './name-sources.js';

/** A session's prompts, and the requests of it that count. */
export interface CountedPrompts {
  readonly tape: ContextTape;
  readonly requests: readonly AttributedRequest[];
}

/** What one source took: everything that its tokens cost, from the request that brought them in to the last that held them. */
export interface SourceSum {
  readonly kind: SourceKind;
  /** Null for all of its kind. */
  readonly name: string | null;
  /** Tokens that it brought in, each counted once. */
  readonly tokens: number;
  /** The same as often as they were paid: in every prompt that held them, and as output. */
  readonly carriedTokens: number;
  readonly usd: number;
  /** Of the cost of all sources; null if that is nothing. */
  readonly share: number | null;
  /** Requests whose prompts held some of it. */
  readonly requests: number;
  /** What of it was read again though nothing had changed, and what that cost. */
  readonly againTokens: number;
  readonly againUsd: number;
}

/** The same of one session, not rounded: cost in nano-dollars. */
export interface SourceRow extends Readonly<Row> {}

interface Row {
  readonly kind: SourceKind;
  readonly name: string | null;
  tokens: number;
  carried: number;
  nano: number;
  requests: number;
  againTokens: number;
  againNano: number;
}

/** The rows that sources are summed up in. */
class Rows {
  readonly list: Row[] = [];
  readonly #places = new Map<string, number>();

  constructor(private readonly nameOf: (origin: Origin, agent: string | null) => SourceName) {}

  place(origin: Origin, agent: string | null): number {
    const { kind, name } = this.nameOf(origin, agent);
    const key = JSON.stringify([kind, name]);
    return getOrMake(this.#places, key, () => {
      const row = { kind, name, tokens: 0, carried: 0, nano: 0, requests: 0, againTokens: 0, againNano: 0 };
      return this.list.push(row) - 1;
    });
  }
}

/** Hears how many tokens of each row the prompt of a request holds. */
type FillListener = (request: AttributedRequest, tokens: ReadonlyMap<number, number>) => void;

/**
 * The prompt of a thread as a stack of blocks. What a request pays for its first tokens is noted at the last block that they
 * cover, and handed on to the block below when that one leaves: a block costs the same however many requests carry it.
 */
class PromptStack {
  readonly #rows: number[] = [];
  readonly #blocks: TapeBlock[] = [];
  /** Tokens up to and with each block. */
  readonly #ends: number[] = [];
  /** What each token up to and with a block was paid, and how often, beyond what is noted at later blocks. */
  readonly #nano: number[] = [];
  readonly #times: number[] = [];
  /** Tokens of each row in the prompt, and the number of requests before it came in. */
  readonly live = new Map<number, number>();
  readonly #since = new Map<number, number>();
  #requests = 0;

  constructor(
    private readonly rows: readonly Row[],
    private readonly beyond: number,
  ) {}

  get tokens(): number {
    return this.#ends.at(-1) ?? 0;
  }

  push(row: number, block: TapeBlock): void {
    this.#rows.push(row);
    this.#blocks.push(block);
    this.#ends.push(this.tokens + block.tokens);
    this.#nano.push(0);
    this.#times.push(0);
    this.#hold(row, block.tokens - block.beyond);
    this.#hold(this.beyond, block.beyond);
  }

  /** Takes blocks away until this many are left, and settles what was paid for them. */
  cutTo(length: number): void {
    while (this.#rows.length > length) {
      const row = this.#rows.pop()!;
      const block = this.#blocks.pop()!;
      const nano = this.#nano.pop()!;
      const times = this.#times.pop()!;
      this.#ends.pop();
      const below = this.#rows.length - 1;
      if (below >= 0) {
        this.#nano[below]! += nano;
        this.#times[below]! += times;
      }
      this.#pay(row, block, block.tokens, nano, times);
      this.#hold(row, block.beyond - block.tokens);
      this.#hold(this.beyond, -block.beyond);
    }
  }

  /** A request with this prompt was paid. */
  send({ stretches }: AttributedRequest): void {
    this.#requests++;
    let end = 0;
    for (const [i, { tokens, nano }] of stretches.entries()) {
      end += tokens;
      const next = stretches[i + 1];
      const change = nano / tokens - (next === undefined ? 0 : next.nano / next.tokens);
      this.#payFirst(end, change, next === undefined ? 1 : 0);
    }
  }

  /** The first tokens of the prompt cost as much each. */
  #payFirst(tokens: number, nano: number, times: number): void {
    const inside = Math.min(tokens, this.tokens);
    const rest = this.rows[this.beyond]!;
    rest.nano += nano * (tokens - inside);
    rest.carried += times * (tokens - inside);
    const covered = this.#endingBy(inside);
    const start = covered === 0 ? 0 : this.#ends[covered - 1]!;
    if (covered > 0) {
      this.#nano[covered - 1]! += nano;
      this.#times[covered - 1]! += times;
    }
    if (start < inside) this.#pay(this.#rows[covered]!, this.#blocks[covered]!, inside - start, nano, times);
  }

  /** The first tokens of a block were paid. */
  #pay(row: number, block: TapeBlock, tokens: number, nano: number, times: number): void {
    const own = Math.min(tokens, block.tokens - block.beyond);
    const mine = this.rows[row]!;
    mine.nano += own * nano;
    mine.carried += own * times;
    if (block.again > 0) mine.againNano += (nano * block.again * tokens) / block.tokens;
    if (own === tokens) return;
    const rest = this.rows[this.beyond]!;
    rest.nano += (tokens - own) * nano;
    rest.carried += (tokens - own) * times;
  }

  /** How many blocks end within the first tokens. */
  #endingBy(tokens: number): number {
    let low = 0;
    let high = this.#ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#ends[middle]! <= tokens) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Some tokens of a row come into the prompt, or leave it. */
  #hold(row: number, tokens: number): void {
    if (tokens === 0) return;
    const before = this.live.get(row) ?? 0;
    this.live.set(row, before + tokens);
    if (before === 0) this.#since.set(row, this.#requests);
    else if (before + tokens === 0) this.rows[row]!.requests += this.#requests - this.#since.get(row)!;
  }
}

function walkThread(
  { agent, requests }: ThreadTape,
  { origins }: ContextTape,
  counted: ReadonlyMap<number, AttributedRequest>,
  rows: Rows,
  listener?: FillListener,
): ReadonlySet<AttributedRequest> {
  const walked = new Set<AttributedRequest>();
  const places: number[] = [];
  const rowOf = (origin: number): number => (places[origin] ??= rows.place(origins[origin]!, agent));
  const beyond = rows.place(BEYOND_LINES, agent);
  const stack = new PromptStack(rows.list, beyond);
  for (const { number, kept, added, output } of requests) {
    const request = counted.get(number);
    stack.cutTo(kept);
    for (const block of added) {
      const row = rowOf(block.origin);
      stack.push(row, block);
      if (request === undefined) continue;
      const unshown = Math.min(block.fresh, block.beyond);
      rows.list[row]!.tokens += block.fresh - unshown;
      rows.list[beyond]!.tokens += unshown;
      if (block.fresh > 0) rows.list[row]!.againTokens += Math.min(block.again, block.fresh);
    }
    if (request === undefined) continue;
    walked.add(request);
    stack.send(request);
    const unshown = request.prompt - stack.tokens;
    if (unshown > 0) rows.list[beyond]!.tokens += unshown;
    payOutput(request, output, rowOf, rows.list);
    listener?.(request, stack.live);
  }
  stack.cutTo(0);
  return walked;
}

/** Spreads what a response cost over what it consists of. */
function payOutput(
  { output: tokens, outputNano }: AttributedRequest,
  blocks: TapeRequest['output'],
  rowOf: (origin: number) => number,
  rows: readonly Row[],
): void {
  let held = 0;
  for (const block of blocks) held += block.tokens;
  let left = tokens;
  for (const [i, block] of blocks.entries()) {
    const part =
      i === blocks.length - 1
        ? left
        : Math.min(left, held === 0 ? 0 : Math.round((tokens * block.tokens) / held));
    left -= part;
    addPaid(rows[rowOf(block.origin)]!, part, tokens === 0 ? 0 : (outputNano * part) / tokens);
  }
}

function addPaid(row: Row, tokens: number, nano: number): void {
  row.tokens += tokens;
  row.carried += tokens;
  row.nano += nano;
}

function totalNano({ stretches, outputNano }: AttributedRequest): number {
  return stretches.reduce((total, { nano }) => total + nano, outputNano);
}

function walkSession({ tape, requests }: CountedPrompts, rows: Rows, listener?: FillListener): void {
  const byThread = new Map<string, Map<number, AttributedRequest>>();
  for (const request of requests)
    getOrMake(byThread, request.threadId, () => new Map()).set(request.number, request);
  const known = new Map(tape.threads.map((each) => [each.thread, each]));
  for (const [thread, own] of byThread) {
    const tapeOf = known.get(thread);
    const walked = tapeOf === undefined ? new Set() : walkThread(tapeOf, tape, own, rows, listener);
    const origin = tapeOf?.isSummary === true ? SUMMARY_REQUESTS : NOT_REPLAYED;
    for (const request of own.values())
      if (!walked.has(request)) {
        const row = rows.list[rows.place(origin, tapeOf?.agent ?? null)]!;
        addPaid(row, request.prompt + request.output, totalNano(request));
        row.requests++;
      }
  }
}

/** What every source of one session took. */
export function sourceRowsOf(session: CountedPrompts, by: SourceBy): readonly SourceRow[] {
  const rows = new Rows((origin, agent) => sourceOf(origin, agent, by));
  walkSession(session, rows);
  return rows.list;
}

/** What every source took in all sessions, which are added one after the other. */
export class SourceTally {
  readonly #rows = new Map<string, Row>();

  add(rows: readonly SourceRow[]): void {
    for (const row of rows) {
      const key = JSON.stringify([row.kind, row.name]);
      const own = this.#rows.get(key);
      if (own === undefined) this.#rows.set(key, { ...row });
      else {
        own.tokens += row.tokens;
        own.carried += row.carried;
        own.nano += row.nano;
        own.requests += row.requests;
        own.againTokens += row.againTokens;
        own.againNano += row.againNano;
      }
    }
  }

  /** The most expensive first; all dollars together are those of the requests. */
  list(): readonly SourceSum[] {
    const paid = [...this.#rows.values()].filter(
      ({ tokens, carried, nano }) => tokens > 0 || carried > 0 || nano > 0,
    );
    paid.sort((a, b) => b.nano - a.nano || b.carried - a.carried || nameOrder(a, b));
    const total = paid.reduce((sum, { nano }) => sum + nano, 0);
    let [exact, rounded] = [0, 0];
    return paid.map(({ kind, name, tokens, carried, nano, requests, againTokens, againNano }) => {
      exact += nano;
      const own = Math.round(exact) - rounded;
      rounded += own;
      return {
        kind,
        name,
        tokens,
        carriedTokens: carried,
        usd: usd(own),
        share: total === 0 ? null : nano / total,
        requests,
        againTokens,
        againUsd: usd(Math.round(againNano)),
      };
    });
  }
}

function nameOrder(a: Row, b: Row): number {
  const [left, right] = [`${a.kind} ${a.name ?? ''}`, `${b.kind} ${b.name ?? ''}`];
  return left < right ? -1 : left > right ? 1 : 0;
}

/** What fills the prompt of each request of a session. */
export function filledPrompts(session: CountedPrompts): PromptFills<AttributedRequest> {
  const rows = new Rows(filledBy);
  const of = new Map<AttributedRequest, readonly number[]>();
  walkSession(session, rows, (request, live) => {
    const held: number[] = rows.list.map(() => 0);
    let known = 0;
    for (const [row, tokens] of live) {
      held[row] = tokens;
      known += tokens;
    }
    if (request.prompt > known) held[rows.place(BEYOND_LINES, null)]! += request.prompt - known;
    of.set(request, held);
  });
  return { columns: rows.list, of };
}

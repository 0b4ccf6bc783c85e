import { digestParts } from '../../core/base/digest.js';
import { createBlock } from '../../core/model/block.js';
import { createMessage, type Message } from '../../core/model/message.js';
import type { RecordedCall } from '../../core/model/transcript.js';
import type { FaultEntry } from '../../core/run/log-entries.js';
import { chanceUnder, DEFAULT_FAULTS, fittedChance, type LeastFaults } from '../../core/run/run-plan.js';
import { leastFaults } from '../../core/uses/least-faults.js';
import type { Item, Use } from '../../core/uses/uses.js';
import type { ModelRow, PricePeriod } from '../../provider/prices/model-row.js';
import { pricesAt, priceUsage } from '../../provider/prices/price.js';
import type { Context } from '../context/context.js';
import type { Deletions } from '../context/deletions.js';
import { fetchAgain } from './main-request.js';
import type { RunningThread } from './running-thread.js';

/** Where an item is: as it came, in a file that was attached again, behind a placeholder, or not in the context at all. */
type ItemState = 'verbatim' | 'restored' | 'masked' | 'gone';

/** Which messages a context holds, by id. A turn costs its new messages; a change of what was there costs all of them. */
class HeldContent {
  private changes = -1;
  private indexed = 0;
  private readonly messages = new Map<string, Message>();
  private readonly paths = new Set<string>();
  /** Paths of all files that were ever attached. */
  readonly attached = new Set<string>();

  /** Whether something that the context held has been changed or taken out. */
  isTouched({ changes }: Context): boolean {
    return changes > 0;
  }

  stateOf(item: Item, context: Context, deletions: Deletions): ItemState {
    this.update(context);
    const message = this.messages.get(item.message);
    if (message === undefined) return item.path !== null && this.paths.has(item.path) ? 'restored' : 'gone';
    if (item.origin !== 'result') return 'verbatim';
    const block = message.blocks[item.block];
    const isMasked =
      block === undefined || block.facts.replaces !== undefined || deletions.has(block.toolUseId);
    return isMasked ? 'masked' : 'verbatim';
  }

  private update({ messages, changes }: Context): void {
    if (changes !== this.changes) {
      this.messages.clear();
      this.paths.clear();
      this.indexed = 0;
      this.changes = changes;
    }
    for (; this.indexed < messages.length; this.indexed++) {
      const message = messages[this.indexed]!;
      this.messages.set(message.id, message);
      for (const { facts } of message.blocks) {
        if (facts.attachment === undefined || facts.path === undefined) continue;
        this.paths.add(facts.path);
        this.attached.add(facts.path);
      }
    }
  }
}

/** Chances are drawn from numbers of 53 bits. */
const TWO_TO_53 = 2 ** 53;

/** Tokens of a call that fetches something again: a name and a path. */
const CALL_TOKENS = 100;

/** A model whose prices held at a moment. */
interface Tariff {
  readonly row: ModelRow;
  readonly at: number;
}

/** What a thread needs and no longer holds. */
export class ContentFaults {
  private readonly held = new HeldContent();
  /** Turns in front of which the conversation was summarised. */
  private readonly summarised: number[] = [];
  /** Items that were missed since the last summary: they are fetched once. */
  private readonly missed = new Set<number>();
  private fetched = 0;
  /** Messages that no policy took out: what only the recording made, and what the user gave up. */
  private readonly excused = new Set<string>();
  private found = 0;
  private latest: RecordedCall | null = null;
  /** Calls that were not made. */
  private readonly skipped = new Set<string>();
  /** The model whose window is known. */
  private facts: RunningThread['model']['facts'] | null = null;
  /** Tokens of the largest window and of the largest context, and those of the smallest prefix. */
  private window = 0;
  private largest = 0;
  private prefix = Number.POSITIVE_INFINITY;
  /** Prices that held, one after another. */
  private prices: PricePeriod | null = null;
  private readonly tariffs: Tariff[] = [];

  /** The conversation is summarised in front of a turn. */
  compacted(turn: number): void {
    if (this.summarised.at(-1) !== turn) this.summarised.push(turn);
    this.missed.clear();
  }

  excuse(ids: Iterable<string>): void {
    for (const id of ids) this.excused.add(id);
  }

  /** A call is not made, so it needs nothing. */
  skip({ id }: RecordedCall): void {
    this.skipped.add(id);
  }

  /** Adds the least that the faults of the thread come to. */
  finish(run: RunningThread): void {
    const least = this.least(run);
    if (least === null) return;
    const { totals } = run.env;
    const { least: others } = totals;
    totals.least = {
      leastFaults: least.leastFaults + (others?.leastFaults ?? 0),
      leastRefetchTokens: least.leastRefetchTokens + (others?.leastRefetchTokens ?? 0),
      leastRefetchCost: least.leastRefetchCost + (others?.leastRefetchCost ?? 0),
    };
  }

  /** The least that faults in this window come to, whatever is kept; null if there were none. */
  private least({ env, thread }: RunningThread): LeastFaults | null {
    const uses = this.found === 0 ? undefined : env.uses()?.get(thread.id);
    if (uses === undefined) return null;
    const needed: Use[] = [];
    for (const step of thread.steps) {
      if (step.kind !== 'call') continue;
      const { id } = step.call;
      if (!this.skipped.has(id)) needed.push(...(uses.at.get(id) ?? []));
      if (id === this.latest!.id) break;
    }
    const counted = needed.filter(({ item }) => !this.excused.has(uses.items[item]!.message));
    // A file that is attached again comes back by itself, cut short or not.
    const { attached } = this.held;
    const items = uses.items.map((item) =>
      item.path !== null && attached.has(item.path) ? { ...item, tokens: 0 } : item,
    );
    const budget = Math.max(this.window, this.largest) - this.prefix;
    const charged = chargedOf(counted, items);
    // A summary keeps at most what the plan assumes of all of them.
    const weight = chanceUnder(
      (env.plan.faults ?? DEFAULT_FAULTS).survival,
      fittedChance('summarised', env.source),
    );
    return {
      leastFaults: leastFaults(items, counted, budget),
      leastRefetchTokens: weight * leastFaults(items, charged, budget, ({ tokens }) => tokens),
      leastRefetchCost: weight * leastFaults(items, charged, budget, ({ tokens }) => this.leastCost(tokens)),
    };
  }

  /** What fetching costs at the lowest of the prices that held, with nothing but the prefix in the context. */
  private leastCost(tokens: number): number {
    return Math.min(...this.tariffs.map(({ row, at }) => fetchCost(row, this.prefix, tokens, at)));
  }

  private measure({ model, context, env, now }: RunningThread): void {
    if (this.facts !== model.facts) {
      this.facts = model.facts;
      this.window = Math.max(this.window, model.apiWindow() ?? Number.POSITIVE_INFINITY);
    }
    const at = env.pricedAt(now);
    const prices = pricesAt(model.row, at);
    if (this.prices !== prices) {
      this.prices = prices;
      this.tariffs.push({ row: model.row, at });
    }
    if (context.trueTokens > this.largest) this.largest = context.trueTokens;
    if (context.prefixTokens < this.prefix) this.prefix = context.prefixTokens;
  }

  /** Looks for what a call needs, logs what is gone, and fetches it where the plan says so. */
  check(run: RunningThread, call: RecordedCall): void {
    this.measure(run);
    this.latest = call;
    if (!this.held.isTouched(run.context)) return;
    const uses = run.env.uses()?.get(run.thread.id);
    if (uses === undefined) return;
    const needed = uses.at.get(call.id);
    if (needed === undefined || run.steps.isAgain) return;
    const { plan } = run.env;
    const { survival, refetch } = plan.faults ?? DEFAULT_FAULTS;
    const again: Item[] = [];
    for (const use of needed) {
      const item = uses.items[use.item]!;
      const state = this.stateOf(run, use, uses.items);
      if (state === null || this.missed.has(use.item)) continue;
      this.missed.add(use.item);
      this.found++;
      const rounds = this.summarised.filter((turn) => turn >= item.seenAt).length;
      const chance = fittedChance(rounds === 0 || state === 'masked' ? 'gone' : 'summarised', run.env.source);
      const weight = chanceUnder(survival, chance);
      const kind = state === 'masked' ? 'masked' : isFetchable(use, item) ? 'refetch' : 'lost';
      const tokens = use.kind === 'reread' ? use.tokens : item.tokens;
      const cost =
        kind === 'lost'
          ? 0
          : fetchCost(run.model.row, run.context.trueTokens, tokens, run.env.pricedAt(run.now));
      run.env.sink.write(faultEntry(run, use, item, { kind, chance, weight, rounds, tokens, cost }));
      const isFetched = kind !== 'lost' && use.kind !== 'reread' && run.course === 'parted';
      if (refetch === 'on' && isFetched && this.draw(run, use) < weight) again.push(item);
    }
    if (again.length > 0) fetchAgain(run, call, this.exchangeOf(run, again), CALL_TOKENS * again.length);
  }

  /** What of a use is left: null if some item that holds it is in the context. */
  private stateOf(run: RunningThread, use: Use, items: readonly Item[]): ItemState | null {
    if (this.excused.has(items[use.item]!.message)) return null;
    let best: ItemState | null = null;
    for (const holder of use.holders) {
      if (this.excused.has(items[holder]!.message)) continue;
      const state = this.held.stateOf(items[holder]!, run.context, run.view.deletions);
      if (state === 'verbatim' || state === 'restored') return null;
      if (best !== 'masked') best = state;
    }
    return best;
  }

  private draw(run: RunningThread, use: Use): number {
    return digestParts(['fault', run.env.plan.seed, run.thread.id, use.call, use.item]) / TWO_TO_53;
  }

  /** The call that fetches items again, and its results. */
  private exchangeOf(
    run: RunningThread,
    items: readonly Item[],
  ): readonly [asked: Message, results: Message] {
    const at = run.now;
    const ids = items.map(() => `fetched-${run.thread.id}-${++this.fetched}`);
    const [name] = ids;
    const asked = items.map((item, i) =>
      createBlock({
        kind: 'tool_use',
        role: 'assistant',
        tokens: CALL_TOKENS,
        tool: item.tool,
        toolUseId: ids[i]!,
      }),
    );
    const results = items.map((item, i) =>
      createBlock({
        kind: 'tool_result',
        role: 'user',
        tokens: item.tokens,
        tool: item.tool,
        toolUseId: ids[i]!,
      }),
    );
    return [
      createMessage({ id: `${name}-call`, role: 'assistant', origin: 'model', blocks: asked, at }),
      createMessage({ id: `${name}-result`, role: 'user', origin: 'tool', blocks: results, at }),
    ];
  }
}

/** Whether content can be fetched again: what tools and the client brought can, and what was in fact read again. */
function isFetchable({ kind }: Use, { origin }: Item): boolean {
  return kind === 'reread' || origin === 'result' || origin === 'attachment';
}

/** The uses that a run is charged for where they find nothing: what the recording itself reads again is part of every run. */
function chargedOf(uses: readonly Use[], items: readonly Item[]): readonly Use[] {
  const reread = new Set<number>();
  return uses.filter((use) => {
    if (use.kind === 'reread') reread.add(use.item);
    return !reread.has(use.item) && isFetchable(use, items[use.item]!);
  });
}

/** What a request costs that reads a prompt from the cache and brings a result into it, written for five minutes. */
function fetchCost(row: ModelRow, prompt: number, tokens: number, at: number): number {
  const usage = { input: 0, cacheRead: prompt, cacheWrite5m: tokens, cacheWrite1h: 0, output: CALL_TOKENS };
  return priceUsage(row, usage, at).totalNano;
}

function faultEntry(
  run: RunningThread,
  { kind: use, what }: Use,
  { origin, tool, path, message, seenAt }: Item,
  fault: Pick<FaultEntry, 'kind' | 'chance' | 'weight' | 'rounds' | 'tokens' | 'cost'>,
): FaultEntry {
  return {
    type: 'fault',
    t: run.now,
    thread: run.thread.id,
    turn: run.turn,
    ...fault,
    use,
    origin,
    tool,
    path,
    message,
    seenAt,
    what,
  };
}

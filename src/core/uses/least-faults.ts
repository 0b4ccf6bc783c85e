import type { Item, Use } from './uses.js';

/** Content that no call misses only if it is in the context from one call to another, both included. */
interface Stay {
  readonly from: number;
  readonly to: number;
  /** Tokens that this takes at least at each of them. */
  readonly tokens: number;
}

/** Shares of items that one more token keeps: smaller gains are none, and smaller differences of gains are rounding. */
const LEAST_GAIN = 1e-9;
const ROUNDING = 1e-12;

/** Faults that small gains and rounding may come to, with budgets of up to a million tokens. */
const SLACK = 1e-3;

/**
 * A lower bound of the faults of a thread: no choice of what to keep has fewer while the items in the context have at most
 * `budget` tokens at each call. It holds under the rules that faults are counted by: content that is out of the context does not
 * come back by itself; what was missed once is at hand from then on, and takes no room.
 *
 * The least number itself is a knapsack problem. The bound is the least number where parts of items may be kept and missed
 * (a linear programme), rounded up; for items of one size that are each alone in holding something it is exact. Where several items
 * hold what a call needs, any of them will do. The size of an item is then divided among all that it may stand in for, unless it is
 * alone in holding something: that takes all of it.
 */
export function leastFaults(items: readonly Item[], uses: readonly Use[], budget: number): number {
  const stays = staysOf(items, uses);
  const fitting = stays.filter(({ tokens }) => tokens <= budget);
  return Math.max(0, Math.ceil(stays.length - mostKept(fitting, budget) - SLACK));
}

/** For each item that faults are counted of, the largest of the stays that its uses ask for. */
function staysOf(items: readonly Item[], uses: readonly Use[]): readonly Stay[] {
  const sole = new Set(uses.filter(({ holders }) => holders.length === 1).map(({ item }) => item));
  const served = items.map(() => new Set<number>());
  for (const { item, holders } of uses) for (const holder of holders) served[holder]!.add(item);
  const shareOf = (holder: number, item: number): number => {
    const { tokens } = items[holder]!;
    if (sole.has(holder)) return holder === item ? tokens : 0;
    return tokens / served[holder]!.size;
  };
  const largest = new Map<number, Stay>();
  for (const { item, at, holders } of uses) {
    const seen = holders.filter((holder) => items[holder]!.seenAt <= at);
    if (seen.length === 0) continue;
    const stay = {
      from: Math.max(...seen.map((holder) => items[holder]!.seenAt)),
      to: at,
      tokens: Math.min(...seen.map((holder) => shareOf(holder, item))),
    };
    const known = largest.get(item);
    if (known === undefined || areaOf(stay) > areaOf(known)) largest.set(item, stay);
  }
  return [...largest.values()];
}

function areaOf({ from, to, tokens }: Stay): number {
  return (to - from + 1) * tokens;
}

/** How many stays fit into a budget, parts of them included: the most valuable flow of `budget` tokens from the first call to the last. */
function mostKept(stays: readonly Stay[], budget: number): number {
  const places = new Map<number, number>();
  for (const call of [...new Set(stays.flatMap(({ from, to }) => [from, to + 1]))].sort((a, b) => a - b))
    places.set(call, places.size);
  const flow = new KeptFlow(
    stays.filter(({ tokens }) => tokens > 0),
    places,
  );
  return stays.length - flow.edges + flow.fill(budget);
}

/** Tokens that pass from call to call, inside stays or beside them. */
class KeptFlow {
  readonly edges: number;
  readonly #from: Int32Array;
  readonly #to: Int32Array;
  readonly #tokens: Float64Array;
  readonly #kept: Float64Array;
  /** Stays by the place where they begin, and by that where they end. */
  readonly #beginning: readonly (readonly number[])[];
  readonly #ending: readonly (readonly number[])[];
  /** Tokens that pass beside stays from each place to the next. */
  readonly #beside: Float64Array;
  /** Best gain on the way to each place, the place before it, and the stay between them; −1 where it passes beside stays. */
  readonly #gain: Float64Array;
  readonly #before: Int32Array;
  readonly #by: Int32Array;

  constructor(stays: readonly Stay[], places: ReadonlyMap<number, number>) {
    this.edges = stays.length;
    this.#from = Int32Array.from(stays, ({ from }) => places.get(from)!);
    this.#to = Int32Array.from(stays, ({ to }) => places.get(to + 1)!);
    this.#tokens = Float64Array.from(stays, ({ tokens }) => tokens);
    this.#kept = new Float64Array(stays.length);
    const lists = (of: Int32Array): number[][] => {
      const list: number[][] = Array.from({ length: places.size }, () => []);
      of.forEach((place, stay) => {
        list[place]!.push(stay);
      });
      return list;
    };
    this.#beginning = lists(this.#from);
    this.#ending = lists(this.#to);
    this.#beside = new Float64Array(places.size);
    this.#gain = new Float64Array(places.size);
    this.#before = new Int32Array(places.size);
    this.#by = new Int32Array(places.size);
  }

  /** Sends tokens on the way that keeps the most, as long as one keeps something; returns how many stays are kept. */
  fill(budget: number): number {
    if (this.#peak() <= budget) return this.edges;
    for (let left = budget; left > 0; ) {
      const sent = this.#sendOnBestWay(left);
      if (sent === 0) break;
      left -= sent;
    }
    return this.#kept.reduce((sum, kept, stay) => sum + kept / this.#tokens[stay]!, 0);
  }

  #peak(): number {
    let tokens = 0;
    let peak = 0;
    for (let place = 0; place < this.#beginning.length; place++) {
      for (const stay of this.#ending[place]!) tokens -= this.#tokens[stay]!;
      for (const stay of this.#beginning[place]!) tokens += this.#tokens[stay]!;
      peak = Math.max(peak, tokens);
    }
    return peak;
  }

  #sendOnBestWay(most: number): number {
    this.#findWays();
    const last = this.#gain.length - 1;
    if (this.#gain[last]! <= LEAST_GAIN) return 0;
    let sent = most;
    for (let at = last; at > 0; at = this.#before[at]!) sent = Math.min(sent, this.#roomTo(at));
    for (let at = last; at > 0; at = this.#before[at]!) {
      const stay = this.#by[at]!;
      const before = this.#before[at]!;
      const change = before < at ? sent : -sent;
      if (stay >= 0) this.#kept[stay]! += change;
      else this.#beside[Math.min(before, at)]! += change;
    }
    return sent;
  }

  /** What the last step on the way to a place can take. */
  #roomTo(at: number): number {
    const stay = this.#by[at]!;
    const isForward = this.#before[at]! < at;
    if (stay < 0) return isForward ? Number.POSITIVE_INFINITY : this.#beside[at]!;
    return isForward ? this.#tokens[stay]! - this.#kept[stay]! : this.#kept[stay]!;
  }

  /** Goes through the places forwards, then back over what was sent, until no way gets better. */
  #findWays(): void {
    this.#gain.fill(Number.NEGATIVE_INFINITY);
    this.#gain[0] = 0;
    while (this.#goForwards() && this.#goBack());
  }

  #goForwards(): boolean {
    let isBetter = false;
    for (let place = 0; place < this.#gain.length - 1; place++) {
      const gain = this.#gain[place]!;
      if (this.#improve(place + 1, gain, -1, place)) isBetter = true;
      for (const stay of this.#beginning[place]!) {
        const tokens = this.#tokens[stay]!;
        if (this.#kept[stay]! < tokens && this.#improve(this.#to[stay]!, gain + 1 / tokens, stay, place))
          isBetter = true;
      }
    }
    return isBetter;
  }

  #goBack(): boolean {
    let isBetter = false;
    for (let place = this.#gain.length - 1; place > 0; place--) {
      const gain = this.#gain[place]!;
      if (this.#beside[place - 1]! > 0 && this.#improve(place - 1, gain, -1, place)) isBetter = true;
      for (const stay of this.#ending[place]!)
        if (
          this.#kept[stay]! > 0 &&
          this.#improve(this.#from[stay]!, gain - 1 / this.#tokens[stay]!, stay, place)
        )
          isBetter = true;
    }
    return isBetter;
  }

  #improve(place: number, gain: number, stay: number, before: number): boolean {
    if (place === 0 || gain <= this.#gain[place]! + ROUNDING) return false;
    this.#gain[place] = gain;
    this.#by[place] = stay;
    this.#before[place] = before;
    return true;
  }
}

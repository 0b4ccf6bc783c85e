import type { Item, Use } from './uses.js';

/** Content that no call misses only if it is in the context from one call to another, both included. */
interface Stay {
  readonly from: number;
  readonly to: number;
  /** Tokens that this takes at least at each of them. */
  readonly tokens: number;
  /** What missing it costs, as a share of the highest price. */
  readonly price: number;
}

/** Prices that one more token saves: smaller gains are none, and smaller differences of gains are rounding. */
const LEAST_GAIN = 1e-9;
const ROUNDING = 1e-12;

/** Prices that small gains and rounding may come to, with budgets of up to a million tokens. */
const SLACK = 1e-3;

/** Stays that are kept or not in one calculation; its time grows with the cube of their number. */
const MOST_STAYS = 500;

/**
 * A lower bound of what the faults of a thread cost: no choice of what to keep costs less while the items in the context have at
 * most `budget` tokens at each call. Prices are whole numbers; where each item costs 1, it is a bound of the number of faults. It holds
 * under the rules that faults are counted by: content that is out of the context does not come back by itself; what was missed once is
 * at hand from then on, and takes no room.
 *
 * The least cost itself is a knapsack problem. The bound is the least cost where parts of items may be kept and missed
 * (a linear programme), rounded up; for items of one size that are each alone in holding something it is exact. Where several items
 * hold what a call needs, any of them will do. The size of an item is then divided among all that it may stand in for, unless it is
 * alone in holding something: that takes all of it. Threads with more than 500 needed items are divided into parts, and what is kept
 * beyond its part takes no room there: the bound is lower, and still one.
 */
export function leastFaults(
  items: readonly Item[],
  uses: readonly Use[],
  budget: number,
  priceOf: (item: Item) => number = () => 1,
): number {
  const highest = Math.max(0, ...uses.map(({ item }) => priceOf(items[item]!)));
  if (highest === 0) return 0;
  const stays = staysOf(items, uses, (item) => priceOf(item) / highest);
  const missed = partsOf(stays).map((part) => leastMissed(part, budget));
  return Math.ceil(missed.reduce((sum, each) => sum + Math.max(0, each - SLACK) * highest, 0));
}

/** For each item that faults are counted of, the largest of the stays that its uses ask for. */
function staysOf(
  items: readonly Item[],
  uses: readonly Use[],
  priceOf: (item: Item) => number,
): readonly Stay[] {
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
      price: priceOf(items[item]!),
    };
    const known = largest.get(item);
    if (known === undefined || areaOf(stay) > areaOf(known)) largest.set(item, stay);
  }
  return [...largest.values()];
}

function areaOf({ from, to, tokens }: Stay): number {
  return (to - from + 1) * tokens;
}

function middleOf({ from, to }: Stay): number {
  return Math.floor((from + to) / 2);
}

/** Stays by the part of the thread that their middle is in, cut at its ends. */
function partsOf(stays: readonly Stay[]): readonly (readonly Stay[])[] {
  if (stays.length <= MOST_STAYS) return [stays];
  const sorted = [...stays].sort((a, b) => middleOf(a) - middleOf(b));
  const parts: (readonly Stay[])[] = [];
  for (let begin = 0; begin < sorted.length; ) {
    let end = Math.min(begin + MOST_STAYS, sorted.length);
    while (end < sorted.length && middleOf(sorted[end]!) === middleOf(sorted[end - 1]!)) end++;
    const first = middleOf(sorted[begin]!);
    const last = end === sorted.length ? Number.POSITIVE_INFINITY : middleOf(sorted[end]!) - 1;
    parts.push(
      sorted.slice(begin, end).map((stay) => ({
        ...stay,
        from: Math.max(stay.from, first),
        to: Math.min(stay.to, last),
      })),
    );
    begin = end;
  }
  return parts;
}

/** What stays cost that do not fit into a budget, parts of them included: all but the most valuable flow of `budget` tokens from the first call to the last. */
function leastMissed(stays: readonly Stay[], budget: number): number {
  const fitting = stays.filter(({ tokens, price }) => tokens > 0 && tokens <= budget && price > 0);
  const tooLarge = stays.filter(({ tokens }) => tokens > budget);
  const priceOf = (all: readonly Stay[]): number => all.reduce((sum, { price }) => sum + price, 0);
  return priceOf(tooLarge) + priceOf(fitting) - new KeptFlow(fitting).fill(budget);
}

/** The last of some sorted numbers that is at most `value`, as its place; −1 where all are larger. */
function lastUpTo(sorted: readonly number[], value: number): number {
  let [low, high] = [-1, sorted.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (sorted[middle]! <= value) low = middle;
    else high = middle - 1;
  }
  return low;
}

const ascending = (values: readonly number[]): readonly number[] =>
  [...new Set(values)].sort((a, b) => a - b);

/**
 * The places at which stays begin and end. Between an end and the next, most stays are there right before the next: all that begin
 * in between may begin at once. In the same way an end may wait for the next beginning.
 */
function placesOf(stays: readonly Stay[]) {
  const ends = ascending(stays.map(({ to }) => to + 1));
  const begins = stays.map(({ from }) => lastUpTo(ends, from));
  const places = ascending(begins);
  return {
    count: places.length + 1,
    from: begins.map((begin) => lastUpTo(places, begin)),
    to: stays.map(({ to }) => lastUpTo(places, lastUpTo(ends, to + 1) - 1) + 1),
  };
}

/** Tokens that pass from call to call, inside stays or beside them. */
class KeptFlow {
  readonly #from: Int32Array;
  readonly #to: Int32Array;
  readonly #tokens: Float64Array;
  readonly #prices: Float64Array;
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

  constructor(stays: readonly Stay[]) {
    const { count, from, to } = placesOf(stays);
    this.#from = Int32Array.from(from);
    this.#to = Int32Array.from(to);
    this.#tokens = Float64Array.from(stays, ({ tokens }) => tokens);
    this.#prices = Float64Array.from(stays, ({ price }) => price);
    this.#kept = new Float64Array(stays.length);
    const lists = (of: Int32Array): number[][] => {
      const list: number[][] = Array.from({ length: count }, () => []);
      of.forEach((place, stay) => {
        list[place]!.push(stay);
      });
      return list;
    };
    this.#beginning = lists(this.#from);
    this.#ending = lists(this.#to);
    this.#beside = new Float64Array(count);
    this.#gain = new Float64Array(count);
    this.#before = new Int32Array(count);
    this.#by = new Int32Array(count);
  }

  /** Sends tokens on the way that keeps the most, as long as one keeps something; returns the price of what is kept. */
  fill(budget: number): number {
    if (this.#peak() <= budget) return this.#prices.reduce((sum, price) => sum + price, 0);
    for (let left = budget; left > 0; ) {
      const sent = this.#sendOnBestWay(left);
      if (sent === 0) break;
      left -= sent;
    }
    return this.#kept.reduce((sum, kept, stay) => sum + this.#worth(stay) * kept, 0);
  }

  /** What one token of a stay saves. */
  #worth(stay: number): number {
    return this.#prices[stay]! / this.#tokens[stay]!;
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
        if (
          this.#kept[stay]! < tokens &&
          this.#improve(this.#to[stay]!, gain + this.#worth(stay), stay, place)
        )
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
        if (this.#kept[stay]! > 0 && this.#improve(this.#from[stay]!, gain - this.#worth(stay), stay, place))
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

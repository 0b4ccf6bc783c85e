import { digestText } from './digest.js';

/** A seeded generator. `split` derives an independent one by name, so adding a consumer never shifts another. */
export interface Random {
  /** Uniform in [0, 1). */
  next(): number;
  /** Uniform integer in [low, high], both included. */
  integer(low: number, high: number): number;
  /** True with the given probability. */
  chance(probability: number): boolean;
  /** Standard normal. */
  normal(): number;
  /** One of the items. */
  pick<T>(items: readonly T[]): T;
  /** An item by weight; weights need not sum to one. */
  weighted<T>(items: readonly (readonly [T, number])[]): T;
  /** An independent generator that depends on this one's seed and the label alone. */
  split(label: string): Random;
}

function mix(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let z = state;
    z = Math.imul(z ^ (z >>> 16), 0x21f0aaad);
    z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
    return (z ^ (z >>> 15)) >>> 0;
  };
}

/** Creates a generator from a seed (a whole number or a text). */
export function createRandom(seed: number | string): Random {
  const origin = digestText(String(seed));
  const low = mix(origin % 0x1_0000_0000);
  const high = mix(Math.floor(origin / 0x1_0000_0000) ^ 0x5bf03635);
  let a = low();
  let b = high();
  let c = low();
  let counter = 1;
  const next32 = (): number => {
    const sum = (a + b + counter) >>> 0;
    counter = (counter + 1) >>> 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) >>> 0;
    c = (((c << 21) | (c >>> 11)) + sum) >>> 0;
    return sum;
  };
  for (let i = 0; i < 12; i++) next32();
  const random: Random = {
    next: () => (next32() * 0x20_0000 + (next32() >>> 11)) / 0x20_0000_0000_0000,
    integer: (lowest, highest) => lowest + Math.floor(random.next() * (highest - lowest + 1)),
    chance: (probability) => random.next() < probability,
    normal() {
      const u = 1 - random.next();
      return Math.sqrt(-2 * Math.log(u)) * Math.cos(2 * Math.PI * random.next());
    },
    pick: (items) => items[random.integer(0, items.length - 1)]!,
    weighted(items) {
      let total = 0;
      for (const [, weight] of items) total += weight;
      let mark = random.next() * total;
      for (const [item, weight] of items) {
        mark -= weight;
        if (mark < 0) return item;
      }
      return items[items.length - 1]![0];
    },
    split: (label) => createRandom(`${origin}/${label}`),
  };
  return random;
}

import { chainDigest, type Digest, digestText } from './digest.js';

function mix(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let z = state;
    z = Math.imul(z ^ (z >>> 16), 0x21f0aaad);
    z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
    return z ^ (z >>> 15);
  };
}

/** Creates a generator from a seed (a whole number or a text). */
export function createRandom(seed: number | string): Random {
  return new Random(null, String(seed));
}

/**
 * A seeded generator. `split` derives an independent one by name, so adding a consumer never shifts another. Origin and state are made
 * when they are needed: many are only split further, or never drawn from.
 */
class Random {
  private a = 0;
  private b = 0;
  private c = 0;
  private counter = 0;
  private name: string | null = null;

  constructor(
    private digest: Digest | null,
    private readonly seed: string,
  ) {}

  private get origin(): Digest {
    this.digest ??= digestText(this.seed);
    return this.digest;
  }

  private start(): void {
    const { origin } = this;
    const low = mix(origin % 0x1_0000_0000);
    const high = mix(Math.floor(origin / 0x1_0000_0000) ^ 0x5bf03635);
    this.a = low();
    this.b = high();
    this.c = low();
    this.counter = 1;
    for (let i = 0; i < 12; i++) this.next32();
  }

  /** 32 bits, with a sign: engines keep such numbers in place, and box larger ones. */
  private next32(): number {
    const { a, b, c, counter } = this;
    const sum = (a + b + counter) | 0;
    this.counter = (counter + 1) | 0;
    this.a = b ^ (b >>> 9);
    this.b = (c + (c << 3)) | 0;
    this.c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return sum;
  }

  /** Uniform in [0, 1). */
  next(): number {
    if (this.counter === 0) this.start();
    return ((this.next32() >>> 0) * 0x20_0000 + (this.next32() >>> 11)) / 0x20_0000_0000_0000;
  }

  /** Uniform integer in [low, high], both included. */
  integer(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  /** True with the given probability. */
  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** Standard normal. */
  normal(): number {
    const u = 1 - this.next();
    return Math.sqrt(-2 * Math.log(u)) * Math.cos(2 * Math.PI * this.next());
  }

  /** One of the items. */
  pick<T>(items: readonly T[]): T {
    return items[this.integer(0, items.length - 1)]!;
  }

  /** An item by weight; weights need not sum to one. */
  weighted<T>(items: readonly (readonly [T, number])[]): T {
    let total = 0;
    for (const [, weight] of items) total += weight;
    let mark = this.next() * total;
    for (const [item, weight] of items) {
      mark -= weight;
      if (mark < 0) return item;
    }
    return items[items.length - 1]![0];
  }

  /** An independent generator that depends on this one's seed and the label alone. */
  split(label: string): Random {
    this.name ??= `${this.origin}/`;
    return createRandom(this.name + label);
  }

  /** The same by a digest. */
  splitBy(digest: Digest): Random {
    return new Random(chainDigest(this.origin, digest), '');
  }
}

export type { Random };

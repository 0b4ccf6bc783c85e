import type { Random } from '../../core/base/random.js';

/** The chance in what layers of a thread are answered: the same call draws the same, whatever others asked (INV-11). */
export class AskDraws {
  private readonly counts = new Map<string, number>();

  constructor(private readonly random: Random) {}

  /** A generator for the next call of a purpose. */
  next(purpose: string): Random {
    const count = (this.counts.get(purpose) ?? 0) + 1;
    this.counts.set(purpose, count);
    return this.random.split(`${purpose} ${count}`);
  }
}

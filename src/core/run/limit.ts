import type { Copied } from '../base/checkpoint.js';
import { getOrMake } from '../base/once.js';
import type { PlannedPolicy } from './run-plan.js';

/** Where a limit lies among the numbers that are held against it: met by itself, or by what is larger only. */
export type LimitSide = 'reached' | 'passed';

/**
 * A number that a run compares others with and otherwise only reports. It remembers which of them fell below it and which did
 * not: with any other number between those the run would have gone the same way.
 */
export class Limit {
  private highestBelow = Number.NEGATIVE_INFINITY;
  private lowestMet = Number.POSITIVE_INFINITY;
  /** The same two as they were at the last mark. */
  private markedBelow = Number.NEGATIVE_INFINITY;
  private markedMet = Number.POSITIVE_INFINITY;

  constructor(
    private number: number,
    readonly side: LimitSide,
  ) {}

  get value(): number {
    return this.number;
  }

  /** Another number takes its place, of which what it remembers holds as well. */
  become(value: number): void {
    this.number = value;
  }

  /** Keeps in mind what it remembers now. */
  mark(): void {
    this.markedBelow = this.highestBelow;
    this.markedMet = this.lowestMet;
  }

  /** Whether a number has met it since the last mark that is lower than all before. */
  get isMetLower(): boolean {
    return this.lowestMet < this.markedMet;
  }

  /** Remembers what another one did at its last mark. */
  restoreMarked(other: Limit): void {
    this.highestBelow = other.markedBelow;
    this.lowestMet = other.markedMet;
  }

  /** Whether a number meets it. */
  isMetBy(number: number): boolean {
    const isMet = this.side === 'reached' ? number >= this.number : number > this.number;
    if (isMet) {
      if (number < this.lowestMet) this.lowestMet = number;
    } else if (number > this.highestBelow) this.highestBelow = number;
    return isMet;
  }

  /** Whether a number would meet it that is lower than all that did; it is not remembered. */
  wouldBeMetLower(number: number): boolean {
    const isMet = this.side === 'reached' ? number >= this.number : number > this.number;
    return isMet && number < this.lowestMet;
  }

  /** Numbers outside of these two would have come out otherwise. */
  get ends(): readonly [below: number, met: number] {
    return [this.highestBelow, this.lowestMet];
  }

  /** Whether everything so far would have come out the same with another number in its place. */
  admits(other: number): boolean {
    return this.side === 'reached'
      ? this.highestBelow < other && other <= this.lowestMet
      : this.highestBelow <= other && other < this.lowestMet;
  }
}

/** What a limit is under a policy. */
type LimitUnder = (policy: PlannedPolicy) => number;

/** A limit with what it would be under another policy. */
interface NamedLimit {
  readonly name: string;
  readonly limit: Limit;
  readonly under: LimitUnder;
}

/** The limits of one run, a few, each with what it would be under another policy. */
export class Limits {
  private readonly all: NamedLimit[] = [];

  constructor(private planned: PlannedPolicy) {}

  /** The policy that they are the limits of. */
  get policy(): PlannedPolicy {
    return this.planned;
  }

  /** The limit of a name; all who ask for it get the same one. */
  of(name: string, side: LimitSide, under: LimitUnder): Limit {
    for (let i = 0; i < this.all.length; i++) if (this.all[i]!.name === name) return this.all[i]!.limit;
    const limit = new Limit(under(this.planned), side);
    this.all.push({ name, limit, under });
    return limit;
  }

  each(visit: (name: string, limit: Limit) => void): void {
    for (const { name, limit } of this.all) visit(name, limit);
  }

  /** Keeps in mind what all of them remember now. */
  mark(): void {
    for (let i = 0; i < this.all.length; i++) this.all[i]!.limit.mark();
  }

  /** Whether one of them was met since the last mark by a number that is lower than all before. */
  get areMetLower(): boolean {
    return this.all.some(({ limit }) => limit.isMetLower);
  }

  /** Has the limits of another run, with what they remembered at its last mark. */
  restoreMarked(other: Limits, copied: Copied): void {
    for (const { name, limit, under } of other.all) {
      const own = this.of(name, limit.side, under);
      own.restoreMarked(limit);
      copied.set(limit, own);
    }
  }

  /** The limits become those of another policy under which the run went the same way so far. */
  become(policy: PlannedPolicy): void {
    this.planned = policy;
    for (const { limit, under } of this.all) limit.become(under(policy));
  }

  /**
   * The values of the limits under another policy by those they had, if the run would have gone the same way under it; null
   * where it would not, or where one value would become two. What a limit is under that policy is computed once for all runs.
   */
  under(policy: PlannedPolicy, known: Map<string, number>): ReadonlyMap<number, number> | null {
    const { all } = this;
    for (let i = 0; i < all.length; i++) {
      const { name, limit, under } = all[i]!;
      let value = known.get(name);
      if (value === undefined) {
        value = under(policy);
        known.set(name, value);
      }
      if (limit.admits(value)) continue;
      // A sweep holds a plan against many runs: what distinguishes them is checked first the next time.
      if (i > 0) [all[0], all[i]] = [all[i]!, all[0]!];
      return null;
    }
    const values = new Map<number, number>();
    for (const { name, limit } of all) {
      const value = known.get(name)!;
      if ((values.get(limit.value) ?? value) !== value) return null;
      values.set(limit.value, value);
    }
    return values;
  }
}

/** Which numbers the limits of some runs admit at most, by name: a policy with a number outside of them has a run of its own. */
export class LimitSpans {
  private readonly spans = new Map<string, { below: number; met: number; runs: number }>();
  private runs = 0;

  add(limits: Limits): void {
    this.runs++;
    limits.each((name, { ends: [below, met] }) => {
      const span = getOrMake(this.spans, name, () => ({ below, met, runs: 0 }));
      span.runs++;
      span.below = Math.min(span.below, below);
      span.met = Math.max(span.met, met);
    });
  }

  /** Whether one of the runs may be that of a policy as well; what is known of its limits is given by name. */
  mayHold(known: ReadonlyMap<string, number>): boolean {
    for (const [name, value] of known) {
      const span = this.spans.get(name);
      if (span !== undefined && span.runs === this.runs && (value < span.below || value > span.met))
        return false;
    }
    return true;
  }
}

/** Why a threshold fired, in one sentence. */
export function firedAt(seen: number, threshold: number): string {
  return `${seen} tokens seen, the threshold is ${threshold}`;
}

/** Percent of a limit that is left, rounded, never below 0 (WIN-5). */
export function percentLeft(limit: number, used: number): number {
  return limit <= 0 ? 0 : Math.max(0, Math.round(((limit - used) / limit) * 100));
}

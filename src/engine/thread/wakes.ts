/** Times at which a thread wants to be asked again, earliest first. */
export class Wakes {
  private readonly times: number[] = [];

  get nextMs(): number | null {
    return this.times[0] ?? null;
  }

  /** Wants what another list wants. */
  adopt(other: Wakes): void {
    this.times.splice(0, this.times.length, ...other.times);
  }

  add(timeMs: number): void {
    if (this.times.includes(timeMs)) return;
    this.times.push(timeMs);
    this.times.sort((a, b) => a - b);
  }

  /** Removes the earliest. */
  take(): number {
    return this.times.shift()!;
  }
}

import { createNameTable } from '../../../core/base/create-name-table.js';

/** How often each of a few names came up, in the order of their first coming. */
export class NameCounts {
  private readonly names: string[] = [];
  private readonly counts: number[] = [];

  add(name: string): void {
    const place = this.names.indexOf(name);
    if (place !== -1) this.counts[place]!++;
    else {
      this.names.push(name);
      this.counts.push(1);
    }
  }

  toObject(): Readonly<Record<string, number>> {
    const { names, counts } = this;
    const object = createNameTable<number>();
    for (let i = 0; i < names.length; i++) object[names[i]!] = counts[i]!;
    return object;
  }
}

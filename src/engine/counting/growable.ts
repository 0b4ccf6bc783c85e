const CAPACITY = 256;
const MOST_SPARE = 12;

/** Arrays that nobody needs any more: a new one costs more than all that is put into it for a short request. */
const spare: Float64Array[] = [];

const NONE = new Float64Array(0);

/** A Float64Array that grows by doubling; `data` is replaced when it does. */
export class GrowableFloats {
  data: Float64Array;
  length = 0;

  constructor(capacity = CAPACITY) {
    this.data = (capacity === CAPACITY ? spare.pop() : undefined) ?? new Float64Array(capacity);
  }

  /** Hands its array back; it cannot be used after that. */
  release(): void {
    if (spare.length < MOST_SPARE) spare.push(this.data);
    this.length = 0;
    this.data = NONE;
  }

  push(value: number): void {
    if (this.length === this.data.length) this.reserve(this.length + 1);
    this.data[this.length++] = value;
  }

  /** Makes room for this many values. */
  reserve(length: number): void {
    if (length <= this.data.length) return;
    const larger = new Float64Array(Math.max(length, this.data.length * 2));
    larger.set(this.data);
    this.data = larger;
  }

  truncate(length: number): void {
    this.length = length;
  }
}

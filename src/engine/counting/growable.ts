/** A Float64Array that grows by doubling; `data` is replaced when it does. */
export class GrowableFloats {
  data: Float64Array;
  length = 0;

  constructor(capacity = 256) {
    this.data = new Float64Array(capacity);
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

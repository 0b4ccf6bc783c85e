/** A Float64Array that grows by doubling; `data` is replaced when it does. */
export class GrowableFloats {
  data: Float64Array;
  length = 0;

  constructor(capacity = 256) {
    this.data = new Float64Array(capacity);
  }

  push(value: number): void {
    if (this.length === this.data.length) {
      const larger = new Float64Array(this.data.length * 2);
      larger.set(this.data);
      this.data = larger;
    }
    this.data[this.length++] = value;
  }

  truncate(length: number): void {
    this.length = length;
  }
}

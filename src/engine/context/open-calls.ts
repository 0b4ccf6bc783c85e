/** Tool calls that wait for their results, in order. There are only ever a few, so a list is all it takes. */
export class OpenCalls {
  private ids: string[] = [];

  get count(): number {
    return this.ids.length;
  }

  open(id: string): void {
    if (!this.ids.includes(id)) this.ids.push(id);
  }

  /** Takes note of a result; false when no call waits for it. */
  close(id: string): boolean {
    const place = this.ids.indexOf(id);
    if (place === -1) return false;
    if (place === this.ids.length - 1) this.ids.pop();
    else this.ids.splice(place, 1);
    return true;
  }

  /** All of them; none is left. */
  takeAll(): readonly string[] {
    const { ids } = this;
    this.ids = [];
    return ids;
  }
}

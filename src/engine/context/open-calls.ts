import type { Block } from '../../core/model/block.js';

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

  /** Finds the calls of the last assistant message that the blocks of a conversation do not answer. */
  reopen(blocks: readonly Block[], start: number): void {
    this.takeAll();
    const answered = new Set<string | null>();
    let i = blocks.length - 1;
    for (; i >= start && blocks[i]!.role === 'user'; i--) answered.add(blocks[i]!.toolUseId);
    const ids: string[] = [];
    for (; i >= start && blocks[i]!.role === 'assistant'; i--) {
      const block = blocks[i]!;
      if (block.kind === 'tool_use' && !answered.has(block.toolUseId)) ids.push(block.toolUseId ?? '');
    }
    for (const id of ids.reverse()) this.open(id);
  }
}

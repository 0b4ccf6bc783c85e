import type { Message } from '../../core/model/message.js';
import type { Item } from '../../core/uses/uses.js';
import type { Context } from './context.js';
import type { Deletions } from './deletions.js';

/** Where an item is: as it came, in a file that was attached again, behind a placeholder, or not in the context at all. */
export type ItemState = 'verbatim' | 'restored' | 'masked' | 'gone';

/** Which messages a context holds, by id. A turn costs its new messages; a change of what was there costs all of them. */
export class HeldContent {
  private changes = -1;
  private indexed = 0;
  private readonly messages = new Map<string, Message>();
  private readonly paths = new Set<string>();
  /** Paths of all files that were ever attached. */
  readonly attached = new Set<string>();

  /** Whether something that the context held has been changed or taken out. */
  isTouched({ changes }: Context): boolean {
    return changes > 0;
  }

  stateOf(item: Item, context: Context, deletions: Deletions): ItemState {
    this.update(context);
    const message = this.messages.get(item.message);
    if (message === undefined) return item.path !== null && this.paths.has(item.path) ? 'restored' : 'gone';
    if (item.origin !== 'result') return 'verbatim';
    const block = message.blocks[item.block];
    const isMasked =
      block === undefined || block.facts.replaces !== undefined || deletions.has(block.toolUseId);
    return isMasked ? 'masked' : 'verbatim';
  }

  private update({ messages, changes }: Context): void {
    if (changes !== this.changes) {
      this.messages.clear();
      this.paths.clear();
      this.indexed = 0;
      this.changes = changes;
    }
    for (; this.indexed < messages.length; this.indexed++) {
      const message = messages[this.indexed]!;
      this.messages.set(message.id, message);
      for (const { facts } of message.blocks) {
        if (facts.attachment === undefined || facts.path === undefined) continue;
        this.paths.add(facts.path);
        this.attached.add(facts.path);
      }
    }
  }
}

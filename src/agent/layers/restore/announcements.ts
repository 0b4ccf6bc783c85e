import { chainDigest, type Digest, digestText } from '../../../core/base/digest.js';
import type { Block } from '../../../core/model/block.js';
import { partOf, type WorkItem } from './work-item.js';

/** The attachment that announces tools by name. */
const TOOLS = 'deferred_tools_delta';

/** Name of what an attachment announces that does not tell names. */
const UNNAMED = '';

class Listing {
  private readonly inForce = new Map<string, WorkItem>();
  /** What was said of names that were withdrawn, for when they come back. */
  private readonly withdrawn = new Map<string, WorkItem>();
  private digest: Digest;

  constructor(private readonly kind: string) {
    this.digest = digestText(kind);
  }

  observe(block: Block): void {
    const { effect } = block.facts;
    this.digest = chainDigest(this.digest, block.digest);
    if (effect?.kind !== 'announce') {
      this.inForce.set(UNNAMED, partOf(this.kind, block, block.chars));
      return;
    }
    for (const name of effect.removed) {
      const item = this.inForce.get(name);
      if (item !== undefined) this.withdrawn.set(name, item);
      this.inForce.delete(name);
    }
    for (const [name, chars] of effect.added) {
      const said = partOf(name, block, chars);
      const before = this.withdrawn.get(name);
      this.inForce.set(name, before !== undefined && before.chars > chars ? before : said);
    }
  }

  has(name: string): boolean {
    return this.inForce.has(name);
  }

  item(): WorkItem | null {
    if (this.inForce.size === 0) return null;
    let tokens = 0;
    let chars = 0;
    for (const item of this.inForce.values()) {
      tokens += item.tokens;
      chars += item.chars;
    }
    return { label: this.kind, tokens, rough: Math.round(chars / 4), chars, digest: this.digest };
  }
}

/** What is in force of each kind of attachment: what was announced so far less what was withdrawn (RES-3). */
export class Announcements {
  private readonly listings = new Map<string, Listing>();
  /** Tools that are announced by name; null while none are. */
  private tools: Listing | null = null;
  /** Announced tools that were called: their definitions had been looked up (FUL-9). */
  readonly discovered = new Set<string>();

  observe(type: string, block: Block): void {
    const listing = this.listings.get(type) ?? new Listing(type);
    this.listings.set(type, listing);
    if (type === TOOLS) this.tools = listing;
    listing.observe(block);
  }

  noteCall(tool: string): void {
    if (this.tools?.has(tool) === true) this.discovered.add(tool);
  }

  /** What is announced again: the attachments of these kinds. */
  items(kinds: readonly string[]): readonly WorkItem[] {
    return [...this.listings].flatMap(([kind, listing]) =>
      kinds.includes(kind) ? (listing.item() ?? []) : [],
    );
  }
}

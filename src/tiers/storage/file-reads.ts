import { type Digest, digestText } from '../../base/digest.js';
import type { Block } from '../../model/block.js';
import type { Text } from '../../model/text.js';
import type { TierContext } from '../../model/tier.js';

/** Digests of contents, each found once however often a transcript is replayed. */
const DIGESTS = new WeakMap<Text, Digest>();

function contentDigest(text: Text): Digest {
  let digest = DIGESTS.get(text);
  if (digest === undefined) {
    digest = digestText(text.read());
    DIGESTS.set(text, digest);
  }
  return digest;
}

/** Which reads of files the model can still see in full (MIC-1, CLN-1), by path. */
export class FileReads {
  private readonly byPath = new Map<string, Block>();

  /** A read came in whole. */
  note(path: string, block: Block): void {
    this.byPath.set(path, block);
  }

  /** True when the read that is visible for the path has the same content. Opaque reads are never known to be equal. */
  holds(path: string, block: Block): boolean {
    const known = this.byPath.get(path);
    if (known === undefined || block.text === null || known.text === null) return false;
    if (known.chars !== block.chars) return false;
    return contentDigest(known.text) === contentDigest(block.text);
  }

  /** The content of a read was cleared; a later read of the same path stays known. */
  drop(toolUseId: string, path: string | null): void {
    if (path !== null && this.byPath.size > 0 && this.byPath.get(path)?.toolUseId === toolUseId)
      this.byPath.delete(path);
  }

  clear(): void {
    this.byPath.clear();
  }

  /** Knows what another thread's reads know, and nothing else: a fork sees what its parent saw (AGT-1). */
  adopt(other: FileReads): void {
    this.byPath.clear();
    for (const [path, read] of other.byPath) this.byPath.set(path, read);
  }

  /** An independent copy, to be taken over later. */
  clone(): FileReads {
    const copy = new FileReads();
    copy.adopt(this);
    return copy;
  }
}

/** The reads of a thread, shared by its tiers. */
export function fileReads(context: Pick<TierContext, 'shared'>): FileReads {
  let reads = context.shared.get('fileReads') as FileReads | undefined;
  if (reads === undefined) {
    reads = new FileReads();
    context.shared.set('fileReads', reads);
  }
  return reads;
}

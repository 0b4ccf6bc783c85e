import type { Digest } from '../../core/base/digest.js';
import type { PrefixView } from '../../core/model/prefix.js';
import type { RecordedCall } from '../../core/model/transcript.js';
import type { ModelRow } from '../../provider/prices/model-table.js';
import type { ThreadModel } from './thread-model.js';

/**
 * The beginning of a thread's prompts that others keep in the cache: so many tokens as the recorded first request found (K11). They are
 * there for every prompt that begins so and goes to the model that was recorded, in caches that store prefixes without marks.
 */
export class OutsideHead {
  /** What the prompts begin with, up to the position that holds the last token of the head. */
  private digests: readonly Digest[] = [];
  private tokens = 0;
  private model: string | null = null;
  private isBegun = false;

  /** Takes note of what the recorded first request found; later ones say nothing of what others keep. */
  begin(view: PrefixView, call: RecordedCall, { row, models }: Pick<ThreadModel, 'row' | 'models'>): void {
    if (this.isBegun) return;
    this.isBegun = true;
    const found = call.usage?.cacheRead ?? 0;
    if (found === 0 || view.length === 0 || models.find(call.model)?.id !== row.id) return;
    let end = 0;
    while (end < view.length - 1 && view.sums[end]! < found) end++;
    this.digests = Array.from({ length: end + 1 }, (_, i) => view.digests[i]!);
    this.tokens = Math.min(found, view.sums[end]!);
    this.model = row.id;
  }

  /** Tokens of a prompt that others keep. */
  tokensIn(view: PrefixView, model: ModelRow): number {
    const { digests } = this;
    if (model.id !== this.model) return 0;
    let same = Math.min(digests.length, view.length) - 1;
    while (same >= 0 && view.digests[same] !== digests[same]) same--;
    return same < 0 ? 0 : Math.min(this.tokens, view.sums[same]!);
  }
}

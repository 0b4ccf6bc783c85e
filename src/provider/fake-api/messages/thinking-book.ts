import { chainDigest, type Digest } from '../../../core/base/digest.js';
import { Recent } from '../../../core/base/recent.js';
import type { ApiError } from '../../cache/api-error.js';
import { checkThinkingBinding, modifiedThinkingError, type ThinkingReplay } from '../../cache/thinking.js';
import type { ModelRow } from '../../prices/model-row.js';
import { spokenDigest } from '../api-request.js';
import type { WireBlock } from './wire-block.js';

interface MadeThinking {
  /** Everything before the block but thinking, which is a chain of its own. */
  readonly prefix: Digest;
  readonly digest: Digest;
}

/** Thinking blocks that are remembered: one that was not sent back for so long is judged like one of another server. */
const MOST_BLOCKS = 5_000;

/** The thinking that the fake API gave away, by signature: it knows when a block comes back changed or in another place. */
export class ThinkingBook {
  readonly #made = new Recent<string, MadeThinking>(MOST_BLOCKS);

  /** Remembers the thinking of an answer to a prompt. */
  note(prompt: Digest, answer: readonly WireBlock[]): void {
    for (const [i, { block, signature }] of answer.entries()) {
      if (block.kind !== 'thinking' || signature === null) continue;
      this.#made.set(signature, { prefix: spokenDigest(answer.slice(0, i), prompt), digest: block.digest });
    }
  }

  /** The blocks that are left, or the API's refusal. Thinking of other servers cannot be judged and stays. */
  check(
    row: ModelRow,
    blocks: readonly WireBlock[],
    latest: readonly WireBlock[],
    onMismatch: NonNullable<ThinkingReplay['onMismatch']>,
  ): readonly WireBlock[] | ApiError {
    const left: WireBlock[] = [];
    let prefix: Digest = 0;
    for (const wire of blocks) {
      const { block, path, signature } = wire;
      if (block.kind !== 'thinking') prefix = chainDigest(prefix, block.digest);
      const made = signature === null ? undefined : this.#made.get(signature);
      if (made !== undefined) {
        if (made.digest !== block.digest && latest.includes(wire)) return modifiedThinkingError(path);
        const verdict = checkThinkingBinding(row, {
          path,
          prefix: made.prefix === prefix ? 'unchanged' : 'changed',
          onMismatch,
        });
        if (verdict.kind === 'refused') return verdict.error;
        if (verdict.kind === 'dropped') continue;
      }
      left.push(wire);
    }
    return left;
  }
}

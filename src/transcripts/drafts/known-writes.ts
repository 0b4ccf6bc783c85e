import { cacheWriteTokens } from '../../core/model/usage.js';
import { type Capability, less } from '../../core/run/capability.js';
import type { ThreadDraft } from './thread-draft.js';

/** What a format can tell, less the writes where not one is above 0: clients note 0 for providers that do not count them. */
export function carriesKnownWrites(
  carries: readonly Capability[],
  threads: readonly ThreadDraft[],
): readonly Capability[] {
  const isKnown = threads.some(({ steps }) =>
    steps.some(
      (step) => step.kind === 'call' && step.call.usage !== null && cacheWriteTokens(step.call.usage) > 0,
    ),
  );
  return isKnown ? carries : less(carries, ['cache-writes']);
}

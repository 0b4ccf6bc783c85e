import type { Step, Thread } from '../../core/model/transcript.js';
import { TTL_1H_MS, TTL_5M_MS } from '../../provider/cache/ttl.js';
import type { RecordedRequest, Truth } from '../validate/truth.js';

/** A place where the user could have asked for a compaction before leaving. */
export interface Parting {
  /** The step behind which it fits. */
  readonly step: number;
  readonly at: number;
}

/** A context below this is not worth a summary. */
export const WORTH_COMPACTING = 50_000;

/** How long what a request wrote lives; a client keeps to one lifetime. */
export function lifetimeMs({ usage }: Pick<RecordedRequest, 'usage'>): number {
  return usage.cacheWrite1h > 0 ? TTL_1H_MS : TTL_5M_MS;
}

/** Since when an agent has waited for its user, if it does: no call is out, and every tool has come back. */
class Waiting {
  since: Parting | null = null;
  /** The user did something that is not yet answered. */
  hasSpoken = false;
  #open = new Set<string>();

  see(step: Step, index: number): void {
    if (step.kind === 'call') {
      const { response, endMs } = step.call;
      this.#open = new Set(
        response.blocks.flatMap(({ kind, toolUseId }) => (kind === 'tool_use' ? [toolUseId!] : [])),
      );
      this.hasSpoken = false;
      this.since = this.#open.size === 0 ? { step: index, at: endMs } : null;
    } else if (step.kind === 'message') {
      if (step.message.origin === 'human') this.hasSpoken = true;
      for (const { kind, toolUseId } of step.message.blocks)
        if (kind === 'tool_result' && this.#open.delete(toolUseId!) && this.#open.size === 0)
          this.since = { step: index, at: step.message.at };
    } else if (step.event.kind === 'speaker') this.hasSpoken = true;
    // What has been summarised or cleared already is not worth another request.
    else if (step.event.kind === 'recorded-compaction' || step.event.kind === 'clear') this.since = null;
  }
}

/**
 * Where a user could have compacted before pauses that outlast the cache, by the call behind the pause: the agent waited for a
 * word of the user while the cache was warm, and the context was worth it. Nobody speaks with a subagent, nor while a tool runs or asks.
 */
export function partings(thread: Thread, truth: Truth): ReadonlyMap<string, Parting> {
  const found = new Map<string, Parting>();
  if (thread.parentId !== null) return found;
  const waiting = new Waiting();
  for (const [i, step] of thread.steps.entries()) {
    if (step.kind === 'call' && waiting.since !== null && waiting.hasSpoken) {
      const request = truth.byCall.get(step.call);
      if (request?.previous != null && isWorthIt(request.previous, request, waiting.since.at))
        found.set(step.call.id, waiting.since);
    }
    waiting.see(step, i);
  }
  return found;
}

function isWorthIt(before: RecordedRequest, request: RecordedRequest, since: number): boolean {
  const livesMs = Math.max(lifetimeMs(before), lifetimeMs(request));
  const isWarm = since - before.startMs <= livesMs;
  return before.prompt >= WORTH_COMPACTING && request.gapMs! > livesMs && isWarm;
}

import type { PartsPolicy } from '../../model/parts.js';
import type { CrossingEntry, Layer } from '../../model/run-log.js';
import { compactsAt } from '../../parts/triggers.js';
import { compactsOn, mayCompact } from '../../tiers/auto-compact/may-compact.js';
import { autoCompactThreshold } from '../../tiers/window/thresholds.js';
import type { RequestingThread } from '../requests/requesting-thread.js';
import type { ThreadModel } from '../requests/thread-model.js';

/** What of a thread decides whether a compaction was prevented. */
type Watched = Pick<
  RequestingThread,
  'env' | 'thread' | 'source' | 'now' | 'turn' | 'seen' | 'model' | 'takenOut'
>;

/**
 * What the cheap layers prevent (LOP-3, C10): the context that nobody has touched since the last compaction is kept beside the
 * real one. When it crosses the threshold and the real one does not, a compaction was prevented; each crossing counts once, and
 * not at all when the real one crosses later.
 */
export class Prevention {
  private facts: ThreadModel['facts'] | null = null;
  private threshold = Number.POSITIVE_INFINITY;
  /** The untouched context is over the threshold. */
  private isOver = false;
  /** Layers that keep the real one below it since then. */
  private avoidedBy: readonly Layer[] | null = null;

  /** Asked before each request, after the layers have acted. */
  check(run: Watched): void {
    if (!run.env.client.autoCompacts) return;
    const threshold = this.thresholdOf(run);
    if (this.isOver) {
      if (this.avoidedBy !== null && run.seen.tokens >= threshold) this.follow(run);
      return;
    }
    if (run.seen.untouchedTokens < threshold) return;
    this.isOver = true;
    const { tokens } = run.seen;
    if (tokens >= threshold) return;
    const layers = decisive(run.takenOut.recentByLayer(), threshold - tokens);
    if (layers.length === 0) return;
    this.avoidedBy = layers;
    tell(run, 'avoided', threshold, layers);
  }

  /** A layer puts another history in place: from there on the untouched context is the real one again. */
  compacting(run: Watched): void {
    if (this.avoidedBy !== null && run.seen.tokens >= this.threshold) this.follow(run);
    this.isOver = false;
    this.avoidedBy = null;
  }

  private follow(run: Watched): void {
    tell(run, 'made', this.threshold, this.avoidedBy!);
    this.avoidedBy = null;
  }

  private thresholdOf(run: Watched): number {
    const { facts } = run.model;
    if (facts === this.facts) return this.threshold;
    this.facts = facts;
    this.threshold = thresholdFor(run) ?? Number.POSITIVE_INFINITY;
    this.isOver = false;
    this.avoidedBy = null;
    return this.threshold;
  }
}

/** Where the thread would be compacted by itself; null where it would not. */
function thresholdFor({ env, source, model: { facts } }: Watched): number | null {
  const { params, parts } = env.plan.policy;
  if (parts !== undefined) return compactsAt(ofThread(parts, source), facts);
  return mayCompact(params, source) && compactsOn(params, facts.name)
    ? autoCompactThreshold(params, facts)
    : null;
}

/** The rules that act in a thread. */
function ofThread(parts: PartsPolicy, source: Watched['source']): PartsPolicy {
  return { ...parts, rules: parts.rules.filter(({ threads }) => threads === 'all' || source === 'main') };
}

function tell(
  run: Watched,
  state: CrossingEntry['state'],
  threshold: number,
  layers: readonly Layer[],
): void {
  run.env.sink.write({
    type: 'crossing',
    t: run.now,
    thread: run.thread.id,
    turn: run.turn,
    state,
    threshold,
    seen: run.seen.tokens,
    untouched: run.seen.untouchedTokens,
    layers,
  });
}

/** The layers that made the difference: each without which the room would be gone, or all of them together. */
function decisive(taken: readonly (readonly [Layer, number])[], room: number): readonly Layer[] {
  const some = taken.filter(([, tokens]) => tokens > 0);
  const alone = some.filter(([, tokens]) => tokens >= room);
  return (alone.length > 0 ? alone : some).map(([layer]) => layer);
}

import type { CompactionThreshold } from '../../core/run/layer.js';
import type { Limit } from '../../core/run/limit.js';
import type { CrossingEntry, Layer } from '../../core/run/log-entries.js';
import type { RunningThread } from '../requests/running-thread.js';
import type { ThreadModel } from '../requests/thread-model.js';

/**
 * What the cheap layers prevent (LOP-3, C10): the context as no layer would have changed it since the last compaction is kept next to the
 * real one. When it crosses the threshold and the real one does not, a compaction was prevented; each crossing counts once, and
 * not at all when the real one crosses later.
 */
export class Prevention {
  private facts: ThreadModel['facts'] | null = null;
  private threshold: Limit | null = null;
  /** The untouched context is over the threshold. */
  private isOver = false;
  /** Layers that keep the real one below it since then. */
  private avoidedBy: readonly Layer[] | null = null;
  /** The model is one on which the client does not compact by itself; a warning says so once. */
  private exception: 'none' | 'open' | 'reported' = 'none';

  /** Whether the next check meets the threshold by a count that is lower than all that did. */
  meetsLower(run: RunningThread): boolean {
    const threshold = this.thresholdOf(run);
    if (threshold === null || this.exception === 'reported') return false;
    if (this.exception === 'open') return threshold.wouldBeMetLower(run.seen.tokens);
    if (!this.isOver) return threshold.wouldBeMetLower(run.seen.untouchedTokens);
    return this.avoidedBy !== null && threshold.wouldBeMetLower(run.seen.tokens);
  }

  /** Asked before each request, after the layers have acted. */
  check(run: RunningThread): void {
    const threshold = this.thresholdOf(run);
    if (threshold === null) return;
    if (this.exception !== 'none') {
      this.warnOfException(run, threshold);
      return;
    }
    if (this.isOver) {
      if (this.avoidedBy !== null && threshold.isMetBy(run.seen.tokens)) this.follow(run, threshold);
      return;
    }
    if (!threshold.isMetBy(run.seen.untouchedTokens)) return;
    this.isOver = true;
    const { tokens } = run.seen;
    if (threshold.isMetBy(tokens)) return;
    const layers = decisive(run.takenOut.recentByLayer(), threshold, tokens);
    if (layers.length === 0) return;
    this.avoidedBy = layers;
    logCrossing(run, 'avoided', threshold, layers);
  }

  /** A layer puts another history in place: from there on the untouched context is the real one again. */
  compacting(run: RunningThread): void {
    if (this.avoidedBy !== null && this.threshold?.isMetBy(run.seen.tokens) === true)
      this.follow(run, this.threshold);
    this.isOver = false;
    this.avoidedBy = null;
  }

  private follow(run: RunningThread, threshold: Limit): void {
    logCrossing(run, 'made', threshold, this.avoidedBy!);
    this.avoidedBy = null;
  }

  /** Whoever sets a threshold would look for the compaction in vain. */
  private warnOfException({ env, seen, model: { facts } }: RunningThread, threshold: Limit): void {
    if (this.exception === 'reported' || !threshold.isMetBy(seen.tokens)) return;
    this.exception = 'reported';
    env.warnings.add(
      'no-auto-compaction',
      `the context reached the threshold, but ${env.plan.policy.name} does not compact by itself on ${facts.name} unless a window is set`,
      'autoCompact.exceptModels names such models: --set autoCompact.exceptModels=[] compacts on them too',
    );
  }

  private thresholdOf(run: RunningThread): Limit | null {
    const { facts } = run.model;
    if (facts === this.facts) return this.threshold;
    this.facts = facts;
    const threshold = thresholdFor(run);
    this.threshold = threshold?.limit ?? null;
    this.exception = threshold?.isExempt === true ? 'open' : 'none';
    this.isOver = false;
    this.avoidedBy = null;
    return this.threshold;
  }
}

/** Where the thread is compacted by itself; null if it is not. */
function thresholdFor({ env, source, model }: RunningThread): CompactionThreshold | null {
  const { limits, plan, layers } = env;
  const { params } = plan.policy;
  for (const layer of layers)
    if (layer.compactsAt !== undefined)
      return layer.compactsAt({ params, source, limits, model: model.facts });
  return null;
}

function logCrossing(
  run: RunningThread,
  state: CrossingEntry['state'],
  threshold: Limit,
  layers: readonly Layer[],
): void {
  run.env.sink.write({
    type: 'crossing',
    t: run.now,
    thread: run.thread.id,
    turn: run.turn,
    state,
    threshold: threshold.value,
    estimatedTokens: run.seen.tokens,
    uncompactedTokens: run.seen.untouchedTokens,
    layers,
  });
}

/** The layers that made the difference: each without which the room would be gone, or all of them together. */
function decisive(
  taken: readonly (readonly [Layer, number])[],
  threshold: Limit,
  tokens: number,
): readonly Layer[] {
  const some = taken.filter(([, out]) => out > 0);
  const alone = some.filter(([, out]) => threshold.isMetBy(tokens + out));
  return (alone.length > 0 ? alone : some).map(([layer]) => layer);
}

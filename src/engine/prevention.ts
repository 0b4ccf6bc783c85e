import type { LayerReport } from '../model/action.js';
import type { Layer } from '../model/run-log.js';
import { autoCompactThreshold } from '../tiers/window/thresholds.js';
import type { ThreadRun } from './thread-run.js';

/**
 * What the cheap layers prevent (LOP-3): a compaction that would have come by now had they taken nothing out since the last
 * one. It is put down to the layer that took out most, and counted once: that compaction would have started the count anew.
 */
export class Prevention {
  private readonly taken = new Map<Layer, number>();
  private total = 0;
  private window = -1;
  private threshold = 0;

  /** A layer acted; a compaction starts over. */
  note(entry: LayerReport): void {
    if (entry.outcome !== 'done') return;
    if (entry.action === 'compact') {
      this.restart();
      return;
    }
    const seen = (entry.seenBefore ?? 0) - (entry.seenAfter ?? 0);
    if (seen <= 0) return;
    this.taken.set(entry.layer, (this.taken.get(entry.layer) ?? 0) + seen);
    this.total += seen;
  }

  private thresholdOf(run: ThreadRun): number {
    const { window } = run.model.facts;
    if (window !== this.window) {
      this.window = window;
      this.threshold = autoCompactThreshold(run.env.plan.policy.params, window);
    }
    return this.threshold;
  }

  private restart(): void {
    this.taken.clear();
    this.total = 0;
  }

  /** Asked before each request: tells of a compaction that did not have to be. */
  check(run: ThreadRun): void {
    if (this.total === 0) return;
    if (!run.env.client.autoCompacts) return;
    const threshold = this.thresholdOf(run);
    const seen = run.seen.tokens;
    if (seen >= threshold || seen + this.total < threshold) return;
    let layer: Layer | null = null;
    let most = 0;
    const taken: Partial<Record<Layer, number>> = {};
    for (const [name, tokens] of this.taken) {
      taken[name] = tokens;
      if (tokens <= most) continue;
      layer = name;
      most = tokens;
    }
    run.env.sink.write({
      type: 'notice',
      t: run.now,
      thread: run.thread.id,
      what: `compaction-prevented-by-${layer}`,
      message: `${seen} tokens are below the threshold of ${threshold} because layers took ${this.total} out`,
      details: { threshold, seen, taken },
    });
    this.restart();
  }
}

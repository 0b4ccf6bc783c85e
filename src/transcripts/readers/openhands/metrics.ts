import type { Usage } from '../../../core/model/usage.js';
import { isObject, type JsonObject, listOf, numberOf, objectOf, textOf } from '../../lines/narrow.js';
import { litellmUsage, type PromptCounts, promptRule } from '../litellm-usage.js';

/** Counts per request, wherever a record holds them; a request is known by the id of its response. */
export class Metrics {
  readonly #counts = new Map<string, PromptCounts>();
  readonly #models = new Map<string, string>();
  readonly #latencies = new Map<string, number>();
  #rule: 'inside' | 'apart' | null = null;

  /** Requests that were counted. */
  get calls(): number {
    return this.#counts.size;
  }

  /** Takes what a state or an event says. */
  take(record: JsonObject): void {
    const byUse = Object.values(objectOf(objectOf(record.stats).usage_to_metrics ?? record.usage_to_metrics));
    for (const metrics of [...byUse, record.metrics, record.llm_metrics])
      if (isObject(metrics)) this.#add(metrics);
  }

  #add(metrics: JsonObject): void {
    const named = textOf(metrics.model_name);
    for (const usage of listOf(metrics.token_usages).filter(isObject)) {
      const id = textOf(usage.response_id);
      if (id === null) continue;
      this.#rule = null;
      this.#counts.set(id, {
        prompt: numberOf(usage.prompt_tokens),
        read: numberOf(usage.cache_read_tokens),
        written: numberOf(usage.cache_write_tokens),
        output: numberOf(usage.completion_tokens),
      });
      const model = textOf(usage.model) ?? named;
      if (model !== null) this.#models.set(id, model);
    }
    for (const each of listOf(metrics.response_latencies).filter(isObject)) {
      const id = textOf(each.response_id);
      const seconds = numberOf(each.latency);
      if (id !== null && seconds !== null) this.#latencies.set(id, seconds * 1_000);
    }
  }

  /** What was billed for a request; null where it is not known. */
  usage(id: string): Usage | null {
    this.#rule ??= promptRule([...this.#counts.values()]);
    const counts = this.#counts.get(id);
    return counts === undefined ? null : litellmUsage(counts, this.#rule);
  }

  has(id: string): boolean {
    return this.#counts.has(id);
  }

  model(id: string): string | null {
    return this.#models.get(id) ?? null;
  }

  latencyMs(id: string): number | null {
    return this.#latencies.get(id) ?? null;
  }
}

import { createRandom } from '../../core/base/random.js';
import { mean, quantile } from '../../core/base/stats.js';
import type { RequestTrace } from '../../core/model/request-trace.js';
import { lifetimeCurve } from '../lifetime/lifetime-curve.js';
import { traceSession } from '../lifetime/lifetime-sessions.js';

/** A statistic of a sample beside the published one, with the range that sampling alone explains. */
export interface SampledStatistic {
  readonly name: 'median' | 'quartile' | 'mean';
  readonly value: number;
  /** 95 % of samples of this size, drawn from this one, lie between. */
  readonly low: number;
  readonly high: number;
  readonly published: number;
  readonly verdict: 'within' | 'outside';
}

/** Hit rates of recorded conversations at an unlimited lifetime. */
export interface TraceFidelity {
  readonly conversations: number;
  /** Traces without a second request say nothing about hits. */
  readonly leftOut: number;
  readonly minimum: number | null;
  readonly statistics: readonly SampledStatistic[];
}

/** Published for all 739 conversations (E1). */
const PUBLISHED_HIT_RATES = { median: 0.96, quartile: 0.92, mean: 0.93, minimum: 0.61 } as const;

/** Published figures are rounded to a hundredth. */
const ROUNDING = 0.005;
const BOOTSTRAP_ROUNDS = 2_000;
const TAIL = 0.025;

const MEASURES = {
  median: (values: readonly number[]) => quantile(values, 0.5)!,
  quartile: (values: readonly number[]) => quantile(values, 0.25)!,
  mean: (values: readonly number[]) => mean(values)!,
} as const;

/** The share of a conversation's prompt tokens that a cache with an unlimited lifetime serves (E1). */
export function traceHitRate(trace: RequestTrace): number | null {
  const requests = trace.threads.reduce((sum, thread) => sum + thread.requests.length, 0);
  if (requests < 2) return null;
  return lifetimeCurve([traceSession(trace)], [null])[0]!.hitRate;
}

/** Compares the hit rates of conversations with the published ones; the interval is a seeded bootstrap. */
export function validateTraces(rates: readonly (number | null)[]): TraceFidelity {
  const values = rates.filter((rate) => rate !== null);
  const random = createRandom('trace hit rates');
  const names = values.length === 0 ? [] : (['median', 'quartile', 'mean'] as const);
  return {
    conversations: values.length,
    leftOut: rates.length - values.length,
    minimum: values.length === 0 ? null : Math.min(...values),
    statistics: names.map((name) => {
      const measure = MEASURES[name];
      const draw = random.split(name);
      const drawn = Array.from({ length: BOOTSTRAP_ROUNDS }, () =>
        measure(values.map(() => draw.pick(values))),
      );
      const low = quantile(drawn, TAIL)!;
      const high = quantile(drawn, 1 - TAIL)!;
      const published = PUBLISHED_HIT_RATES[name];
      const within = published + ROUNDING >= low && published - ROUNDING <= high;
      return { name, value: measure(values), low, high, published, verdict: within ? 'within' : 'outside' };
    }),
  };
}

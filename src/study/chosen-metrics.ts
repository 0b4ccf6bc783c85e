import { CcbenchError } from '../core/base/errors.js';
import { suggestName } from '../core/base/nearest.js';
import { type Expectation, parseExpectation } from '../metrics/expect.js';
import type { Metric } from '../metrics/metric.js';
import { findMetric, metricNames } from '../metrics/registry.js';
import { splitValues } from './vary.js';

/** The metrics of a comparison for which nobody chose others. */
export const COMPARED_METRICS: readonly string[] = [
  'costUsd',
  'finishedShare',
  'cacheHitRate',
  'compactions',
  'tokensSaved',
  'layerRequests',
  'callsLost',
  'compactionsPrevented',
  'contentRetention',
  'tokensNotCarried',
  'cacheTokensDestroyed',
  'requestsRefused',
  'peakContextTokens',
  'breakerTrips',
];

/** Metrics of a sweep for which nobody chose others. */
export const SWEPT_METRICS: readonly string[] = [
  'costUsd',
  'finishedShare',
  'callsLost',
  'cacheHitRate',
  'compactions',
  'contentRetention',
  'requestsRefused',
];

/** A metric that was named on the command line. */
export function chosenMetric(name: string, option: string): Metric {
  const metric = findMetric(name);
  if (metric !== null) return metric;
  throw new CcbenchError('unknown-name', `unknown metric "${name}"`, {
    place: { file: `${option} ${name}` },
    hint: `${suggestName(name, metricNames())}ccbench metrics lists all of them`,
  });
}

/** The metrics of `--metrics`, or the usual ones. */
export function chosenMetrics(written: string | undefined, usual: readonly string[]): readonly string[] {
  return written === undefined
    ? usual
    : splitValues(written).map((name) => chosenMetric(name, '--metrics').name);
}

/** What `--subject-to` asks of every run. */
export function rulesOf(written: readonly string[] = []): readonly Expectation[] {
  return written.map((text) => parseExpectation(text, { file: `--subject-to ${text}` }));
}

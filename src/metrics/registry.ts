import { createRegistry } from '../core/base/registry.js';
import type { RunFacts } from './facts.js';
import { METRIC_FAMILIES } from './families.js';
import type { Metric } from './metric.js';
import { RUN_METRICS } from './run-metrics.js';

/** The named metrics, in the order reports show them. */
export const METRICS = createRegistry(
  'metric',
  RUN_METRICS.map((entry) => [entry.name, entry] as const),
);

/** The values of all named metrics, in their order. */
export function metricValues(facts: RunFacts): Record<string, number | null> {
  return Object.fromEntries(METRICS.all().map((entry) => [entry.name, entry.value(facts)]));
}

/** A metric by its name or by a dotted path into a family (`layers.microcompact.saved`); null when there is none. */
export function findMetric(name: string): Metric | null {
  if (METRICS.has(name)) return METRICS.get(name);
  const dot = name.indexOf('.');
  const family = METRIC_FAMILIES.find((item) => item.name === name.slice(0, Math.max(dot, 0)));
  const key = name.slice(dot + 1);
  if (family === undefined || key === '' || (family.keys !== null && !family.keys.includes(key))) return null;
  const { better, help, value } = family;
  return { name, unit: family.unit(key), better, help, value: (facts) => value(facts, key) };
}

/** Every name that is known before a run, families with closed keys spelt out. */
export function metricNames(): readonly string[] {
  const dotted = METRIC_FAMILIES.flatMap((family) =>
    (family.keys ?? []).map((key) => `${family.name}.${key}`),
  );
  return [...METRICS.names, ...dotted];
}

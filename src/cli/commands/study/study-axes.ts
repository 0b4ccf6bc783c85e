import { paramSpecs } from '../../../agent/policies/catalogue.js';
import { findMetric } from '../../../metrics/registry.js';
import type { MetricAxis } from '../../../report/charts/sweep-point.js';
import type { VariantCompleteness } from '../../../study/completeness.js';
import type { Axis } from '../../../study/vary.js';

/** A metric as an axis of a chart. */
export function metricAxis(name: string): MetricAxis {
  const { unit, better } = findMetric(name)!;
  return { name, unit, better };
}

/** The mark of a point that takes no part in the ranking. */
export function pointMark({ standing }: VariantCompleteness): { readonly mark?: 'unranked' } {
  return standing === 'ranked' ? {} : { mark: 'unranked' };
}

/** How far points came: nothing is best in it, and there is nothing to show where all came as far. */
const COMPLETION = new Set(['finishedShare', 'callsLost']);

/** True for a metric that says how far points came. */
export function isCompletion(metric: string): boolean {
  return COMPLETION.has(metric);
}

/** An axis with its unit. */
export function axisOf({ path }: Axis) {
  return { name: path, unit: paramSpecs().find((spec) => spec.path === path)?.unit ?? null };
}

/** True for an axis of numbers. */
export function isNumeric(axis: Axis): boolean {
  return axis.values.every((value) => Number.isFinite(Number(value)));
}

/** The mark of a point beside a line: points over different sessions are not ranked, but finished. */
export function lineMark(completeness: VariantCompleteness): { readonly mark?: 'unranked' } {
  return completeness.unfinished.length === 0 ? {} : pointMark(completeness);
}

/** What is set against the cost: what the model still sees and, where it was asked for, what it misses. */
export function againstCost(
  names: readonly string[],
): readonly { readonly chart: string; readonly metric: string }[] {
  const kept = { chart: 'cost-against-kept', metric: 'contentRetention' };
  return names.includes('faultsNone')
    ? [kept, { chart: 'cost-against-faults', metric: 'faultsNone' }]
    : [kept];
}

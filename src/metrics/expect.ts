import { CcbenchError, type Place } from '../core/base/errors.js';
import { suggestName } from '../core/base/nearest.js';
import { ownValue } from '../core/base/own-value.js';
import type { RunFacts } from './facts.js';
import type { Metric } from './metric.js';
import { findMetric, metricNames } from './registry.js';

const COMPARE = {
  '>=': (a: number, b: number) => a >= b,
  '<=': (a: number, b: number) => a <= b,
  '>': (a: number, b: number) => a > b,
  '<': (a: number, b: number) => a < b,
  '==': (a: number, b: number) => a === b,
  '!=': (a: number, b: number) => a !== b,
} as const;

const EXPONENTS: Readonly<Record<string, number>> = { '': 0, k: 3, M: 6, '%': -2 };

const SHAPE = /^\s*([^\s<>=!]+)\s*(>=|<=|==|!=|>|<)\s*([-+]?[\d_]*\.?\d+)\s*(k|M|%|)\s*$/;

/** How an expectation compares the metric with its value. */
export type Operator = keyof typeof COMPARE;

/** The metrics that expectations may name. */
export interface KnownMetrics {
  find(name: string): Pick<Metric, 'name' | 'unit'> | null;
  names(): readonly string[];
  /** What lists them all, for errors. */
  readonly listedBy: string;
}

const OF_RUNS: KnownMetrics = {
  find: findMetric,
  names: metricNames,
  listedBy: 'docs/metrics.md lists all metrics',
};

/** `metric op value`, checked against the known metrics. */
export interface Expectation {
  readonly text: string;
  readonly metric: string;
  readonly op: Operator;
  readonly value: number;
}

/** How an expectation came out. */
export interface ExpectationResult {
  readonly text: string;
  readonly metric: string;
  /** null = the run has no data for the metric. */
  readonly actual: number | null;
  readonly passed: boolean;
  /** One sentence: what was found. */
  readonly message: string;
}

function fail(
  code: 'bad-value' | 'unknown-name',
  sentence: string,
  hint: string,
  place: Place | null,
): never {
  throw new CcbenchError(code, sentence, place === null ? { hint } : { hint, place });
}

function checkValue(
  text: string,
  metric: Pick<Metric, 'name' | 'unit'>,
  value: number,
  suffix: string,
  place: Place | null,
): void {
  if (suffix === '%' && metric.unit !== 'share' && metric.unit !== 'ratio') {
    fail(
      'bad-value',
      `"${text}" gives ${metric.name} in per cent, but it is in ${metric.unit}`,
      'leave out the %',
      place,
    );
  }
  if (metric.unit === 'share' && (value < 0 || value > 1)) {
    const hint = suffix === '' && value <= 100 ? `did you mean ${value}%?` : 'give a value from 0% to 100%';
    fail(
      'bad-value',
      `"${text}" compares a share with ${value}, but ${metric.name} lies between 0 and 1`,
      hint,
      place,
    );
  }
}

/** Reads `metric op value`; a wrong shape, an unknown metric or an impossible value is an error at the given place. */
export function parseExpectation(text: string, place: Place | null, known = OF_RUNS): Expectation {
  const match = SHAPE.exec(text);
  if (match === null) {
    fail(
      'bad-value',
      `"${text}" is not an expectation`,
      'write: metric, one of >= <= > < == !=, and a number, e.g. "cacheHitRate >= 90%" or "peakContextTokens < 170k"',
      place,
    );
  }
  const [, name, op, digits, suffix] = match as unknown as [string, string, Operator, string, string];
  const metric = known.find(name);
  if (metric === null) {
    const hint = `${suggestName(name, known.names())}${known.listedBy}`;
    fail('unknown-name', `unknown metric "${name}"`, hint, place);
  }
  const value = Number(`${digits.replaceAll('_', '')}e${ownValue(EXPONENTS, suffix)}`);
  checkValue(text, metric, value, suffix, place);
  return { text: text.trim(), metric: name, op, value };
}

/** Whether a value is what an expectation wants; no data is not. */
export function holds({ op, value }: Expectation, actual: number | null): boolean {
  return actual !== null && COMPARE[op](actual, value);
}

/** Holds an expectation against a run. */
export function evaluateExpectation(expectation: Expectation, facts: RunFacts): ExpectationResult {
  return judge(expectation, findMetric(expectation.metric)?.value(facts) ?? null);
}

/** Holds an expectation against a value; no data is a failure. */
export function judge(expectation: Expectation, actual: number | null): ExpectationResult {
  const { text, metric } = expectation;
  if (actual === null) {
    return { text, metric, actual, passed: false, message: `the run has no data for ${metric}` };
  }
  const passed = holds(expectation, actual);
  return { text, metric, actual, passed, message: `${metric} is ${actual}` };
}

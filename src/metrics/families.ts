import type { MetricUnit } from '../core/base/format.js';
import { ownValue } from '../core/base/own-value.js';
import { BREAK_CAUSES } from '../core/run/break-causes.js';
import { LAYERS } from '../core/run/log-entries.js';
import { CALL_PURPOSES } from '../core/run/run-plan.js';
import type { RunFacts } from './facts.js';
import type { LayerFacts } from './layer-fold.js';
import { type MetricFamily, usd } from './metric.js';

const LAYER_FIELDS: Readonly<Record<string, readonly [MetricUnit, (layer: LayerFacts) => number]>> = {
  triggers: ['count', (layer) => layer.triggers],
  done: ['count', (layer) => layer.done],
  failed: ['count', (layer) => layer.failed],
  declined: ['count', (layer) => layer.declined],
  saved: ['tokens', (layer) => layer.saved],
  notCarried: ['tokens', (layer) => layer.notCarried],
  prevented: ['count', (layer) => layer.prevented],
  deferred: ['count', (layer) => layer.deferred],
  cacheLost: ['tokens', (layer) => layer.cacheLost],
  calls: ['count', (layer) => layer.calls],
  costUsd: ['usd', (layer) => usd(layer.costNanoUsd)],
};

/** A value over requests: none at all is no data. */
function overRequests(facts: RunFacts, value: number): number | null {
  return facts.requests.calls === 0 ? null : value;
}

/** A family of counts whose keys come from the run; one that never occurred is 0. */
function counts(
  name: string,
  better: MetricFamily['better'],
  keyName: string,
  help: string,
  record: (facts: RunFacts) => Readonly<Record<string, number>>,
): MetricFamily {
  const value = (facts: RunFacts, key: string): number => ownValue(record(facts), key) ?? 0;
  return { name, better, keyName, help, keys: null, unit: () => 'count', value };
}

function breakCounts(name: string, help: string, of: 'unexpected' | 'expected'): MetricFamily {
  return {
    ...counts(name, 'lower', '<cause>', help, () => ({})),
    keys: BREAK_CAUSES,
    value: ({ requests, breaks }, key) =>
      requests.calls === 0 ? null : (ownValue(breaks[of], key)?.count ?? 0),
  };
}

/** Every group of metrics with keys, in the order of the documentation. */
export const METRIC_FAMILIES: readonly MetricFamily[] = [
  {
    name: 'apiCallsByPurpose',
    better: 'lower',
    keyName: '<purpose>',
    help: 'answered requests by what they were for',
    keys: CALL_PURPOSES,
    unit: () => 'count',
    value: (facts, key) => ownValue(facts.byPurpose, key)!.calls,
  },
  {
    name: 'costByCause',
    better: 'lower',
    keyName: '<cause>',
    help: 'cost by what was paid for: cache reads (`carry`), fresh content (`new`), content written again (`rewrite:…`), output',
    keys: ['carry', 'new', ...BREAK_CAUSES.map((cause) => `rewrite:${cause}`), 'output'],
    unit: () => 'usd',
    value: (facts, key) => overRequests(facts, usd(ownValue(facts.cost.byCause, key) ?? 0)),
  },
  {
    name: 'costByLayer',
    better: 'lower',
    keyName: '<purpose>',
    help: 'cost by what the requests were for',
    keys: CALL_PURPOSES,
    unit: () => 'usd',
    value: (facts, key) => overRequests(facts, usd(ownValue(facts.cost.byLayer, key)!)),
  },
  {
    name: 'costByThread',
    better: 'lower',
    keyName: '<thread>',
    help: 'cost of one conversation, by its id',
    keys: null,
    unit: () => 'usd',
    value(facts, key) {
      const cost = ownValue(facts.cost.byThread, key);
      return cost === undefined ? null : overRequests(facts, usd(cost));
    },
  },
  breakCounts('cacheBreaksByCause', 'cache breaks that no layer announced, by cause', 'unexpected'),
  breakCounts('cacheBreaksExpectedByCause', 'cache breaks that a layer announced, by cause', 'expected'),
  {
    name: 'layers',
    better: null,
    keyName: '<layer>.<field>',
    help: 'what one layer did: times it fired, how that ended, tokens it keeps out at the end (`saved`) and summed over requests (`notCarried`), compactions it helped to prevent or defer, cached tokens it destroyed (`cacheLost`), its requests and their cost',
    keys: LAYERS.flatMap((layer) => Object.keys(LAYER_FIELDS).map((field) => `${layer}.${field}`)),
    unit: (key) => ownValue(LAYER_FIELDS, key.slice(key.lastIndexOf('.') + 1))![0],
    value(facts, key) {
      const dot = key.lastIndexOf('.');
      return ownValue(LAYER_FIELDS, key.slice(dot + 1))![1](ownValue(facts.layers, key.slice(0, dot))!);
    },
  },
  counts(
    'failures',
    'lower',
    '<reason>',
    'failed actions of all layers, by failure',
    ({ failures }) => failures,
  ),
  {
    ...counts(
      'dreamSkips',
      null,
      '<gate>',
      'times no dream began, by the closed gate (`lock`: held by another process)',
      ({ longTerm }) => longTerm.dreams.skips,
    ),
    keys: ['feature', 'time', 'scan', 'sessions', 'lock'],
  },
  counts(
    'refusals',
    'lower',
    '<error>',
    'requests the API refused, by the name of the error',
    ({ refusals }) => refusals,
  ),
  counts(
    'notices',
    null,
    '<what>',
    'notices of the run by kind, such as resumes and model switches',
    ({ notices }) => notices,
  ),
];

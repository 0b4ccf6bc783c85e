import type { MetricUnit } from '../core/base/format.js';
import { type BreakCause, LAYERS, type Layer } from '../core/run/run-log.js';
import { CALL_PURPOSES, type CallPurpose } from '../core/run/run-plan.js';
import type { BreakFacts, LayerFacts, RunFacts } from './facts.js';
import { type MetricFamily, usd } from './metric.js';

const CAUSE_SET = {
  system: true,
  tools: true,
  model: true,
  parameters: true,
  messages: true,
  thinking: true,
  'ttl-5m': true,
  'ttl-1h': true,
  expired: true,
  'not-readable-yet': true,
  lookback: true,
  compaction: true,
  microcompaction: true,
  snip: true,
  collapse: true,
  chance: true,
  rounding: true,
  'no-cache': true,
  server: true,
} satisfies Record<BreakCause, true>;
const CAUSES = Object.keys(CAUSE_SET) as BreakCause[];

interface LayerField {
  readonly unit: MetricUnit;
  readonly read: (layer: LayerFacts) => number;
}

const LAYER_FIELDS: Readonly<Record<string, LayerField>> = {
  triggers: { unit: 'count', read: (layer) => layer.triggers },
  done: { unit: 'count', read: (layer) => layer.done },
  failed: { unit: 'count', read: (layer) => layer.failed },
  declined: { unit: 'count', read: (layer) => layer.declined },
  saved: { unit: 'tokens', read: (layer) => layer.saved },
  notCarried: { unit: 'tokens', read: (layer) => layer.notCarried },
  prevented: { unit: 'count', read: (layer) => layer.prevented },
  putOff: { unit: 'count', read: (layer) => layer.putOff },
  cacheLost: { unit: 'tokens', read: (layer) => layer.cacheLost },
  calls: { unit: 'count', read: (layer) => layer.calls },
  costUsd: { unit: 'usd', read: (layer) => usd(layer.costNanoUsd) },
};

function own<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

/** A value over requests: none at all is no data. */
function overRequests(facts: RunFacts, value: number): number | null {
  return facts.requests.calls === 0 ? null : value;
}

function breaksOf(breaks: Readonly<Partial<Record<BreakCause, BreakFacts>>>, key: string): number {
  return breaks[key as BreakCause]?.count ?? 0;
}

function layerField(key: string): [Layer, LayerField] {
  const dot = key.lastIndexOf('.');
  return [key.slice(0, dot) as Layer, LAYER_FIELDS[key.slice(dot + 1)]!];
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
    value: (facts, key) => facts.byPurpose[key as CallPurpose].calls,
  },
  {
    name: 'costByCause',
    better: 'lower',
    keyName: '<cause>',
    help: 'cost by what was paid for: cache reads (`carry`), fresh content (`new`), content written again (`rewrite:…`), output',
    keys: ['carry', 'new', ...CAUSES.map((cause) => `rewrite:${cause}`), 'output'],
    unit: () => 'usd',
    value: (facts, key) => overRequests(facts, usd(own(facts.cost.byCause, key) ?? 0)),
  },
  {
    name: 'costByLayer',
    better: 'lower',
    keyName: '<purpose>',
    help: 'cost by what the requests were for',
    keys: CALL_PURPOSES,
    unit: () => 'usd',
    value: (facts, key) => overRequests(facts, usd(facts.cost.byLayer[key as CallPurpose])),
  },
  {
    name: 'costByThread',
    better: 'lower',
    keyName: '<thread>',
    help: 'cost of one conversation, by its id',
    keys: null,
    unit: () => 'usd',
    value(facts, key) {
      const cost = own(facts.cost.byThread, key);
      return cost === undefined ? null : overRequests(facts, usd(cost));
    },
  },
  {
    name: 'cacheBreaksByCause',
    better: 'lower',
    keyName: '<cause>',
    help: 'cache breaks that no layer announced, by cause',
    keys: CAUSES,
    unit: () => 'count',
    value: (facts, key) => overRequests(facts, breaksOf(facts.breaks.unexpected, key)),
  },
  {
    name: 'cacheBreaksExpectedByCause',
    better: 'lower',
    keyName: '<cause>',
    help: 'cache breaks that a layer announced, by cause',
    keys: CAUSES,
    unit: () => 'count',
    value: (facts, key) => overRequests(facts, breaksOf(facts.breaks.expected, key)),
  },
  {
    name: 'layers',
    better: null,
    keyName: '<layer>.<field>',
    help: 'what one layer did: times it fired, how that ended, tokens it keeps out at the end (`saved`), those tokens summed over the requests (`notCarried`), compactions it prevented or only put off, alone or with others, cached tokens it destroyed, its requests and their cost',
    keys: LAYERS.flatMap((layer) => Object.keys(LAYER_FIELDS).map((field) => `${layer}.${field}`)),
    unit: (key) => layerField(key)[1].unit,
    value(facts, key) {
      const [layer, field] = layerField(key);
      return field.read(facts.layers[layer]);
    },
  },
  {
    name: 'failures',
    better: 'lower',
    keyName: '<reason>',
    help: 'failed actions of all layers, by the name of the failure',
    keys: null,
    unit: () => 'count',
    value: (facts, key) => own(facts.failures, key) ?? 0,
  },
  {
    name: 'dreamSkips',
    better: null,
    keyName: '<gate>',
    help: 'times no dream began, by the gate that was shut (`lock`: another process held it)',
    keys: ['feature', 'time', 'scan', 'sessions', 'lock'],
    unit: () => 'count',
    value: (facts, key) => own(facts.longTerm.dreams.skips, key) ?? 0,
  },
  {
    name: 'refusals',
    better: 'lower',
    keyName: '<error>',
    help: 'requests the API refused, by the name of the error',
    keys: null,
    unit: () => 'count',
    value: (facts, key) => own(facts.refusals, key) ?? 0,
  },
  {
    name: 'notices',
    better: null,
    keyName: '<what>',
    help: 'notices of the run by kind, such as resumes and model switches',
    keys: null,
    unit: () => 'count',
    value: (facts, key) => own(facts.notices, key) ?? 0,
  },
];

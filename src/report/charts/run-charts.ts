import { formatCount, formatMoney } from '../../core/base/format.js';
import { ratio, sum } from '../../core/base/stats.js';
import { LAYERS, type LayerEntry } from '../../core/run/log-entries.js';
import type { LogEntry } from '../../core/run/run-log.js';
import type { RunFacts } from '../../metrics/facts.js';
import { withLeftOut } from '../page-data/left-out.js';
import { type ReportedRun, thresholdsOf } from '../page-data/page-run.js';
import { type ChartModel, createRunModel } from '../page-data/run-model.js';
import type { PolicyInfo } from '../text/policy-info.js';
import { byName, type ChartSpec, chartSpec, type NamedChart, namedRules, quantity } from './chart-spec.js';
import {
  causeColors,
  causePhrase,
  DISTINCT,
  LAYER_COLORS,
  LAYER_SHAPES,
  LIGHT,
  PROMPT_COLORS,
} from './palette.js';
import {
  inUnit,
  keepExtremes,
  type RunSeries,
  runSeries,
  runSubtitle,
  shortShare,
  shortTokens,
  type TimeUnit,
  timeUnit,
} from './run-series.js';

const NANO = 1e9;
/** Marks that are drawn of one run; thinned ones keep what saved most. */
const MAX_MARKS = 400;

function contextTitle({ main, window, shrunk }: RunSeries): string {
  if (main.length === 0) return 'Context size: no request was answered';
  let peak = 0;
  for (const { context } of main) peak = Math.max(peak, context);
  const of = window === null ? '' : ` of ${formatCount(window)}`;
  const acts = shrunk === 1 ? 'shrunk once' : `shrunk ${formatCount(shrunk)} times`;
  return `Context peaks at ${formatCount(peak)}${of} tokens, ${shrunk === 0 ? 'never shrunk' : acts}`;
}

function markRow(entry: LayerEntry, unit: TimeUnit): Readonly<Record<string, unknown>> {
  const { layer, action, outcome, turn, saved, cacheLost } = entry;
  const context = { before: entry.trueBefore, after: entry.trueAfter };
  return { x: inUnit(entry.t, unit), ...context, layer, action, outcome, turn, saved, cacheLost };
}

function layerMarks(marks: readonly LayerEntry[], unit: TimeUnit): readonly object[] {
  if (marks.length === 0) return [];
  const present = LAYERS.filter((layer) => marks.some((mark) => mark.layer === layer));
  const color = byName(
    'layer',
    present,
    present.map((layer) => LAYER_COLORS[layer]),
  );
  const shape = byName(
    'layer',
    present,
    present.map((layer) => LAYER_SHAPES[layer]),
  );
  const x = quantity('x');
  const y = quantity('before');
  const point = { type: 'point', filled: true, size: 64, opacity: 1, stroke: LIGHT.ink, strokeWidth: 0.5 };
  const rule = { type: 'rule', strokeDash: [2, 2], strokeWidth: 1 };
  return [
    {
      data: { values: marks.map((mark) => markRow(mark, unit)) },
      layer: [
        { mark: rule, encoding: { x, y, y2: { field: 'after' }, color } },
        { mark: point, encoding: { x, y, color, shape } },
      ],
    },
  ];
}

/** Context size over simulated time: the limits as lines, what layers did as marks, idle time as shade. */
function contextOverTime(
  entries: readonly LogEntry[],
  series: RunSeries,
  policyInfo: PolicyInfo | null,
): ChartSpec {
  const unit = timeUnit(series.toMs - series.fromMs);
  const limits = thresholdsOf(policyInfo, series.window);
  const points = keepExtremes(series.main, ({ context }) => context).map((entry) => ({
    x: inUnit(entry.t, unit),
    tokens: entry.context,
  }));
  const x = quantity('x', unit.title, {
    scale: { domain: [inUnit(series.fromMs, unit), inUnit(series.toMs, unit)], nice: false },
  });
  const y = quantity('tokens', 'context (tokens)', { axis: { format: '~s' }, scale: { zero: true } });
  const gaps = series.gaps.map(({ fromMs, toMs }) => ({ x: inUnit(fromMs, unit), to: inUnit(toMs, unit) }));
  const marks = keepExtremes(series.layers, ({ saved }) => saved, MAX_MARKS);
  return chartSpec(
    {
      text: contextTitle(series),
      subtitle: `${runSubtitle(entries)} · shaded: idle for more than 5 minutes`,
    },
    {
      layer: [
        {
          data: { values: gaps },
          mark: { type: 'rect', color: LIGHT.shade },
          encoding: { x, x2: { field: 'to' } },
        },
        namedRules(limits, y, { x: { expr: 'width' }, field: 'name', mark: { align: 'right', dy: -2 } }),
        {
          data: { values: points },
          mark: { type: 'line', interpolate: 'step-after', color: LIGHT.series, strokeWidth: 1.5 },
          encoding: { x, y },
        },
        ...layerMarks(marks, unit),
      ],
    },
  );
}

const PARTS = ['cache read', 'cache written', 'uncached'] as const;

/** The prompt of every request, split into what was read from the cache, written to it, and neither. */
function promptSplit(entries: readonly LogEntry[], { requests }: RunSeries, model: ChartModel): ChartSpec {
  const { prompt, read } = model.sums(null, 'request');
  const share = ratio(read, prompt);
  const values = keepExtremes(requests, (entry) => entry.prompt, 1_000).flatMap((entry) =>
    [entry.read, entry.write5m + entry.write1h, entry.input].map((tokens, order) => ({
      n: entry.n,
      part: PARTS[order],
      tokens,
      order,
    })),
  );
  const text =
    share === null
      ? 'Prompt tokens: no request was answered'
      : `Cache reads carry ${shortShare(share)} of ${shortTokens(prompt)} prompt tokens`;
  return chartSpec(
    { text, subtitle: runSubtitle(entries) },
    {
      data: { values },
      mark: { type: 'area', interpolate: 'step-after' },
      encoding: {
        x: quantity('n', 'request (number in the run)', { scale: { nice: false } }),
        y: quantity('tokens', 'prompt (tokens)', { axis: { format: '~s' }, stack: 'zero' }),
        color: byName('part', PARTS, [PROMPT_COLORS.read, PROMPT_COLORS.written, PROMPT_COLORS.uncached]),
        order: quantity('order'),
      },
    },
  );
}

function costTitle(causes: readonly string[], paid: readonly number[] | undefined): string {
  const total = sum(paid ?? []);
  if (paid === undefined || total === 0) return 'Cost by cause: nothing was paid';
  let largest = 0;
  for (let i = 1; i < causes.length; i++) if (paid[i]! > paid[largest]!) largest = i;
  const phrase = causePhrase(causes[largest]!);
  const subject = phrase.charAt(0).toUpperCase() + phrase.slice(1);
  return `${subject}: ${shortShare(paid[largest]! / total)} of ${formatMoney(total / NANO)}`;
}

/** What a run has paid so far over simulated time, by what it paid for. */
function costByCause(
  entries: readonly LogEntry[],
  { fromMs, toMs }: RunSeries,
  model: ChartModel,
): ChartSpec {
  const unit = timeUnit(toMs - fromMs);
  const { causes } = model;
  const columns = model.paid('time');
  // Of several requests at one time, or at one place of the axis, the last, whose sums hold the others.
  const byTime = new Map(
    model.order('time').map((index) => {
      const paid = columns.map((column) => column[index]!);
      return [model.x(index, 'time'), { paid, total: sum(paid) }] as const;
    }),
  );
  const kept = keepExtremes([...byTime], ([, { total }]) => total, 600);
  const last = kept.at(-1)?.[1];
  const drawn = last === undefined ? [] : [...kept, [toMs, last] as const];
  const byPlace = new Map(drawn.map(([t, point]) => [inUnit(t, unit), point]));
  const values = [...byPlace].flatMap(([x, { paid }]) =>
    causes.map((cause, order) => ({ x, cause: causePhrase(cause), usd: paid[order]! / NANO, order })),
  );
  return chartSpec(
    { text: costTitle(causes, last?.paid), subtitle: runSubtitle(entries) },
    {
      data: { values },
      mark: { type: 'area', interpolate: 'step-after' },
      encoding: {
        x: quantity('x', unit.title, { scale: { nice: false } }),
        y: quantity('usd', 'cumulative cost (US dollars)', { axis: { format: '$,~r' }, stack: 'zero' }),
        color: byName('cause', causes.map(causePhrase), causeColors(causes)),
        order: quantity('order'),
      },
    },
  );
}

const KINDS = ['out of the context at the end', 'cached tokens destroyed'] as const;

function savedTitle({ layers }: RunFacts): string {
  const saved = sum(Object.values(layers).map((layer) => layer.saved));
  const lost = sum(Object.values(layers).map((layer) => layer.cacheLost));
  if (saved === 0 && lost === 0) return 'Tokens saved by layers: none';
  return `Layers keep ${shortTokens(saved)} tokens out at the end and destroy ${shortTokens(lost)} cached ones`;
}

/** Tokens each layer keeps out of the context at the end, beside the cached tokens it destroyed. */
function savedByLayer(facts: RunFacts, entries: readonly LogEntry[]): ChartSpec {
  const fired = LAYERS.filter((layer) => facts.layers[layer].triggers > 0);
  const values = fired.flatMap((name) => {
    const { saved, cacheLost, done, costNanoUsd } = facts.layers[name];
    const layer = `${name} (${formatCount(done)} ×, ${formatMoney(costNanoUsd / NANO)})`;
    return [
      { layer, kind: KINDS[0], tokens: saved },
      { layer, kind: KINDS[1], tokens: cacheLost },
    ];
  });
  return chartSpec(
    {
      text: savedTitle(facts),
      subtitle: `${runSubtitle(entries)} · beside each layer: times done, cost of its requests`,
    },
    {
      height: { step: 22 },
      data: { values },
      mark: { type: 'bar' },
      encoding: {
        y: { field: 'layer', type: 'nominal', title: null, sort: null, axis: { labelLimit: 260 } },
        yOffset: { field: 'kind', type: 'nominal', sort: null },
        x: quantity('tokens', 'tokens', { axis: { format: '~s', grid: true } }),
        color: byName('kind', KINDS, [DISTINCT.green, DISTINCT.vermilion]),
      },
    },
  );
}

/** The charts of one run; those that would be empty are left out. */
export function runCharts({
  entries,
  facts,
  policyInfo,
  leftOut = null,
}: Pick<ReportedRun, 'entries' | 'facts' | 'policyInfo' | 'leftOut'>): readonly NamedChart[] {
  if (facts.requests.calls === 0) return [];
  const series = runSeries(entries, leftOut);
  const model = createRunModel({ threads: [], ...withLeftOut(series.requests, leftOut) });
  const charts: NamedChart[] = [
    { name: 'context-over-time', spec: contextOverTime(entries, series, policyInfo) },
    { name: 'prompt-split', spec: promptSplit(entries, series, model) },
    { name: 'cost-by-cause', spec: costByCause(entries, series, model) },
  ];
  const fired = Object.values(facts.layers).some(({ triggers }) => triggers > 0);
  if (fired) charts.push({ name: 'saved-by-layer', spec: savedByLayer(facts, entries) });
  return charts;
}

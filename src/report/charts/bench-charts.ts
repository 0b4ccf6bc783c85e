import { formatCount, formatDecimal, formatExponent } from '../../core/base/format.js';
import {
  byName,
  type ChartSpec,
  type ChartTitle,
  chartSpec,
  type NamedChart,
  quantity,
  textOf,
} from './chart-spec.js';
import { DISTINCT, LIGHT } from './palette.js';

/** A hot path at one size. */
interface ChartedTime {
  readonly name: string;
  /** Tokens of context. */
  readonly size: number;
  readonly p50Ms: number;
}

/** How something grows. */
interface ChartedGrowth {
  readonly name: string;
  readonly exponent: number;
  /** The highest exponent that is promised; null where the output is the whole window. */
  readonly promised: number | null;
}

/** A ratio with its promise. */
interface ChartedRatio {
  readonly name: string;
  readonly ratio: number;
  /** null = only stated. */
  readonly promised: number | null;
}

/** What the charts of a benchmark are made from. */
export interface BenchChartInput {
  readonly results: readonly ChartedTime[];
  readonly growth: readonly ChartedGrowth[];
  readonly ratios: readonly ChartedRatio[];
}

const WIDTH = 520;
const MISSED = 'datum.isMissed';

type Axis = ReturnType<typeof quantity>;
type Bar = { readonly name: string; readonly label: string; readonly isMissed: boolean };

/** A bar for each row, alarming where it misses its promise, its label beside the plot, and marks over all. */
function barChart(title: ChartTitle, { values, x, from, row, gap }: BarOptions, marks: object): ChartSpec {
  const y = { ...textOf('name'), title: null, sort: null, axis: { ticks: false, domain: false } };
  const color = { condition: { test: MISSED, value: LIGHT.alarm }, value: LIGHT.series };
  return chartSpec(title, {
    width: WIDTH,
    height: row * values.length,
    layer: [
      {
        data: { values },
        mark: { type: 'bar', height: row - gap },
        encoding: { x, ...(from === undefined ? {} : { x2: { datum: from } }), y, color },
      },
      {
        data: { values },
        mark: { type: 'text', align: 'left', dx: 10, color: LIGHT.ink },
        encoding: { x: { value: WIDTH }, y, text: textOf('label') },
      },
      marks,
    ],
  });
}

interface BarOptions {
  readonly values: readonly Bar[];
  readonly x: Axis;
  /** Where bars begin, where that is not zero. */
  readonly from?: number;
  /** Pixels of a row, and those of them that are empty. */
  readonly row: number;
  readonly gap: number;
}

function exponentTitle(missed: number, rows: number, limits: readonly number[]): string {
  if (limits.length === 0) return 'How time grows';
  if (missed > 0) return `${missed} of ${rows} grow faster than promised`;
  return `Nothing grows faster than turns^${Math.max(...limits)}`;
}

/** The exponent of growth of each row against its promise; null without rows. @internal */
export function exponentBars(growth: readonly ChartedGrowth[]): ChartSpec | null {
  if (growth.length === 0) return null;
  const values = growth.map(({ name, exponent, promised }) => ({
    name,
    exponent,
    label: formatExponent(exponent),
    isMissed: promised !== null && exponent > promised,
  }));
  const limits = [...new Set(growth.flatMap(({ promised }) => promised ?? []))];
  const missed = values.filter(({ isMissed }) => isMissed).length;
  const exponents = values.map(({ exponent }) => exponent);
  const x = quantity('exponent', 'exponent of growth (1 is linear)', {
    scale: { domain: [Math.min(0, ...exponents), Math.max(...limits, ...exponents) * 1.05], nice: false },
    axis: { format: '.1f', tickCount: 6, grid: true },
  });
  return barChart(
    { text: exponentTitle(missed, values.length, limits), subtitle: 'time ~ turns^exponent' },
    { values, x, row: 24, gap: 8 },
    {
      data: { values: limits.map((exponent) => ({ exponent, label: `promised: at most ${exponent}` })) },
      layer: [
        { mark: { type: 'rule', strokeDash: [6, 4], color: LIGHT.ink }, encoding: { x } },
        {
          mark: { type: 'text', align: 'right', baseline: 'bottom', dx: -4, dy: -4, color: LIGHT.muted },
          encoding: { x, y: { value: 0 }, text: textOf('label') },
        },
      ],
    },
  );
}

/** How far the axis of ratios reaches at least, as a factor to both sides of the promise. */
const REACH = 2;
/** Room beside the longest bars, as a factor. */
const BAR_ROOM = 1.1;
const TICKS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100];

function plain(value: number): string {
  return formatDecimal(value, value >= 100 ? 0 : 2);
}

function ratioTitle(values: readonly Bar[]): string {
  const missed = values.filter(({ isMissed }) => isMissed).length;
  if (missed > 0) return `${missed} of ${values.length} ratios miss their promise`;
  return values.length === 1 ? 'The ratio keeps its promise' : 'All ratios keep their promise';
}

/** Each ratio as a multiple of its promise, on a logarithmic axis with a line at 1; null where nothing is promised. @internal */
export function ratioBars(ratios: readonly ChartedRatio[]): ChartSpec | null {
  const values = ratios.flatMap(({ name, ratio, promised }) => {
    if (promised === null || promised <= 0 || ratio <= 0) return [];
    const label = `${plain(ratio)} · promised ${plain(promised)}`;
    return [{ name, share: ratio / promised, label, isMissed: ratio < promised }];
  });
  if (values.length === 0) return null;
  const shares = values.map(({ share }) => share);
  const from = Math.min(1 / REACH, ...shares) / BAR_ROOM;
  const to = Math.max(REACH, ...shares) * BAR_ROOM;
  const x = quantity('share', 'measured / promised (log scale)', {
    scale: { type: 'log', domain: [from, to], nice: false },
    axis: { format: '~r', grid: true, values: TICKS.filter((tick) => tick >= from && tick <= to) },
  });
  return barChart(
    {
      text: ratioTitle(values),
      subtitle: 'two contenders timed in turns in one run; right of the line is better than promised',
    },
    { values, x, from: 1, row: 28, gap: 10 },
    {
      data: { values: [{ share: 1 }] },
      mark: { type: 'rule', strokeWidth: 1.5, color: LIGHT.ink },
      encoding: { x },
    },
  );
}

const LABEL_GAP = 16;
const PATH_ROW = 20;
/** Pixels from the plot to its labels. */
const LEADER = 34;
/** Room above and below the times, as a factor. */
const TIME_ROOM = 1.6;

const STATES = {
  kept: { text: 'within its promise', color: LIGHT.series, shape: 'circle' },
  window: { text: 'its output is the whole window', color: DISTINCT.orange, shape: 'square' },
  missed: { text: 'grows faster than promised', color: LIGHT.alarm, shape: 'diamond' },
} as const;

function stateOf({ exponent, promised }: ChartedGrowth): keyof typeof STATES {
  if (promised === null) return 'window';
  return exponent > promised ? 'missed' : 'kept';
}

function pathsTitle(growth: readonly ChartedGrowth[]): string {
  const promised = growth.filter((row) => row.promised !== null);
  const missed = promised.filter((row) => stateOf(row) === 'missed');
  if (promised.length === 0) return 'Hot paths of an agent’s turn';
  const limit = Math.max(...promised.map((row) => row.promised!));
  if (missed.length === 0)
    return `No hot path grows faster than size^${limit}, but where the output is the whole window`;
  return `${formatCount(missed.length)} of ${formatCount(promised.length)} hot paths grow faster than promised`;
}

/** The powers of ten within a domain. */
function powersOfTen([from, to]: readonly [number, number]): readonly number[] {
  const first = Math.ceil(Math.log10(from));
  const last = Math.floor(Math.log10(to));
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => Number(`1e${first + i}`));
}

/** Places of labels beside the places they belong to, in the same order, none closer than the gap and none outside. @internal */
export function spreadLabels(
  places: readonly number[],
  { gap, from, to }: { readonly gap: number; readonly from: number; readonly to: number },
): readonly number[] {
  const order = places.map((place, index) => ({ place, index })).sort((a, b) => a.place - b.place);
  let lowest = from;
  for (const item of order) {
    item.place = Math.max(item.place, lowest);
    lowest = item.place + gap;
  }
  let highest = to;
  for (const item of [...order].reverse()) {
    item.place = Math.min(item.place, highest);
    highest = item.place - gap;
  }
  const spread = new Array<number>(places.length);
  for (const { place, index } of order) spread[index] = place;
  return spread;
}

/** The last point of each path, and where its label goes: spread so that none covers another. */
function labelsOf(
  rows: readonly (ChartedTime & { readonly micros: number })[],
  growth: ReadonlyMap<string, ChartedGrowth>,
  { height, domain }: { readonly height: number; readonly domain: readonly [number, number] },
): readonly object[] {
  const lasts = [...growth.keys()].flatMap((name) => rows.filter((row) => row.name === name).at(-1) ?? []);
  const decades = Math.log(domain[1] / domain[0]);
  const places = spreadLabels(
    lasts.map(({ micros }) => height * (1 - Math.log(micros / domain[0]) / decades)),
    { gap: LABEL_GAP, from: 0, to: height },
  );
  return lasts.map(({ name, size, micros }, i) => ({
    size,
    micros,
    isMissed: stateOf(growth.get(name)!) === 'missed',
    labelMicros: domain[0] * Math.exp(decades * (1 - places[i]! / height)),
    label: `${formatExponent(growth.get(name)!.exponent)} · ${name}`,
  }));
}

/** The p50 of each hot path against the size of the context on logarithmic axes, each line with its exponent; null without times. @internal */
export function hotPathTimes(
  results: readonly ChartedTime[],
  growth: readonly ChartedGrowth[],
): ChartSpec | null {
  const names = new Set(results.map(({ name }) => name));
  const timed = new Map(growth.flatMap((row) => (names.has(row.name) ? [[row.name, row] as const] : [])));
  if (timed.size === 0) return null;
  const rows = results
    .flatMap((row) => {
      const grown = timed.get(row.name);
      if (grown === undefined || row.p50Ms <= 0) return [];
      return [{ ...row, micros: row.p50Ms * 1_000, state: STATES[stateOf(grown)].text }];
    })
    .sort((a, b) => a.size - b.size);
  const micros = rows.map((row) => row.micros);
  const domain = [Math.min(...micros) / TIME_ROOM, Math.max(...micros) * TIME_ROOM] as const;
  const height = Math.max(300, PATH_ROW * timed.size);
  const present = Object.values(STATES).filter(({ text }) => rows.some(({ state }) => state === text));
  const texts = present.map(({ text }) => text);
  const x = quantity('size', 'context (tokens, log scale)', {
    scale: { type: 'log', nice: false },
    axis: { values: [...new Set(rows.map(({ size }) => size))], format: '~s', grid: true },
  });
  const y = quantity('micros', 'p50 of one call (µs, log scale)', {
    scale: { type: 'log', domain, nice: false },
    axis: { format: ',~r', values: powersOfTen(domain) },
  });
  const color = byName(
    'state',
    texts,
    present.map((state) => state.color),
  );
  const shape = byName(
    'state',
    texts,
    present.map((state) => state.shape),
  );
  const labels = labelsOf(rows, timed, { height, domain });
  return chartSpec(
    {
      text: pathsTitle([...timed.values()]),
      subtitle: 'time ~ size^exponent; the exponent stands before each name',
    },
    {
      width: WIDTH,
      height,
      layer: [
        {
          data: { values: rows },
          mark: { type: 'line', strokeWidth: 1.5, opacity: 0.8 },
          encoding: { x, y, color, detail: textOf('name') },
        },
        {
          data: { values: rows },
          mark: { type: 'point', filled: true, size: 36, opacity: 1 },
          encoding: { x, y, color, shape },
        },
        {
          data: { values: labels },
          mark: { type: 'rule', color: LIGHT.line, strokeWidth: 1 },
          encoding: { x, y, x2: { value: WIDTH + LEADER - 4 }, y2: { field: 'labelMicros' } },
        },
        {
          data: { values: labels },
          mark: { type: 'text', align: 'left', baseline: 'middle' },
          encoding: {
            x: { value: WIDTH + LEADER },
            y: { ...y, field: 'labelMicros' },
            text: textOf('label'),
            color: { condition: { test: MISSED, value: LIGHT.alarm }, value: LIGHT.ink },
          },
        },
      ],
    },
  );
}

/** The charts of a benchmark; those that would be empty are left out. */
export function benchCharts({ results, growth, ratios }: BenchChartInput): readonly NamedChart[] {
  const timed = new Set(results.map(({ name }) => name));
  const charts = {
    'hot-paths': hotPathTimes(results, growth),
    exponents: exponentBars(growth.filter(({ name }) => !timed.has(name))),
    ratios: ratioBars(ratios),
  };
  return Object.entries(charts).flatMap(([name, spec]) => (spec === null ? [] : [{ name, spec }]));
}

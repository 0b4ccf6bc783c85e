import { formatCount, formatExponent } from '../../core/base/format.js';
import { type ChartSpec, chartSpec } from './chart-spec.js';
import type { ChartedGrowth, ChartedTime } from './charted.js';
import { DISTINCT, LIGHT } from './palette.js';
import { spreadLabels } from './spread-labels.js';

const WIDTH = 520;
const LABEL_GAP = 16;
const ROW = 20;
/** Pixels from the plot to its labels. */
const LEADER = 34;
/** Room above and below the times, as a factor. */
const ROOM = 1.6;

const STATES = [
  ['kept', 'within its promise', LIGHT.series, 'circle'],
  ['window', 'its output is the whole window', DISTINCT.orange, 'square'],
  ['missed', 'grows faster than promised', LIGHT.alarm, 'diamond'],
] as const;

type State = (typeof STATES)[number][0];

function stateOf({ exponent, promised }: ChartedGrowth): State {
  if (promised === null) return 'window';
  return exponent > promised ? 'missed' : 'kept';
}

function titleOf(growth: readonly ChartedGrowth[]): string {
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

/** The last point of each path, and where its label stands: spread so that none covers another. */
function labelsOf(
  rows: readonly (ChartedTime & { readonly micros: number; readonly state: string })[],
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

/** The p50 of each hot path against the size of the context on logarithmic axes, each line with its exponent; null without times. */
export function hotPathTimes(
  results: readonly ChartedTime[],
  growth: readonly ChartedGrowth[],
): ChartSpec | null {
  const timed = new Map(
    growth.flatMap((row) =>
      results.some(({ name }) => name === row.name) ? [[row.name, row] as const] : [],
    ),
  );
  if (timed.size === 0) return null;
  const words = new Map<State, string>(STATES.map(([state, text]) => [state, text]));
  const rows = results
    .flatMap((row) => {
      const grown = timed.get(row.name);
      if (grown === undefined || row.p50Ms <= 0) return [];
      return [{ ...row, micros: row.p50Ms * 1_000, state: words.get(stateOf(grown))! }];
    })
    .sort((a, b) => a.size - b.size);
  const sizes = [...new Set(rows.map(({ size }) => size))];
  const domain: readonly [number, number] = [
    Math.min(...rows.map(({ micros }) => micros)) / ROOM,
    Math.max(...rows.map(({ micros }) => micros)) * ROOM,
  ];
  const height = Math.max(300, ROW * timed.size);
  const present = STATES.filter(([, text]) => rows.some(({ state }) => state === text));
  const x = {
    field: 'size',
    type: 'quantitative',
    title: 'context (tokens, log scale)',
    scale: { type: 'log', nice: false },
    axis: { values: sizes, format: '~s', grid: true },
  };
  const y = {
    field: 'micros',
    type: 'quantitative',
    title: 'p50 of one call (µs, log scale)',
    scale: { type: 'log', domain, nice: false },
    axis: { format: ',~r', values: powersOfTen(domain) },
  };
  const domainOf = present.map(([, text]) => text);
  const color = {
    field: 'state',
    type: 'nominal',
    scale: { domain: domainOf, range: present.map(([, , ink]) => ink) },
  };
  const shape = {
    field: 'state',
    type: 'nominal',
    scale: { domain: domainOf, range: present.map(([, , , form]) => form) },
  };
  const labels = labelsOf(rows, timed, { height, domain });
  return chartSpec(
    {
      text: titleOf([...timed.values()]),
      subtitle: 'time ~ size^exponent; the exponent stands before each name',
    },
    {
      width: WIDTH,
      height,
      layer: [
        {
          data: { values: rows },
          mark: { type: 'line', strokeWidth: 1.5, opacity: 0.8 },
          encoding: { x, y, color, detail: { field: 'name', type: 'nominal' } },
        },
        {
          data: { values: rows },
          mark: { type: 'point', filled: true, size: 36, opacity: 1 },
          encoding: { x, y, color, shape },
        },
        {
          data: { values: labels },
          mark: { type: 'rule', color: LIGHT.line, strokeWidth: 1 },
          encoding: {
            x,
            y,
            x2: { value: WIDTH + LEADER - 4 },
            y2: { field: 'labelMicros' },
          },
        },
        {
          data: { values: labels },
          mark: { type: 'text', align: 'left', baseline: 'middle' },
          encoding: {
            x: { value: WIDTH + LEADER },
            y: { ...y, field: 'labelMicros' },
            text: { field: 'label', type: 'nominal' },
            color: { condition: { test: 'datum.isMissed', value: LIGHT.alarm }, value: LIGHT.ink },
          },
        },
      ],
    },
  );
}

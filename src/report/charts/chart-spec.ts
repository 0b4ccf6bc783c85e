import { DARK, LIGHT } from './palette.js';

/** A Vega-Lite specification: plain JSON with its data inlined. */
export interface ChartSpec {
  readonly $schema: string;
  readonly title: { readonly text: string; readonly subtitle?: string };
  readonly [key: string]: unknown;
}

/** A chart under the name of its files. */
export interface NamedChart {
  /** Kebab-case, the name of the file without its ending. */
  readonly name: string;
  readonly spec: ChartSpec;
}

const SCHEMA = 'https://vega.github.io/schema/vega-lite/v6.json';

/** Size of a chart's plot in pixels. */
const PLOT = { width: 720, height: 300 } as const;

const CONFIG = {
  font: 'sans-serif',
  background: LIGHT.ground,
  view: { stroke: null },
  title: {
    anchor: 'start',
    color: LIGHT.ink,
    fontSize: 16,
    subtitleColor: LIGHT.muted,
    subtitleFontSize: 12,
    subtitlePadding: 6,
    offset: 14,
  },
  axis: {
    labelColor: LIGHT.muted,
    titleColor: LIGHT.muted,
    titleFontWeight: 'normal',
    titleFontSize: 12,
    labelFontSize: 11,
    titlePadding: 8,
    domainColor: LIGHT.line,
    tickColor: LIGHT.line,
    gridColor: LIGHT.line,
    labelFlush: false,
  },
  axisX: { grid: false },
  legend: {
    orient: 'bottom',
    direction: 'horizontal',
    title: null,
    labelColor: LIGHT.ink,
    labelFontSize: 12,
    labelLimit: 240,
    symbolType: 'square',
    columns: 4,
  },
  text: { color: LIGHT.muted, fontSize: 11 },
} as const;

/** The title of a chart: what it finds, and below it what it was made from. */
export interface ChartTitle {
  readonly text: string;
  readonly subtitle?: string;
}

/** A chart with the look that all charts share. */
export function chartSpec(title: ChartTitle, body: Readonly<Record<string, unknown>>): ChartSpec {
  return { $schema: SCHEMA, title, padding: 16, ...PLOT, ...body, config: CONFIG };
}

/** The text of a chart's `.vl.json` file. */
export function chartJson(spec: ChartSpec): string {
  return `${JSON.stringify(spec, null, 1)}\n`;
}

/** The style that turns a picture's light colours dark where the reader prefers that. */
export function darkStyle(): string {
  const rules = (Object.keys(LIGHT) as (keyof typeof LIGHT)[]).map(
    (name) => `[fill="${LIGHT[name]}"]{fill:${DARK[name]}}[stroke="${LIGHT[name]}"]{stroke:${DARK[name]}}`,
  );
  return `<style>@media (prefers-color-scheme:dark){${rules.join('')}}</style>`;
}

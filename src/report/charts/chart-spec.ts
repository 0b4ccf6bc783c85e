import { DARK, LIGHT } from './palette.js';

/** A Vega-Lite specification: plain JSON with its data inlined. */
export interface ChartSpec {
  readonly $schema: string;
  readonly title: ChartTitle;
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
    labelLimit: 480,
    symbolType: 'square',
    columns: 4,
  },
  text: { color: LIGHT.muted, fontSize: 11 },
} as const;

/** The title of a chart: what it finds, and below it what it was made from. */
export interface ChartTitle {
  readonly text: string;
  readonly subtitle?: string | readonly string[];
}

/** A chart with the look that all charts share. */
export function chartSpec(title: ChartTitle, body: Readonly<Record<string, unknown>>): ChartSpec {
  return { $schema: SCHEMA, title, padding: 16, ...PLOT, ...body, config: CONFIG };
}

/** Characters of a subtitle that fit above a plot. */
const SUBTITLE_CHARS = 110;

/** A text in lines that fit above a plot, words whole. */
export function inLines(text: string): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= SUBTITLE_CHARS)
      lines.push(`${lines.pop()} ${word}`);
    else lines.push(word);
  }
  return lines;
}

type Encoding = Readonly<Record<string, unknown>>;

/** An axis of numbers; without a title it takes that of the other parts of its chart. */
export function quantity(field: string, title?: string, more: Encoding = {}): Encoding {
  return { field, type: 'quantitative', ...(title === undefined ? {} : { title }), ...more };
}

/** A part of a chart over rows of its own; nothing without rows. */
export function drawn(values: readonly unknown[], part: Encoding): readonly Encoding[] {
  return values.length === 0 ? [] : [{ data: { values }, ...part }];
}

/** Texts of a field. */
export function textOf(field: string): Encoding {
  return { field, type: 'nominal' };
}

/** What each name of a field looks like, such as its colour. */
export function byName(field: string, names: readonly string[], looks: readonly string[]): Encoding {
  return { ...textOf(field), scale: { domain: names, range: looks } };
}

/** Dashed lines across a plot, each with its name at its end. */
export function namedRules(
  values: readonly object[],
  y: Encoding,
  name: { readonly x: unknown; readonly field: string; readonly mark: Encoding },
): object {
  const text = { type: 'text', baseline: 'bottom', color: LIGHT.muted, ...name.mark };
  return {
    data: { values },
    layer: [
      { mark: { type: 'rule', strokeDash: [6, 4], color: LIGHT.muted }, encoding: { y } },
      { mark: text, encoding: { x: { value: name.x }, y, text: textOf(name.field) } },
    ],
  };
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

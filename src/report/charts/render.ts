import type { TopLevelSpec } from 'vega-lite';
import { type ChartSpec, darkStyle } from './chart-spec.js';

/** Pixels of a PNG per pixel of the chart. */
const PNG_SCALE = 2;

/** Mean width of a character in a sans-serif font, in font sizes: text is laid out alike on every machine. */
const CHARACTER_WIDTH = 0.58;

interface TextMetrics {
  width(item: { readonly text?: unknown; readonly fontSize?: number }, text?: unknown): number;
}

function estimateWidths(metrics: TextMetrics): void {
  metrics.width = (item, text) => {
    const shown = String(text ?? item.text ?? '');
    return Math.ceil(shown.length * (item.fontSize ?? 11) * CHARACTER_WIDTH);
  };
}

let previous: Promise<unknown> = Promise.resolve();

async function render(spec: ChartSpec): Promise<string> {
  const [{ compile }, vega] = await Promise.all([import('vega-lite'), import('vega')]);
  estimateWidths((vega as unknown as { readonly textMetrics: TextMetrics }).textMetrics);
  const { spec: compiled } = compile(spec as unknown as TopLevelSpec, {
    logger: vega.logger(vega.Error),
  });
  const view = new vega.View(vega.parse(compiled), { renderer: 'none', logLevel: vega.Error });
  await view.runAsync();
  vega.resetSVGDefIds();
  const svg = await view.toSVG();
  view.finalize();
  return `${svg.replace('>', `>${darkStyle()}`)}\n`;
}

/** A chart as the text of an SVG file that follows the reader's light or dark preference. Ids inside start anew in each picture, so they are drawn one after the other. */
export async function renderSvg(spec: ChartSpec): Promise<string> {
  const next = previous.then(() => render(spec));
  previous = next.catch(() => null);
  return next;
}

/** A picture as the bytes of a PNG file, light, at twice its size. */
export async function renderPng(svg: string): Promise<Uint8Array> {
  const { Resvg } = await import('@resvg/resvg-js');
  const image = new Resvg(svg, {
    fitTo: { mode: 'zoom', value: PNG_SCALE },
    font: { defaultFontFamily: 'DejaVu Sans' },
  });
  return image.render().asPng();
}

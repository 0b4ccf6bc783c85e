import { type ChartSpec, darkStyle } from './chart-spec.js';

/** Pixels of a PNG per pixel of the chart. */
const PNG_SCALE = 2;

let previous: Promise<unknown> = Promise.resolve();

async function render(spec: ChartSpec): Promise<string> {
  const { drawChart } = await import('./draw-chart.js');
  const svg = await drawChart(spec);
  return `${svg.replace('>', `>${darkStyle()}`)}\n`;
}

/** A chart as the text of an SVG file that follows the reader's light or dark preference. Ids inside start again in each picture, so they are drawn one after the other. */
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

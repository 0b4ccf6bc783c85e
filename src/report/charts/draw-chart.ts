import * as vega from 'vega';
import { compile, type TopLevelSpec } from 'vega-lite';
import type { ChartSpec } from './chart-spec.js';

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

/**
 * Draws a chart as SVG. The only file that holds the chart packages: the build puts them into it, so that an installation needs none of
 * their parts that draw nothing here.
 */
export async function drawChart(spec: ChartSpec): Promise<string> {
  estimateWidths((vega as unknown as { readonly textMetrics: TextMetrics }).textMetrics);
  const { spec: compiled } = compile(spec as unknown as TopLevelSpec, { logger: vega.logger(vega.Error) });
  const view = new vega.View(vega.parse(compiled), { renderer: 'none', logLevel: vega.Error });
  await view.runAsync();
  vega.resetSVGDefIds();
  const svg = await view.toSVG();
  view.finalize();
  return svg;
}

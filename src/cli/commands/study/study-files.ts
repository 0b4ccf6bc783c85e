import type { ChartSpec, NamedChart } from '../../../report/charts/chart-spec.js';

/** The page of a study, in its report folder. */
export const STUDY_PAGE = 'report.html';

/** Pictures of a study: the specification and its SVG, written below `charts`. */
export async function writeCharts(
  folder: { write(folder: string, name: string, text: string): Promise<void> },
  charts: readonly NamedChart[],
): Promise<readonly { readonly title: string; readonly svg: string }[]> {
  if (charts.length === 0) return [];
  const [{ chartJson }, { renderSvg }] = await Promise.all([
    import('../../../report/charts/chart-spec.js'),
    import('../../../report/charts/render.js'),
  ]);
  const pictures: { title: string; svg: string }[] = [];
  for (const { name, spec } of charts) {
    const svg = await renderSvg(spec);
    await folder.write('charts', `${name}.vl.json`, chartJson(spec));
    await folder.write('charts', `${name}.svg`, svg);
    pictures.push({ title: titleOf(spec), svg });
  }
  return pictures;
}

function titleOf({ title }: ChartSpec): string {
  return title.text;
}

/** A value as the text of a JSON file. */
export function jsonText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

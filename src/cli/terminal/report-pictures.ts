import { join } from 'node:path';
import { chartJson, type NamedChart } from '../../report/charts/chart-spec.js';
import { renderPng, renderSvg } from '../../report/charts/render.js';
import { runCharts } from '../../report/charts/run-charts.js';
import { reportHtml } from '../../report/html/report-html.js';
import type { ReportedRun } from '../../report/page-data/page-run.js';
import type { Conclusion } from '../../report/text/conclusion.js';
import { writeFiles } from '../files/output.js';
import { type CliSession, warnUnwritten } from '../session.js';
import { runInterruptible, yieldToEventLoop } from './interrupt.js';
import { tellWritten } from './present.js';

/** Which pictures are wanted. */
export interface PictureOptions {
  /** Charts and the page. */
  readonly charts: boolean;
  /** SVG files of the charts: drawing them takes as long as a short run. */
  readonly svg?: boolean;
  /** PNG files beside the SVG files. */
  readonly png?: boolean;
}

/** A file of a report; `folder` is below the report, empty for its top. */
export interface ReportFile {
  readonly folder: string;
  readonly name: string;
  readonly content: string | Uint8Array;
}

/** The files of charts: the picture, its specification beside it, and a PNG where one is wanted. */
async function* chartFiles(
  charts: readonly NamedChart[],
  options: Pick<PictureOptions, 'png'>,
  interrupt: AbortSignal,
): AsyncGenerator<ReportFile> {
  for (const { name, spec } of charts) {
    await yieldToEventLoop(interrupt);
    const svg = await renderSvg(spec);
    yield { folder: 'charts', name: `${name}.vl.json`, content: chartJson(spec) };
    yield { folder: 'charts', name: `${name}.svg`, content: svg };
    if (options.png === true) {
      yield { folder: 'charts', name: `${name}.png`, content: await renderPng(svg) };
    }
  }
}

/** A page with the charts that belong to it. */
interface ChartedPage {
  readonly name: string;
  readonly content: string;
  readonly charts: readonly NamedChart[];
}

/** Writes a page and its charts into a folder that may hold other things. */
export async function writePage(
  session: CliSession,
  out: string,
  { name, content, charts }: ChartedPage,
  options: Pick<PictureOptions, 'png'> = {},
): Promise<void> {
  const { cwd, interrupt } = session.host;
  try {
    await writeFiles(out, cwd, chartFiles(charts, options, interrupt));
    await writeFiles(out, cwd, [{ folder: '', name, content }]);
    tellWritten(session, join(out, name));
  } catch (error) {
    warnUnwritten(session, '--out', error);
  }
}

/** report.html of one run, and its charts where they are wanted. */
export async function* reportPictures(
  title: string,
  run: ReportedRun,
  conclusion: Conclusion,
  options: PictureOptions,
  interrupt: AbortSignal,
): AsyncGenerator<ReportFile> {
  if (!options.charts) return;
  const page = await runInterruptible(interrupt, () => reportHtml({ title, conclusion, runs: [run] }));
  yield { folder: '', name: 'report.html', content: page };
  if (options.svg !== true && options.png !== true) return;
  const charts = await runInterruptible(interrupt, () => runCharts(run));
  yield* chartFiles(charts, options, interrupt);
}

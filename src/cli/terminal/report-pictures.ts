import { join } from 'node:path';
import { chartJson, type NamedChart } from '../../report/charts/chart-spec.js';
import { pointsSpecs } from '../../report/charts/points-spec.js';
import { renderPng, renderSvg } from '../../report/charts/render.js';
import { runCharts } from '../../report/charts/run-charts.js';
import { pageHtml, type StudyPage } from '../../report/html/page-html.js';
import { reportHtml } from '../../report/html/report-html.js';
import type { ReportedRun } from '../../report/page-data/page-run.js';
import type { Conclusion } from '../../report/text/conclusion.js';
import type { CommandOptions } from '../commands.generated.js';
import { writeSoftly } from '../files/output.js';
import type { CliSession } from '../session.js';
import { runInterruptible, yieldToEventLoop } from './interrupt.js';

/** Whether the charts of a page are written as files too: drawing them takes as long as a short run. */
export type PictureOptions = Pick<CommandOptions['report'], 'svg' | 'png'>;

/** A file of a report; `folder` is below the report, empty for its top. */
export interface ReportFile {
  readonly folder: string;
  readonly name: string;
  readonly content: string | Uint8Array;
}

/** The files of charts if requested: the picture, its specification beside it, and a PNG. */
export async function* chartFiles(
  charts: () => readonly NamedChart[],
  { svg, png }: PictureOptions,
  interrupt: AbortSignal,
): AsyncGenerator<ReportFile> {
  if (svg !== true && png !== true) return;
  for (const { name, spec } of await runInterruptible(interrupt, charts)) {
    await yieldToEventLoop(interrupt);
    const drawn = await renderSvg(spec);
    yield { folder: 'charts', name: `${name}.vl.json`, content: chartJson(spec) };
    yield { folder: 'charts', name: `${name}.svg`, content: drawn };
    if (png === true) yield { folder: 'charts', name: `${name}.png`, content: await renderPng(drawn) };
  }
}

/** A page of charts and a table, and its charts if requested. */
export async function* pageFiles(
  name: string,
  page: StudyPage,
  options: PictureOptions,
  interrupt: AbortSignal,
): AsyncGenerator<ReportFile> {
  const { charts, lead } = page.data;
  yield* chartFiles(() => pointsSpecs(charts, lead), options, interrupt);
  yield { folder: '', name, content: pageHtml(page) };
}

/** Writes a page and its charts into a folder that may hold other things. */
export async function writePage(
  session: CliSession,
  out: string,
  name: string,
  page: StudyPage,
  options: PictureOptions,
): Promise<void> {
  await writeSoftly(session, out, pageFiles(name, page, options, session.host.interrupt), join(out, name));
}

/** report.html of one run, and its charts if requested. */
export async function* reportPictures(
  title: string,
  run: ReportedRun,
  conclusion: Conclusion,
  options: PictureOptions,
  interrupt: AbortSignal,
): AsyncGenerator<ReportFile> {
  const page = await runInterruptible(interrupt, () => reportHtml({ title, conclusion, runs: [run] }));
  yield { folder: '', name: 'report.html', content: page };
  yield* chartFiles(() => runCharts(run), options, interrupt);
}

import { findMetric } from '../../../metrics/registry.js';
import type { NamedChart } from '../../../report/charts/chart-spec.js';
import type { ParetoPoint } from '../../../report/charts/pareto.js';
import type { MetricAxis } from '../../../report/charts/sweep-point.js';
import type { ComparisonTable } from '../../../report/page-data/page-data.js';
import type { ReportedRun } from '../../../report/page-data/page-run.js';
import { createRunSample } from '../../../report/page-data/run-sample.js';
import type { Conclusion } from '../../../report/text/conclusion.js';
import type { Comparison } from '../../../study/comparison.js';
import type { VariantCompleteness } from '../../../study/completeness.js';
import type { RowRun, StudyRow } from '../../../study/run-rows.js';
import { openTranscript } from '../../../transcripts/files/transcript-input.js';
import type { ReportFolder } from '../../files/output.js';
import { execute } from '../../runs/execute.js';
import { policyInfoOf } from '../../runs/policy-info.js';
import type { CliSession } from '../../session.js';
import { withoutPause } from '../../terminal/interrupt.js';
import { STUDY_PAGE, writeCharts } from './study-files.js';
import type { StudyTranscript } from './study-inputs.js';

/** Runs that the page shows side by side; more could not be told apart. */
const SHOWN_RUNS = 8;

/** Metrics of the Pareto chart: what it costs, and what the model still sees. */
const TRADE_OFF = ['costUsd', 'keptContentShare'] as const;

/** A metric as an axis of a chart. */
export function metricAxis(name: string): MetricAxis {
  const { unit, better } = findMetric(name)!;
  return { name, unit, better };
}

/** The mark of a point that takes no part in the ranking. */
export function pointMark({ standing }: VariantCompleteness): { readonly mark?: 'unranked' } {
  return standing === 'ranked' ? {} : { mark: 'unranked' };
}

/** A comparison as its page shows it. */
export interface CompareTables {
  readonly comparison: Comparison;
  readonly conclusion: Conclusion;
  readonly table: ComparisonTable;
  /** Null where there is one session. */
  readonly sessions: ComparisonTable | null;
}

/** Charts and report.html of a comparison: the variants over its first transcript side by side, with the table of all. */
export async function writeCompareReport(
  session: CliSession,
  folder: ReportFolder,
  title: string,
  { comparison, conclusion, table, sessions }: CompareTables,
  planned: readonly RowRun<StudyRow, StudyTranscript>[],
): Promise<void> {
  const first = planned[0]!.session;
  const { pareto } = await import('../../../report/charts/pareto.js');
  const shown = planned.filter((run) => run.session.label === first.label).slice(0, SHOWN_RUNS);
  const runs: ReportedRun[] = [];
  for (const { row, job, session: own } of shown) {
    const transcript = await withoutPause(session.host.interrupt, () => openTranscript(own.input));
    const sample = createRunSample();
    const { digest, facts } = await execute(session, job.plan, transcript, {
      async write(entries) {
        for (const entry of entries) sample.write(entry);
      },
    });
    runs.push({ name: row.name, ...sample.finish(), facts, digest, policyInfo: policyInfoOf(facts) });
  }
  const [x, y] = TRADE_OFF;
  const points = comparison.variants.flatMap(({ name, metrics, completeness }) => {
    const cost = metrics[x] ?? null;
    const kept = metrics[y] ?? null;
    if (cost === null || kept === null) return [];
    const point: ParetoPoint = { label: name, x: cost, y: kept, ...pointMark(completeness) };
    return [point];
  });
  const isRanked = points.some(({ mark }) => mark === undefined);
  const isFlat = [points.map((point) => point.x), points.map((point) => point.y)].some(
    (values) => new Set(values).size < 2,
  );
  const charts: NamedChart[] =
    isFlat || !isRanked
      ? []
      : [
          {
            name: 'cost-against-kept',
            spec: pareto({ x: metricAxis(x), y: metricAxis(y), points, subtitle: title }),
          },
        ];
  const pictures = await writeCharts(folder, charts);
  const { reportHtml } = await import('../../../report/html/report-html.js');
  await folder.write(
    '',
    STUDY_PAGE,
    reportHtml({ title, conclusion, runs, comparison: table, sessions, pictures }),
  );
}

import type { ComparisonTable, PageData, StudyChart } from '../page-data/page-data.js';
import { pageRun, type ReportedRun } from '../page-data/page-run.js';
import { compareTable } from '../text/compare-table.js';
import type { Conclusion } from '../text/conclusion.js';
import { pageHtml } from './page-html.js';

/** What a page is made from: one run, or several side by side. */
export interface ReportInput {
  readonly title: string;
  /** What the page comes to; absent if nothing is concluded. */
  readonly conclusion?: Conclusion;
  readonly runs: readonly ReportedRun[];
  /** The table of several runs; their main metrics where it is absent. */
  readonly comparison?: ComparisonTable;
  /** The sessions behind the table; absent or null if there is one. */
  readonly sessions?: ComparisonTable | null;
  /** Charts over the rows of the table. */
  readonly charts?: readonly StudyChart[];
}

/** report.html: one file that shows everything of a run, or several runs side by side, without a network. */
export function reportHtml(input: ReportInput): string {
  const { title, runs } = input;
  const data: PageData = {
    kind: 'runs',
    title,
    conclusion: input.conclusion ?? null,
    runs: runs.map(pageRun),
    comparison: input.comparison ?? (runs.length > 1 ? compareTable(runs) : null),
    sessions: input.sessions ?? null,
    charts: input.charts ?? [],
  };
  const elsewhere = 'summary.json and the CSV files beside it hold the same numbers.';
  return pageHtml({ data, elsewhere });
}

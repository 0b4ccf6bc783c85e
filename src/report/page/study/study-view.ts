import type { StudyChart, StudyPoint, StudySeries } from '../../page-data/study-page-data.js';

/** What the reader of a study looks at. */
export interface StudyView {
  /** Index of the chosen row; null = none. */
  readonly row: number | null;
}

/** A point of a chart. */
export interface PointRef {
  readonly chart: StudyChart;
  readonly series: StudySeries;
  readonly point: StudyPoint;
}

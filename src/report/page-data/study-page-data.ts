import type { MetricUnit } from '../../core/base/format.js';
import type { ChartedRun, ComparisonTable, PageFact } from './page-data.js';

/** What an axis of a chart counts. */
export interface StudyAxis {
  readonly title: string;
  /** How its values are written; null for plain numbers. */
  readonly unit: MetricUnit | null;
  readonly scale: 'linear' | 'log';
  /** Names of the places 0, 1, 2 …, where the axis has names instead of numbers. */
  readonly names?: readonly string[];
}

/** A point of a chart. */
export interface StudyPoint {
  readonly x: number;
  readonly y: number;
  /** Ends of its interval. */
  readonly low?: number;
  readonly high?: number;
  /** Index of the row it belongs to; null for none. */
  readonly row: number | null;
  readonly mark?: 'best' | 'unranked' | 'discarded';
  /** Written beside it, as far as there is room. */
  readonly label?: string;
}

/** Points that belong together. */
export interface StudySeries {
  readonly name: string;
  readonly color: string;
  readonly drawn: 'line' | 'dots';
  readonly points: readonly StudyPoint[];
}

/** A chart of points that the reader asks for their rows. */
export interface StudyChart {
  readonly title: string;
  readonly x: StudyAxis;
  readonly y: StudyAxis;
  readonly series: readonly StudySeries[];
  /** Lines to read points against: where both axes are equal, or levels with names. */
  readonly guide?: 'equal' | readonly { readonly name: string; readonly y: number }[];
  /** What happened at places of the first axis. */
  readonly events?: readonly { readonly x: number; readonly name: string; readonly color: string }[];
}

/** Everything the page of a study shows. */
export interface StudyPageData {
  readonly kind: 'study';
  readonly title: string;
  /** The result in a sentence. */
  readonly lead: string;
  /** What to do about it, or to doubt of it; null where the result says all. */
  readonly advice: string | null;
  readonly cards: readonly PageFact[];
  /** What a row is: a point, a session, a run. */
  readonly of: string;
  readonly table: ComparisonTable;
  readonly charts: readonly StudyChart[];
  /** Charts of the rows in small, in their order; empty where there are none. */
  readonly runs: readonly (ChartedRun | null)[];
  readonly notes: readonly string[];
}

import type { CellValue, ResultColumn } from '../../../study/result-rows.js';

/** A column of a table of sessions or requests, what it holds, and how it is filled. */
export interface Column<Row> extends ResultColumn {
  readonly about: string;
  readonly of: (row: Row) => CellValue;
}

/** A column of text. */
export function text<Row>(name: string, about: string, of: (row: Row) => string | null): Column<Row> {
  return { name, kind: 'text', about, of };
}

/** A column of numbers. */
export function number<Row>(name: string, about: string, of: (row: Row) => number | null): Column<Row> {
  return { name, kind: 'number', about, of };
}

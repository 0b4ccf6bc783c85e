import { stringify } from 'csv-stringify/sync';

/** What a cell may hold; null is an empty cell. */
export type Cell = string | number | boolean | null;

/** A table as CSV with a header line; texts that a spreadsheet would run as formulas are made inert. */
export function csv(columns: readonly string[], rows: readonly (readonly Cell[])[]): string {
  return csvLines([columns, ...rows]);
}

/** Rows of such a table, to be put behind others. */
export function csvLines(rows: readonly (readonly Cell[])[]): string {
  return stringify(rows as Cell[][], {
    record_delimiter: 'unix',
    escape_formulas: true,
    cast: { boolean: (value) => (value ? 'true' : 'false') },
  });
}

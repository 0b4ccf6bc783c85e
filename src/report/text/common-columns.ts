import type { ComparisonTable } from '../page-data/page-data.js';

/** Shown where a row has no value. */
const NO_VALUE = '–';

/** The value that all rows have in a column, as far as they have one; null where they differ, or only one has. */
function commonText({ rows }: ComparisonTable, column: number): string | null {
  const texts = rows.map(({ cells }) => cells[column]!.text).filter((text) => text !== NO_VALUE);
  return texts.length > 1 && texts.every((text) => text === texts[0]) ? texts[0]! : null;
}

/** A table without the columns in which all rows are alike, and what they have in common; the first column stays. */
export function commonColumns(table: ComparisonTable): {
  readonly table: ComparisonTable;
  readonly same: readonly string[];
} {
  const common = table.columns.map((_, i) => (i === 0 ? null : commonText(table, i)));
  const varying = common.flatMap((text, i) => (text === null ? [i] : []));
  return {
    table: {
      ...table,
      columns: varying.map((i) => table.columns[i]!),
      rows: table.rows.map((row) => ({ ...row, cells: varying.map((i) => row.cells[i]!) })),
    },
    same: table.columns.flatMap((name, i) => (common[i] === null ? [] : [`${name} ${common[i]}`])),
  };
}

import { printable } from '../../core/base/format.js';
import type { ComparisonTable, PageFact } from '../page-data/page-data.js';
import type { ColumnsOf } from './document.js';

/** A figure at the top of a page. */
export function card(label: string, value: string, note: string, tone: PageFact['tone'] = 'plain'): PageFact {
  return { label, value, note, tone };
}

/** The table of a page: the first column names the rows. */
export function pageTable<T>(
  caption: string,
  [name, ...columns]: ColumnsOf<T>,
  items: readonly T[],
  notes: readonly string[],
): ComparisonTable {
  return {
    caption,
    columns: columns.map(({ header }) => header),
    rows: items.map((item, i) => ({
      name: printable(name.cell(item, i).text),
      cells: columns.map((column) => column.cell(item, i)),
    })),
    notes,
  };
}

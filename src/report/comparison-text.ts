import { type Cell, csv } from './csv.js';
import { printable } from './format.js';
import type { ComparisonCell, ComparisonRow, ComparisonTable } from './page-data.js';
import { type Column, droppedHeaders, tableLines } from './table.js';
import type { Screen } from './terminal.js';

/** Set behind the best value of a column. */
const BEST = '*';

function cellText({ text, note, mark }: ComparisonCell): string {
  const value = mark === 'best' ? `${text}${BEST}` : text;
  return note === undefined || note === '' ? value : `${value} (${note})`;
}

function rowName({ name, note }: ComparisonRow): string {
  return printable(note === undefined ? name : `${name} (${note})`);
}

/** A comparison on the terminal: columns that do not fit are left out from the right, and named below. */
export function comparisonLines(table: ComparisonTable, screen: Screen): readonly string[] {
  const columns: Column[] = [
    { header: 'variant', align: 'left', drop: null },
    ...table.columns.map(
      (header, i): Column => ({
        header,
        align: 'right',
        drop: i === 0 ? null : table.columns.length - i,
      }),
    ),
  ];
  const rows = table.rows.map((row) => ({ cells: [rowName(row), ...row.cells.map(cellText)] }));
  const left = droppedHeaders(columns, rows, screen.width);
  const note = `left out, too wide for ${screen.width} columns: ${left.join(', ')} (--json has them)`;
  return [
    ...tableLines(columns, rows, { indent: '', ...screen }),
    ...(left.length === 0 ? [] : [note]),
    ...table.notes,
  ];
}

function escaped(text: string): string {
  return printable(text).replaceAll('|', '\\|');
}

/** A comparison as a page of Markdown. */
export function comparisonMarkdown(table: ComparisonTable): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const rows = table.rows.map((row) =>
    line([
      escaped(rowName(row)),
      ...row.cells.map(({ text, note, mark }) => {
        const value = mark === 'best' ? `**${escaped(text)}**` : escaped(text);
        return note === undefined || note === '' ? value : `${value}<br>${escaped(note)}`;
      }),
    ]),
  );
  return [
    `# ${escaped(table.caption)}`,
    '',
    line(['variant', ...table.columns]),
    line(['---', ...table.columns.map(() => '---:')]),
    ...rows,
    '',
    ...table.notes.map((note) => `- ${escaped(note)}`),
    '',
  ].join('\n');
}

/** Rows of numbers as CSV, one column per name. */
export function recordsCsv(
  keys: readonly string[],
  columns: readonly string[],
  rows: readonly {
    readonly keys: readonly Cell[];
    readonly values: Readonly<Record<string, number | null>>;
  }[],
): string {
  return csv(
    [...keys, ...columns],
    rows.map((row) => [...row.keys, ...columns.map((name) => row.values[name] ?? null)]),
  );
}

import { markdownText, printable } from '../../core/base/format.js';
import { ownValue } from '../../core/base/own-value.js';
import type { ComparisonCell, ComparisonRow, ComparisonTable } from '../page-data/page-data.js';
import { type Cell, csvLines } from '../tables/csv.js';
import { commonColumns } from './compare-table.js';
import {
  type Column,
  droppedHeaders,
  type Row,
  type Screen,
  tableLines,
  textWidth,
  wrapText,
} from './table.js';

/** Set behind the best value of a column. */
const BEST = '*';

function cellText({ text, note, mark }: ComparisonCell): string {
  const value = mark === 'best' ? `${text}${BEST}` : text;
  return note === undefined || note === '' ? value : `${value} (${note})`;
}

function rowName({ name, note }: ComparisonRow): string {
  return printable(note === undefined ? name : `${name} (${note})`);
}

/** A table that is about to be printed. */
interface Form {
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
  readonly notes: readonly string[];
}

/** A table without the differences that a column has none of. */
function withDifferences(table: ComparisonTable, has: (column: number) => boolean): ComparisonTable {
  const cells = (row: ComparisonRow): readonly ComparisonCell[] =>
    row.cells.map((cell, i) => (has(i) ? cell : { ...cell, note: '' }));
  return { ...table, rows: table.rows.map((row) => ({ ...row, cells: cells(row) })) };
}

function formOf({ columns, rows }: ComparisonTable, notes: readonly string[]): Form {
  return {
    columns: [
      { header: 'variant', align: 'left', drop: null },
      ...columns.map(
        (header, i): Column => ({ header, align: 'right', drop: i === 0 ? null : columns.length - i }),
      ),
    ],
    rows: rows.map((row) => ({ cells: [rowName(row), ...row.cells.map(cellText)] })),
    notes,
  };
}

/** Narrowest width of a column whose head is broken into lines. */
const LEAST_WIDTH = 8;

/** The name of a metric on lines no wider than its values, as far as its words allow. */
function stacked(header: string, width: number): string {
  const lines: string[] = [];
  for (const word of header.split(/(?<= )|(?=[A-Z.])/)) {
    const last = lines.at(-1);
    if (last !== undefined && textWidth(last) + textWidth(word) <= Math.max(width, LEAST_WIDTH))
      lines[lines.length - 1] = last + word;
    else lines.push(word);
  }
  return lines.map((line) => line.trimEnd()).join('\n');
}

/** The same with heads on several lines. */
function stackedForm({ columns, rows, notes }: Form): Form {
  const narrow = columns.map((column, i) => {
    const widths = rows.map(({ cells }) => textWidth(cells[i]!));
    return i === 0 ? column : { ...column, header: stacked(column.header, Math.max(0, ...widths)) };
  });
  return { columns: narrow, rows, notes };
}

/** The ways to print a comparison, the one with most in it first. */
function formsOf(table: ComparisonTable, width: number): readonly Form[] {
  const { table: varying, same: shared } = commonColumns(table);
  const same = shared.length === 0 ? [] : [`the same in all rows: ${shared.join(', ')}`];
  const hasNote = (from: number): boolean =>
    varying.rows.some(({ cells }) => cells.slice(from).some(({ note = '' }) => note !== ''));
  const leftOut = (from: number): readonly string[] =>
    hasNote(from)
      ? [
          `${from === 0 ? 'differences are' : 'other differences are'} left out, too wide for ${width} columns (--json has them)`,
        ]
      : [];
  const all = formOf(varying, same);
  const first = formOf(
    withDifferences(varying, (column) => column === 0),
    [...same, ...leftOut(1)],
  );
  const bare = formOf(
    withDifferences(varying, () => false),
    [...same, ...leftOut(0)],
  );
  return [formOf(table, []), all, stackedForm(all), stackedForm(first), stackedForm(bare)];
}

/**
 * A comparison on the terminal. Where it is too wide, columns in which all variants are alike become one line; then heads are
 * broken into lines, and differences go but for the first column's. Where nothing fits, columns are left out from the right, and
 * named below.
 */
export function comparisonLines(table: ComparisonTable, screen: Screen): readonly string[] {
  const forms = formsOf(table, screen.width);
  const left = forms.map(({ columns, rows }) => droppedHeaders(columns, rows, screen.width));
  const fitting = left.findIndex((headers) => headers.length === 0);
  const at = fitting < 0 ? forms.length - 2 : fitting;
  const { columns, rows, notes } = forms[at]!;
  const named = left[at]!.map((header) => header.replace(/\n(?![A-Z.])/g, ' ').replaceAll('\n', '')).join(
    ', ',
  );
  const below = [
    ...notes,
    ...(named === '' ? [] : [`left out, too wide for ${screen.width} columns: ${named} (--json has them)`]),
    ...table.notes,
  ];
  return [
    ...tableLines(columns, rows, { indent: '', ...screen }),
    ...below.flatMap((note) => wrapText(note, screen.width, '', '  ')),
  ];
}

/** A comparison as a page of Markdown. */
export function comparisonMarkdown(table: ComparisonTable): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const rows = table.rows.map((row) =>
    line([
      markdownText(rowName(row)),
      ...row.cells.map(({ text, note, mark }) => {
        const value = mark === 'best' ? `**${markdownText(text)}**` : markdownText(text);
        return note === undefined || note === '' ? value : `${value}<br>${markdownText(note)}`;
      }),
    ]),
  );
  return [
    `# ${markdownText(table.caption)}`,
    '',
    line(['variant', ...table.columns]),
    line(['---', ...table.columns.map(() => '---:')]),
    ...rows,
    '',
    ...table.notes.map((note) => `- ${markdownText(note)}`),
    '',
  ].join('\n');
}

/** Rows of a table that become text together. */
const ROWS_AT_ONCE = 256;

/** Rows of numbers as CSV, one column per name, in pieces: there may be more rows than one wants to hold. */
export function* recordsCsv(
  keys: readonly string[],
  columns: readonly string[],
  rows: Iterable<{
    readonly keys: readonly Cell[];
    readonly values: Readonly<Record<string, number | null>>;
  }>,
): Generator<string> {
  let lines: (readonly Cell[])[] = [[...keys, ...columns]];
  for (const row of rows) {
    lines.push([...row.keys, ...columns.map((name) => ownValue(row.values, name) ?? null)]);
    if (lines.length < ROWS_AT_ONCE) continue;
    yield csvLines(lines);
    lines = [];
  }
  yield csvLines(lines);
}

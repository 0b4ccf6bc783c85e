import { type Cell, csv } from './csv.js';
import { printable } from './format.js';
import type { ComparisonCell, ComparisonRow, ComparisonTable } from './page-data.js';
import { textWidth } from './style.js';
import { type Column, droppedHeaders, type Row, tableLines } from './table.js';
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

/** A table that is about to be printed. */
interface Form {
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
  readonly notes: readonly string[];
}

function formOf(
  table: ComparisonTable,
  headers: readonly string[],
  cell: (cell: ComparisonCell) => string,
): Form {
  return {
    columns: [
      { header: 'variant', align: 'left', drop: null },
      ...headers.map(
        (header, i): Column => ({ header, align: 'right', drop: i === 0 ? null : headers.length - i }),
      ),
    ],
    rows: table.rows.map((row) => ({ cells: [rowName(row), ...row.cells.map(cell)] })),
    notes: [],
  };
}

/** Narrowest width of a column whose head is broken into lines. */
const LEAST_WIDTH = 8;

/** The name of a metric on lines no wider than its values, as far as its words allow. */
function stacked(header: string, width: number): string {
  const lines: string[] = [];
  for (const word of header.split(/(?=[A-Z.])/)) {
    const last = lines.at(-1);
    if (last !== undefined && textWidth(last) + textWidth(word) <= Math.max(width, LEAST_WIDTH))
      lines[lines.length - 1] = last + word;
    else lines.push(word);
  }
  return lines.join('\n');
}

/** The ways to print a comparison, the one with most in it first. */
function formsOf(table: ComparisonTable, width: number): readonly Form[] {
  const whole = formOf(table, table.columns, cellText);
  const bare = formOf(table, table.columns, (cell) => cellText({ ...cell, note: '' }));
  const notes = [`differences are left out, too wide for ${width} columns (--json has them)`];
  const columns = bare.columns.map((column, i) => {
    const widths = bare.rows.map(({ cells }) => textWidth(cells[i]!));
    return i === 0 ? column : { ...column, header: stacked(column.header, Math.max(0, ...widths)) };
  });
  const isSame = bare.rows.every((row, i) => row.cells.every((cell, j) => cell === whole.rows[i]!.cells[j]));
  const said = isSame ? [] : notes;
  return [whole, { ...bare, notes: said }, { ...bare, columns, notes: said }];
}

/**
 * A comparison on the terminal. Where it is too wide, differences go first, then heads are broken into lines; columns that still
 * do not fit are left out from the right, and named below.
 */
export function comparisonLines(table: ComparisonTable, screen: Screen): readonly string[] {
  const forms = formsOf(table, screen.width);
  const left = forms.map(({ columns, rows }) => droppedHeaders(columns, rows, screen.width));
  const fitting = left.findIndex((headers) => headers.length === 0);
  const at = fitting < 0 ? forms.length - 1 : fitting;
  const { columns, rows, notes } = forms[at]!;
  const named = left[at]!.map((header) => header.replaceAll('\n', '')).join(', ');
  return [
    ...tableLines(columns, rows, { indent: '', ...screen }),
    ...notes,
    ...(named === '' ? [] : [`left out, too wide for ${screen.width} columns: ${named} (--json has them)`]),
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

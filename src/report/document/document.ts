import { formatCount, printable } from '../../core/base/format.js';
import { isLoss, type Warning } from '../../core/run/warning.js';
import type { ComparisonTable, PageFact } from '../page-data/page-data.js';
import type { Column, Row, Tone } from '../text/table.js';

/** What a command found out, in the order in which it is read; an empty string is an empty line, and false is nothing. */
export type Block = false | string | Title | Line | Section | Table | Comparison | DroppedNote;

/** What something is called, and in the same line what it is, where that fits. */
interface Title {
  readonly kind: 'title';
  readonly text: string;
  readonly note: string;
}

/** A sentence with a style of its own; lines after the first begin with `hang`. */
interface Line {
  readonly kind: 'line';
  readonly text: string;
  readonly lead: string;
  readonly hang: string;
  readonly tone: Tone;
  /** It is about the numbers, not one of them: the short form counts it. */
  readonly isNote?: boolean;
}

/** Blocks below a heading; nothing at all where they come to no line. */
interface Section {
  readonly kind: 'section';
  readonly title: string;
  readonly blocks: readonly Block[];
  /** The short form has it too. */
  readonly isAnswer?: boolean;
}

/** Runs or settings side by side. */
interface Comparison {
  readonly kind: 'comparison';
  readonly table: ComparisonTable;
}

/** A table; no line where it has no rows. */
interface Table {
  readonly kind: 'table';
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
  readonly indent: string;
}

/** Names the columns that the tables before it had no room for. */
interface DroppedNote {
  readonly kind: 'dropped';
}

/** What one cell shows; pages sort by `value`. */
interface DocumentCell {
  readonly text: string;
  readonly value?: number | null;
}

/** A column of a table whose rows are items of type `T`. */
export interface ColumnOf<T> extends Column {
  cell(item: T, index: number): DocumentCell;
}

/** The columns of a table; the first names the rows. */
export type ColumnsOf<T> = readonly [ColumnOf<T>, ...ColumnOf<T>[]];

const INDENT = '  ';

/** A column of text. */
export function text<T>(
  header: string,
  pick: (item: T, index: number) => string,
  drop: number | null = null,
): ColumnOf<T> {
  return { header, align: 'left', drop, cell: (item, index) => ({ text: pick(item, index) }) };
}

/** A column whose cells are made one by one, set right. */
export function column<T>(
  header: string,
  cell: (item: T, index: number) => DocumentCell,
  drop: number | null = null,
): ColumnOf<T> {
  return { header, align: 'right', drop, cell };
}

/** A column of numbers. */
export function number<T>(
  header: string,
  pick: (item: T, index: number) => number | null,
  format: (value: number | null) => string,
  drop: number | null = null,
): ColumnOf<T> {
  const cell = (value: number | null): DocumentCell => ({ text: format(value), value });
  return column(header, (item, index) => cell(pick(item, index)), drop);
}

/** A column of amounts that are more than a number, set right. */
export function amount<T>(
  header: string,
  pick: (item: T, index: number) => string,
  drop: number | null = null,
): ColumnOf<T> {
  return column(header, (item, index) => ({ text: pick(item, index) }), drop);
}

/** The rows of items under their columns. */
export function rowsOf<T>(
  columns: readonly ColumnOf<T>[],
  items: readonly T[],
  tone: (item: T) => Tone = () => 'plain',
): readonly Row[] {
  return items.map((item, index) => ({
    cells: columns.map((column) => column.cell(item, index).text),
    tone: tone(item),
  }));
}

/** A table with a row for each item. */
export function table<T>(
  columns: readonly ColumnOf<T>[],
  items: readonly T[],
  tone?: (item: T) => Tone,
): Block {
  return tableOf(columns, rowsOf(columns, items, tone));
}

/** A table of rows that are there already. */
export function tableOf(columns: readonly Column[], rows: readonly Row[], indent = INDENT): Block {
  return { kind: 'table', columns, rows, indent };
}

/** A name with what it is of. */
export function title(text: string, note: string): Block {
  return { kind: 'title', text, note };
}

/** Blocks below a heading. */
export function section(title: string, ...blocks: readonly Block[]): Block {
  return { kind: 'section', title, blocks };
}

/** A section that the short form has too. */
export function answer(title: string, ...blocks: readonly Block[]): Block {
  return { kind: 'section', title, blocks, isAnswer: true };
}

/** Runs or settings side by side. */
export function comparison(table: ComparisonTable): Block {
  return { kind: 'comparison', table };
}

/** A line that is about the numbers. */
export function note(line: Line): Line {
  return { ...line, isNote: true };
}

/** A sentence at the left edge that stands out. */
export function said(text: string, tone: Tone, hang = ''): Line {
  return { kind: 'line', text, lead: '', hang, tone };
}

/** A sentence that is set in, as what belongs to a heading or a table is. */
export function inset(text: string, tone: Tone = 'plain', lead = INDENT, hang = INDENT + INDENT): Line {
  return { kind: 'line', text, lead, hang, tone };
}

/** A sentence, or false if there is nothing to say. */
export type Said = string | false;

/** What the reader must know of the numbers above. */
export function notes(texts: readonly Said[]): readonly Block[] {
  return texts.flatMap((each) => (each === false ? [] : note(inset(each, 'dim'))));
}

/** What was found on the way: `code: message (3 times)`, with what to do about it below. */
export function findings(warnings: readonly Warning[]): readonly Block[] {
  return warnings.flatMap(({ code, message, remedy, count }) => [
    (isLoss({ code }) ? (line: Line) => line : note)(
      inset(`${message}${count > 1 ? ` (${formatCount(count)} times)` : ''}`, 'warning'),
    ),
    remedy !== null && inset(remedy, 'plain', `${INDENT}→ `),
  ]);
}

/** Stands where the columns are named that had no room. */
export const DROPPED: Block = { kind: 'dropped' };

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

import { formatCount } from '../../../core/base/format.js';
import { ownValue } from '../../../core/base/own-value.js';
import { h, oncePerFrame } from './dom.js';
import { takeClick } from './place.js';

/** A column of a table. */
export interface TableColumn {
  readonly header: string;
  /** Width as CSS grid track, e.g. `90px` or `minmax(120px, 1fr)`. */
  readonly width: string;
  readonly align: 'left' | 'right';
  /** Text of a row's cell. */
  text(row: number): string;
  /** Where the text leads; absent for plain text. */
  link?(row: number): string;
  /** More than fits, shown by the pointer. */
  hint?(row: number): string;
  /** What rows are sorted by; null when the column cannot be sorted. */
  readonly value: ((row: number) => number | string) | null;
}

/** A column of numbers, written as the text of each says. */
export function numberColumn(
  header: string,
  width: string,
  value: (row: number) => number,
  text: (value: number) => string = formatCount,
): TableColumn {
  return { header, width, align: 'right', text: (row) => text(value(row)), value };
}

/** A column of texts; what is cut off is shown by the pointer. */
export function textColumn(header: string, width: string, value: (row: number) => string): TableColumn {
  return { header, width, align: 'left', text: value, value, hint: value };
}

/** Leaves zero empty. */
export function blankZero(text: (value: number) => string): (value: number) => string {
  return (value) => (value === 0 ? '' : text(value));
}

/** A table of any length of which only what is seen exists. */
export interface VirtualTable {
  readonly element: HTMLElement;
  /** Shows these rows, by their number, in the chosen order. */
  setRows(rows: readonly number[]): void;
  /** Marks a row and brings it into sight. */
  choose(row: number | null): void;
}

/** How a table behaves. */
export interface TableOptions {
  readonly id: string;
  readonly label: string;
  readonly columns: readonly TableColumn[];
  readonly maxHeight: number;
  onChoose(row: number, by: 'click' | 'key'): void;
}

const ROW_PX = 30;
/** Rows beyond the visible ones that are drawn as well. */
const MARGIN_ROWS = 6;

/** Creates an empty table. */
export function createVirtualTable(options: TableOptions): VirtualTable {
  const { columns, id } = options;
  const tracks = columns.map(({ width }) => width).join(' ');
  const leastPx = columns.reduce((sum, { width }) => sum + Number(/\d+/.exec(width)![0]), 0);
  let given: readonly number[] = [];
  let rows: readonly number[] = [];
  let chosen: number | null = null;

  const heads = columns.map(({ header, align, value }, index) =>
    h(
      'div',
      { role: 'columnheader', class: align },
      value === null ? header : h('button', { click: () => sorting.by(index) }, header),
    ),
  );
  const least = `min-width:${leastPx}px`;
  const body = h('div.rows', { role: 'rowgroup', style: least });
  const head = h('div.head', { role: 'rowgroup', style: least });
  head.append(
    h('div', { role: 'row', 'aria-rowindex': 1, style: `grid-template-columns:${tracks}` }, ...heads),
  );
  const element = h('div.table', { role: 'grid', tabindex: 0, 'aria-label': options.label }, head, body);
  element.style.maxHeight = `${options.maxHeight}px`;

  const drawRow = (position: number): HTMLElement => {
    const row = rows[position]!;
    const cells = columns.map(({ text, align, link, hint }) =>
      h(
        'div',
        { role: 'gridcell', class: align, title: hint?.(row) ?? null },
        link === undefined ? text(row) : h('a', { href: link(row), tabindex: -1 }, text(row)),
      ),
    );
    const attributes = {
      role: 'row',
      id: `${id}-${row}`,
      'aria-rowindex': position + 2,
      'aria-selected': row === chosen ? 'true' : 'false',
      'data-row': row,
      style: `grid-template-columns:${tracks};transform:translateY(${position * ROW_PX}px)`,
    };
    return h('div', attributes, ...cells);
  };
  const draw = (): void => {
    const first = Math.max(0, Math.floor(element.scrollTop / ROW_PX) - MARGIN_ROWS);
    const seen = Math.ceil((element.clientHeight || options.maxHeight) / ROW_PX) + 2 * MARGIN_ROWS;
    const drawn: HTMLElement[] = [];
    for (let i = first; i < Math.min(rows.length, first + seen); i++) drawn.push(drawRow(i));
    if (rows.length === 0) {
      drawn.push(h('div.empty', { role: 'row' }, h('div', { role: 'gridcell' }, 'nothing to show')));
    }
    body.style.height = `${Math.max(rows.length, 1) * ROW_PX}px`;
    body.replaceChildren(...drawn);
    element.setAttribute('aria-rowcount', String(rows.length + 1));
    const active = drawn.find((item) => item.id === `${id}-${chosen}`);
    if (active !== undefined) element.setAttribute('aria-activedescendant', active.id);
    else element.removeAttribute('aria-activedescendant');
  };
  const drawSoon = oncePerFrame(draw);
  const arrange = (): void => {
    rows = sorting.sorted(given);
    draw();
  };
  const sorting = createSorting(heads, (row, column) => columns[column]!.value!(row), arrange);
  const reveal = (position: number): void => {
    const top = position * ROW_PX;
    const room = element.clientHeight - 2 * ROW_PX;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top > element.scrollTop + room) element.scrollTop = top - room;
  };

  element.addEventListener('scroll', drawSoon);
  element.addEventListener('click', (event) => {
    const row = (event.target as Element).closest<HTMLElement>('[data-row]');
    if (row !== null && takeClick(event)) options.onChoose(Number(row.dataset.row), 'click');
  });
  element.addEventListener('keydown', (event) => {
    if (event.target !== element) return;
    const page = Math.max(1, Math.floor(element.clientHeight / ROW_PX) - 2);
    const moves: Readonly<Record<string, number>> = {
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: page,
      PageUp: -page,
      Home: -rows.length,
      End: rows.length,
    };
    const move = ownValue(moves, event.key);
    if (move === undefined || rows.length === 0) return;
    event.preventDefault();
    const position = chosen === null ? -1 : rows.indexOf(chosen);
    options.onChoose(rows[Math.max(0, Math.min(rows.length - 1, position + move))]!, 'key');
  });
  new ResizeObserver(drawSoon).observe(element);

  return {
    element,
    setRows(next) {
      given = next;
      element.scrollTop = 0;
      arrange();
    },
    choose(row) {
      chosen = row;
      const position = row === null ? -1 : rows.indexOf(row);
      if (position >= 0) reveal(position);
      draw();
    },
  };
}

type Value = number | string | null;

/** The order of a table's rows. */
interface Sorting {
  /** Sorts by a column: upwards, then downwards, then as the rows came. */
  by(column: number): void;
  sorted(rows: readonly number[]): readonly number[];
}

/** Creates the order of rows, as they came at first; rows without a value come last either way. */
export function createSorting(
  heads: readonly Element[],
  value: (row: number, column: number) => Value,
  onChange: () => void,
): Sorting {
  let sort: { readonly column: number; readonly sign: 1 | -1 } | null = null;
  return {
    by(column) {
      if (sort?.column !== column) sort = { column, sign: 1 };
      else sort = sort.sign === 1 ? { column, sign: -1 } : null;
      for (const [index, head] of heads.entries()) {
        if (sort?.column !== index) head.removeAttribute('aria-sort');
        else head.setAttribute('aria-sort', sort.sign === 1 ? 'ascending' : 'descending');
      }
      onChange();
    },
    sorted(rows) {
      if (sort === null) return rows;
      const { column, sign } = sort;
      return [...rows].sort((a, b) => {
        const left = value(a, column);
        const right = value(b, column);
        if (left === right) return a - b;
        if (left === null || right === null) return left === null ? 1 : -1;
        return left < right ? -sign : sign;
      });
    },
  };
}

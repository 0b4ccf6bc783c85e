/** Ways to set off text on a terminal; a width never changes by them. */
export interface Style {
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
  green(text: string): string;
  yellow(text: string): string;
}

/** How wide lines may be on a screen, and how they stand out. */
export interface Screen {
  readonly width: number;
  readonly style: Style;
}

const same = (text: string): string => text;

/** No emphasis at all: for files, pipes and tests. */
export const plainStyle: Style = { bold: same, dim: same, red: same, green: same, yellow: same };

/** Width of a text in character cells, wide East Asian characters counted twice. */
export function textWidth(text: string): number {
  let width = 0;
  for (const char of text) {
    if (/\p{Mn}|\p{Cf}/u.test(char)) continue;
    width +=
      /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u.test(
        char,
      )
        ? 2
        : 1;
  }
  return width;
}

/** One column of a table on the terminal. */
export interface Column {
  /** Line breaks in it make a head of several lines. */
  readonly header: string;
  readonly align: 'left' | 'right';
  /** Order in which columns go when the table is too wide, lowest first; null stays whatever happens. */
  readonly drop: number | null;
}

/** How a row or a sentence stands out. */
export type Tone = 'plain' | 'dim' | 'strong' | 'good' | 'bad' | 'warning';

/** One row: a cell per column; the first is its key. */
export interface Row {
  readonly cells: readonly string[];
  readonly tone?: Tone;
  /** Stands above the row, where rows come in groups. */
  readonly heading?: string;
}

const GAP = '  ';

function pad(text: string, width: number, align: Column['align']): string {
  const space = ' '.repeat(Math.max(0, width - textWidth(text)));
  return align === 'left' ? text + space : space + text;
}

function totalWidth(kept: readonly number[], widths: readonly number[]): number {
  let total = -GAP.length;
  for (const index of kept) total += widths[index]! + GAP.length;
  return total;
}

function keepColumns(columns: readonly Column[], widths: readonly number[], width: number): number[] {
  let kept = columns.map((_, index) => index);
  const byDrop = kept
    .filter((index) => columns[index]!.drop !== null)
    .sort((a, b) => columns[a]!.drop! - columns[b]!.drop!);
  for (const victim of byDrop) {
    if (totalWidth(kept, widths) <= width) break;
    kept = kept.filter((index) => index !== victim);
  }
  return kept;
}

/** A line as its tone wants it; of a good one the mark alone is green. */
export function paint(line: string, tone: Tone, { dim, bold, red, yellow, green }: Style): string {
  const good = (text: string): string => text.replace('✓', green('✓'));
  const paints = { plain: (text: string) => text, dim, strong: bold, good, bad: red, warning: yellow };
  return paints[tone](line);
}

function widthsOf(columns: readonly Column[], rows: readonly Row[]): readonly number[] {
  return columns.map((column, index) =>
    Math.max(
      ...column.header.split('\n').map(textWidth),
      ...rows.map((row) => textWidth(row.cells[index] ?? '')),
    ),
  );
}

/** Headers of the columns that a table of a width leaves out. */
export function droppedHeaders(
  columns: readonly Column[],
  rows: readonly Row[],
  width: number,
): readonly string[] {
  const kept = new Set(keepColumns(columns, widthsOf(columns, rows), width));
  return columns.flatMap(({ header }, index) => (kept.has(index) ? [] : [header]));
}

/** Characters that a key has at least: where it would have fewer, breaking it makes no table fit. */
const LEAST_KEY = 12;

/** A key in lines of at most this width. */
function keyLines(key: string, width: number): readonly string[] {
  if (textWidth(key) <= width) return [key];
  const pieces = new RegExp(`.{1,${width - GAP.length}}`, 'gu');
  const words = key.split(' ').flatMap((word) => (textWidth(word) <= width ? [word] : word.match(pieces)!));
  return wrapText(words.join(' '), width, '', GAP);
}

/** Lines of an aligned table; columns that do not fit are dropped, keys are broken and never cut. Columns that are empty throughout go too. */
export function tableLines(
  columns: readonly Column[],
  rows: readonly Row[],
  options: { readonly indent: string; readonly width: number; readonly style: Style },
): string[] {
  const { indent, style } = options;
  const room = options.width - indent.length;
  const full = widthsOf(columns, rows);
  const kept = keepColumns(columns, full, room).filter((index) => full[index]! > 0);
  const [key = 0] = kept;
  const left = room - totalWidth(kept, full) + full[key]!;
  const widths = full.map((width, i) => (i === key && left >= LEAST_KEY ? Math.min(width, left) : width));
  const render = (cells: readonly string[]): string => {
    const parts = kept.map((index) => pad(cells[index] ?? '', widths[index]!, columns[index]!.align));
    return (indent + parts.join(GAP)).trimEnd();
  };
  const lines: string[] = [];
  if (columns.some((column) => column.header !== '')) {
    const heads = columns.map((column) => column.header.split('\n'));
    const height = Math.max(...kept.map((index) => heads[index]!.length));
    for (let line = 0; line < height; line++)
      lines.push(style.dim(render(heads.map((head) => head[line - height + head.length] ?? ''))));
  }
  for (const { cells, tone = 'plain', heading } of rows) {
    if (heading !== undefined) lines.push('', style.bold(heading));
    const [first = '', ...more] = keyLines(cells[key] ?? '', widths[key]!);
    lines.push(paint(render(cells.with(key, first)), tone, style));
    for (const line of more) lines.push(paint(indent + line, tone, style));
  }
  return lines;
}

/** A sentence broken at spaces; lines after the first are indented by `hang`. A word longer than the line stays whole. */
export function wrapText(text: string, width: number, lead: string, hang: string): string[] {
  const lines: string[] = [];
  let line = lead;
  let empty = true;
  for (const word of text.split(' ')) {
    if (!empty && textWidth(line) + 1 + textWidth(word) > width) {
      lines.push(line);
      line = hang;
      empty = true;
    }
    line += empty ? word : ` ${word}`;
    empty = false;
  }
  lines.push(line);
  return lines;
}

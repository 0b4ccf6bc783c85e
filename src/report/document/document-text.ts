import { formatCount, formatCounted, printable } from '../../core/base/format.js';
import { comparisonLines } from '../text/comparison-text.js';
import { droppedHeaders, paint, type Screen, tableLines, textWidth, wrapText } from '../text/table.js';
import { type Block, comparison, inset, tableOf } from './document.js';

/** Rows of the table in the short form. */
const MOST_ROWS = 12;

/** The short form of what a command found. */
interface Brief {
  /** Its main table, and what must not be overlooked. */
  readonly blocks: readonly Block[];
  /** Sentences about the numbers. */
  readonly notes: readonly Block[];
  /** Whether anything else is left out. */
  readonly isCut: boolean;
}

type Tabular = Extract<Block, { kind: 'table' | 'comparison' }>;

function isTabular(block: Block): block is Tabular {
  return typeof block === 'object' && (block.kind === 'table' || block.kind === 'comparison');
}

/** The first rows of a table, and how many are not shown. */
function cut(block: Tabular): { readonly block: Block; readonly left: number } {
  const rows = block.kind === 'table' ? block.rows : block.table.rows;
  const left = rows.length > MOST_ROWS ? rows.length - MOST_ROWS : 0;
  if (block.kind === 'comparison') {
    const { table } = block;
    return { block: comparison({ ...table, rows: table.rows.slice(0, MOST_ROWS), notes: [] }), left };
  }
  return {
    block: left === 0 ? block : tableOf(block.columns, block.rows.slice(0, MOST_ROWS), block.indent),
    left,
  };
}

/** The short form: the first table, sections that are part of the answer, what went wrong, and the notes apart. */
export function briefOf(blocks: readonly Block[]): Brief {
  const shown: Block[] = [];
  const notes: Block[] = [];
  let hasTable = false;
  let isCut = false;
  const visit = (block: Block, heading: string | null): void => {
    if (typeof block !== 'object' || block.kind === 'dropped') return;
    if (block.kind === 'section' && block.isAnswer !== true) {
      for (const inner of block.blocks) visit(inner, block.title);
    } else if (block.kind === 'section') shown.push(block);
    else if (block.kind === 'line' && block.isNote === true) notes.push(block);
    else if (block.kind === 'line' && (block.tone === 'bad' || block.tone === 'warning')) shown.push(block);
    else if (isTabular(block) && !hasTable) {
      const { block: table, left } = cut(block);
      hasTable = block.kind === 'comparison' || block.rows.length > 0;
      if (!hasTable) return;
      if (heading !== null) shown.push({ kind: 'line', text: heading, lead: '', hang: '', tone: 'strong' });
      shown.push(table);
      if (left > 0) shown.push(`  … and ${formatCounted(left, 'more row')}`);
      if (block.kind === 'comparison') {
        const { notes: said, alarms = [] } = block.table;
        shown.push(...alarms.map((text) => inset(text, 'warning')));
        notes.push(...said.filter((text) => !alarms.includes(text)).map((text) => `  ${text}`));
      }
      isCut ||= left > 0;
    } else isCut = true;
  };
  for (const block of blocks) visit(block, null);
  return { blocks: shown, notes, isCut };
}

/** The last line of the short form: what else there is, and how to see it. */
export function briefRest(notes: number, isCut: boolean): string {
  const parts = [
    ...(notes === 0 ? [] : [`${formatCount(notes)} ${notes === 1 ? 'note' : 'notes'} (--notes)`]),
    ...(isCut ? ['everything: --verbose'] : []),
  ];
  return parts.join(' · ');
}

const INDENT = '  ';

/** Blocks as lines for the screen: no empty line at an end, nor two together. @internal */
export function documentLines(blocks: readonly Block[], screen: Screen): readonly string[] {
  const { width, style } = screen;
  const dropped = new Set<string>();
  const render = (block: Block): readonly string[] => {
    if (block === false) return [];
    if (typeof block === 'string') return wrapText(printable(block), width, '', '');
    switch (block.kind) {
      case 'title': {
        const [name, rest] = [printable(block.text), printable(block.note)];
        if (rest === '') return [style.bold(name)];
        if (textWidth(name) + INDENT.length + textWidth(rest) <= width)
          return [`${style.bold(name)}${INDENT}${style.dim(rest)}`];
        return [style.bold(name), ...wrapText(rest, width, INDENT, INDENT).map(style.dim)];
      }
      case 'line': {
        const { text, lead, hang, tone } = block;
        return wrapText(printable(text), width, lead, hang).map((line) => paint(line, tone, style));
      }
      case 'section': {
        const lines = block.blocks.flatMap(render);
        const title = wrapText(printable(block.title), width, '', '').map(style.bold);
        return lines.length === 0 ? [] : ['', ...title, ...lines];
      }
      case 'table': {
        const { columns, rows, indent } = block;
        if (rows.length === 0) return [];
        for (const header of droppedHeaders(columns, rows, width - indent.length)) dropped.add(header);
        return tableLines(columns, rows, { indent, ...screen });
      }
      case 'comparison':
        return comparisonLines(block.table, screen);
      case 'dropped': {
        if (dropped.size === 0) return [];
        const note = `not shown in ${width} columns: ${[...dropped].join(', ')}; --json has all`;
        return wrapText(note, width, INDENT, INDENT + INDENT).map(style.dim);
      }
    }
  };
  const lines = blocks.flatMap(render);
  const kept = lines.filter((line, i) => line !== '' || (i > 0 && lines[i - 1] !== ''));
  return kept.at(-1) === '' ? kept.slice(0, -1) : kept;
}

/** The same as one text with a line end. */
export function documentText(blocks: readonly Block[], screen: Screen): string {
  return `${documentLines(blocks, screen).join('\n')}\n`;
}

import { printable } from '../../core/base/format.js';
import { comparisonLines } from '../text/comparison-text.js';
import type { Screen } from '../text/style.js';
import { textWidth } from '../text/style.js';
import { droppedHeaders, paint, tableLines, wrapText } from '../text/table.js';
import type { Block } from './document.js';

const INDENT = '  ';

/** Blocks as lines for the screen: no empty line at an end, nor two together. @internal */
export function documentLines(blocks: readonly Block[], screen: Screen): readonly string[] {
  const { width, style } = screen;
  const dropped = new Set<string>();
  const render = (block: Block): readonly string[] => {
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
        return lines.length === 0 ? [] : ['', style.bold(printable(block.title)), ...lines];
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

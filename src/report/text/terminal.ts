import { formatCount, formatValue, printable } from '../../core/base/format.js';
import type { ExpectationResult } from '../../metrics/expect.js';
import type { RunFacts } from '../../metrics/facts.js';
import { findMetric } from '../../metrics/registry.js';
import type { RunReport } from '../tables/summary-json.js';
import { assumptionsOf } from './assumptions.js';
import { type Style, textWidth } from './style.js';
import { type Column, type Row, tableLines, wrapText } from './table.js';
import {
  BREAK_COLUMNS,
  breakRows,
  countPhrase,
  LAYER_COLUMNS,
  layerRows,
  VALUE_COLUMNS,
  valueBlocks,
} from './terminal-blocks.js';
import { unfinishedText } from './unfinished-text.js';

/** How a report is put on a screen. */
export interface Screen {
  readonly width: number;
  readonly style: Style;
}

const INDENT = '  ';

function titleLines(facts: RunFacts, { width, style }: Screen): string[] {
  const { run } = facts;
  const name = printable(run?.name ?? 'unnamed run');
  const parts: string[] = [];
  if (run !== null) parts.push(run.policy);
  const models = Object.keys(facts.models);
  if (models.length > 0) parts.push(models.join(', '));
  if (run !== null) parts.push(`${run.transcript.id} (${run.transcript.source})`);
  if (run !== null) parts.push(`seed ${run.seed}`);
  const rest = printable(parts.join(' · '));
  const title = style.bold(name);
  if (rest === '') return [title];
  const oneLine = textWidth(name) + INDENT.length + textWidth(rest) <= width;
  return oneLine ? [`${title}${INDENT}${style.dim(rest)}`] : [title, ...dimText(rest, { width, style })];
}

function dimText(text: string, { width, style }: Screen): string[] {
  return wrapText(text, width, INDENT, INDENT).map((line) => style.dim(line));
}

function section(title: string, lines: readonly string[], { style }: Screen): string[] {
  return lines.length === 0 ? [] : ['', style.bold(title), ...lines];
}

function table(columns: readonly Column[], rows: readonly Row[], screen: Screen): string[] {
  return rows.length === 0 ? [] : tableLines(columns, rows, { indent: INDENT, ...screen });
}

/** Leaves out the notes that do not fit beside the widest key and value. */
function fitNotes(rows: readonly Row[], width: number): Row[] {
  const widest = (index: number): number => Math.max(...rows.map(({ cells }) => textWidth(cells[index]!)));
  const room = width - 3 * INDENT.length - widest(0) - widest(1);
  return rows.map((row) => {
    const [key, value, note] = row.cells as [string, string, string];
    return textWidth(note) <= room ? row : { ...row, cells: [key, value, ''] };
  });
}

function valueLines(facts: RunFacts, screen: Screen): string[] {
  const blocks = valueBlocks(facts);
  const rows = fitNotes(
    blocks.flatMap((block) => block.rows),
    screen.width,
  );
  const all = table(VALUE_COLUMNS, rows, screen);
  const lines: string[] = [];
  let from = 0;
  for (const { title, rows } of blocks) {
    lines.push(...section(title, all.slice(from, from + rows.length), screen));
    from += rows.length;
  }
  return lines;
}

function layerLines(facts: RunFacts, screen: Screen): string[] {
  const lines = table(LAYER_COLUMNS, layerRows(facts), screen);
  const failures = countPhrase(facts.failures);
  if (failures !== '') {
    lines.push(
      ...wrapText(`failures: ${failures}`, screen.width, INDENT, INDENT).map((line) =>
        screen.style.red(line),
      ),
    );
  }
  return lines;
}

function expectationLines(results: readonly ExpectationResult[], screen: Screen): string[] {
  const columns: Column[] = [
    { header: '', align: 'left', drop: null },
    { header: '', align: 'left', drop: null },
    { header: '', align: 'left', drop: 1 },
  ];
  const rows = results.map(({ text, metric, actual, passed }): Row => {
    const found = actual === null ? 'no data' : formatValue(actual, findMetric(metric)?.unit ?? 'count');
    return { cells: [passed ? '✓' : '✗', printable(text), found], tone: passed ? 'plain' : 'bad' };
  });
  return table(columns, rows, screen).map((line) => line.replace('✓', screen.style.green('✓')));
}

function skippedLines(facts: RunFacts, screen: Screen): string[] {
  return facts.skipped.flatMap(({ what, needs }) =>
    wrapText(printable(`${what}: needs ${needs}`), screen.width, INDENT, INDENT + INDENT),
  );
}

function warningLines(facts: RunFacts, screen: Screen): string[] {
  return facts.warnings.flatMap(({ message, remedy, count }) => {
    const times = count > 1 ? ` (${formatCount(count)} times)` : '';
    const said = wrapText(printable(message) + times, screen.width, INDENT, INDENT).map(screen.style.yellow);
    return remedy === null
      ? said
      : [...said, ...wrapText(printable(remedy), screen.width, `${INDENT}→ `, `${INDENT}  `)];
  });
}

/** The report of one run for the screen, ending in a line end. */
export function terminalReport(report: RunReport, screen: Screen): string {
  const { facts, expectations, digest } = report;
  const { style } = screen;
  const lines = titleLines(facts, screen);
  const unfinished = unfinishedText(facts);
  if (unfinished !== null)
    lines.push(...wrapText(unfinished, screen.width, INDENT, INDENT).map((line) => style.red(line)));
  lines.push(
    ...valueLines(facts, screen),
    ...section('Layers', layerLines(facts, screen), screen),
    ...section('Cache breaks', table(BREAK_COLUMNS, breakRows(facts), screen), screen),
    ...section('Expectations', expectationLines(expectations, screen), screen),
    ...section('Skipped', skippedLines(facts, screen), screen),
    ...section('Warnings', warningLines(facts, screen), screen),
    '',
    ...assumptionsOf(facts).flatMap((sentence) =>
      wrapText(printable(sentence), screen.width, '', INDENT).map((line) => style.dim(line)),
    ),
  );
  if (digest !== null) lines.push('', style.dim(`digest ${digest}`));
  return `${lines.join('\n')}\n`;
}

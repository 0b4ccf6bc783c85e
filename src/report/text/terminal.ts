import { formatValue, printable } from '../../core/base/format.js';
import type { ExpectationResult } from '../../metrics/expect.js';
import type { RunFacts } from '../../metrics/facts.js';
import { findMetric } from '../../metrics/registry.js';
import * as doc from '../document/document.js';
import { documentText } from '../document/document-text.js';
import type { RunReport } from '../tables/summary-json.js';
import { assumptionsOf, reproducedLine, unfinishedText, whatIfOfRun } from './as-recorded.js';
import { type Row, type Screen, textWidth } from './table.js';
import {
  BREAK_COLUMNS,
  breakRows,
  countPhrase,
  LAYER_COLUMNS,
  layerRows,
  VALUE_COLUMNS,
  valueBlocks,
} from './terminal-blocks.js';

export type { Screen } from './table.js';

const INDENT = '  ';

function titleOf({ run, models }: RunFacts): doc.Block {
  const named = Object.keys(models);
  const parts = [
    ...(run === null ? [] : [run.policy]),
    ...(named.length === 0 ? [] : [named.join(', ')]),
    ...(run === null ? [] : [`${run.transcript.id} (${run.transcript.source})`, `seed ${run.seed}`]),
  ];
  return doc.title(run?.name ?? 'unnamed run', parts.join(' · '));
}

/** Leaves out the notes that do not fit beside the widest key and value. */
function fitNotes(rows: readonly Row[], width: number): readonly Row[] {
  const widest = (index: number): number => Math.max(...rows.map(({ cells }) => textWidth(cells[index]!)));
  const room = width - 3 * INDENT.length - widest(0) - widest(1);
  return rows.map((row) => {
    const [key, value, note] = row.cells as [string, string, string];
    return textWidth(note) <= room ? row : { ...row, cells: [key, value, ''] };
  });
}

const EXPECTATIONS: readonly doc.ColumnOf<ExpectationResult>[] = [
  doc.text('', ({ passed }) => (passed ? '✓' : '✗')),
  doc.text('', (own) => printable(own.text)),
  doc.text(
    '',
    ({ actual, metric }) =>
      actual === null ? 'no data' : formatValue(actual, findMetric(metric)?.unit ?? 'count'),
    1,
  ),
];

/** The report of one run; notes beside values are those that fit a width. */
export function runBlocks({ facts, expectations, digest }: RunReport, width: number): readonly doc.Block[] {
  const unfinished = unfinishedText(facts);
  const failures = countPhrase(facts.failures);
  const reproduced = reproducedLine(whatIfOfRun(facts));
  const values = valueBlocks(facts).flatMap(({ title: heading, rows }) =>
    rows.map((row, i) => (i === 0 ? { ...row, heading } : row)),
  );
  return [
    titleOf(facts),
    reproduced !== null && doc.said(reproduced, 'plain', INDENT),
    unfinished !== null && doc.inset(unfinished, 'bad', INDENT, INDENT),
    doc.tableOf(VALUE_COLUMNS, fitNotes(values, width)),
    doc.section(
      'Layers',
      doc.tableOf(LAYER_COLUMNS, layerRows(facts)),
      failures !== '' && doc.inset(`failures: ${failures}`, 'bad', INDENT, INDENT),
    ),
    doc.section('Cache breaks', doc.tableOf(BREAK_COLUMNS, breakRows(facts))),
    doc.section('Expectations', ...expectationRows(expectations)),
    doc.section('Skipped', ...facts.skipped.map(({ what, needs }) => doc.inset(`${what}: needs ${needs}`))),
    doc.section('Warnings', ...doc.findings(facts.warnings)),
    '',
    ...assumptionsOf(facts).map((sentence) => doc.said(sentence, 'dim', INDENT)),
    ...(digest === null ? [] : ['', doc.said(`digest ${digest}`, 'dim')]),
  ];
}

/** Rows that the short form has, and what they are called there. */
const BRIEF_ROWS: readonly (readonly [row: string, name: string])[] = [
  ['as recorded', 'as recorded'],
  ['with writes', '  with writes'],
  ['total', 'cost'],
  ['not recorded', '  not recorded'],
  ['with chance breaks', 'with chance breaks'],
  ['answered', 'requests'],
  ['lost', 'calls lost'],
  ['cache-hit rate', 'cache-hit rate'],
  ['peak', 'largest context'],
  ['compactions', 'compactions'],
  ['needed and gone', 'needed and gone'],
  ['breaker trips', 'breaker trips'],
];

/** Rows that say nothing if they count nothing. */
const ALARMS: readonly string[] = ['lost', 'breaker trips'];

function briefRows(facts: RunFacts): readonly Row[] {
  const rows = valueBlocks(facts).flatMap((block) => block.rows);
  return BRIEF_ROWS.flatMap(([key, name]) =>
    rows
      .filter(({ cells }) => cells[0]!.trim() === key && !(cells[1] === '0' && ALARMS.includes(key)))
      .map((row) => ({ ...row, cells: [name, ...row.cells.slice(1)] })),
  );
}

/** What the short form says of one run: its main figures and what was expected of it. */
export function briefRunBlocks({ facts, expectations }: RunReport): readonly doc.Block[] {
  const unfinished = unfinishedText(facts);
  return [
    ...facts.warnings
      .filter(({ code }) => code === 'model-assumed')
      .map(({ message }) => doc.said(message, 'warning')),
    unfinished !== null && doc.said(unfinished, 'bad'),
    doc.tableOf(VALUE_COLUMNS, briefRows(facts)),
    doc.answer('Expectations', ...expectationRows(expectations)),
    ...runNotes(facts),
    doc.section('Layers', doc.tableOf(LAYER_COLUMNS, layerRows(facts))),
  ];
}

/** What must be known to read the figures of a run. */
export function runNotes(facts: RunFacts): readonly doc.Block[] {
  const reproduced = reproducedLine(whatIfOfRun(facts));
  return [
    ...doc.notes([reproduced !== null && reproduced]),
    ...facts.skipped.map(({ what, needs }) => doc.note(doc.inset(`${what}: needs ${needs}`))),
    ...doc.findings(facts.warnings.filter(({ code }) => code !== 'model-assumed')),
    ...doc.notes(assumptionsOf(facts)),
  ];
}

function expectationRows(expectations: readonly ExpectationResult[]): readonly doc.Block[] {
  return expectations.length === 0
    ? []
    : [doc.table(EXPECTATIONS, expectations, ({ passed }) => (passed ? 'good' : 'bad'))];
}

/** The report of one run for the screen, ending in a line end. */
export function terminalReport(report: RunReport, screen: Screen): string {
  return documentText(runBlocks(report, screen.width), screen);
}

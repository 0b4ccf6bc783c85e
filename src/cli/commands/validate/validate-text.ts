import type { FidelityFigures } from '../../../analysis/validate/compare.js';
import type { FidelityPoint, FidelityReport } from '../../../analysis/validate/report.js';
import type { TraceFidelity } from '../../../analysis/validate/traces.js';
import type { TriggerCheck } from '../../../analysis/validate/triggers.js';
import { type FileFidelity, WAYS } from '../../../analysis/validate/validate.js';
import {
  formatCount,
  formatCounted,
  formatDuration,
  formatMoney,
  formatShare,
  printable,
} from '../../../core/base/format.js';
import { type Column, type Row, tableLines, wrapText } from '../../../report/text/table.js';
import type { Screen } from '../../../report/text/terminal.js';
import type { RecordedCosts } from '../../runs/recorded-costs.js';
import { sessionLines, summaryLines } from './forward-text.js';
import { providerLines } from './provider-text.js';
import { percent, requestName, shortName } from './validate-cells.js';

const FIGURES: readonly Column[] = [
  { header: '', align: 'left', drop: null },
  { header: 'way', align: 'left', drop: null },
  { header: 'requests', align: 'right', drop: 2 },
  { header: 'class', align: 'right', drop: null },
  { header: '> 60 s', align: 'right', drop: null },
  { header: 'not full found', align: 'right', drop: null },
  { header: 'false', align: 'right', drop: 5 },
  { header: 'prompt', align: 'right', drop: 1 },
  { header: 'reads', align: 'right', drop: null },
  { header: 'writes', align: 'right', drop: 3 },
  { header: 'cost', align: 'right', drop: null },
  { header: 'worst', align: 'right', drop: 4 },
];

function figureRow(name: string, way: string, requests: string, figures: FidelityFigures): Row {
  const total = name === '' ? figures.costErrorMax : null;
  return {
    cells: [
      name,
      way,
      requests,
      percent(figures.classAgreement),
      percent(figures.classAgreementOver60s),
      percent(figures.recallNotFull),
      formatCount(figures.falseAlarms),
      percent(figures.promptError),
      percent(figures.readError),
      percent(figures.creationError),
      percent(figures.costErrorMedian),
      total === null ? '' : percent(total),
    ],
    ...(way === 'baseline' ? { tone: 'dim' as const } : {}),
  };
}

function figureLines(files: readonly FileFidelity[], report: FidelityReport, screen: Screen): string[] {
  const perFile = files.flatMap((file) =>
    WAYS.map((way, i) =>
      figureRow(
        i === 0 ? shortName(file.file) : ' ',
        way,
        i === 0 ? formatCount(file.requests) : '',
        file.figures[way],
      ),
    ),
  );
  const total = WAYS.map((way, i): Row => {
    const row = figureRow('', way, i === 0 ? formatCount(report.total.requests) : '', report.total[way]);
    return { ...row, cells: [i === 0 ? 'all' : '', ...row.cells.slice(1)], tone: 'strong' };
  });
  return tableLines(FIGURES, [...perFile, ...total], { indent: '  ', ...screen });
}

const WORST: readonly Column[] = [
  { header: 'request', align: 'left', drop: null },
  { header: 'gap', align: 'right', drop: null },
  { header: 'predicted', align: 'right', drop: null },
  { header: 'recorded', align: 'right', drop: null },
  { header: 'simulator says', align: 'left', drop: null },
  { header: 'API said', align: 'left', drop: 1 },
];

function worstLines(points: readonly FidelityPoint[], screen: Screen): string[] {
  const rows = points.map((point) => ({
    cells: [
      requestName(point.file, point.thread, point.index),
      formatDuration(point.gapMs),
      formatCount(point.predictedRead),
      formatCount(point.recordedRead),
      point.cause,
      point.recordedReason ?? '–',
    ],
  }));
  return rows.length === 0 ? [] : tableLines(WORST, rows, { indent: '  ', ...screen });
}

const TRIGGERS: readonly Column[] = [
  { header: 'recorded at', align: 'left', drop: null },
  { header: 'profile', align: 'left', drop: 2 },
  { header: 'fires from', align: 'right', drop: null },
  { header: 'counted', align: 'right', drop: null },
  { header: '', align: 'left', drop: null },
  { header: 'next prompt', align: 'right', drop: 1 },
  { header: 'cached', align: 'right', drop: 1 },
];

function pair(sizes: TriggerCheck['nextRead']): string {
  return sizes === null ? '–' : `${formatCount(sizes.predicted)} / ${formatCount(sizes.recorded)}`;
}

function triggerLines(files: readonly FileFidelity[], screen: Screen): string[] {
  const rows = files.flatMap((file) => [
    ...file.triggers.checks.map((check) => ({
      cells: [
        `${requestName(file.file, check.threadId, check.index)} ${check.kind}`,
        check.profile,
        formatCount(check.threshold),
        formatCount(check.seenTokens),
        check.verdict,
        pair(check.nextPrompt),
        pair(check.nextRead),
      ],
    })),
    ...file.triggers.unrecorded.map((fired) => ({
      cells: [
        `${requestName(file.file, fired.threadId, fired.index)} ${fired.kind}`,
        fired.profile,
        formatCount(fired.threshold),
        formatCount(fired.seenTokens),
        'not recorded',
        '',
        '',
      ],
      tone: 'bad' as const,
    })),
  ]);
  return rows.length === 0 ? [] : tableLines(TRIGGERS, rows, { indent: '  ', ...screen });
}

function breakLines(files: readonly FileFidelity[], screen: Screen): string[] {
  return files.flatMap((file) =>
    file.breaks.flatMap(({ request, expectedRead, reason }) =>
      wrapText(
        `${requestName(file.file, request.threadId, request.index)}: read ${formatCount(request.read)} of ${formatCount(expectedRead)} after ${formatDuration(request.gapMs)}; the API said ${reason ?? 'nothing'}`,
        screen.width,
        '  ',
        '    ',
      ),
    ),
  );
}

function leftOutLines(files: readonly FileFidelity[], screen: Screen): string[] {
  const sums = new Map<string, number>();
  for (const { what, why, count } of files.flatMap((file) => file.leftOut)) {
    const sentence = `${what}: ${why}`;
    sums.set(sentence, (sums.get(sentence) ?? 0) + count);
  }
  return [...sums].flatMap(([sentence, count]) =>
    wrapText(printable(`${formatCount(count)} × ${sentence}`), screen.width, '  ', '    '),
  );
}

function traceLines(traces: TraceFidelity, screen: Screen): string[] {
  const lines = [
    `  ${formatCounted(traces.conversations, 'conversation')}, an unlimited lifetime; smallest hit rate ${formatShare(traces.minimum)}`,
  ];
  const rows = traces.statistics.map((statistic) => ({
    cells: [
      statistic.name,
      percent(statistic.value),
      `${percent(statistic.low)} … ${percent(statistic.high)}`,
      percent(statistic.published),
      statistic.verdict,
    ],
  }));
  const columns: readonly Column[] = [
    { header: 'hit rate', align: 'left', drop: null },
    { header: 'here', align: 'right', drop: null },
    { header: '95% of samples this size', align: 'right', drop: null },
    { header: 'published', align: 'right', drop: null },
    { header: '', align: 'left', drop: null },
  ];
  return [...lines, ...tableLines(columns, rows, { indent: '  ', ...screen })];
}

const COSTS: readonly Column[] = [
  { header: '', align: 'left', drop: null },
  { header: 'cost', align: 'right', drop: null },
];

function costLines({ costUsd, each, notes }: RecordedCosts, screen: Screen): string[] {
  const rows: Row[] = [
    ...each.map(({ name, costUsd: own }) => ({ cells: [shortName(name), formatMoney(own)] })),
    { cells: ['all', formatMoney(costUsd)], tone: 'strong' },
  ];
  return [
    ...tableLines(COSTS, rows, { indent: '  ', ...screen }),
    ...notes.flatMap((note) => wrapText(printable(note), screen.width, '  ', '    ')),
  ];
}

function section(title: string, lines: readonly string[], { style }: Screen): string[] {
  return lines.length === 0 ? [] : ['', style.bold(title), ...lines];
}

/** How much `ccbench validate` prints of the sessions run forward: what they come to, or each of them. */
export type ForwardDetail = 'summary' | 'sessions';

/** What is shown beside the figures. */
export interface ValidateDetail {
  readonly recorded: RecordedCosts | null;
  readonly forward: ForwardDetail;
}

/** What `ccbench validate` prints. */
export function validateText(
  files: readonly FileFidelity[],
  report: FidelityReport,
  { recorded, forward }: ValidateDetail,
  screen: Screen,
): string {
  const { triggers } = report.total;
  const lines: string[] = [];
  if (files.length > 0) {
    lines.push(
      screen.style.bold('How far a cost is off'),
      ...summaryLines(report.total, screen),
      ...section('By provider', providerLines(report.total, screen), screen),
      ...(forward === 'sessions'
        ? section('Run forward, session by session', sessionLines(files, screen), screen)
        : []),
      '',
      screen.style.bold('Replayed as it happened, request by request'),
      ...figureLines(files, report, screen),
      ...section(
        `Breaks inside the lifetime that nothing explains, given as events (${report.total.unexplainedBreaks})`,
        breakLines(files, screen),
        screen,
      ),
      ...section(
        `Triggers: ${triggers.matched} of ${triggers.recorded} matched (${triggers.withinStep} only within a mean step), ${triggers.early} early, ${triggers.late} late, ${triggers.unrecorded} not recorded (predicted / recorded)`,
        triggerLines(files, screen),
        screen,
      ),
      ...section('Furthest off, blind', worstLines(report.worst.blind, screen), screen),
      ...section('Furthest off, given', worstLines(report.worst.given, screen), screen),
      ...section('As recorded', recorded === null ? [] : costLines(recorded, screen), screen),
      ...section('Left out', leftOutLines(files, screen), screen),
    );
  }
  if (report.traces !== null) {
    const title = 'Request traces';
    lines.push(...section(title, traceLines(report.traces, screen), screen));
  }
  return `${lines.join('\n').replace(/^\n/, '')}\n`;
}

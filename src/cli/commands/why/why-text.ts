import { CAUSE_TEXT, STEADY_CAUSES } from '../../../analysis/why/causes.js';
import type { Reproduced, Slice, WhyReport } from '../../../analysis/why/sum-up.js';
import {
  formatCount,
  formatCounted,
  formatDuration,
  formatFixed,
  formatMoney,
  formatMoneyCell,
  formatShare,
  printable,
} from '../../../core/base/format.js';
import { sum } from '../../../core/base/stats.js';
import { shortName, shortPath } from '../../../report/text/short-name.js';
import { type Column, droppedHeaders, type Row, tableLines, wrapText } from '../../../report/text/table.js';
import type { Screen } from '../../../report/text/terminal.js';
import { inputId } from '../../../transcripts/files/read-input.js';
import { belowHome } from '../../files/usual-sessions.js';
import { changeNotes } from './why-conclusion.js';

/** What the text needs besides the report. */
export interface WhyTextOptions {
  /** Rows in each ranking. */
  readonly top: number;
  readonly home: string;
  /** What the recorded costs leave out. */
  readonly notes: readonly string[];
}

const INDENT = '  ';
const NAME_CHARS = 30;
const CENTS = 2;

const CAUSES: readonly Column[] = [
  { header: '', align: 'left', drop: null },
  { header: 'cost', align: 'right', drop: null },
  { header: 'share', align: 'right', drop: 2 },
  { header: 'events', align: 'right', drop: 1 },
  { header: 'avoidable', align: 'right', drop: null },
  { header: 'how', align: 'left', drop: 3 },
];

const BREAKS: readonly Column[] = [
  { header: 'what broke', align: 'left', drop: null },
  { header: 'cost', align: 'right', drop: null },
  { header: 'tokens', align: 'right', drop: 1 },
  { header: 'after', align: 'right', drop: 3 },
  { header: 'when (UTC)', align: 'left', drop: 2 },
  { header: 'request', align: 'right', drop: null },
  { header: 'session', align: 'left', drop: null },
];

const SESSIONS: readonly Column[] = [
  { header: 'session', align: 'left', drop: null },
  { header: 'day', align: 'left', drop: 1 },
  { header: 'requests', align: 'right', drop: 3 },
  { header: 'read', align: 'right', drop: 2 },
  { header: 'cost', align: 'right', drop: null },
  { header: 'in breaks', align: 'right', drop: null },
  { header: 'most of it', align: 'left', drop: 4 },
];

const CHANGES: readonly Column[] = [
  { header: '', align: 'left', drop: null },
  { header: 'saves', align: 'right', drop: null },
  { header: 'between', align: 'left', drop: 1 },
];

/** How far a share is off, as a person says it. */
function percent(value: number | null): string {
  return value === null ? '–' : `${formatFixed(value, 1)} %`;
}

function signedPercent(value: number | null): string {
  if (value === null) return '–';
  const sign = value > 0 ? '+' : value < 0 ? '−' : '';
  return `${sign}${formatFixed(Math.abs(value), 1)} %`;
}

/** The first line: how far the answers below can be trusted. */
export function reproducedSentence({
  sessions,
  withinPercentMedian,
  withinPercentNineOfTen,
  netPercent,
  setAside,
}: Omit<Reproduced, 'setAside'> & { readonly setAside: readonly Reason[] }): string {
  const of = sessions + setAside.length;
  const aside =
    setAside.length === 0 ? '' : `; ${formatCount(setAside.length)} set aside: ${reasons(setAside)}`;
  if (sessions === 0) return `None of ${formatCounted(of, 'session')} could be reproduced${aside}.`;
  const spread =
    sessions === 1
      ? ''
      : ` in the median, ${percent(withinPercentNineOfTen)} in nine of ten, ${signedPercent(netPercent)} in all`;
  const which =
    sessions === of
      ? of === 1
        ? 'The session'
        : `All ${formatCount(of)} sessions`
      : `${formatCount(sessions)} of ${formatCounted(of, 'session')}`;
  const are = sessions === 1 ? 'is' : 'are';
  return `${which} ${are} reproduced within ${percent(withinPercentMedian)} of the recorded input cost${spread}${aside}.`;
}

interface Reason {
  readonly reason: string;
}

/** Why a session is set aside, without the name of another one. */
export function kindOfReason(reason: string): string {
  return reason.startsWith('all of its') ? 'its calls are in another session too' : reason;
}

function reasons(setAside: readonly Reason[]): string {
  const counts = new Map<string, number>();
  for (const { reason } of setAside) {
    const kind = kindOfReason(reason);
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return [...counts]
    .map(([reason, count]) => (count === 1 ? reason : `${formatCount(count)} × ${reason}`))
    .join('; ');
}

function headLine(report: WhyReport): string {
  const days =
    report.from === null
      ? ''
      : report.from === report.to
        ? ` · ${report.from}`
        : ` · ${report.from} to ${report.to}`;
  return `${formatMoney(report.recordedUsd)} · ${formatCounted(report.sessions, 'session')} · ${formatCounted(report.requests, 'request')} · ${formatShare(report.hitRate)} of the prompts read from the cache${days}`;
}

function money(usd: number): string {
  return formatMoneyCell(usd, CENTS);
}

function causeRows({ byCause, recordedUsd }: WhyReport): readonly Row[] {
  return [...byCause]
    .sort((a, b) => b.usd - a.usd)
    .filter(({ usd }) => usd > 0)
    .map(({ cause, usd, avoidableUsd, events }) => {
      const { title, remedy } = CAUSE_TEXT[cause];
      const isEvent = !STEADY_CAUSES.includes(cause);
      return {
        cells: [
          title,
          money(usd),
          formatShare(recordedUsd === 0 ? null : usd / recordedUsd),
          isEvent ? formatCount(events) : '',
          avoidableUsd === null ? '–' : avoidableUsd > 0 ? money(avoidableUsd) : '',
          avoidableUsd === null ? 'not worked out' : avoidableUsd > 0 ? (remedy ?? '') : '',
        ],
        tone: isEvent ? 'plain' : 'dim',
      };
    });
}

function breakRows({ breaks }: WhyReport, top: number): readonly Row[] {
  return breaks.slice(0, top).map(({ cause, usd, tokens, gapMs, at, sessionRequest, file }) => ({
    cells: [
      CAUSE_TEXT[cause].title,
      money(usd),
      formatCount(tokens),
      formatDuration(gapMs),
      at ?? '',
      formatCount(sessionRequest),
      shortName(printable(inputId(file)), NAME_CHARS),
    ],
  }));
}

function sessionRows({ worst }: WhyReport, top: number): readonly Row[] {
  return worst.slice(0, top).map(({ file, from, requests, hitRate, usd, lostUsd, topEvent }) => ({
    cells: [
      shortName(printable(inputId(file)), NAME_CHARS),
      from ?? '',
      formatCount(requests),
      formatShare(hitRate),
      money(usd),
      money(lostUsd),
      topEvent === null ? 'no break' : CAUSE_TEXT[topEvent].title,
    ],
  }));
}

function changeRows({ changes }: WhyReport): readonly Row[] {
  return changes.map(({ name, usd, low, high }) => {
    const cells =
      low === 0 && high === 0
        ? [name, 'nothing', 'it would not have acted']
        : [name, money(usd), `${money(low)} and ${money(high)}`];
    return { cells, tone: usd > 0 ? 'plain' : 'dim' };
  });
}

/** A line such as `by model  opus $118.02, sonnet $9.56 and 3 more $2.10`. */
function sliceLine(
  label: string,
  slices: readonly Slice[],
  top: number,
  nameOf: (name: string) => string,
): string {
  const first = slices.slice(0, top);
  const rest = slices.slice(top);
  const parts = first.map(({ name, usd }) => `${nameOf(name)} ${formatMoney(usd)}`);
  if (rest.length > 0)
    parts.push(`${formatCount(rest.length)} more ${formatMoney(sum(rest.map(({ usd }) => usd)))}`);
  return `${label} ${parts.join(' · ')}`;
}

/** The whole answer on one screen. */
export function whyText(report: WhyReport, { top, home, notes }: WhyTextOptions, screen: Screen): string {
  const { style, width } = screen;
  const dropped = new Set<string>();
  const table = (columns: readonly Column[], rows: readonly Row[]): readonly string[] => {
    for (const header of droppedHeaders(columns, rows, width - INDENT.length)) dropped.add(header);
    return tableLines(columns, rows, { indent: INDENT, ...screen });
  };
  const section = (title: string, lines: readonly string[]): readonly string[] =>
    lines.length === 0 ? [] : ['', style.bold(title), ...lines];
  const say = (text: string): readonly string[] => wrapText(printable(text), width, INDENT, INDENT + INDENT);
  const days = [...report.byDay].sort((a, b) => b.usd - a.usd);
  const project = (name: string): string => shortPath(belowHome(name, home), NAME_CHARS);
  const lines = [
    ...wrapText(printable(reproducedSentence(report.reproduced)), width, '', ''),
    '',
    ...wrapText(headLine(report), width, '', INDENT).map(style.bold),
    ...say(sliceLine('by project:', report.byProject, 3, project)),
    ...say(sliceLine('by model:', report.byModel, 3, (name) => name)),
    ...say(sliceLine('by day:', days, 3, (name) => name)),
    ...section('Where it went', table(CAUSES, causeRows(report))),
    ...section(
      `The dearest breaks${report.breaks.length > top ? ` (${formatCount(Math.min(top, report.breaks.length))} of ${formatCount(report.breaks.length)})` : ''}`,
      report.breaks.length === 0 || top === 0 ? [] : table(BREAKS, breakRows(report, top)),
    ),
    ...section(
      `The dearest sessions${report.worst.length > top ? ` (${formatCount(Math.min(top, report.worst.length))} of ${formatCount(report.worst.length)})` : ''}`,
      report.worst.length < 2 || top === 0 ? [] : table(SESSIONS, sessionRows(report, top)),
    ),
    ...section(
      'What would have been cheaper',
      report.changes.length === 0
        ? []
        : [...table(CHANGES, changeRows(report)), ...changeNotes(report).flatMap(say).map(style.dim)],
    ),
    '',
  ];
  const left =
    dropped.size === 0 ? [] : [`not shown in ${width} columns: ${[...dropped].join(', ')}; --json has all`];
  lines.push(...[...notes, ...left].flatMap((note) => say(note).map(style.dim)));
  return `${lines.join('\n')}\n`;
}

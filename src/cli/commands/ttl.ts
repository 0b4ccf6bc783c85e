import { join } from 'node:path';
import type { PriceOf, SessionCost } from '../../cache/lifetime-costs.js';
import { LIFETIME_SECONDS, type LifetimeSession } from '../../cache/lifetime-curve.js';
import {
  type ConversationHitRates,
  conversationHitRates,
  type LifetimeReport,
  lifetimeReport,
} from '../../cache/lifetime-report.js';
import { traceSession, transcriptSession } from '../../cache/lifetime-sessions.js';
import { findModel, resolveModel } from '../../cache/models.js';
import { pricesFor } from '../../cache/price.js';
import { recordedBill } from '../../cache/recorded-bill.js';
import { lifetimeChoice } from '../../fidelity/lifetime-choice.js';
import type { InputOptions } from '../../files/read-input.js';
import { inputFormat, loadTranscript, parseTrace } from '../../files/transcripts.js';
import type { RecordedBill } from '../../model/recorded-bill.js';
import type { Warning } from '../../model/warning.js';
import { AS_RECORDED } from '../../report/as-recorded.js';
import {
  formatCount,
  formatCounted,
  formatDuration,
  formatMoney,
  formatShare,
  printable,
} from '../../report/format.js';
import { type Column, tableLines, wrapText } from '../../report/table.js';
import type { Screen } from '../../report/terminal.js';
import { callKeys } from '../../transcript/call-keys.js';
import { transcriptFindings } from '../../transcript/findings.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { eachFile } from '../files/each-file.js';
import { openFile } from '../files/output.js';
import { withoutCopies } from '../files/without-copies.js';
import { type RecordedCosts, recordedCosts } from '../runs/recorded-costs.js';
import { type CliSession, inputOptions, note, printJson } from '../session.js';
import { withoutPause } from '../terminal/interrupt.js';
import { screenFor } from '../terminal/paint.js';

/** Options of `ccbench ttl`. */
export interface TtlOptions {
  readonly ttl?: readonly number[];
  readonly mainOnly?: boolean;
  readonly perSession?: boolean;
  readonly out?: string;
  readonly png?: boolean;
}

interface ReadSession {
  readonly file: string;
  readonly callKeys: ReadonlySet<string>;
  readonly session: LifetimeSession;
  /** What it cost where it was recorded; null where nothing tells. */
  readonly bill: RecordedBill | null;
  /** Both lifetimes by the client's habits; null where only the gaps between requests can tell. */
  readonly choice: SessionCost | null;
  readonly warnings: readonly Warning[];
}

/** Prices for a model nobody knows. */
const FALLBACK_MODEL = 'claude-sonnet-4-5';

function readSession(path: string, input: InputOptions, mainOnly: boolean): ReadSession {
  if (inputFormat(path, input) === 'request-trace') {
    const trace = parseTrace(path, input);
    const read = traceSession(trace, { mainOnly });
    return {
      file: path,
      callKeys: new Set(),
      session: read,
      bill: null,
      choice: null,
      warnings: trace.warnings,
    };
  }
  const { transcript } = loadTranscript(path, input);
  const threads = transcript.threads.filter(({ parentId }) => parentId === null || !mainOnly);
  return {
    file: path,
    callKeys: new Set(callKeys(transcript).map(({ key }) => key)),
    session: transcriptSession(transcript, { mainOnly }),
    bill: recordedBill({ threads }),
    choice: transcript.source === 'claude-code' ? lifetimeChoice({ ...transcript, threads }) : null,
    warnings: transcriptFindings(transcript),
  };
}

/** `ccbench ttl`: the hit rate at every lifetime, and both lifetimes in money. */
export async function ttlCommand(
  session: CliSession,
  paths: readonly string[],
  options: TtlOptions,
): Promise<ExitCode> {
  const read = await eachFile(session, 'reading', paths, (path) =>
    readSession(path, inputOptions(session), options.mainOnly === true),
  );
  const { kept: used, copies } = withoutCopies(session, read.used);
  const skipped = [...read.skipped, ...copies];
  const unknownModels = new Set<string>();
  const prices: PriceOf = (model, promptTokens) => {
    const row = findModel(model);
    if (row === null) unknownModels.add(model);
    return pricesFor(row ?? resolveModel(FALLBACK_MODEL), promptTokens);
  };
  const sessions = used.map((item) => item.session);
  const seconds = options.ttl === undefined ? LIFETIME_SECONDS : sorted(options.ttl);
  const choices = used.map((item) => item.choice);
  const report = await withoutPause(session.host.interrupt, () =>
    lifetimeReport(sessions, seconds, prices, choices),
  );
  const recorded = recordedCosts(used.map((item) => ({ name: item.session.id, bill: item.bill })));
  const hitRates = conversationHitRates(sessions);
  if (options.out !== undefined) await writeChart(session, report, options.out, options);
  const warnings = used.flatMap((item) =>
    item.warnings.map(({ code, message, remedy, count }) => ({
      session: item.session.id,
      code,
      message,
      remedy,
      count,
    })),
  );
  if (session.json) {
    const pricedAs = [...unknownModels].sort().map((model) => ({ model, pricedAs: FALLBACK_MODEL }));
    printJson(session, {
      recorded,
      ...report,
      hitRatePerSession: hitRates,
      unknownModels: pricedAs,
      skipped,
      warnings,
    });
    return EXIT.fine;
  }
  const screen = screenFor(session.host.stdout, session.colors);
  session.host.stdout.write(reportText(report, hitRates, recorded, options, screen));
  for (const { session: id, message, count } of warnings) {
    note(session, printable(`${id}: ${message}${count > 1 ? ` (${count} times)` : ''}`));
  }
  if (unknownModels.size > 0) {
    note(
      session,
      printable(`priced as ${FALLBACK_MODEL}, being unknown: ${[...unknownModels].sort().join(', ')}`),
    );
  }
  return EXIT.fine;
}

async function writeChart(
  { host }: CliSession,
  report: LifetimeReport,
  out: string,
  options: TtlOptions,
): Promise<void> {
  const [{ chartFiles }, { hitRateByLifetime }] = await Promise.all([
    import('../terminal/report-pictures.js'),
    import('../../report/charts/hit-rate-by-lifetime.js'),
  ]);
  const charts = [{ name: 'hit-rate-by-lifetime', spec: hitRateByLifetime(report) }];
  for await (const file of chartFiles(charts, options, host.interrupt)) {
    const output = openFile(join(out, file.folder, file.name), host.cwd);
    await output.write(file.content);
    output.commit();
  }
}

function sorted(seconds: readonly number[]): readonly number[] {
  return [...new Set(seconds)].sort((a, b) => a - b);
}

const CURVE: readonly Column[] = [
  { header: 'lifetime', align: 'right', drop: null },
  { header: 'hit rate', align: 'right', drop: null },
  { header: 'hit tokens', align: 'right', drop: 1 },
];

const RECORDED_COLUMN: Column = { header: AS_RECORDED, align: 'right', drop: null };

const SESSIONS: readonly Column[] = [
  { header: 'session', align: 'left', drop: null },
  { header: '5 min', align: 'right', drop: null },
  { header: '1 h', align: 'right', drop: null },
  { header: 'cheaper', align: 'left', drop: 3 },
  { header: 'rescued', align: 'right', drop: 2 },
  { header: 'break-even', align: 'right', drop: 1 },
];

const COSTS: readonly Column[] = [
  { header: '', align: 'left', drop: null },
  { header: 'cost', align: 'right', drop: null },
];

function reportText(
  report: LifetimeReport,
  hitRates: ConversationHitRates,
  recorded: RecordedCosts | null,
  options: TtlOptions,
  screen: Screen,
): string {
  const { curve, cost } = report;
  const size = `${formatCounted(report.sessions, 'session')} · ${formatCounted(report.requests, 'request')} · ${formatCount(report.promptTokens)} prompt tokens`;
  const lines = [
    size,
    '',
    ...tableLines(
      CURVE,
      curve.map(({ ttlSeconds, hitRate, hitTokens }) => ({
        cells: [
          ttlSeconds === null ? 'unlimited' : formatDuration(ttlSeconds * 1_000),
          formatShare(hitRate),
          formatCount(hitTokens),
        ],
      })),
      { indent: '  ', ...screen },
    ),
    '',
  ];
  if (options.perSession === true) lines.push(...sessionLines(cost.perSession, recorded, screen), '');
  if (recorded !== null) lines.push(...recordedLines(report, recorded, screen), '');
  const spread = report.sessions > 1 ? [spreadSentence(hitRates)] : [];
  for (const sentence of [...spread, ...moneySentences(report)])
    lines.push(...wrapText(sentence, screen.width, '', ''));
  return `${lines.join('\n')}\n`;
}

/** What the sessions cost as recorded, and at each lifetime alone. */
function recordedLines({ cost }: LifetimeReport, recorded: RecordedCosts, screen: Screen): readonly string[] {
  const rows = [
    { cells: [AS_RECORDED, formatMoney(recorded.costUsd)] },
    { cells: ['5 minutes', formatMoney(cost.total5mUsd)] },
    { cells: ['1 hour', formatMoney(cost.total1hUsd)] },
  ];
  return [
    ...tableLines(COSTS, rows, { indent: '  ', ...screen }),
    ...recorded.notes.flatMap((note) => wrapText(printable(note), screen.width, '  ', '    ')),
  ];
}

function sessionLines(
  costs: readonly SessionCost[],
  recorded: RecordedCosts | null,
  screen: Screen,
): readonly string[] {
  const [name, ...rest] = SESSIONS as [Column, ...Column[]];
  const columns = recorded === null ? SESSIONS : [name, RECORDED_COLUMN, ...rest];
  const rows = costs.map((cost, i) => ({
    cells: [
      printable(cost.id),
      ...(recorded === null ? [] : [formatMoney(recorded.each[i]!.costUsd)]),
      formatMoney(cost.cost5mUsd),
      formatMoney(cost.cost1hUsd),
      cost.cheaper,
      formatCount(cost.rescuedTokens),
      formatCount(cost.breakEvenTokens),
    ],
  }));
  return tableLines(columns, rows, { indent: '  ', ...screen });
}

/** How the sessions differ where nothing ever expires. */
function spreadSentence({ median, lowerQuartile, mean, min }: ConversationHitRates): string {
  return `Hit rate per session at an unlimited lifetime: median ${formatShare(median)}, lower quartile ${formatShare(lowerQuartile)}, mean ${formatShare(mean)}, lowest ${formatShare(min)}.`;
}

/** 5 minutes against 1 hour in words. */
function moneySentences({ cost }: LifetimeReport): readonly string[] {
  const difference = Math.abs(cost.total1hUsd - cost.total5mUsd);
  const cheaper = cost.total5mUsd < cost.total1hUsd ? '5 minutes' : '1 hour';
  const verdict =
    difference < 1e-9
      ? `Both lifetimes cost the same: ${formatMoney(cost.total5mUsd)}.`
      : `All sessions: ${formatMoney(cost.total5mUsd)} with 5 minutes, ${formatMoney(cost.total1hUsd)} with 1 hour; ${cheaper} saves ${formatMoney(difference)}.`;
  return [
    verdict,
    `5 minutes is cheaper for ${formatShare(cost.share5mCheaper)} of the sessions, 1 hour for ${formatShare(cost.share1hCheaper)}, neither for ${formatShare(cost.shareEqual)}.`,
    `1 hour pays ${formatMoney(cost.premiumUsd)} more for writes and saves ${formatMoney(cost.savedUsd)} on ${formatCount(cost.rescuedTokens)} tokens read after 5 minutes to 1 hour; it breaks even at ${formatCount(cost.breakEvenTokens)}.`,
  ];
}

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
import { findModel, modelOrUnknown, resolveModel } from '../../cache/models.js';
import { pricesFor } from '../../cache/price.js';
import { recordedBill } from '../../cache/recorded-bill.js';
import { RULE_SECONDS, type RuleCall, ruleCosts, sessionRuleCalls } from '../../cache/rule-costs.js';
import { lifetimeChoice } from '../../fidelity/lifetime-choice.js';
import { providerOfRecording } from '../../fidelity/providers/validate-provider.js';
import { recordedRuleCalls } from '../../fidelity/recorded-rule-calls.js';
import type { InputOptions } from '../../files/read-input.js';
import { inputFormat, loadTranscript, parseTrace } from '../../files/transcripts.js';
import { recordedUsd } from '../../metrics/recorded-metrics.js';
import type { RecordedBill } from '../../model/recorded-bill.js';
import { firstModel, type Transcript } from '../../model/transcript.js';
import type { Warning } from '../../model/warning.js';
import { AS_RECORDED } from '../../report/as-recorded.js';
import type { Conclusion } from '../../report/conclusion.js';
import { formatCount, formatCounted, formatMoney, formatShare, printable } from '../../report/format.js';
import { type Column, tableLines, wrapText } from '../../report/table.js';
import type { Screen } from '../../report/terminal.js';
import { callKeys } from '../../transcript/call-keys.js';
import { transcriptFindings } from '../../transcript/findings.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { eachFile } from '../files/each-file.js';
import { noteWarnings } from '../files/reading-notes.js';
import { withoutCopies } from '../files/without-copies.js';
import { writeFiles } from '../files/write-files.js';
import { choosesLifetime, type ProviderLifetimes, providerLifetimes } from '../runs/provider-lifetimes.js';
import { type RecordedCosts, recordedCosts } from '../runs/recorded-costs.js';
import { type CliSession, inputOptions, note, printJson } from '../session.js';
import { closingText } from '../terminal/closing.js';
import { withoutPause } from '../terminal/interrupt.js';
import { screenFor } from '../terminal/paint.js';
import { lifetimeName, providerLifetimesLines } from '../terminal/provider-lifetimes-text.js';
import { lifetimeConclusion } from './lifetime-conclusion.js';

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
  readonly provider: string;
  /** Its calls where the provider alone rules the cache; null where the client chooses a lifetime. */
  readonly ruled: readonly RuleCall[] | null;
  readonly session: LifetimeSession;
  /** What it cost where it was recorded; null where nothing tells. */
  readonly bill: RecordedBill | null;
  /** Both lifetimes by the client's habits; null where only the gaps between requests can tell. */
  readonly choice: SessionCost | null;
  readonly warnings: readonly Warning[];
}

const TTL_PAGE = 'ttl.html';

/** Prices for a model nobody knows. */
const FALLBACK_MODEL = 'claude-sonnet-4-5';

function readSession(path: string, input: InputOptions, mainOnly: boolean): ReadSession {
  if (inputFormat(path, input) === 'request-trace') {
    const trace = parseTrace(path, input);
    const traced = traceSession(trace, { mainOnly });
    const provider = providerOfModel(trace.models[0] ?? null);
    const ruled = choosesLifetime(provider) ? null : sessionRuleCalls(traced, provider);
    return {
      file: path,
      callKeys: new Set(),
      provider,
      ruled,
      session: traced,
      bill: null,
      choice: null,
      warnings: trace.warnings,
    };
  }
  const { transcript } = loadTranscript(path, input);
  const threads = transcript.threads.filter(({ parentId }) => parentId === null || !mainOnly);
  const part = { ...transcript, threads };
  const recorded = transcriptSession(transcript, { mainOnly });
  const bill = recordedBill(part);
  const provider = providerOf(transcript);
  const isChosen = choosesLifetime(provider);
  const calls = () =>
    bill === null ? sessionRuleCalls(recorded, provider) : recordedRuleCalls(part, provider);
  return {
    file: path,
    callKeys: new Set(callKeys(transcript).map(({ key }) => key)),
    provider,
    ruled: isChosen ? null : calls(),
    session: recorded,
    bill,
    choice: isChosen && transcript.source === 'claude-code' ? lifetimeChoice(part) : null,
    warnings: transcriptFindings(transcript),
  };
}

function providerOfModel(model: string | null): string {
  return model === null ? 'anthropic' : modelOrUnknown(model).provider;
}

/** The provider of a recording; where nothing names it, the one that the name of its model speaks of. */
function providerOf(transcript: Transcript): string {
  const named = providerOfRecording(transcript);
  if (named !== 'anthropic') return named;
  return providerOfModel(transcript.threads.map(firstModel).find((model) => model !== null) ?? null);
}

/** `ccbench ttl`: the hit rate at every lifetime, and what lifetimes cost. */
export async function ttlCommand(
  session: CliSession,
  paths: readonly string[],
  options: TtlOptions,
): Promise<ExitCode> {
  const read = await eachFile(session, 'reading', paths, (path) =>
    readSession(path, inputOptions(session), options.mainOnly === true),
  );
  const { kept: used, copies, sharedCalls } = withoutCopies(session, read.used, 'in each');
  const skipped = [...read.skipped, ...copies];
  const unknownModels = new Set<string>();
  const prices: PriceOf = (model, promptTokens) => {
    const row = findModel(model);
    if (row === null) unknownModels.add(model);
    return pricesFor(row ?? resolveModel(FALLBACK_MODEL), promptTokens);
  };
  const sessions = used.map((item) => item.session);
  const seconds = options.ttl === undefined ? LIFETIME_SECONDS : sorted(options.ttl);
  const costs = used.map((item) => (item.ruled === null ? item.choice : 'no-choice'));
  const report = await withoutPause(session.host.interrupt, () =>
    lifetimeReport(sessions, seconds, prices, costs),
  );
  const ruleSeconds = options.ttl === undefined ? RULE_SECONDS : seconds;
  const byProvider = providerLifetimes(
    used.flatMap(({ session: { id }, provider, ruled, bill }) =>
      ruled === null
        ? []
        : [
            {
              id,
              provider,
              recordedUsd: bill === null ? null : recordedUsd(bill),
              ...ruleCosts(ruled, ruleSeconds),
            },
          ],
    ),
  );
  const recordedOf = (items: readonly ReadSession[]): RecordedCosts | null =>
    recordedCosts(items.map((item) => ({ name: item.session.id, bill: item.bill })));
  const recorded = recordedOf(used);
  const hitRates = conversationHitRates(sessions);
  const conclusion = lifetimeConclusion(report, byProvider);
  if (options.out !== undefined) await writeChart(session, report, conclusion, options.out, options);
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
      byProvider,
      hitRatePerSession: hitRates,
      unknownModels: pricedAs,
      skipped,
      sharedCalls,
      warnings,
    });
    return EXIT.fine;
  }
  const screen = screenFor(session.host.stdout, session.colors);
  const chosen = recordedOf(used.filter((item) => item.ruled === null));
  const text = reportText(report, { hitRates, recorded, chosen, byProvider }, options, screen);
  const written = options.out === undefined ? null : join(options.out, TTL_PAGE);
  session.host.stdout.write(`${text}\n${closingText({ ...conclusion, written }, screen)}`);
  noteWarnings(
    session,
    used.map((item) => ({ label: item.session.id, warnings: item.warnings })),
  );
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
  conclusion: Conclusion,
  out: string,
  options: TtlOptions,
): Promise<void> {
  const [{ chartFiles }, { hitRateByLifetime }, { ttlHtml }] = await Promise.all([
    import('../terminal/report-pictures.js'),
    import('../../report/charts/hit-rate-by-lifetime.js'),
    import('./ttl-page.js'),
  ]);
  const sessions = report.cost.perSession.length || report.sessions;
  const charts = [{ name: 'hit-rate-by-lifetime', spec: hitRateByLifetime({ ...report, sessions }) }];
  await writeFiles(out, host.cwd, chartFiles(charts, options, host.interrupt));
  const content = ttlHtml(report, conclusion);
  await writeFiles(out, host.cwd, [{ folder: '', name: TTL_PAGE, content }]);
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

/** The curve and the costs are made in two ways. */
const BY_TIME =
  'hit rates by time alone: a prompt finds what an earlier one began with; costs also know what else breaks the cache';

interface Figures {
  readonly hitRates: ConversationHitRates;
  /** Of all sessions. */
  readonly recorded: RecordedCosts | null;
  /** Of those that have a choice of lifetimes. */
  readonly chosen: RecordedCosts | null;
  readonly byProvider: Readonly<Record<string, ProviderLifetimes>>;
}

function reportText(
  report: LifetimeReport,
  { hitRates, recorded, chosen, byProvider }: Figures,
  options: TtlOptions,
  screen: Screen,
): string {
  const { curve, cost } = report;
  const perSession = options.perSession === true ? 'each' : 'total';
  const ruled = Object.values(byProvider);
  const size = `${formatCounted(report.sessions, 'session')} · ${formatCounted(report.requests, 'request')} · ${formatCount(report.promptTokens)} prompt tokens`;
  const lines = [
    size,
    '',
    ...tableLines(
      CURVE,
      curve.map(({ ttlSeconds, hitRate, hitTokens }) => ({
        cells: [lifetimeName(ttlSeconds), formatShare(hitRate), formatCount(hitTokens)],
      })),
      { indent: '  ', ...screen },
    ),
    ...wrapText(BY_TIME, screen.width, '  ', '    ').map(screen.style.dim),
    '',
  ];
  if (cost.perSession.length > 0) {
    if (perSession === 'each') lines.push(...sessionLines(cost.perSession, chosen, screen), '');
    if (chosen !== null) lines.push(...recordedLines(report, chosen, screen));
  }
  for (const text of recorded?.notes ?? [])
    lines.push(...wrapText(printable(text), screen.width, '  ', '    '));
  if (recorded !== null) lines.push('');
  const spread = report.sessions > 1 ? [spreadSentence(hitRates)] : [];
  const money = cost.perSession.length > 0 || ruled.length === 0 ? moneySentences(report) : [];
  for (const sentence of [...spread, ...money]) lines.push(...wrapText(sentence, screen.width, '', ''));
  for (const [i, part] of ruled.entries()) {
    if (i > 0 || spread.length + money.length > 0) lines.push('');
    lines.push(...providerLifetimesLines(part, perSession, screen));
  }
  return `${lines.join('\n')}\n`;
}

/** What the sessions cost as recorded, and at each lifetime alone. */
function recordedLines({ cost }: LifetimeReport, recorded: RecordedCosts, screen: Screen): readonly string[] {
  const rows = [
    { cells: [AS_RECORDED, formatMoney(recorded.costUsd)] },
    { cells: ['5 minutes', formatMoney(cost.total5mUsd)] },
    { cells: ['1 hour', formatMoney(cost.total1hUsd)] },
  ];
  return tableLines(COSTS, rows, { indent: '  ', ...screen });
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

/** How 5 minutes and 1 hour part, in words. */
function moneySentences({ cost }: LifetimeReport): readonly string[] {
  return [
    `5 minutes is cheaper for ${formatShare(cost.share5mCheaper)} of the sessions, 1 hour for ${formatShare(cost.share1hCheaper)}, neither for ${formatShare(cost.shareEqual)}.`,
    `1 hour pays ${formatMoney(cost.premiumUsd)} more for writes and saves ${formatMoney(cost.savedUsd)} on ${formatCount(cost.rescuedTokens)} tokens read after 5 minutes to 1 hour; it breaks even at ${formatCount(cost.breakEvenTokens)}.`,
  ];
}

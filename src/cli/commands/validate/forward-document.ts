import type { CostFigures, FidelityFigures } from '../../../analysis/validate/compare.js';
import type { ForwardSession } from '../../../analysis/validate/forward.js';
import { type ForwardFigures, signedError } from '../../../analysis/validate/forward-figures.js';
import type { BestEffort } from '../../../analysis/validate/providers/best-effort.js';
import type {
  FileFidelity,
  ProviderFigures,
  TotalFidelity,
  WhatIfFigures,
} from '../../../analysis/validate/validate.js';
import {
  formatCount,
  formatCounted,
  formatFixed,
  formatMoney,
  formatMoneyCell,
  moneyDecimals,
  printable,
} from '../../../core/base/format.js';
import { usd } from '../../../metrics/metric.js';
import { providerRegistry } from '../../../provider/providers/providers.js';
import * as doc from '../../../report/document/document.js';
import type { Tone } from '../../../report/text/table.js';
import { formatSigned } from '../../../report/text/words.js';
import { inputId } from '../../../transcripts/files/read-input.js';

/** Longest name of a file in a table. */
const NAME_CHARS = 34;

/** A share as a percentage with two decimals. */
export function percent(share: number | null): string {
  return share === null ? formatCount(null) : `${formatFixed(share * 100, 2)}%`;
}

/** The same with its sign. @internal */
export function signedPercent(share: number | null): string {
  return formatSigned(share, percent);
}

/** The name of a file, cut where it is long. */
export function fileName(path: string): string {
  const name = printable(inputId(path));
  return name.length <= NAME_CHARS ? name : `${name.slice(0, NAME_CHARS - 1)}…`;
}

function labelOf(provider: string): string {
  return providerRegistry.get(provider).label;
}

function sentence(words: string): doc.Block {
  return doc.inset(words, 'plain', '  ', '  ');
}

/** A line of figures with its name; `count` is requests or sessions. */
interface Figured<T> {
  readonly name: string;
  readonly count: number | null;
  readonly figures: T;
  readonly tone: Tone;
}

function figured<T>(name: string, figures: T, count: number | null = null, tone: Tone = 'plain'): Figured<T> {
  return { name, figures, count, tone };
}

function countCell(count: number | null): string {
  return count === null ? '' : formatCount(count);
}

/** Amounts have the decimals that suit the largest. */
function summaryColumns(
  rows: readonly Figured<CostFigures>[],
): readonly doc.ColumnOf<Figured<CostFigures>>[] {
  const decimals = moneyDecimals(Math.max(...rows.map(({ figures }) => Math.abs(figures.netUsd))));
  const dollars = (value: number): string =>
    `${value < 0 ? '−' : '+'}${formatMoneyCell(Math.abs(value), decimals)}`;
  return [
    doc.text('', ({ name }) => name),
    doc.number('sessions', ({ count }) => count, countCell, 1),
    doc.number('cost, median', ({ figures }) => figures.costErrorMedian, percent),
    doc.number('p75', ({ figures }) => figures.costErrorP75, percent, 2),
    doc.number('p90', ({ figures }) => figures.costErrorP90, percent),
    doc.number('worst', ({ figures }) => figures.costErrorMax, percent, 3),
    doc.number('net', ({ figures }) => figures.netError, signedPercent),
    // Without a share nothing was compared.
    doc.amount(
      'net dollars',
      ({ figures }) => (figures.netError === null ? formatCount(null) : dollars(figures.netUsd)),
      4,
    ),
  ];
}

/** How far a cost is to be trusted, run forward first, with the one-line rule beside it. */
export function summaryBlocks(total: TotalFidelity): readonly doc.Block[] {
  const { forward, byClient, blind, given, baseline } = total;
  const hasRun = forward.sessions > 0;
  const rows: readonly Figured<CostFigures>[] = [
    ...(hasRun ? [figured('run forward', forward, forward.sessions, 'strong')] : []),
    ...Object.entries(byClient).map(([client, own]) => figured(`  client ${client}`, own, own.sessions)),
    figured('replayed, blind', blind),
    figured('replayed, breaks given (a bound)', given, null, 'dim'),
    figured('the one-line lifetime rule', baseline, null, 'dim'),
  ];
  return [
    doc.table(summaryColumns(rows), rows, ({ tone }) => tone),
    ...(hasRun ? [sentence(factSentence(forward))] : []),
    ...(total.whatIf.sessions > 0 ? [sentence(whatIfSentence(total.whatIf))] : []),
  ];
}

/** How well what-ifs start from what happened. */
function whatIfSentence({
  sessions,
  costErrorMedian,
  costErrorP90,
  compacted,
  intervalCoverage90,
}: WhatIfFigures): string {
  const start = `As the base of a what-if, ${formatCounted(sessions, 'session is', 'sessions are')} reproduced within ${percent(costErrorMedian)} of the input cost in the median and ${percent(costErrorP90)} for 90 %`;
  return intervalCoverage90 === null
    ? `${start}.`
    : `${start}; where the policy decides when to compact, the stated 90% interval holds for ${percent(intervalCoverage90)} of ${formatCounted(compacted, 'session')}.`;
}

function factSentence(forward: ForwardFigures): string {
  const { crashed, unfinished } = forward;
  return [
    `Run forward under the profile of its version, a session has as many compactions as recorded in ${percent(forward.compactionCountRight)} of the cases;`,
    `the prompt after one is ${percent(forward.contextAfterError)} off and its cache read ${percent(forward.firstReadAfterError)};`,
    `the hit rate differs by ${forward.hitRatePointsMedian?.toFixed(2) ?? '–'} points in the median;`,
    `${percent(forward.intervalCoverage90)} of the sessions lie in the stated 90% interval.`,
    ...(crashed === 0 ? [] : [`${formatCount(crashed)} crashed.`]),
    ...(unfinished === 0 ? [] : [`${formatCount(unfinished)} did not get to all their calls.`]),
  ].join(' ');
}

const nano = (amount: number): string => formatMoney(usd(amount));

const SESSIONS: readonly doc.ColumnOf<ForwardSession>[] = [
  doc.text('session', ({ file }) => fileName(file)),
  doc.text('version', ({ version }) => version ?? '–', 2),
  doc.text('profile', ({ profile }) => profile, 1),
  doc.number('requests', ({ requests }) => requests, formatCount, 3),
  doc.amount('recorded', ({ cost }) => nano(cost.recorded)),
  doc.amount(
    'run',
    ({ interval, callsLost }) => `${nano(interval.expected)}${callsLost > 0 ? ' unfinished' : ''}`,
  ),
  doc.number('off', signedError, signedPercent),
  doc.amount('90 % interval', ({ interval }) => `${nano(interval.low)} … ${nano(interval.high)}`),
  doc.amount('compactions', ({ compactions }) => `${compactions.predicted} / ${compactions.recorded}`, 4),
];

/** Every session run forward beside its recording. */
export function sessionBlocks(files: readonly FileFidelity[]): readonly doc.Block[] {
  const ran = files.flatMap(({ forward }) => (forward.kind === 'ran' ? [forward.session] : []));
  const crashed = files.flatMap(({ forward }) => (forward.kind === 'crashed' ? [forward.session] : []));
  const isInside = ({ cost, interval }: ForwardSession): boolean =>
    cost.recorded >= interval.low && cost.recorded <= interval.high;
  return [
    doc.table(SESSIONS, ran, (session) => (isInside(session) ? 'plain' : 'bad')),
    ...crashed.map(({ file, message }) => doc.inset(`${fileName(file)} crashed: ${message}`)),
  ];
}

/** How far to trust a cost of some sessions; null if none of them was run forward. One session has no nine of ten. */
function errorText({ costErrorMedian, costErrorP90, sessions }: ForwardFigures): string | null {
  if (costErrorMedian === null || costErrorP90 === null) return null;
  if (sessions === 1) return `± ${percent(costErrorMedian)}`;
  return `± ${percent(costErrorMedian)} typically, ± ${percent(costErrorP90)} for 90 %`;
}

/** The one sentence to take away: of all sessions, or of each group of those that were run forward where not all were, or alike. */
export function trustSentence(
  { forward, byProvider }: Pick<TotalFidelity, 'forward' | 'byProvider'>,
  files: readonly Pick<FileFidelity, 'requests' | 'forward'>[],
): string | null {
  const groups = [
    { label: 'Claude Code', figures: forward },
    ...Object.entries(byProvider).flatMap(([name, own]) =>
      name === 'anthropic' ? [] : [{ label: labelOf(name), figures: own.forward }],
    ),
  ].flatMap(({ label, figures }) => {
    const error = errorText(figures);
    return error === null ? [] : [{ label, sessions: figures.sessions, error }];
  });
  const [first] = groups;
  if (first === undefined) return null;
  const isAll = files.every(({ requests, forward: own }) => requests === 0 || own.kind !== 'empty');
  if (groups.length === 1 && isAll && first.sessions === 1)
    return `The cost of this session was within ${first.error}; one session says little of others.`;
  if (groups.length === 1 && isAll) return `On these sessions trust a cost to ${first.error}.`;
  const parts = groups.map(
    ({ label, sessions, error }) => `to ${error} on the ${formatCounted(sessions, 'session')} of ${label}`,
  );
  return `Trust a cost ${parts.join(', and ')}.`;
}

const PROVIDERS: readonly doc.ColumnOf<Figured<FidelityFigures>>[] = [
  doc.text('', ({ name }) => name),
  doc.number('requests', ({ count }) => count, countCell, 1),
  doc.number('class', ({ figures }) => figures.classAgreement, percent),
  doc.number('reads', ({ figures }) => figures.readError, percent, 2),
  doc.number('cost, median', ({ figures }) => figures.costErrorMedian, percent),
  doc.number('net', ({ figures }) => figures.netError, signedPercent),
];

function providerRows(provider: string, figures: ProviderFigures): readonly Figured<FidelityFigures>[] {
  const models = Object.entries(figures.byModel);
  return [
    figured(labelOf(provider), figures.blind, figures.requests),
    ...(models.length < 2 ? [] : models.map(([model, own]) => figured(`  ${printable(model)}`, own))),
    figured('  breaks given (a bound)', figures.given, null, 'dim'),
    figured('  the one-line rule', figures.baseline, null, 'dim'),
  ];
}

function chanceSentences({ sessions, netError, coverage, fit, curve }: BestEffort): string {
  const at = (seconds: number): string => {
    const point = curve.find((each) => each.seconds === seconds)!;
    return `${percent(point.chance)} (${percent(point.low)} to ${percent(point.high)}) after ${seconds} s`;
  };
  return [
    'Best effort: two equal requests may differ, and a single one cannot be predicted.',
    `${formatCount(fit.short)} of ${formatCount(fit.requests)} requests came up short: ${[5, 30, 120].map(at).join(', ')}.`,
    `Fitted to one half of the ${formatCount(sessions)} sessions and shown on the other, the cost of all is ${signedPercent(netError)} off,`,
    `and ${percent(coverage)} of the sessions lie in the stated 90% interval.`,
  ].join(' ');
}

/** How runs forward of a provider's recordings fare; those of Anthropic have a table of their own. */
function forwardSentence({ forward, triggers }: ProviderFigures): string {
  const placed =
    triggers.recorded === 0
      ? ''
      : ` ${triggers.matched} of ${triggers.recorded} recorded compactions fire where the client counts them;`;
  const counted =
    forward.compactionCountRight === null
      ? ''
      : ` as many compactions as recorded in ${percent(forward.compactionCountRight)} of the sessions`;
  const near =
    forward.compactionPlaceRight === null
      ? ''
      : `, ${percent(forward.compactionPlaceRight)} of them within a request of their place`;
  const assumed =
    forward.writesAssumed === 0
      ? ''
      : ` ${formatCounted(forward.writesAssumed, 'recording')} ${forward.writesAssumed === 1 ? 'reports' : 'report'} no writes, which are billed: unread tokens are priced as written.`;
  return `Run forward, the cost of ${formatCounted(forward.sessions, 'session')} is ${signedPercent(forward.netError)} off in all, ${percent(forward.costErrorMedian)} in the median;${placed}${counted}${near}.${assumed}`;
}

/** How well the cache of each provider is predicted; nothing if all recordings are of Anthropic. */
export function providerBlocks({ byProvider }: TotalFidelity): readonly doc.Block[] {
  const providers = Object.entries(byProvider);
  if (providers.every(([name]) => name === 'anthropic')) return [];
  const rows = providers.flatMap(([name, figures]) => providerRows(name, figures));
  const ran = providers.filter(([name, { forward }]) => name !== 'anthropic' && forward.sessions > 0);
  return [
    doc.table(PROVIDERS, rows, ({ tone }) => tone),
    ...ran.map(([name, figures]) => sentence(`${labelOf(name)}: ${forwardSentence(figures)}`)),
    ...providers.flatMap(([name, { bestEffort }]) =>
      bestEffort === null ? [] : [sentence(`${labelOf(name)}: ${chanceSentences(bestEffort)}`)],
    ),
  ];
}

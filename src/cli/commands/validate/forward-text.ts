import type { FidelityFigures } from '../../../analysis/validate/compare.js';
import type { CrashedSession, ForwardSession } from '../../../analysis/validate/forward.js';
import { type ForwardFigures, signedError } from '../../../analysis/validate/forward-figures.js';
import type { FileFidelity, TotalFidelity } from '../../../analysis/validate/validate.js';
import {
  formatCount,
  formatCounted,
  formatMoney,
  formatMoneyCell,
  moneyDecimals,
  printable,
} from '../../../core/base/format.js';
import { providerRegistry } from '../../../provider/providers/providers.js';
import { type Column, type Row, tableLines, wrapText } from '../../../report/text/table.js';
import type { Screen } from '../../../report/text/terminal.js';
import { percent, shortName, signedPercent } from './validate-cells.js';

const SUMMARY: readonly Column[] = [
  { header: '', align: 'left', drop: null },
  { header: 'sessions', align: 'right', drop: 1 },
  { header: 'cost, median', align: 'right', drop: null },
  { header: 'p75', align: 'right', drop: 2 },
  { header: 'p90', align: 'right', drop: null },
  { header: 'worst', align: 'right', drop: 3 },
  { header: 'net', align: 'right', drop: null },
  { header: 'net dollars', align: 'right', drop: 4 },
];

/** Writes the amounts of a column with the decimals that suit the largest. */
function dollarsLike(amounts: readonly number[]): (usd: number) => string {
  const decimals = moneyDecimals(Math.max(...amounts.map(Math.abs)));
  return (usd) => `${usd < 0 ? '−' : '+'}${formatMoneyCell(Math.abs(usd), decimals)}`;
}

type Dollars = ReturnType<typeof dollarsLike>;

function forwardRow(name: string, figures: ForwardFigures, dollars: Dollars): Row {
  return {
    cells: [
      name,
      formatCount(figures.sessions),
      percent(figures.costErrorMedian),
      percent(figures.costErrorP75),
      percent(figures.costErrorP90),
      percent(figures.costErrorMax),
      signedPercent(figures.netError),
      dollars(figures.netUsd),
    ],
  };
}

function wayRow(name: string, figures: FidelityFigures, dollars: Dollars, tone: 'dim' | null): Row {
  return {
    cells: [
      name,
      '',
      percent(figures.costErrorMedian),
      percent(figures.costErrorP75),
      percent(figures.costErrorP90),
      percent(figures.costErrorMax),
      signedPercent(figures.netError),
      dollars(figures.netUsd),
    ],
    ...(tone === null ? {} : { tone }),
  };
}

/** How far a cost is to be trusted, run forward first, with the one-line rule beside it. */
export function summaryLines(total: TotalFidelity, screen: Screen): string[] {
  const { forward, byClient, blind, given, baseline } = total;
  const dollars = dollarsLike(
    [forward, ...Object.values(byClient), blind, given, baseline].map(({ netUsd }) => netUsd),
  );
  const rows: Row[] = [
    ...(forward.sessions === 0
      ? []
      : [{ ...forwardRow('run forward', forward, dollars), tone: 'strong' as const }]),
    ...Object.entries(byClient).map(([client, figures]) =>
      forwardRow(`  client ${client}`, figures, dollars),
    ),
    wayRow('replayed, blind', blind, dollars, null),
    wayRow('replayed, breaks given (a bound)', given, dollars, 'dim'),
    wayRow('the one-line lifetime rule', baseline, dollars, 'dim'),
  ];
  return [
    ...tableLines(SUMMARY, rows, { indent: '  ', ...screen }),
    ...(forward.sessions === 0 ? [] : wrapText(factSentence(forward), screen.width, '  ', '  ')),
  ];
}

function factSentence(forward: ForwardFigures): string {
  const { crashed, unfinished } = forward;
  return [
    `Run forward under the profile of its version, a session has as many compactions as recorded in ${percent(forward.compactionCountRight)} of the cases;`,
    `the prompt behind one is ${percent(forward.contextAfterError)} off and what it reads ${percent(forward.firstReadAfterError)};`,
    `the hit rate differs by ${forward.hitRatePointsMedian?.toFixed(2) ?? '–'} points in the median;`,
    `${percent(forward.intervalCoverage90)} of the sessions lie in the interval that is stated for 90%.`,
    ...(crashed === 0 ? [] : [`${formatCount(crashed)} crashed.`]),
    ...(unfinished === 0 ? [] : [`${formatCount(unfinished)} did not get to all their calls.`]),
  ].join(' ');
}

const SESSIONS: readonly Column[] = [
  { header: 'session', align: 'left', drop: null },
  { header: 'version', align: 'left', drop: 2 },
  { header: 'profile', align: 'left', drop: 1 },
  { header: 'requests', align: 'right', drop: 3 },
  { header: 'recorded', align: 'right', drop: null },
  { header: 'run', align: 'right', drop: null },
  { header: 'off', align: 'right', drop: null },
  { header: 'nine of ten', align: 'right', drop: null },
  { header: 'compactions', align: 'right', drop: 4 },
];

function sessionRow(session: ForwardSession): Row {
  const { cost, interval, compactions } = session;
  const inside = cost.recorded >= interval.low && cost.recorded <= interval.high;
  const usd = (nano: number): string => formatMoney(nano / 1e9);
  return {
    cells: [
      shortName(session.file),
      session.version ?? '–',
      session.profile,
      formatCount(session.requests),
      usd(cost.recorded),
      `${usd(interval.expected)}${session.callsLost > 0 ? ' unfinished' : ''}`,
      signedPercent(signedError(session)),
      `${usd(interval.low)} … ${usd(interval.high)}`,
      `${compactions.predicted} / ${compactions.recorded}`,
    ],
    ...(inside ? {} : { tone: 'bad' as const }),
  };
}

function crashLine({ file, message }: CrashedSession, screen: Screen): string[] {
  return wrapText(printable(`${shortName(file)} crashed: ${message}`), screen.width, '  ', '    ');
}

/** Every session run forward beside its recording. */
export function sessionLines(files: readonly FileFidelity[], screen: Screen): string[] {
  const rows = files.flatMap(({ forward }) => (forward.kind === 'ran' ? [sessionRow(forward.session)] : []));
  const crashes = files.flatMap(({ forward }) =>
    forward.kind === 'crashed' ? crashLine(forward.session, screen) : [],
  );
  return rows.length === 0
    ? crashes
    : [...tableLines(SESSIONS, rows, { indent: '  ', ...screen }), ...crashes];
}

/** How far to trust a cost of some sessions; null where none of them was run forward. One session has no nine of ten. */
function errorText({ costErrorMedian, costErrorP90, sessions }: ForwardFigures): string | null {
  if (costErrorMedian === null || costErrorP90 === null) return null;
  if (sessions === 1) return `± ${percent(costErrorMedian)}`;
  return `± ${percent(costErrorMedian)} typically, ± ${percent(costErrorP90)} in nine of ten`;
}

/** The one sentence to take away: of all sessions, or of each group of those that were run forward where not all were, or alike. */
export function trustSentence(
  { forward, byProvider }: Pick<TotalFidelity, 'forward' | 'byProvider'>,
  files: readonly Pick<FileFidelity, 'requests' | 'forward'>[],
): string | null {
  const groups = [
    { label: 'Claude Code', figures: forward },
    ...Object.entries(byProvider).flatMap(([name, own]) =>
      name === 'anthropic' ? [] : [{ label: providerRegistry.get(name).label, figures: own.forward }],
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

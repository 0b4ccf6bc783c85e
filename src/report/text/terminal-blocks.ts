import {
  formatCount,
  formatCounted,
  formatDecimal,
  formatDuration,
  formatMoney,
  formatMoneyCell,
  formatShare,
  moneyDecimals,
  printable,
} from '../../core/base/format.js';
import { ownValue } from '../../core/base/own-value.js';
import { ratio } from '../../core/base/stats.js';
import { isUnpriced, type PricedCalls } from '../../core/run/recorded-bill.js';
import { type BreakFacts, pricedCalls, type RunFacts } from '../../metrics/facts.js';
import type { ShownFacts } from '../../metrics/long-term-fold.js';
import { billedCalls, recordedUsd, usd } from '../../metrics/metric.js';
import { metricValues } from '../../metrics/registry.js';
import * as doc from '../document/document.js';
import { AS_RECORDED, notRecordedNano, recordedDifference } from './as-recorded.js';
import type { Column, Row } from './table.js';
import { unpricedText } from './words.js';

/** A titled group of rows. */
export interface Block {
  readonly title: string;
  readonly rows: readonly Row[];
}

const SHARE_WIDTH = 6;

function row(key: string, value: string, note = ''): Row {
  return { cells: [key, value, note] };
}

function alarm(key: string, count: number, note = ''): Row {
  return { cells: [key, formatCount(count), note], tone: count > 0 ? 'bad' : 'plain' };
}

function shareNote(part: number, whole: number): string {
  return formatShare(ratio(part, whole)).padStart(SHARE_WIDTH);
}

/** Counts by name in one phrase: `main 12, compact 1`. */
export function countPhrase(counts: Readonly<Record<string, number>>): string {
  const parts = Object.entries(counts).filter(([, count]) => count > 0);
  return parts.map(([name, count]) => `${printable(name)} ${formatCount(count)}`).join(', ');
}

function requestsBlock(facts: RunFacts): Block {
  const byPurpose = Object.fromEntries(
    Object.entries(facts.byPurpose).map(([name, { calls }]) => [name, calls]),
  );
  const duration =
    facts.durationMs === null ? '' : `in ${formatDuration(facts.durationMs)} of simulated time`;
  const rows = [
    row('answered', formatCount(facts.requests.calls), countPhrase(byPurpose)),
    row('turns', formatCount(facts.turns), duration),
    alarm('refused', facts.requestsRefused, countPhrase(facts.refusals)),
    alarm('lost', facts.callsLost, facts.callsLost > 0 ? 'recorded calls that could not be made' : ''),
  ];
  if (facts.callsNotMade > 0)
    rows.push(row('not made', formatCount(facts.callsNotMade), 'calls of agents that another agent ended'));
  const { lost } = facts.longTerm.forks;
  if (lost > 0) rows.push(alarm('forks lost', lost, 'the call that starts them was not answered'));
  return { title: 'Requests', rows };
}

/** What was written by how long it lives; the two lifetimes are those of Anthropic's models. */
function lifetimesPhrase({ models, requests }: RunFacts): string {
  if (!Object.keys(models).every((model) => model.includes('claude'))) return '';
  return `  5m ${formatCount(requests.write5mTokens)}, 1h ${formatCount(requests.write1hTokens)}`;
}

function tokensBlock(facts: RunFacts, values: Readonly<Record<string, number | null>>): Block {
  const { promptTokens, readTokens, write5mTokens, write1hTokens, inputTokens, outputTokens } =
    facts.requests;
  const written = write5mTokens + write1hTokens;
  const part = (tokens: number): string => shareNote(tokens, promptTokens);
  const lifetimes = written === 0 ? '' : lifetimesPhrase(facts);
  const rows = [
    row('prompt', formatCount(promptTokens)),
    row('cache read', formatCount(readTokens), part(readTokens)),
    row('cache written', formatCount(written), part(written) + lifetimes),
    row('uncached', formatCount(inputTokens), part(inputTokens)),
    row('output', formatCount(outputTokens)),
    { ...row('cache-hit rate', formatShare(values.cacheHitRate ?? null)), tone: 'strong' as const },
  ];
  if (facts.byPurpose.subagent.calls > 0) {
    rows.push(row('  of subagents', formatShare(values.cacheHitRateSubagents ?? null)));
  }
  if (facts.estimator !== null) {
    rows.push(
      row('rough estimate', `${formatDecimal(values.estimatorRatio ?? null, 2)}×`, 'of the true tokens'),
    );
  }
  return { title: 'Tokens', rows };
}

/** What calls needed and their context no longer held (docs/faults.md). */
function faultRows({ faults }: RunFacts, values: Readonly<Record<string, number | null>>): readonly Row[] {
  if (faults === null || faults.none === 0) return [];
  const { faultsLeast = null, refetchUsdLeast = null, avoidableFaultShare = null } = values;
  const bounds = `${formatCount(Math.round(faults.all))} to ${formatCount(faults.none)} times, depending on what summaries keep`;
  const atLeast = (bound: string): string => `at least ${bound}, whatever summaries keep`;
  return [
    row('needed and gone', formatCount(Math.round(faults.fitted)), bounds),
    row(
      '  to fetch again',
      formatMoney(usd(faults.refetchNano)),
      refetchUsdLeast === null || refetchUsdLeast === 0 ? '' : atLeast(formatMoney(refetchUsdLeast)),
    ),
    faultsLeast !== null &&
      row(
        '  avoidable',
        formatShare(avoidableFaultShare),
        faultsLeast === 0 ? 'in this window' : atLeast(`${formatCount(faultsLeast)} times`),
      ),
  ].filter((each) => each !== false);
}

function contextBlock(facts: RunFacts, values: Readonly<Record<string, number | null>>): Block {
  const windows = facts.threads.flatMap(({ parent, window }) =>
    parent === null && window !== null ? [window] : [],
  );
  const window = windows.length === 0 ? '' : `of a window of ${formatCount(Math.max(...windows))}`;
  const { compactions, breaker, crossings } = facts;
  const kinds = countPhrase({
    full: compactions.full,
    'session-memory': compactions.sessionMemory,
    reactive: compactions.reactive,
    failed: compactions.failed,
  });
  const rows = [
    row('peak', formatCount(facts.peakContextTokens), window),
    row('mean prompt', formatCount(values.meanPromptTokens ?? null)),
    row(
      'overshoot',
      formatCount(facts.overshootTokens),
      facts.overshootTokens === null ? '' : 'past a threshold',
    ),
    ...statusRows(facts),
    row('compactions', formatCount(compactions.done), kinds),
    ...idleRows(compactions),
    ...faultRows(facts, values),
    row(
      'prevented',
      formatCount(crossings.prevented),
      crossings.deferred > 0 ? `${formatCount(crossings.deferred)} more only deferred` : '',
    ),
    alarm(
      'thrash',
      compactions.thrash,
      compactions.chained > 0 ? `${formatCount(compactions.chained)} in a chain` : '',
    ),
    alarm(
      'breaker trips',
      breaker.trips,
      breaker.skips > 0 ? `${formatCounted(breaker.skips, 'attempt')} avoided` : '',
    ),
  ];
  const blocked = values.blockedInputs ?? 0;
  if (blocked > 0) rows.push(alarm('blocked inputs', blocked));
  return { title: 'Context', rows };
}

/** Compactions while the user was away; those behind which nobody came back are pure cost. */
function idleRows({ idle, idleUnused, idleUnusedNanoUsd }: RunFacts['compactions']): readonly Row[] {
  if (idle === 0) return [];
  const unused = `${formatCount(idleUnused)} after the last request of a session: ${formatMoney(usd(idleUnusedNanoUsd))}`;
  return [row('  user away', formatCount(idle), idleUnused === 0 ? '' : unused)];
}

/** What the client showed of the context (WIN-5); nothing if no window is known. */
function statusRows({ status }: RunFacts): readonly Row[] {
  if (status === null) return [];
  const { warning, error, leastPercentLeft } = status;
  const rows = [row('least left', `${leastPercentLeft}%`, 'of the limit that the client shows')];
  if (warning.turns > 0) rows.push(row('turns with warning', formatCount(warning.turns), shownNote(warning)));
  if (error.turns > 0) rows.push(row('turns with error', formatCount(error.turns), shownNote(error)));
  return rows;
}

function shownNote({ times, firstRequest, leftAt }: ShownFacts): string {
  const first = `entered ${times === 1 ? 'once' : `${formatCount(times)} times`}, first at request ${formatCount(firstRequest)}`;
  return leftAt === null ? first : `${first}, last left at ${formatCount(leftAt)}`;
}

/** What the recording cost, in front of what its replay does. */
function recordedRows({ run }: RunFacts, decimals: number): readonly Row[] {
  const bill = run?.transcript.recorded;
  const cost = bill === undefined ? null : recordedUsd(bill);
  if (bill === undefined || cost === null) return [];
  return [
    row(
      AS_RECORDED,
      formatMoneyCell(cost, decimals),
      leastNote(billedCalls(bill), 'call') ?? formatCounted(bill.calls, 'call'),
    ),
    bill.assumedWritesNano !== undefined &&
      row(
        '  with writes',
        formatMoneyCell(cost + usd(bill.assumedWritesNano), decimals),
        'billed but not recorded: this is compared',
      ),
  ].filter((each) => each !== false);
}

/** What of the total no recording could hold. */
function notRecordedRows(facts: RunFacts, money: (nano: number) => string): readonly Row[] {
  const nano = notRecordedNano(facts);
  return nano === null
    ? []
    : [row('  not recorded', money(nano), 'unrecorded requests; the rest is compared')];
}

/** That a cost is the least, and why; null if it is all of it. */
function leastNote(priced: PricedCalls, of: 'call' | 'request'): string | null {
  const text = unpricedText(priced, of);
  return text === null ? null : `at least: ${text}`;
}

/** Where no model has a price there is nothing to split. */
function noCostBlock(priced: PricedCalls): Block {
  return { title: 'Cost', rows: [row('total', formatMoney(null), unpricedText(priced, 'request') ?? '')] };
}

function costBlocks(facts: RunFacts, values: Readonly<Record<string, number | null>>): Block[] {
  const priced = pricedCalls(facts);
  if (isUnpriced(priced)) return [noCostBlock(priced)];
  const { total, byCause, byLayer } = facts.cost;
  const decimals = moneyDecimals(usd(total));
  const money = (nanoUsd: number): string => formatMoneyCell(usd(nanoUsd), decimals);
  const line = ([name, part]: [string, number]): Row => row(name, money(part), shareNote(part, total));
  const perTurn = values.costPerTurnUsd ?? null;
  const difference = recordedDifference(facts);
  const least = leastNote(priced, 'request');
  const usual = [perTurn === null ? null : `${formatMoney(perTurn)} per turn`, difference];
  const notes = least === null ? usual.filter((note) => note !== null) : [least];
  const head: Row = { ...row('total', money(total), notes.join(', ')), tone: 'strong' };
  const causes = Object.entries(byCause).filter(([name, part]) => part > 0 || !name.startsWith('rewrite:'));
  const layers = Object.entries(byLayer).filter(([name]) => ownValue(facts.byPurpose, name)!.calls > 0);
  return [
    {
      title: 'Cost by cause',
      rows: [
        ...recordedRows(facts, decimals),
        head,
        ...notRecordedRows(facts, money),
        ...intervalRows(facts, priced, money),
        ...causes.map(line),
      ],
    },
    { title: 'Cost by layer', rows: layers.map(line) },
  ];
}

/** What the total may be (K14); nothing if the client is the bare API, calls have no price, or nothing is in doubt. */
function intervalRows(
  { costInterval, run }: RunFacts,
  { unpricedCalls }: PricedCalls,
  money: (nano: number) => string,
): readonly Row[] {
  if (costInterval === null || unpricedCalls > 0) return [];
  const { expected, low, high } = costInterval;
  const ends = `${money(low).trim()} … ${money(high).trim()}`;
  if (run?.transcript.reproduced !== undefined)
    return low === high
      ? []
      : [row('  90 % interval', money(expected), `${ends}: sizes after simulated compactions`)];
  return [row('with chance breaks', money(expected), `on average; 90 % interval ${ends}`)];
}

/** The blocks of key and value, which share their columns. */
export function valueBlocks(facts: RunFacts): readonly Block[] {
  const values = metricValues(facts);
  const blocks = [requestsBlock(facts), tokensBlock(facts, values), contextBlock(facts, values)];
  return facts.requests.calls === 0 ? blocks : [...blocks, ...costBlocks(facts, values)];
}

/** Columns of the value blocks. */
export const VALUE_COLUMNS: readonly Column[] = [
  { header: '', align: 'left', drop: null },
  { header: '', align: 'right', drop: null },
  { header: '', align: 'left', drop: 1 },
];

/** A layer of a run, with the decimals of its cost. */
interface LayerRow {
  readonly name: string;
  readonly layer: RunFacts['layers'][keyof RunFacts['layers']];
  readonly decimals: number;
}

/** Columns of the layers' table. */
export const LAYER_COLUMNS: readonly doc.ColumnOf<LayerRow>[] = [
  doc.text('layer', ({ name }) => name),
  doc.number('fired', ({ layer }) => layer.triggers, formatCount),
  doc.number('done', ({ layer }) => layer.done, formatCount, 3),
  doc.number('failed', ({ layer }) => layer.failed, formatCount, 4),
  doc.number('declined', ({ layer }) => layer.declined, formatCount, 1),
  doc.number('saved', ({ layer }) => layer.saved, formatCount, 9),
  doc.number('not carried', ({ layer }) => layer.notCarried, formatCount, 6),
  doc.number('prevented', ({ layer }) => layer.prevented, formatCount, 5),
  doc.number('destroyed', ({ layer }) => layer.cacheLost, formatCount, 8),
  doc.number('calls', ({ layer }) => layer.calls, formatCount, 2),
  doc.amount('cost', ({ layer, decimals }) => formatMoneyCell(usd(layer.costNanoUsd), decimals), 7),
];

/** One row per layer that fired, and below that of rules one per rule of the policy, those that never acted included. */
export function layerRows(facts: RunFacts): readonly Row[] {
  const decimals = moneyDecimals(usd(facts.cost.total));
  const rules = ruleRows(facts);
  return Object.entries(facts.layers)
    .filter(([name, layer]) => layer.triggers > 0 || (name === 'rules' && rules.length > 0))
    .flatMap(([name, layer]) => [
      ...doc.rowsOf(LAYER_COLUMNS, [{ name, layer, decimals }]),
      ...(name === 'rules' ? rules : []),
    ]);
}

/** The rules of a policy file, and how many summaries of each were never used; what they have together is in the row of the layer. */
function ruleRows({ run, rules }: RunFacts): readonly Row[] {
  const row = (name: string, counts: readonly number[]): Row => ({
    cells: [
      name,
      ...counts.map((value) => formatCount(value)),
      ...LAYER_COLUMNS.slice(1 + counts.length).map(() => ''),
    ],
  });
  return ruleNames(run?.plan).flatMap((name) => {
    const { done, failed, declined } = ownValue(rules, name) ?? { done: 0, failed: 0, declined: 0 };
    const own = row(`  ${name}`, [done + failed + declined, done, failed, declined]);
    return declined === 0 ? [own] : [own, row('    unused', [declined])];
  });
}

/** The names of the rules in a plan; a log may hold any. */
function ruleNames(plan: unknown): readonly string[] {
  const member = (value: unknown, key: string): unknown =>
    typeof value === 'object' && value !== null
      ? ownValue(value as Readonly<Record<string, unknown>>, key)
      : undefined;
  const rules = member(member(member(plan, 'policy'), 'rules'), 'rules');
  const names = Array.isArray(rules) ? rules.map((rule) => member(rule, 'name')) : [];
  return names.filter((name) => typeof name === 'string').map(printable);
}

/** Columns of the table of cache breaks. */
export const BREAK_COLUMNS: readonly Column[] = [
  { header: 'cause', align: 'left', drop: null },
  { header: 'breaks', align: 'right', drop: null },
  { header: 'drop in reads', align: 'right', drop: 2 },
  { header: '', align: 'left', drop: 1 },
];

/** One row per cause, those no layer announced first. */
export function breakRows(facts: RunFacts): readonly Row[] {
  const rows = (breaks: Readonly<Record<string, BreakFacts>>, note: string, tone: Row['tone']): Row[] =>
    Object.entries(breaks).map(([cause, { count, lostTokens }]) => ({
      cells: [cause, formatCount(count), formatCount(lostTokens), note],
      ...(tone === undefined ? {} : { tone }),
    }));
  return [...rows(facts.breaks.unexpected, '', undefined), ...rows(facts.breaks.expected, 'expected', 'dim')];
}

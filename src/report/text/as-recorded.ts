import {
  formatCount,
  formatCounted,
  formatDecimal,
  formatMoney,
  formatValue,
  printable,
} from '../../core/base/format.js';
import { ownValue } from '../../core/base/own-value.js';
import { mean, sum } from '../../core/base/stats.js';
import {
  addPricedCalls,
  isUnpriced,
  type OtherPrices,
  otherPriceSentence,
  type RecordedBill,
} from '../../core/run/recorded-bill.js';
import type { PlannedPlugin } from '../../core/run/run-plan.js';
import { completionOf, type RunFacts } from '../../metrics/facts.js';
import { billedCalls, comparedUsd, heldNano, recordedMetrics, usd } from '../../metrics/metric.js';
import { findMetric } from '../../metrics/registry.js';
import type { ComparisonRow } from '../page-data/page-data.js';
import { formatAtLeast } from './words.js';

/** What every replay assumes (C3). */
export const OPEN_LOOP =
  'A replay is open-loop: recorded answers stay the same, whatever the policy removes from the context.';

/** What fetching again costs that something forgets, as fitted and, where it is known, at most. */
interface RefetchCost {
  readonly name: string;
  readonly usd: number;
  readonly mostUsd?: number;
}

/** What no cost and no saving holds: fetching forgotten content again (docs/faults.md). Null if it costs nothing. */
export function refetchSentence(costs: readonly RefetchCost[]): string | null {
  const known = costs.flatMap(({ name, usd: fitted, mostUsd = fitted }) => {
    const most = mostUsd > fitted ? ` (at most ${formatMoney(mostUsd)})` : '';
    return mostUsd > 0 ? [`${formatMoney(fitted)} for ${name}${most}`] : [];
  });
  if (known.length === 0) return null;
  return `Not counted: fetching forgotten content again, about ${known.join(', ')}.`;
}

/** What the reader must know to read the numbers of a run. */
export function assumptionsOf({ run }: RunFacts): readonly string[] {
  const bill = run?.transcript.recorded;
  return [OPEN_LOOP, ...pluginNotes(run?.plugins ?? []), ...billNotes(bill === undefined ? [] : [bill])];
}

/** Figures of a digest that tell files apart. */
const DIGEST_FIGURES = 12;

function pluginNotes(plugins: readonly PlannedPlugin[]): readonly string[] {
  if (plugins.length === 0) return [];
  const named = plugins.map(({ name, sha256 }) =>
    sha256 === null ? `${name} (no file)` : `${name} (SHA-256 ${sha256.slice(0, DIGEST_FIGURES)}…)`,
  );
  return [
    `The run was made with ${plugins.length === 1 ? 'the plug-in' : 'the plug-ins'} ${named.join(', ')}.`,
  ];
}

const NANO = 1e9;

/** Name of the row for what recordings cost themselves. */
export const AS_RECORDED = 'as recorded';

/** How a cost differs from the recorded one: `+3.1 % against the recording`. */
export function againstRecorded(costUsd: number, recordedUsd: number): string {
  const percent = ((costUsd - recordedUsd) / recordedUsd) * 100;
  const size = Math.abs(percent) < 0.05 ? '0' : formatDecimal(Math.abs(percent), 1);
  const sign = size === '0' ? '±' : percent < 0 ? '−' : '+';
  return `${sign}${size} % against the recording`;
}

/** How the cost of the requests that a recording holds differs from the recorded one; null if nothing was recorded. */
export function recordedDifference({ run, cost, callsLost }: RunFacts): string | null {
  const bill = run?.transcript.recorded;
  const recorded = bill === undefined ? null : comparedUsd(bill);
  if (recorded === null || recorded === 0) return null;
  return callsLost > 0
    ? 'calls were lost: no match for the recording'
    : againstRecorded(usd(heldNano(cost, bill)), recorded);
}

/** Whether a run is given what happened in its recording, and how well its own client reproduces that. */
export interface WhatIf {
  readonly mode: 'what-if' | 'predict';
  /** Null if nothing is taken from a recording. */
  readonly reproduced: {
    readonly recordedUsd: number;
    readonly simulatedUsd: number;
    readonly errorPercent: number;
    readonly reasons: readonly string[];
  } | null;
}

/** The same from the input side of the recorded requests, in dollars; null if nothing was taken from a recording. */
export function whatIfOf(
  input: {
    readonly recordedUsd: number;
    readonly simulatedUsd: number;
    readonly reasons: readonly string[];
  } | null,
): WhatIf {
  if (input === null || input.recordedUsd === 0) return { mode: 'predict', reproduced: null };
  const errorPercent = (input.simulatedUsd / input.recordedUsd - 1) * 100;
  return { mode: 'what-if', reproduced: { ...input, errorPercent } };
}

/** The mode of a run. */
export function whatIfOfRun({ run }: RunFacts): WhatIf {
  const found = run?.transcript.reproduced;
  if (found === undefined) return whatIfOf(null);
  const { recordedNano, simulatedNano, reasons } = found;
  return whatIfOf({ recordedUsd: usd(recordedNano), simulatedUsd: usd(simulatedNano), reasons });
}

/** The first line of a report on a recording: how well the recording itself is reproduced; null for others. */
export function reproducedLine({ reproduced }: WhatIf): string | null {
  if (reproduced === null) return null;
  const { recordedUsd, simulatedUsd, errorPercent, reasons } = reproduced;
  const off = Math.abs(errorPercent) < 0.05 ? 'exactly' : `${formatDecimal(Math.abs(errorPercent), 1)} % off`;
  const why = Math.abs(errorPercent) < 0.05 || reasons.length === 0 ? '' : `: ${reasons.join('; ')}`;
  return `What-if: its own client reproduces the recording ${off} (input ${formatValue(recordedUsd, 'usd')} recorded, ${formatValue(simulatedUsd, 'usd')} simulated)${why}`;
}

/** A share of the recorded cost that is worth a word. */
const WORTH_TELLING = 0.005;

/** What a run spent on requests that its recording does not hold, in nano-dollars; null if that is nothing to speak of. */
export function notRecordedNano({ run, cost }: RunFacts): number | null {
  const bill = run?.transcript.recorded;
  if (bill === undefined) return null;
  const own = cost.total - heldNano(cost, bill);
  return own < bill.costNano.total * WORTH_TELLING || own === 0 ? null : own;
}

/** What recordings tell of themselves as the row of a table: means over those that tell. */
export function recordedRow(bills: readonly RecordedBill[], columns: readonly string[]): ComparisonRow {
  const records = bills.map(recordedMetrics);
  const priced = addPricedCalls(bills.map(billedCalls).filter((calls) => !isUnpriced(calls)));
  const cells = columns.map((name) => {
    const value = mean(records.flatMap((record) => ownValue(record, name) ?? []));
    const { unit = 'count' } = findMetric(name) ?? {};
    return { text: unit === 'usd' ? formatAtLeast(value, priced) : formatValue(value, unit), value };
  });
  return { name: AS_RECORDED, cells };
}

/** A bill as far as there is something to say about it. */
export type NotedBill = Pick<
  RecordedBill,
  | 'calls'
  | 'compactions'
  | 'summaries'
  | 'estimatedOutputs'
  | 'unpriced'
  | 'withoutUsage'
  | 'untoldWritesNano'
  | 'untoldLifetimesNano'
  | 'priceDay'
  | 'otherPrices'
>;

/** What notes need of a bill: of ten thousand sessions no more is kept. */
export function notedBill(bill: RecordedBill): NotedBill {
  const { calls, compactions, summaries, estimatedOutputs, unpriced, withoutUsage, untoldWritesNano } = bill;
  const { priceDay, otherPrices, untoldLifetimesNano } = bill;
  return {
    calls,
    compactions,
    summaries,
    estimatedOutputs,
    unpriced,
    withoutUsage,
    ...(untoldWritesNano === undefined ? {} : { untoldWritesNano }),
    ...(untoldLifetimesNano === undefined ? {} : { untoldLifetimesNano }),
    ...(priceDay === undefined ? {} : { priceDay }),
    ...(otherPrices === undefined ? {} : { otherPrices }),
  };
}

/** What no transcript holds, so that the row can be set beside others. */
function missingNote(bills: readonly NotedBill[]): string {
  const hidden = sum(bills.map(({ compactions, summaries }) => compactions - summaries));
  const days = [...new Set(bills.flatMap(({ priceDay }) => priceDay ?? []))];
  const day = days.length === 0 ? 'of the day, where the model table has them' : `of ${days.join(', ')}`;
  return `${AS_RECORDED}: at the list prices ${day}, without what transcripts lack: summary requests (${formatCount(hidden)} here), suggestions, web search fees`;
}

/** Calls that do not have the newest prices, over all recordings. */
function addOtherPrices(bills: readonly NotedBill[]): readonly OtherPrices[] {
  const sums = new Map<string, OtherPrices>();
  for (const other of bills.flatMap(({ otherPrices = [] }) => otherPrices)) {
    const key = otherPriceSentence(other.model, other);
    sums.set(key, { ...other, calls: other.calls + (sums.get(key)?.calls ?? 0) });
  }
  return [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, found]) => found);
}

/** What there is to say about recorded costs: what they leave out, and what of them is estimated. */
export function billNotes(bills: readonly NotedBill[]): readonly string[] {
  if (bills.length === 0) return [];
  const total = (pick: (bill: NotedBill) => number): number => sum(bills.map(pick));
  const notes = [missingNote(bills)];
  const estimated = total((bill) => bill.estimatedOutputs);
  if (estimated > 0) {
    const of = formatCount(total((bill) => bill.calls));
    notes.push(
      `${AS_RECORDED}: the output of ${formatCount(estimated)} of ${of} calls is estimated: the recording has placeholders`,
    );
  }
  const unpriced = total((bill) => sum(Object.values(bill.unpriced)));
  if (unpriced > 0) {
    const models = [...new Set(bills.flatMap((bill) => Object.keys(bill.unpriced)))].sort().join(', ');
    notes.push(`${AS_RECORDED}: without ${formatCounted(unpriced, 'call')} of unknown models (${models})`);
  }
  for (const { calls, model, kind, day } of addOtherPrices(bills))
    notes.push(
      `${AS_RECORDED}: ${formatCounted(calls, 'call')} of ${otherPriceSentence(model, { kind, day })}`,
    );
  const unreported = total((bill) => bill.untoldWritesNano ?? 0);
  if (unreported > 0)
    notes.push(
      `${AS_RECORDED}: writes are billed but not reported: up to ${formatValue(unreported / NANO, 'usd')} more, if everything not read was written`,
    );
  const hours = total((bill) => bill.untoldLifetimesNano ?? 0);
  if (hours > 0)
    notes.push(
      `${AS_RECORDED}: writes without a lifetime are priced for five minutes: up to ${formatValue(hours / NANO, 'usd')} more, if all were written for an hour`,
    );
  const bare = total((bill) => bill.withoutUsage);
  if (bare > 0)
    notes.push(
      `${AS_RECORDED}: without ${formatCounted(bare, 'response that carries', 'responses that carry')} no usage`,
    );
  return notes;
}

/** What the recording of a run says of itself, under the names of the metrics; null if it tells nothing. */
export function recordedJson({ run }: RunFacts): object | null {
  const bill = run?.transcript.recorded;
  return bill === undefined ? null : { metrics: recordedMetrics(bill), notes: billNotes([bill]) };
}

/** What went unanswered in a run that did not finish, and why; null for one that did. */
export function unfinishedText(facts: RunFacts): string | null {
  const { calls, answered, lost, finished, reason } = completionOf(facts);
  if (finished) return null;
  if (!facts.complete) return 'unfinished: the run did not finish, and its numbers are partial';
  if (calls === 0) return 'unfinished: the transcript holds no calls, so nothing was answered';
  const why = reason === null ? '' : ` (${printable(reason)})`;
  if (answered === 0) return `unfinished: none of ${formatCounted(calls, 'call')} was answered${why}`;
  return `unfinished: ${formatCount(lost)} of ${formatCounted(calls, 'call')} ${lost === 1 ? 'was' : 'were'} not answered${why}; every number covers the other ${formatCount(answered)}`;
}

import {
  formatCount,
  formatCounted,
  formatMoney,
  formatShare,
  formatValue,
  printable,
} from '../../../core/base/format.js';
import { ownValue } from '../../../core/base/own-value.js';
import { addPricedCalls, isUnpriced, type RecordedBill } from '../../../core/run/recorded-bill.js';
import type { ExpectationResult } from '../../../metrics/expect.js';
import { type BreakFacts, completionOf, pricedCalls, type RunFacts } from '../../../metrics/facts.js';
import { metricValues } from '../../../metrics/registry.js';
import { offersHour } from '../../../provider/cache/ttl.js';
import { MODELS } from '../../../provider/prices/models.js';
import { knownProvider, providerRegistry } from '../../../provider/providers/providers.js';
import { type Block, tableOf } from '../../../report/document/document.js';
import { AS_RECORDED, recordedRow } from '../../../report/text/as-recorded.js';
import type { Conclusion } from '../../../report/text/conclusion.js';
import type { Column, Row } from '../../../report/text/table.js';
import { causeWords, formatAtLeast, unpricedText } from '../../../report/text/words.js';
import { type RunResult, sessionsOf } from './run-result.js';

/** Whose rules hold for models of no known provider. */
const ANTHROPIC = 'anthropic';

/** How expectations came out where one failed; null if all hold. @internal */
export function failedSentence(expectations: readonly ExpectationResult[]): string | null {
  const failed = expectations.filter(({ passed }) => !passed);
  if (failed.length === 0) return null;
  const many = formatCounted(expectations.length, 'expectation');
  return `${formatCount(failed.length)} of ${many} failed, the first: ${failed[0]!.text}.`;
}

const dropOf = (breaks: readonly BreakFacts[]): number =>
  breaks.reduce((sum, { lostTokens }) => sum + lostTokens, 0);

/** The cause of the largest drop in reads, of those that no layer announced, with its part in them all; null without a drop. */
function worstBreak({
  breaks,
}: RunFacts): { readonly cause: string; readonly part: string; readonly size: string } | null {
  const all = Object.entries(breaks.unexpected).map(([cause, facts]) => ({ cause, ...facts }));
  const [worst] = all.toSorted((a, b) => b.lostTokens - a.lostTokens);
  if (worst === undefined || worst.lostTokens === 0) return null;
  const part = worst.lostTokens * 2 > dropOf(all) ? 'Most' : 'The largest part';
  const others = dropOf(Object.values(breaks.expected)) > 0 ? ', apart from expected breaks,' : '';
  return {
    cause: worst.cause,
    part: `${part} of the drop in cache reads${others}`,
    size: `${formatCounted(worst.count, 'break')}, ${formatCounted(worst.lostTokens, 'token')}`,
  };
}

/** Whether one of the models offers entries of an hour. */
function mayLiveLonger({ run, models }: RunFacts): boolean {
  const named = (run?.plan as { readonly provider?: unknown } | undefined)?.provider;
  return Object.keys(models).some((name) => {
    const row = MODELS.find(name);
    if (row === null) return true;
    const [provider = ANTHROPIC] = [named, row.provider].filter(
      (each): each is string => typeof each === 'string' && providerRegistry.has(each),
    );
    return offersHour(row) && knownProvider(provider).cache.written === 'marks';
  });
}

function adviceOn(facts: RunFacts, expectations: readonly ExpectationResult[]): string {
  const failed = failedSentence(expectations);
  if (failed !== null) return failed;
  if (!completionOf(facts).finished)
    return 'It did not finish, so its cost does not compare with runs that did.';
  const worst = worstBreak(facts);
  if (worst !== null) {
    return worst.cause === 'ttl-5m' && mayLiveLonger(facts)
      ? `${worst.part} is due to pauses of more than 5 minutes (${worst.size}); a run with --set cache.ttl=1h shows whether the longer lifetime pays.`
      : `${worst.part} is due to one cause, ${causeWords(worst.cause)} (${worst.size}).`;
  }
  if (facts.run?.transcript.recorded !== undefined)
    return 'ccbench validate on the recording shows how far such a cost is off.';
  if (facts.run?.transcript.source === 'synthetic')
    return 'The session is generated: ccbench why shows your own.';
  return 'This is one session: ccbench compare over several shows whether a difference holds.';
}

/** What one run came to, and what to make of it. */
export function runConclusion(facts: RunFacts, expectations: readonly ExpectationResult[]): Conclusion {
  const { costUsd, cacheHitRate } = metricValues(facts);
  const name = facts.run?.name ?? 'the run';
  const { answered } = completionOf(facts);
  if (answered === 0)
    return { result: `No call of ${name} was answered.`, advice: adviceOn(facts, expectations) };
  const priced = pricedCalls(facts);
  const unpriced = unpricedText(priced, 'request');
  const cost = isUnpriced(priced)
    ? `The cost of ${name} is not known: ${unpriced}`
    : `${name} cost ${formatAtLeast(costUsd ?? null, priced)}${unpriced === null ? ` for ${formatCounted(answered, 'call')}` : `: ${unpriced}`}`;
  return {
    result: `${cost}${unpriced === null ? ', with' : ';'} ${formatShare(cacheHitRate ?? null)} of its prompts ${unpriced === null ? '' : 'were '}read from the cache.`,
    advice: adviceOn(facts, expectations),
  };
}

/** The cheapest of several runs of one session; null if they are not to be compared, or cost the same. */
function cheapestOf(results: readonly RunResult[]): RunResult | null {
  if (sessionsOf(results) > 1) return null;
  if (results.some(({ execution }) => !completionOf(execution.facts).finished)) return null;
  if (results.some(({ execution }) => pricedCalls(execution.facts).unpricedCalls > 0)) return null;
  const [first, ...others] = [...results].sort((a, b) => a.metrics.costUsd! - b.metrics.costUsd!);
  return others.length === 0 || first!.metrics.costUsd === others[0]!.metrics.costUsd ? null : first!;
}

function allCost(results: readonly RunResult[]): string {
  const priced = addPricedCalls(results.map(({ execution }) => pricedCalls(execution.facts)));
  const usd = results.reduce((sum, { metrics }) => sum + (metrics.costUsd ?? 0), 0);
  const unpriced = unpricedText(priced, 'request');
  return `${formatAtLeast(usd, priced)} in all${unpriced === null ? '' : ` (${unpriced})`}`;
}

/** What the runs of one scenario came to. */
export function scenarioConclusion(name: string, file: string, results: readonly RunResult[]): Conclusion {
  if (results.length === 1) {
    const { execution, expectations } = results[0]!;
    return runConclusion(execution.facts, expectations);
  }
  const runs = `${formatCount(results.length)} runs of ${name}`;
  const cheapest = cheapestOf(results);
  const failed = failedSentence(results.flatMap(({ expectations }) => expectations));
  const cut = results.filter(({ execution }) => !completionOf(execution.facts).finished).length;
  const unfinished =
    cut === 0
      ? null
      : `${formatCount(cut)} of them did not finish: do not compare that cost with runs that did.`;
  return {
    result:
      cheapest === null
        ? `${runs} cost ${allCost(results)}.`
        : `Of ${runs} the cheapest is ${cheapest.planned.label}, at ${formatMoney(cheapest.metrics.costUsd!)}.`,
    advice:
      failed ??
      unfinished ??
      (sessionsOf(results) > 1
        ? `Which of their differences are more than noise: ccbench compare ${file}.`
        : `They are runs of one session: ccbench compare ${file} --transcripts … shows what holds over several.`),
  };
}

/** What the runs of several scenarios came to. */
export function scenariosConclusion(scenarios: number, results: readonly RunResult[]): Conclusion {
  const expectations = results.flatMap((result) => result.expectations);
  const failed = results.filter(({ expectations: own }) => own.some(({ passed }) => !passed));
  const held = expectations.filter(({ passed }) => passed).length;
  return {
    result: `${formatCounted(results.length, 'run')} of ${formatCounted(scenarios, 'scenario')} cost ${allCost(results)}; ${formatCount(held)} of ${formatCounted(expectations.length, 'expectation')} ${held === 1 ? 'holds' : 'hold'}.`,
    advice:
      failed.length === 0
        ? 'The conclusion of each is below its tables.'
        : `Look at ${failed[0]!.planned.label} first.`,
  };
}

const COLUMNS: readonly Column[] = [
  { header: 'run', align: 'left', drop: null },
  { header: 'cost', align: 'right', drop: null },
  { header: 'against first', align: 'right', drop: 3 },
  { header: 'answered', align: 'right', drop: 6 },
  { header: 'cache hits', align: 'right', drop: 5 },
  { header: 'compactions', align: 'right', drop: 4 },
  { header: 'peak context', align: 'right', drop: 2 },
  { header: 'digest', align: 'left', drop: 1 },
];

function change(first: number | null, now: number | null): string {
  if (first === null || now === null || first === 0) return '';
  const percent = ((now - first) / first) * 100;
  return now === first ? '=' : `${percent > 0 ? '+' : '−'}${Math.abs(percent).toFixed(1)} %`;
}

function recordedCells(bill: RecordedBill): Row {
  const [cost, ...rest] = recordedRow(
    [bill],
    ['costUsd', 'finishedShare', 'cacheHitRate', 'compactions', 'peakContextTokens'],
  ).cells;
  return { cells: [AS_RECORDED, cost!.text, '', ...rest.map(({ text }) => text), ''] };
}

/**
 * The runs of a scenario side by side, in front of them what their recording cost itself; the cost of a run that did not finish
 * is compared with nothing.
 */
export function variantTable(results: readonly RunResult[]): Block {
  const isFinished = ({ execution }: RunResult): boolean => completionOf(execution.facts).finished;
  const first = results[0];
  const base = first !== undefined && isFinished(first) ? (first.metrics.costUsd ?? null) : null;
  const rows = results.flatMap((result, i) => {
    const { planned, metrics, execution } = result;
    const value = (name: string): number | null => ownValue(metrics, name) ?? null;
    const finished = isFinished(result);
    const own = {
      cells: [
        printable(finished ? planned.label : `${planned.label} (unfinished)`),
        formatAtLeast(value('costUsd'), pricedCalls(execution.facts)),
        i === 0 || !finished ? '' : change(base, value('costUsd')),
        formatValue(value('finishedShare'), 'share'),
        formatValue(value('cacheHitRate'), 'share'),
        formatValue(value('compactions'), 'count'),
        formatValue(value('peakContextTokens'), 'tokens'),
        execution.digest.slice(0, 12),
      ],
    };
    const transcript = execution.facts.run?.transcript;
    const isNew = transcript?.id !== results[i - 1]?.execution.facts.run?.transcript.id;
    return transcript?.recorded === undefined || !isNew ? [own] : [recordedCells(transcript.recorded), own];
  });
  return tableOf(COLUMNS, rows, '');
}

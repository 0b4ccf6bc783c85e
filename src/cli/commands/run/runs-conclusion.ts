import {
  formatCount,
  formatCounted,
  formatMoney,
  formatValue,
  printable,
} from '../../../core/base/format.js';
import { ownValue } from '../../../core/base/own-value.js';
import { addPricedCalls } from '../../../core/run/priced-calls.js';
import type { RecordedBill } from '../../../core/run/recorded-bill.js';
import { completionOf, pricedCalls } from '../../../metrics/completion.js';
import { type Block, tableOf } from '../../../report/document/document.js';
import { AS_RECORDED, recordedRow } from '../../../report/text/as-recorded.js';
import { formatAtLeast, unpricedText } from '../../../report/text/at-least.js';
import type { Conclusion } from '../../../report/text/conclusion.js';
import type { Column, Row } from '../../../report/text/table.js';
import { failedSentence, runConclusion } from '../../runs/run-conclusion.js';
import type { RunResult } from './run-result.js';

function transcriptsOf(results: readonly RunResult[]): number {
  return new Set(results.map(({ execution }) => execution.facts.run?.transcript.id)).size;
}

/** The cheapest of several runs of one session; null where they are not to be compared, or cost the same. */
function cheapestOf(results: readonly RunResult[]): RunResult | null {
  if (transcriptsOf(results) > 1) return null;
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
      (transcriptsOf(results) > 1
        ? `Which of their differences are more than noise: ccbench compare ${file}.`
        : `They are runs of one session: ccbench compare ${file} --transcripts … says what lasts over several.`),
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
        ? 'What to make of each stands below its tables.'
        : `The first to look at: ${failed[0]!.planned.label}.`,
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
        formatMoney(value('costUsd')),
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

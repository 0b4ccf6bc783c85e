import { formatMoney, formatValue, printable } from '../../../core/base/format.js';
import type { RecordedBill } from '../../../core/run/recorded-bill.js';
import { completionOf } from '../../../metrics/completion.js';
import { AS_RECORDED, recordedRow } from '../../../report/text/as-recorded.js';
import { type Column, droppedHeaders, type Row, tableLines } from '../../../report/text/table.js';
import type { Screen } from '../../../report/text/terminal.js';
import type { RunResult } from './run-result.js';

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
export function variantTable(results: readonly RunResult[], screen: Screen): string {
  const isFinished = ({ execution }: RunResult): boolean => completionOf(execution.facts).finished;
  const first = results[0];
  const base = first !== undefined && isFinished(first) ? (first.metrics.costUsd ?? null) : null;
  const rows = results.flatMap((result, i) => {
    const { planned, metrics, execution } = result;
    const value = (name: string): number | null => metrics[name] ?? null;
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
  const left = droppedHeaders(COLUMNS, rows, screen.width);
  const note =
    left.length === 0 ? [] : [`left out, too wide for ${screen.width} columns: ${left.join(', ')}`];
  return [...tableLines(COLUMNS, rows, { indent: '', ...screen }), ...note].join('\n');
}

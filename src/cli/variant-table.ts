import type { RecordedBill } from '../model/recorded-bill.js';
import { AS_RECORDED, recordedRow } from '../report/as-recorded.js';
import { formatMoney, formatValue, printable } from '../report/format.js';
import { type Column, type Row, tableLines } from '../report/table.js';
import type { Screen } from '../report/terminal.js';
import type { RunResult } from './commands/run.js';

const COLUMNS: readonly Column[] = [
  { header: 'run', align: 'left', drop: null },
  { header: 'cost', align: 'right', drop: null },
  { header: 'against first', align: 'right', drop: 3 },
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
    ['costUsd', 'cacheHitRate', 'compactions', 'peakContextTokens'],
  ).cells;
  return { cells: [AS_RECORDED, cost!.text, '', ...rest.map(({ text }) => text), ''] };
}

/** The runs of a scenario side by side, in front of them what their recording cost itself. */
export function variantTable(results: readonly RunResult[], screen: Screen): string {
  const first = results[0]?.metrics.costUsd ?? null;
  const rows = results.flatMap(({ planned, metrics, execution }, i) => {
    const value = (name: string): number | null => metrics[name] ?? null;
    const own = {
      cells: [
        printable(planned.label),
        formatMoney(value('costUsd')),
        i === 0 ? '' : change(first, value('costUsd')),
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
  return tableLines(COLUMNS, rows, { indent: '', ...screen }).join('\n');
}

import { formatMoney, formatShare } from '../../core/base/format.js';
import { caseName } from './junit.js';
import type { Judged } from './verdict.js';

/** Text in a cell of a Markdown table. */
function cell(text: string): string {
  return text.replace(/[\\|<>]/g, (char) => `\\${char}`).replace(/\s+/g, ' ');
}

function change(before: number | null | undefined, now: number | null): string {
  if (before === null || before === undefined || now === null) return '';
  if (before === now) return '=';
  const money = `${formatMoney(before)} before`;
  if (before === 0) return money;
  const percent = ((now - before) / before) * 100;
  return `${percent > 0 ? '+' : '−'}${Math.abs(percent).toFixed(1)} % (${money})`;
}

/** The runs of a command as Markdown: a table of costs, then everything that failed. */
export function runSummary(runs: readonly Judged[]): string {
  const hasBaseline = runs.some(({ before }) => before !== null);
  const headers = ['run', 'cost', ...(hasBaseline ? ['against the baseline'] : []), 'cache hits', 'verdict'];
  const rows = runs.map(({ label, verdicts, metrics, before }) => {
    const failed = verdicts.filter(({ passed }) => !passed).length;
    const cost = metrics.costUsd ?? null;
    return [
      cell(label),
      formatMoney(cost),
      ...(hasBaseline ? [change(before?.costUsd, cost)] : []),
      formatShare(metrics.cacheHitRate ?? null),
      failed === 0 ? `✅ ${verdicts.length} passed` : `❌ ${failed} of ${verdicts.length} failed`,
    ];
  });
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const failures = runs.flatMap(({ label, verdicts }) =>
    verdicts
      .filter(({ passed }) => !passed)
      .map((verdict) => `- **${cell(label)}**: ${cell(caseName(verdict))}: ${cell(verdict.message)}`),
  );
  return [
    '### ccbench',
    '',
    line(headers),
    line(headers.map((header) => (header === 'run' || header === 'verdict' ? '---' : '---:'))),
    ...rows.map(line),
    ...(failures.length === 0 ? [] : ['', ...failures]),
    '',
  ].join('\n');
}

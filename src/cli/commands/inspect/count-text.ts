import { formatCount, formatCounted, formatDecimal } from '../../../core/base/format.js';
import { type Column, tableLines, wrapText } from '../../../report/text/table.js';
import type { Screen } from '../../../report/text/terminal.js';
import type { CountCheck } from './count-check.js';

const COLUMNS: readonly Column[] = [
  { header: 'counter', align: 'left', drop: null },
  { header: 'counted', align: 'right', drop: null },
  { header: 'recorded', align: 'right', drop: null },
  { header: 'ratio', align: 'right', drop: null },
  { header: 'calls', align: 'right', drop: 1 },
];

/** How far counters are from recorded usage, for the screen. */
export function countText(checks: readonly CountCheck[], screen: Screen): string {
  const { style, width } = screen;
  const rows = checks.map(({ counter, countedTokens, recordedTokens, ratio, calls }) => ({
    cells: [
      counter,
      formatCount(countedTokens),
      formatCount(recordedTokens),
      formatDecimal(ratio, 3),
      formatCount(calls),
    ],
  }));
  const { sealedBlocks, stretches } = checks[0]!;
  const notes = [
    stretches === 0
      ? 'nothing to compare: the recording holds no two calls with usage and text between them'
      : 'what prompts grew by while nothing was taken out of them; below 1 a counter under-counts',
  ];
  if (stretches > 0 && sealedBlocks > 0)
    notes.push(
      `${formatCount(sealedBlocks)} blocks have no text in the recording: recorded, but not counted`,
    );
  for (const { sent } of checks) {
    if (sent === null) continue;
    notes.push(
      `text was sent to the API: ${formatCounted(sent.characters, 'character')} in ${formatCounted(sent.requests, 'request')}`,
    );
  }
  const lines = [
    style.bold('Token counters against recorded usage'),
    ...tableLines(COLUMNS, rows, { indent: '  ', ...screen }),
    ...notes.flatMap((note) => wrapText(note, width, '  ', '    ').map(style.dim)),
  ];
  return `${lines.join('\n')}\n`;
}

import { formatCount, formatCounted, formatShare, printable } from '../../../core/base/format.js';
import { ratio } from '../../../core/base/stats.js';
import { createWarnings, type Warning } from '../../../core/run/warning.js';
import { formatAtLeast, unpricedText } from '../../../report/text/at-least.js';
import { shortName } from '../../../report/text/short-name.js';
import { type Column, droppedHeaders, type Row, tableLines, wrapText } from '../../../report/text/table.js';
import type { Screen } from '../../../report/text/terminal.js';
import { inputId } from '../../../transcripts/files/read-input.js';
import type { SessionFacts, SessionsTotal } from './session-facts.js';

const INDENT = '  ';
/** Room that the columns which always stay need beside the name. */
const FIXED_CHARS = 28;
const SHORTEST_NAME = 12;
const LONGEST_NAME = 34;

const COLUMNS: readonly Column[] = [
  { header: 'session', align: 'left', drop: null },
  { header: 'agent', align: 'left', drop: 5 },
  { header: 'day', align: 'left', drop: 4 },
  { header: 'calls', align: 'right', drop: null },
  { header: 'prompt', align: 'right', drop: 7 },
  { header: 'cached', align: 'right', drop: 6 },
  { header: 'written', align: 'right', drop: 2 },
  { header: 'output', align: 'right', drop: 3 },
  { header: 'compactions', align: 'right', drop: 1 },
  { header: 'cost', align: 'right', drop: null },
];

function cellsOf(facts: SessionFacts, name: string): readonly string[] {
  const { promptTokens, cachedTokens } = facts;
  const cached = promptTokens === null || cachedTokens === null ? null : ratio(cachedTokens, promptTokens);
  return [
    name,
    facts.agent,
    facts.from?.slice(0, 10) ?? '',
    formatCount(facts.calls),
    formatCount(promptTokens),
    formatShare(cached),
    formatCount(facts.writtenTokens),
    formatCount(facts.outputTokens),
    formatCount(facts.compactions),
    formatAtLeast(facts.costUsd, facts),
  ];
}

function totalRow(total: SessionsTotal): Row {
  return {
    cells: [
      formatCounted(total.sessions, 'session'),
      '',
      '',
      formatCount(total.calls),
      formatCount(total.promptTokens),
      formatShare(total.hitRate),
      formatCount(total.writtenTokens),
      formatCount(total.outputTokens),
      formatCount(total.compactions),
      formatAtLeast(total.costUsd, { ...total, calls: total.costCalls }),
    ],
    tone: 'strong',
  };
}

function totalNotes(total: SessionsTotal): readonly string[] {
  const {
    sessions,
    withoutCost,
    costCalls: calls,
    unpricedCalls,
    withoutWrites,
    outputTokens,
    estimatedOutputTokens,
  } = total;
  const of = formatCounted(sessions, 'session');
  const notes: string[] = [];
  if (withoutCost > 0)
    notes.push(
      `the cost leaves out ${formatCount(withoutCost)} of ${of}: a model without a known price, or no usage`,
    );
  const unpriced = unpricedText({ calls, unpricedCalls });
  if (unpriced !== null) notes.push(`the cost is the least: ${unpriced}`);
  if (withoutWrites > 0)
    notes.push(
      `${formatCount(withoutWrites)} of ${of} ${withoutWrites === 1 ? 'does' : 'do'} not tell what was written to the cache`,
    );
  if (estimatedOutputTokens !== null && estimatedOutputTokens > 0)
    notes.push(
      `${formatCount(estimatedOutputTokens)} of ${formatCount(outputTokens)} output tokens are estimated: the recording holds placeholders`,
    );
  return notes;
}

/** Findings of all sessions, each once with its count. */
function findings(warnings: readonly Warning[], { style, width }: Screen): readonly string[] {
  const merged = createWarnings();
  for (const { code, message, remedy, count } of warnings) merged.add(code, message, remedy, count);
  const list = merged.list();
  if (list.length === 0) return [];
  const lines = list.flatMap(({ code, message, count }) => {
    const times = count > 1 ? ` (${formatCount(count)} times)` : '';
    return wrapText(printable(`${code}: ${message}${times}`), width, INDENT, INDENT + INDENT).map(
      style.yellow,
    );
  });
  return ['', style.bold('Findings'), ...lines];
}

/** Several sessions in one table, for the screen. */
export function sessionsText(
  sessions: readonly SessionFacts[],
  total: SessionsTotal,
  said: { readonly notes: readonly string[]; readonly warnings: readonly Warning[] },
  screen: Screen,
): string {
  const { style, width } = screen;
  const room = width - INDENT.length - FIXED_CHARS;
  const most = Math.min(LONGEST_NAME, Math.max(SHORTEST_NAME, room));
  const rows = [
    ...sessions.map(
      (facts): Row => ({ cells: cellsOf(facts, shortName(printable(inputId(facts.file)), most)) }),
    ),
    totalRow(total),
  ];
  const dropped = droppedHeaders(COLUMNS, rows, width - INDENT.length);
  const notes = [
    ...totalNotes(total),
    ...said.notes,
    ...(dropped.length === 0 ? [] : [`not shown in ${width} columns: ${dropped.join(', ')}; --json has all`]),
  ];
  const lines = [
    ...tableLines(COLUMNS, rows, { indent: INDENT, ...screen }),
    ...notes.flatMap((note) => wrapText(printable(note), width, INDENT, INDENT + INDENT).map(style.dim)),
    ...findings(said.warnings, screen),
  ];
  return `${lines.join('\n')}\n`;
}

import {
  formatCount,
  formatCounted,
  formatDecimal,
  formatDuration,
  formatMoney,
  formatShare,
  printable,
} from '../../../core/base/format.js';
import { ratio } from '../../../core/base/stats.js';
import { AS_RECORDED } from '../../../report/text/as-recorded.js';
import { formatAtLeast, unpricedText } from '../../../report/text/at-least.js';
import { type Column, type Row, tableLines, wrapText } from '../../../report/text/table.js';
import type { Screen } from '../../../report/text/terminal.js';
import type { TranscriptFacts } from './inspect-facts.js';

const INDENT = '  ';
/** What stands for a value that is not there. */
const NO_DATA = formatCount(null);
const SHOWN_TOOLS = 12;
const SHOWN_READS = 8;
const SHOWN_COMPACTIONS = 10;

const PAIR: readonly Column[] = [
  { header: '', align: 'left', drop: null },
  { header: '', align: 'left', drop: null },
];

const AMOUNT: readonly Column[] = [
  { header: '', align: 'left', drop: null },
  { header: 'tokens', align: 'right', drop: null },
  { header: 'share', align: 'right', drop: 2 },
  { header: 'count', align: 'right', drop: 1 },
];

function counted(models: Readonly<Record<string, number>>): string {
  const names = Object.keys(models);
  return names.length === 0
    ? NO_DATA
    : names.map((name) => `${name} ×${formatCount(models[name]!)}`).join(', ');
}

function callsEach(calls: string): string {
  return `${calls} ${calls === '1' ? 'call' : 'calls'} each`;
}

function overview(facts: TranscriptFacts): readonly Row[] {
  const { gaps, billed } = facts;
  const among = facts.subagents === 0 ? '' : ' (subagents included)';
  const agents = facts.subagents === 0 ? '' : ` (${formatCounted(facts.subagents, 'subagent')})`;
  const rows: (readonly [string, string])[] = [
    ['carries', facts.carries.join(', ')],
    ['agent version', facts.agentVersion ?? NO_DATA],
    ['models', counted(facts.models)],
    ['threads', `${formatCount(facts.threads)}${agents}`],
    ['turns', `${formatCounted(facts.turns, 'API call')} over ${formatDuration(facts.spanMs)}`],
    [
      'human prompts',
      `${formatCount(facts.humanPrompts)}, ${callsEach(formatDecimal(facts.callsPerPrompt, 1))}`,
    ],
    [
      'prompt tokens',
      `first ${formatCount(facts.firstPromptTokens)}, largest ${formatCount(facts.maxPromptTokens)}${among}`,
    ],
  ];
  if (gaps !== null) {
    rows.push([
      'gaps',
      `median ${formatDuration(gaps.p50Ms)}, p90 ${formatDuration(gaps.p90Ms)}, longest ${formatDuration(gaps.maxMs)}; ${formatCount(gaps.overFiveMinutes)} over 5 min, ${formatCount(gaps.overOneHour)} over 1 h`,
    ]);
  }
  if (billed !== null) {
    const unpriced = unpricedText(billed);
    const subagents =
      billed.subagentsUsd === 0 ? '' : `, ${formatMoney(billed.subagentsUsd)} of it for subagents`;
    rows.push(
      [
        'recorded usage',
        `read ${formatCount(billed.cacheRead)}, ${facts.carries.includes('cache-writes') ? `written 5 min ${formatCount(billed.cacheWrite5m)}, written 1 h ${formatCount(billed.cacheWrite1h)}` : 'written not told'}, uncached ${formatCount(billed.input)}, output ${formatCount(billed.output)}`,
      ],
      ['recorded hit rate', formatShare(billed.hitRate)],
      [
        AS_RECORDED,
        `${formatAtLeast(billed.costUsd, billed)}${unpriced === null ? '' : `: ${unpriced}`}${subagents}`,
      ],
    );
  }
  if (facts.resumes > 0) rows.push(['resumed', formatCounted(facts.resumes, 'time')]);
  return rows.map(([name, value]) => ({ cells: [name, printable(value)] }));
}

function amountRow(name: string, tokens: number, total: number, count: number | null): Row {
  const shown = count === null ? '' : formatCount(count);
  return { cells: [printable(name), formatCount(tokens), formatShare(ratio(tokens, total)), shown] };
}

function contentRows({ content }: TranscriptFacts): readonly Row[] {
  const { total } = content;
  const kinds = [
    ['in no line: system, tools, …', content.unrecorded],
    ['human text', content.human],
    ['assistant text', content.assistant],
    ['command output', content.localCommandOutput],
    ['thinking, images, other', content.other],
  ] as const;
  const list = (what: string, tools: typeof content.toolResults): Row[] => {
    const rest = tools.slice(SHOWN_TOOLS);
    const rows = tools
      .slice(0, SHOWN_TOOLS)
      .map(({ tool, tokens, count }) => amountRow(`${tool} ${what}`, tokens, total, count));
    if (rest.length === 0) return rows;
    const sums = rest.reduce(
      (sum, item) => ({ tokens: sum.tokens + item.tokens, count: sum.count + item.count }),
      { tokens: 0, count: 0 },
    );
    return [
      ...rows,
      amountRow(`${formatCounted(rest.length, 'more tool')}: ${what}`, sums.tokens, total, sums.count),
    ];
  };
  return [
    ...kinds.filter(([, tokens]) => tokens > 0).map(([name, tokens]) => amountRow(name, tokens, total, null)),
    ...list('results', content.toolResults),
    ...list('calls', content.toolRequests),
    { ...amountRow('all', total, total, null), tone: 'strong' },
  ];
}

function duplicateLines({ content }: TranscriptFacts, screen: Screen): readonly string[] {
  if (content.duplicateReads.length === 0) return [];
  const rows = content.duplicateReads.slice(0, SHOWN_READS).map(({ path, count, tokens, waste }) => ({
    cells: [printable(path), formatCount(count), formatCount(tokens), formatCount(waste)],
  }));
  const more = content.duplicateReads.length - rows.length;
  const columns: readonly Column[] = [
    { header: 'file', align: 'left', drop: null },
    { header: 'reads', align: 'right', drop: 2 },
    { header: 'tokens', align: 'right', drop: 1 },
    { header: 'wasted', align: 'right', drop: null },
  ];
  return [
    '',
    screen.style.bold(
      `Duplicate reads: ${formatCount(content.duplicateReadTokens)} tokens wasted (${formatShare(content.duplicateReadShare)})`,
    ),
    ...tableLines(columns, rows, { indent: INDENT, ...screen }),
    ...(more > 0 ? [`${INDENT}… and ${formatCounted(more, 'more file')}`] : []),
  ];
}

function compactionLines({ compactions }: TranscriptFacts, screen: Screen): readonly string[] {
  if (compactions.length === 0) return [];
  const shown = compactions
    .slice(0, SHOWN_COMPACTIONS)
    .map(({ kind, trigger, atMs, preTokens, postTokens, thread }) => {
      const sizes = `${formatCount(preTokens)} → ${formatCount(postTokens)} tokens`;
      return printable(`${INDENT}${kind} (${trigger}) after ${formatDuration(atMs)} in ${thread}: ${sizes}`);
    });
  const more = compactions.length - shown.length;
  return [
    '',
    screen.style.bold('Recorded compactions'),
    ...shown.map((line) => INDENT + line),
    ...(more > 0 ? [`${INDENT}… and ${formatCount(more)} more`] : []),
  ];
}

function warningLines({ warnings }: TranscriptFacts, screen: Screen): readonly string[] {
  const { style, width } = screen;
  if (warnings.length === 0) return [];
  const lines = warnings.flatMap(({ code, message, remedy, count }) => {
    const times = count > 1 ? ` (${formatCount(count)} times)` : '';
    const said = wrapText(printable(`${code}: ${message}${times}`), width, INDENT, INDENT + INDENT).map(
      style.yellow,
    );
    return remedy === null
      ? said
      : [...said, ...wrapText(printable(remedy), width, `${INDENT}→ `, `${INDENT}  `)];
  });
  return ['', style.bold('Findings'), ...lines];
}

/** What is in a transcript, for the screen. */
export function inspectText(facts: TranscriptFacts, screen: Screen): string {
  const { style } = screen;
  const lines = [
    `${style.bold(printable(facts.file))}${INDENT}${style.dim(facts.format)}`,
    ...tableLines(PAIR, overview(facts), { indent: INDENT, ...screen }),
    ...(facts.billed?.notes ?? []).flatMap((note) =>
      wrapText(printable(note), screen.width, INDENT, INDENT + INDENT).map(style.dim),
    ),
    '',
    style.bold('Tokens by kind and tool'),
    ...tableLines(AMOUNT, contentRows(facts), { indent: INDENT, ...screen }),
    ...duplicateLines(facts, screen),
    ...compactionLines(facts, screen),
    ...warningLines(facts, screen),
  ];
  return `${lines.join('\n')}\n`;
}

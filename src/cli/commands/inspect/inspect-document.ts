import {
  formatCount,
  formatCounted,
  formatDecimal,
  formatDuration,
  formatMoney,
  formatShare,
  printable,
} from '../../../core/base/format.js';
import { ratio, sum } from '../../../core/base/stats.js';
import * as doc from '../../../report/document/document.js';
import { AS_RECORDED } from '../../../report/text/as-recorded.js';
import { formatAtLeast, unpricedText } from '../../../report/text/words.js';
import type { CountCheck } from './count-check.js';
import type { CompactionFact, TranscriptFacts } from './inspect-facts.js';

/** Shown for a missing value. */
const NO_DATA = formatCount(null);
const SHOWN_TOOLS = 12;
const SHOWN_READS = 8;
const SHOWN_COMPACTIONS = 10;

type Pair = readonly [name: string, value: string];

const PAIR: readonly doc.ColumnOf<Pair>[] = [
  doc.text('', ([name]) => name),
  doc.text('', ([, value]) => printable(value)),
];

function counted(models: Readonly<Record<string, number>>): string {
  const names = Object.entries(models).map(([name, calls]) => `${name} ×${formatCount(calls)}`);
  return names.length === 0 ? NO_DATA : names.join(', ');
}

function callsEach(calls: string): string {
  return `${calls} ${calls === '1' ? 'call' : 'calls'} each`;
}

function gapPairs({ gaps }: TranscriptFacts): readonly Pair[] {
  if (gaps === null) return [];
  const { p50Ms, p90Ms, maxMs, overFiveMinutes, overOneHour } = gaps;
  return [
    [
      'gaps',
      `median ${formatDuration(p50Ms)}, p90 ${formatDuration(p90Ms)}, longest ${formatDuration(maxMs)}; ${formatCount(overFiveMinutes)} over 5 min, ${formatCount(overOneHour)} over 1 h`,
    ],
  ];
}

function billedPairs({ billed, carries, clientCostUsd }: TranscriptFacts): readonly Pair[] {
  if (billed === null) return [];
  const { cacheRead, cacheWrite5m, cacheWrite1h, input, output, subagentsUsd, summariesUsd = 0 } = billed;
  const { calls, estimatedOutputs } = billed;
  const unpriced = unpricedText(billed);
  // Placeholders instead of usage: the cost stands on estimates, which belongs beside it.
  const estimated =
    estimatedOutputs === 0
      ? ''
      : ` (estimated${estimatedOutputs === calls ? '' : ` in ${formatCount(estimatedOutputs)} of ${formatCounted(calls, 'call')}`})`;
  const written = !carries.includes('cache-writes')
    ? 'written not reported'
    : carries.includes('lifetimes')
      ? `written 5 min ${formatCount(cacheWrite5m)}, written 1 h ${formatCount(cacheWrite1h)}`
      : `written ${formatCount(cacheWrite5m + cacheWrite1h)}`;
  const subagents = subagentsUsd === 0 ? '' : `, ${formatMoney(subagentsUsd)} of it for subagents`;
  const summaries = summariesUsd === 0 ? '' : `, ${formatMoney(summariesUsd)} of it for summaries`;
  return [
    [
      'recorded usage',
      `read ${formatCount(cacheRead)}, ${written}, uncached ${formatCount(input)}, output ${formatCount(output)}${estimated}`,
    ],
    ['recorded hit rate', formatShare(billed.hitRate)],
    [
      AS_RECORDED,
      `${formatAtLeast(billed.costUsd, billed)}${unpriced === null ? '' : `: ${unpriced}`}${subagents}${summaries}`,
    ],
    ...(clientCostUsd === undefined
      ? []
      : ([
          ['by the client itself', `${formatMoney(clientCostUsd)}, with its requests for summaries`],
        ] as const)),
  ];
}

function overview(facts: TranscriptFacts): readonly Pair[] {
  const among = facts.subagents === 0 ? '' : ' (subagents included)';
  const agents = facts.subagents === 0 ? '' : ` (${formatCounted(facts.subagents, 'subagent')})`;
  return [
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
    ...gapPairs(facts),
    ...billedPairs(facts),
    ...(facts.resumes > 0 ? [['resumed', formatCounted(facts.resumes, 'time')] as const] : []),
  ];
}

/** Tokens of one kind. */
interface Amount {
  readonly name: string;
  readonly tokens: number;
  readonly count: number | null;
}

function amounts({ content }: TranscriptFacts): readonly Amount[] {
  const kinds = [
    ['not recorded: system, tools, …', content.unrecorded],
    ['human text', content.human],
    ['assistant text', content.assistant],
    ['command output', content.localCommandOutput],
    ['thinking, images, other', content.other],
  ] as const;
  const list = (what: string, tools: typeof content.toolResults): readonly Amount[] => {
    const rest = tools.slice(SHOWN_TOOLS);
    const rows = tools
      .slice(0, SHOWN_TOOLS)
      .map(({ tool, tokens, count }) => ({ name: `${tool} ${what}`, tokens, count }));
    if (rest.length === 0) return rows;
    const name = `${formatCounted(rest.length, 'more tool')}: ${what}`;
    const tokens = sum(rest.map((item) => item.tokens));
    return [...rows, { name, tokens, count: sum(rest.map((item) => item.count)) }];
  };
  return [
    ...kinds.flatMap(([name, tokens]) => (tokens > 0 ? [{ name, tokens, count: null }] : [])),
    ...list('results', content.toolResults),
    ...list('calls', content.toolRequests),
    { name: 'all', tokens: content.total, count: null },
  ];
}

function contentBlock(facts: TranscriptFacts): doc.Block {
  const { total } = facts.content;
  const columns: readonly doc.ColumnOf<Amount>[] = [
    doc.text('', ({ name }) => printable(name)),
    doc.number('tokens', ({ tokens }) => tokens, formatCount),
    doc.number('share', ({ tokens }) => ratio(tokens, total), formatShare, 2),
    doc.amount('count', ({ count }) => (count === null ? '' : formatCount(count)), 1),
  ];
  const rows = amounts(facts);
  return doc.section(
    'Tokens by kind and tool',
    doc.table(columns, rows, (row) => (row === rows.at(-1) ? 'strong' : 'plain')),
  );
}

type DuplicateRead = TranscriptFacts['content']['duplicateReads'][number];

const READS: readonly doc.ColumnOf<DuplicateRead>[] = [
  doc.text('file', ({ path }) => printable(path)),
  doc.number('reads', ({ count }) => count, formatCount, 2),
  doc.number('tokens', ({ tokens }) => tokens, formatCount, 1),
  doc.number('wasted', ({ waste }) => waste, formatCount),
];

function more(count: number, words: string): doc.Block {
  return count > 0 && doc.inset(`… and ${words}`);
}

function duplicateBlock({ content }: TranscriptFacts): doc.Block {
  const { duplicateReads, duplicateReadTokens, duplicateReadShare } = content;
  const left = duplicateReads.length - SHOWN_READS;
  return doc.section(
    `Duplicate reads: ${formatCount(duplicateReadTokens)} tokens wasted (${formatShare(duplicateReadShare)})`,
    doc.table(READS, duplicateReads.slice(0, SHOWN_READS)),
    more(left, formatCounted(left, 'more file')),
  );
}

function compactionLine({ kind, trigger, atMs, preTokens, postTokens, thread }: CompactionFact): doc.Block {
  const sizes = `${formatCount(preTokens)} → ${formatCount(postTokens)} tokens`;
  return doc.inset(`${kind} (${trigger}) after ${formatDuration(atMs)} in ${thread}: ${sizes}`);
}

/** What is in a transcript. */
export function inspectBlocks(facts: TranscriptFacts): readonly doc.Block[] {
  const { compactions, warnings } = facts;
  const left = compactions.length - SHOWN_COMPACTIONS;
  return [
    doc.title(facts.file, facts.format),
    doc.table(PAIR, overview(facts)),
    ...doc.notes(facts.billed?.notes ?? []),
    contentBlock(facts),
    duplicateBlock(facts),
    doc.section(
      'Recorded compactions',
      ...compactions.slice(0, SHOWN_COMPACTIONS).map(compactionLine),
      more(left, `${formatCount(left)} more`),
    ),
    doc.section(
      'Findings',
      ...doc.findings(warnings.map((own) => ({ ...own, message: `${own.code}: ${own.message}` }))),
    ),
  ];
}

const COUNTERS: readonly doc.ColumnOf<CountCheck>[] = [
  doc.text('counter', ({ counter }) => counter),
  doc.number('counted', ({ countedTokens }) => countedTokens, formatCount),
  doc.number('recorded', ({ recordedTokens }) => recordedTokens, formatCount),
  doc.amount('ratio', ({ ratio }) => formatDecimal(ratio, 3)),
  doc.number('calls', ({ calls }) => calls, formatCount, 1),
];

/** How far counters are from recorded usage. */
export function countBlocks(checks: readonly CountCheck[]): readonly doc.Block[] {
  const { sealedBlocks, stretches } = checks[0]!;
  return [
    doc.answer('Token counters against recorded usage', doc.table(COUNTERS, checks)),
    ...doc.notes([
      stretches === 0
        ? 'nothing to compare: the recording holds no two calls with usage and text between them'
        : 'compared over growth of prompts from which nothing was removed; below 1 a counter under-counts',
      stretches > 0 &&
        sealedBlocks > 0 &&
        `${formatCount(sealedBlocks)} blocks have no text in the recording: recorded, but not counted`,
      ...checks.map(
        ({ sent }) =>
          sent !== null &&
          `text was sent to the API: ${formatCounted(sent.characters, 'character')} in ${formatCounted(sent.requests, 'request')}`,
      ),
    ]),
  ];
}

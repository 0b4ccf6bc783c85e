import type { LostItem } from '../../../analysis/why/judge-compactions.js';
import type { WhyCompaction, WhyReport } from '../../../analysis/why/sum-up.js';
import { formatCount, formatCounted, formatMoney, printable } from '../../../core/base/format.js';
import { sum } from '../../../core/base/stats.js';
import * as doc from '../../../report/document/document.js';
import { money, sessionName } from './why-cells.js';

/** Compactions that are listed, and lines of what is missing after one. */
const MOST_COMPACTIONS = 5;
const MOST_LOST = 5;

/** What compactions forgot, as far as it is in the report. */
export type Forgotten = Readonly<ReturnType<typeof forgottenOf>>;

/** The sums of what was needed again after compactions. */
export function forgottenOf({ compactions }: Pick<WhyReport, 'compactions'>) {
  const of = (pick: (own: WhyCompaction) => number): number => sum(compactions.map(pick));
  return {
    compactions: compactions.length,
    calls: of(({ calls }) => calls),
    rereadTokens: of(({ rereadTokens }) => rereadTokens),
    rereadUsd: of(({ rereadUsd }) => rereadUsd),
    carriedUsd: of(({ carriedUsd }) => carriedUsd),
    repeats: of(({ repeats }) => repeats),
    before: {
      calls: of(({ before }) => before.calls),
      rereadTokens: of(({ before }) => before.rereadTokens),
      rereadUsd: of(({ before }) => before.rereadUsd),
    },
    /** Compactions whose summary is recorded, and what was needed after them and is not in them. */
    judged: compactions.filter(({ lost }) => lost !== null).length,
    lost: of(({ lost }) => lost?.length ?? 0),
  };
}

/** The answer on compactions in two sentences. */
export function forgottenSentence(own: Forgotten): string {
  const { compactions, rereadTokens, rereadUsd, carriedUsd, calls, before, repeats } = own;
  const again =
    rereadTokens === 0
      ? 'nothing was read again'
      : `${formatCount(rereadTokens)} tokens were read again: ${formatMoney(rereadUsd)} at once, ${formatMoney(carriedUsd)} carried by later requests`;
  const asked = repeats === 0 ? '' : `; the user said ${formatCounted(repeats, 'thing')} again`;
  return `${formatCounted(compactions, 'compaction')}: in the ${formatCounted(calls, 'call')} after, ${again}${asked}. In the ${formatCounted(before.calls, 'call')} before, it was ${formatCount(before.rereadTokens)} tokens (${formatMoney(before.rereadUsd)}).`;
}

/** What was needed and is in no message after a summary. */
export function lostSentence({ judged, lost, compactions }: Forgotten): string {
  const recorded = `${formatCounted(judged, 'summary', 'summaries')} ${judged === 1 ? 'is' : 'are'} recorded`;
  const where = judged === compactions ? '' : ` (${recorded})`;
  return lost === 0
    ? `Nothing that later calls needed is missing${where}.`
    : `${formatCounted(lost, 'item')} ${lost === 1 ? 'was' : 'were'} needed and ${lost === 1 ? 'is' : 'are'} in no message after the summary${where}.`;
}

/** What is missing after a compaction, the largest item first. */
export function lostText({ lost }: Pick<WhyCompaction, 'lost'>): string {
  if (lost === null) return 'no summary recorded';
  return lost
    .slice(0, MOST_LOST)
    .map(({ line }) => printable(line))
    .join(' · ');
}

const COMPACTIONS: readonly doc.ColumnOf<WhyCompaction>[] = [
  doc.number('read again', ({ rereadTokens }) => rereadTokens, formatCount),
  doc.number('before', ({ before }) => before.rereadTokens, formatCount, 5),
  doc.number('cost', ({ rereadUsd }) => rereadUsd, money),
  doc.number('carried', ({ carriedUsd }) => carriedUsd, money, 4),
  doc.text('by', ({ trigger }) => trigger, 1),
  doc.text('when (UTC)', ({ at }) => at ?? '', 2),
  doc.number('request', ({ sessionRequest }) => sessionRequest, formatCount),
  doc.text('session', ({ file }) => sessionName(file), 6),
];

/** The largest item that is missing, with a line of it. */
function largestLost(compactions: readonly WhyCompaction[]): doc.Block {
  let largest: { readonly own: WhyCompaction; readonly item: LostItem } | null = null;
  for (const own of compactions)
    for (const item of own.lost ?? [])
      if (largest === null || item.tokens > largest.item.tokens) largest = { own, item };
  if (largest === null) return false;
  const { tool, origin, tokens, line } = largest.item;
  return doc.inset(
    `The largest: ${formatCount(tokens)} tokens (${printable(tool ?? origin)}) in ${sessionName(largest.own.file)}: ${printable(line)}`,
  );
}

/** What was needed again after compactions; nothing if there are none. */
export function compactionBlock(report: WhyReport, top: number): doc.Block {
  const { compactions } = report;
  if (compactions.length === 0) return false;
  const forgotten = forgottenOf(report);
  const shown = Math.min(top, MOST_COMPACTIONS);
  const of =
    compactions.length > shown ? ` (${formatCount(shown)} of ${formatCount(compactions.length)})` : '';
  return doc.section(
    `What compactions forgot${of}`,
    doc.inset(forgottenSentence(forgotten)),
    doc.inset(lostSentence(forgotten)),
    largestLost(compactions),
    doc.table(COMPACTIONS, compactions.slice(0, shown)),
  );
}

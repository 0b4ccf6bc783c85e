import { formatCount, formatCounted, formatMoney, formatShare } from '../../../report/format.js';
import { wrapText } from '../../../report/table.js';
import type { Screen } from '../../../report/terminal.js';
import { CAUSE_TEXT, STEADY_CAUSES } from '../../../why/causes.js';
import type { WhyReport } from '../../../why/sum-up.js';
import { packageVersion } from '../../version.js';
import { adviceSentence, reproducedSentence } from './why-text.js';

/** Causes named in the block. */
const MOST_CAUSES = 4;

/** The answer without names, paths and text: figures, models and causes alone. */
export function shareText(report: WhyReport, { width }: Screen): string {
  const { recordedUsd, sessions, requests, hitRate, byCause, byModel, byProject } = report;
  const events = byCause.filter(({ cause, usd }) => !STEADY_CAUSES.includes(cause) && usd > 0);
  const lost = events.reduce((all, { usd }) => all + usd, 0);
  const avoidable = events.reduce((all, { avoidableUsd }) => all + avoidableUsd, 0);
  const top = [...events].sort((a, b) => b.usd - a.usd).slice(0, MOST_CAUSES);
  const plain = { ...report.reproduced, setAside: report.reproduced.setAside.map(withoutDetails) };
  const sentences = [
    `${formatMoney(recordedUsd)} at list prices in ${formatCounted(sessions, 'session')} of ${formatCounted(byProject.length, 'project')}: ${formatCounted(requests, 'request')}, ${formatShare(hitRate)} of the prompts read from the cache, ${formatCounted(byModel.length, 'model')}.`,
    `${formatMoney(lost)} (${formatShare(recordedUsd === 0 ? null : lost / recordedUsd)}) paid for content that had been in the cache; ${formatMoney(avoidable)} of it was avoidable.`,
    ...top.map(
      ({ cause, usd, events: count }) =>
        `· ${CAUSE_TEXT[cause].title}: ${formatMoney(usd)} (${formatCount(count)} ×)`,
    ),
    adviceSentence(report),
    reproducedSentence(plain),
    `ccbench ${packageVersion()} why`,
  ];
  return `${sentences.flatMap((text) => wrapText(text, width, '', '  ')).join('\n')}\n`;
}

/** A reason may name files and models of one's own. */
function withoutDetails({ reason }: { readonly reason: string }): {
  readonly file: string;
  readonly reason: string;
} {
  return {
    file: '',
    reason: reason.startsWith('no price is known')
      ? 'no price is known for its model'
      : reason.replace(/:.*$/s, ''),
  };
}

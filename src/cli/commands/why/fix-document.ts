import type { Fix, Fixes, FixPause } from '../../../analysis/why/fixes.js';
import { WORTH_COMPACTING } from '../../../analysis/why/pauses.js';
import type { WhyReport } from '../../../analysis/why/sum-up.js';
import {
  formatCount,
  formatCounted,
  formatDuration,
  formatMoney,
  formatShare,
} from '../../../core/base/format.js';
import * as doc from '../../../report/document/document.js';
import { belowHome } from '../../files/chosen-sessions.js';
import { sessionName } from './why-cells.js';

const MOST_PAUSES = 2;
const INDENT = '   ';

function pauseText({ file, sessionRequest, at, gapMs, usd }: FixPause): string {
  const when = at === null ? '' : `, ${at}`;
  return `${formatDuration(gapMs)} before request ${formatCount(sessionRequest)} of ${sessionName(file)}${when} (${formatMoney(usd)})`;
}

/** What is typed, and where it would have counted. */
function commandLines({ command, pauses = [] }: Fix): readonly string[] {
  if (command === undefined) return [];
  const shown = pauses.slice(0, MOST_PAUSES).map(pauseText).join('; ');
  const most =
    pauses.length === 0
      ? ''
      : `, ${formatCounted(pauses.length, 'pause')} here, the most expensive: ${shown}`;
  return [`${command} before you leave, from ${formatCount(WORTH_COMPACTING)} tokens of context on${most}`];
}

function fixLines(fix: Fix, index: number, home: string): readonly doc.Block[] {
  const { finding, client, usd, low, high, share, file, paste, advice, command, refetchUsd } = fix;
  const again = refetchUsd > 0 ? `, ${formatMoney(refetchUsd)} for fetching content again subtracted` : '';
  const said = (text: string): doc.Block => doc.inset(text, 'plain', INDENT, `${INDENT}  `);
  const where =
    file === null || file === finding
      ? []
      : [`${belowHome(file, home)}${client === null ? '' : ` (${client})`}`];
  const isUnset = paste === null && file === null && client !== null && command === undefined;
  const saves =
    fix.carriedUsd === undefined ? 'saves' : `cost ${formatMoney(fix.carriedUsd)} carried, halving it saves`;
  return [
    doc.said(
      `${index + 1}. ${belowHome(finding, home)}: ${saves} ${formatMoney(usd)} (${formatMoney(low)} to ${formatMoney(high)}, ${formatShare(share)}${again})`,
      'strong',
      INDENT,
    ),
    ...where.map(said),
    // One line each, so that it can be pasted.
    ...(paste ?? '').split('\n').flatMap((line) => (line === '' ? [] : [said(`+ ${line}`)])),
    ...commandLines(fix).map(said),
    ...[...(isUnset ? ['no setting is known'] : []), ...(advice === null ? [] : [advice])]
      .slice(0, 2)
      .map(said),
  ];
}

function nothingSentence({ notWorth, tried }: Fixes, { sessions, recordedUsd }: WhyReport): string {
  const of = `${formatCounted(sessions, 'session')} (${formatMoney(recordedUsd)})`;
  if (tried === 0) return `No change could be tried on ${of}.`;
  const what = notWorth.length === 0 ? 'No change saves anything' : 'No change clearly saves more than 1 %';
  return `${what} on ${of}.`;
}

/** What to change, as it is pasted or typed. */
export function fixBlocks(
  found: Fixes,
  report: WhyReport,
  { top, home }: { readonly top: number; readonly home: string },
): readonly doc.Block[] {
  const { fixes, notWorth } = found;
  const left = fixes.length - top;
  const few = [
    left > 0 && `${formatCount(left)} more: --top ${formatCount(fixes.length)}.`,
    notWorth.length > 0 && `Not worth it, or uncertain: ${[...new Set(notWorth)].join(', ')}.`,
  ];
  if (fixes.length === 0) return [nothingSentence(found, report), ...doc.notes(few)];
  const all = `${formatMoney(report.recordedUsd)} in ${formatCounted(report.sessions, 'session')}`;
  return [
    `${formatCounted(fixes.length, 'finding')} worth more than 1 % of ${all}. Each is for one change alone: savings do not add up. Nothing is written.`,
    '',
    ...fixes.slice(0, top).flatMap((fix, i) => fixLines(fix, i, home)),
    ...doc.notes(few),
  ];
}

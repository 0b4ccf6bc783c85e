import { CAUSE_TEXT, STEADY_CAUSES, UNJUDGED_CAUSES } from '../../../analysis/why/causes.js';
import { afterFetching, heavySources, isWorthTrying } from '../../../analysis/why/fixes.js';
import type { SourceBy } from '../../../analysis/why/name-sources.js';
import type { Slice } from '../../../analysis/why/slices.js';
import type { ChangeSum, Reproduced } from '../../../analysis/why/sum-changes.js';
import type { CauseSum, RankedSession, WhyBreak, WhyReport } from '../../../analysis/why/sum-up.js';
import {
  formatCount,
  formatCounted,
  formatDuration,
  formatFixed,
  formatMoney,
  formatShare,
} from '../../../core/base/format.js';
import { sum, sumKnown } from '../../../core/base/stats.js';
import { NOT_WORTH_ACTING } from '../../../metrics/cost-interval.js';
import * as doc from '../../../report/document/document.js';
import { refetchSentence } from '../../../report/text/as-recorded.js';
import type { Conclusion } from '../../../report/text/conclusion.js';
import { formatAtLeast, formatSigned, shortPath, unpricedText } from '../../../report/text/words.js';
import { belowHome } from '../../files/chosen-sessions.js';
import { compactionBlock } from './forgotten-document.js';
import { sourcesBlock } from './sources-document.js';
import { money, NAME_CHARS, sessionName } from './why-cells.js';

/** What is needed besides the report. */
export interface WhyOptions {
  /** Rows in each ranking. */
  readonly top: number;
  /** How what fills the context is grouped. */
  readonly by: SourceBy;
  readonly home: string;
  /** What the recorded costs leave out. */
  readonly notes: readonly string[];
}

/** What an advice rests on. */
type Advised = Pick<WhyReport, 'sessions' | 'recordedUsd' | 'byCause'> & {
  readonly changes: readonly Omit<ChangeSum, 'heldBack'>[];
};

/** Slices of the bill that are named in a line. */
const MOST_SLICES = 3;
/** Where changes are tried at all. */
const TRIED_ON = 'sessions of Claude Code on models of Anthropic, and of Codex';
/** What the savings of changes rest on. */
const ASSUMED = 'Savings are simulated, not recorded: answers stay the same after the change.';

/** Whether a cause is paid for all along, and no break of the cache. */
export function isSteady(cause: CauseSum['cause']): boolean {
  return STEADY_CAUSES.includes(cause);
}

/** What would have avoided a cause; null if nothing known would. */
export function remedyOf({ cause, avoidableUsd }: CauseSum): string | null {
  if (avoidableUsd === null) return 'not computed';
  return avoidableUsd > 0 ? CAUSE_TEXT[cause].remedy : null;
}

function causeColumns(recordedUsd: number): readonly doc.ColumnOf<CauseSum>[] {
  const share = (usd: number) => formatShare(recordedUsd === 0 ? null : usd / recordedUsd);
  return [
    doc.text('', ({ cause }) => CAUSE_TEXT[cause].title),
    doc.number('cost', ({ usd }) => usd, money),
    doc.amount('share', ({ usd }) => share(usd), 2),
    doc.amount('events', ({ cause, events }) => (isSteady(cause) ? '' : formatCount(events)), 1),
    doc.number(
      'avoidable',
      (own) => own.avoidableUsd,
      (usd) => (usd === 0 ? '' : money(usd)),
    ),
    doc.text('how', (own) => remedyOf(own) ?? '', 3),
  ];
}

const BREAKS: readonly doc.ColumnOf<WhyBreak>[] = [
  doc.text('what broke', ({ cause }) => CAUSE_TEXT[cause].title),
  doc.number('cost', ({ usd }) => usd, money),
  doc.number('tokens', ({ tokens }) => tokens, formatCount, 1),
  doc.number('after', ({ gapMs }) => gapMs, formatDuration, 3),
  doc.text('when (UTC)', ({ at }) => at ?? '', 2),
  doc.number('request', ({ sessionRequest }) => sessionRequest, formatCount),
  doc.text('session', ({ file }) => sessionName(file), 4),
];

const SESSIONS: readonly doc.ColumnOf<RankedSession>[] = [
  doc.text('session', ({ file }) => sessionName(file)),
  doc.text('day', ({ from }) => from ?? '', 1),
  doc.number('requests', ({ requests }) => requests, formatCount, 3),
  doc.number('read', ({ hitRate }) => hitRate, formatShare, 2),
  doc.number('cost', ({ usd }) => usd, money),
  doc.number('in breaks', ({ lostUsd }) => lostUsd, money),
  doc.text('most of it', ({ topEvent }) => (topEvent === null ? 'no break' : CAUSE_TEXT[topEvent].title), 4),
];

function neverActed({ low, high }: ChangeSum): boolean {
  return low === 0 && high === 0;
}

const CHANGES: readonly doc.ColumnOf<ChangeSum>[] = [
  doc.text('', ({ name }) => name),
  doc.amount('saves', (own) => (neverActed(own) ? 'nothing' : money(own.usd))),
  doc.text(
    'between',
    (own) => (neverActed(own) ? 'it would have had no effect' : `${money(own.low)} and ${money(own.high)}`),
    1,
  ),
];

/** How far a share is off, as a person says it. */
function percent(value: number | null): string {
  return value === null ? formatCount(null) : `${formatFixed(value, 1)} %`;
}

interface Reason {
  readonly reason: string;
}

/** The first line: how far the answers below can be trusted. */
export function reproducedSentence({
  sessions,
  withinPercentMedian,
  withinPercentNineOfTen,
  netPercent,
  setAside,
}: Omit<Reproduced, 'setAside'> & { readonly setAside: readonly Reason[] }): string {
  const of = sessions + setAside.length;
  const aside =
    setAside.length === 0 ? '' : `; ${formatCount(setAside.length)} set aside: ${reasons(setAside)}`;
  if (sessions === 0) return `None of ${formatCounted(of, 'session')} could be reproduced${aside}.`;
  const spread =
    sessions === 1
      ? ''
      : ` in the median, ${percent(withinPercentNineOfTen)} for 90 %, ${formatSigned(netPercent, percent)} in all`;
  const which =
    sessions < of
      ? `${formatCount(sessions)} of ${formatCounted(of, 'session')}`
      : of === 1
        ? 'The session'
        : `All ${formatCount(of)} sessions`;
  const are = sessions === 1 ? 'is' : 'are';
  return `${which} ${are} reproduced within ${percent(withinPercentMedian)} of the recorded input cost${spread}${aside}.`;
}

/** Why a session is set aside, without the name of another one. */
export function kindOfReason(reason: string): string {
  return reason.startsWith('all of its') ? 'its calls are in another session too' : reason;
}

function reasons(setAside: readonly Reason[]): string {
  const counts = new Map<string, number>();
  for (const { reason } of setAside) {
    const kind = kindOfReason(reason);
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return [...counts]
    .map(([reason, count]) => (count === 1 ? reason : `${formatCount(count)} × ${reason}`))
    .join('; ');
}

/** The recorded cost, as far as it is known. */
export function costOf({
  recordedUsd,
  requests,
  unpricedCalls,
}: Pick<WhyReport, 'recordedUsd' | 'requests' | 'unpricedCalls'>): string {
  return formatAtLeast(recordedUsd, { calls: requests, unpricedCalls });
}

function headLine(report: WhyReport): string {
  const { sessions, requests, hitRate, from, to } = report;
  const days = from === null ? [] : [from === to ? from : `${from} to ${to}`];
  return [
    costOf(report),
    formatCounted(sessions, 'session'),
    formatCounted(requests, 'request'),
    `${formatShare(hitRate)} of the prompts read from the cache`,
    ...days,
  ].join(' · ');
}

/** A line such as `by model: opus $118.02 · sonnet $9.56 · 3 more $2.10`. */
function sliceLine(label: string, slices: readonly Slice[], nameOf = (name: string) => name): doc.Block {
  const rest = slices.slice(MOST_SLICES);
  const parts = slices.slice(0, MOST_SLICES).map(({ name, usd }) => `${nameOf(name)} ${formatMoney(usd)}`);
  if (rest.length > 0)
    parts.push(`${formatCount(rest.length)} more ${formatMoney(sumKnown(rest.map(({ usd }) => usd)))}`);
  return doc.inset(`${label}: ${parts.join(' · ')}`);
}

/** The first rows of a ranking, with a title that says how many there are. */
function ranking<T>(
  title: string,
  columns: readonly doc.ColumnOf<T>[],
  all: readonly T[],
  top: number,
): doc.Block {
  const of = all.length > top ? ` (${formatCount(top)} of ${formatCount(all.length)})` : '';
  return doc.section(`${title}${of}`, doc.table(columns, all.slice(0, top)));
}

/** The whole answer on one screen. */
export function whyBlocks(
  report: WhyReport,
  { top, by, home, notes: noted }: WhyOptions,
): readonly doc.Block[] {
  const paid = [...report.byCause].sort((a, b) => b.usd - a.usd).filter(({ usd }) => usd > 0);
  const days = [...report.byDay].sort((a, b) => (b.usd ?? -1) - (a.usd ?? -1));
  const { changes } = report;
  const spent = doc.section(
    'Where it went',
    doc.table(causeColumns(report.recordedUsd), paid, ({ cause }) => (isSteady(cause) ? 'dim' : 'plain')),
  );
  const filled = sourcesBlock(report.sources, by, home);
  return [
    reproducedSentence(report.reproduced),
    '',
    doc.said(headLine(report), 'strong', '  '),
    sliceLine('by project', report.byProject, (name) => shortPath(belowHome(name, home), NAME_CHARS)),
    sliceLine('by model', report.byModel),
    sliceLine('by day', days),
    // The short form has the first table, and the sources if they were asked for.
    ...(by === 'source' ? [spent, filled] : [filled, spent]),
    ranking('The most expensive cache breaks', BREAKS, report.breaks, top),
    compactionBlock(report, top),
    ranking('The most expensive sessions', SESSIONS, report.worst.length < 2 ? [] : report.worst, top),
    doc.section(
      'What would have been cheaper',
      doc.table(CHANGES, changes, ({ usd }) => (usd > 0 ? 'plain' : 'dim')),
      ...(changes.length === 0 ? [] : doc.notes(changeNotes(report))),
    ),
    '',
    ...doc.notes(noted),
    doc.DROPPED,
  ];
}

/** What is known to have been avoidable. */
export function avoidableOf(sums: readonly Pick<CauseSum, 'avoidableUsd'>[]): number {
  return sum(sums.map(({ avoidableUsd }) => avoidableUsd ?? 0));
}

/** What was paid for breaks of which it is not computed what was avoidable. */
export function unjudgedOf(sums: readonly CauseSum[]): number {
  return sum(sums.filter(({ cause }) => UNJUDGED_CAUSES.includes(cause)).map(({ usd }) => usd));
}

/** How many of the sessions a change was tried on, where not on all. */
function triedOn(tried: number, sessions: number): string {
  return tried === sessions
    ? ''
    : `, tried on ${formatCount(tried)} of ${formatCounted(sessions, 'session')}`;
}

/** How much of a saving is at the pauses, and how much from the smaller context after them. */
function partsOf({ usd, atPausesUsd }: Pick<ChangeSum, 'usd' | 'atPausesUsd'>): string {
  if (atPausesUsd === undefined) return '';
  return `: ${formatMoney(atPausesUsd)} at the pauses, ${formatMoney(usd - atPausesUsd)} from the smaller context after them`;
}

/** What to do first, or that nothing is worth doing, or that nothing was tried. */
export function adviceSentence({ changes, sessions, recordedUsd, byCause }: Advised): string {
  if (changes.length === 0) return `No change was tried: changes are tried only on ${TRIED_ON}.`;
  const where = triedOn(Math.max(...changes.map((change) => change.sessions)), sessions);
  const best = changes.find((change) => isWorthTrying(afterFetching(change), recordedUsd));
  if (best !== undefined) {
    const saving = `First thing to try: ${best.name}, which would have saved ${formatMoney(best.usd)} of ${formatMoney(recordedUsd)} (${formatMoney(best.low)} to ${formatMoney(best.high)})${partsOf(best)}${triedOn(best.sessions, sessions)}.`;
    return [saving, ...refetchOf([best])].join(' ');
  }
  const isIdle = changes.every(({ usd }) => usd <= 0);
  if (where === '' && isIdle && byCause.every(({ events }) => events === 0))
    return 'Nothing to change: no cache was lost.';
  const none = `${NOT_WORTH_ACTING}none of the standard changes${where}${where === '' ? '' : ','} would clearly have saved more than 1 % on ${sessions === 1 ? 'this session' : 'these sessions'}`;
  return avoidableOf(byCause) > 0
    ? `${none}. Avoidable cost is computed break by break, but a change applies to a whole session.`
    : `${none}.`;
}

/** What the sessions came to, and what to do first. */
export function whyConclusion(report: WhyReport): Conclusion {
  const { sessions, byCause, requests, unpricedCalls } = report;
  const lost = avoidableOf(byCause);
  const unjudged = unjudgedOf(byCause);
  const unpriced = unpricedText({ calls: requests, unpricedCalls }, 'request');
  const all = `${formatCounted(sessions, 'session')} cost ${costOf(report)}${unpriced === null ? '' : ` (${unpriced})`}`;
  const known = lost > 0 ? `, of which ${formatMoney(lost)} went to avoidable cache breaks` : '';
  const unknown = `; the avoidable part of ${formatMoney(unjudged)} for prompts that the cache dropped is not computed`;
  const rest =
    unjudged === 0
      ? lost > 0
        ? ''
        : `, with no avoidable cache break`
      : `${unknown}${lost > 0 ? '' : `, and no other break is known to have been avoidable`}`;
  const advice = adviceSentence(report);
  const isOpen = advice.includes(NOT_WORTH_ACTING) && heavySources(report).length > 0;
  return {
    result: `${all}${known}${rest}.`,
    advice: isOpen ? `${advice} ccbench why --fix names content worth shortening.` : advice,
  };
}

/** The cost of fetching again what compactions of changes forget; savings do not include it. */
function refetchOf(changes: Advised['changes']): readonly string[] {
  const costs = changes.filter(({ usd }) => usd > 0);
  const sentence = refetchSentence(
    costs.map(({ name, refetchUsd, refetchMostUsd }) => ({
      name,
      usd: refetchUsd,
      mostUsd: refetchMostUsd,
    })),
  );
  return sentence === null ? [] : [sentence];
}

/** What changes would save on requests that the recorded cost does not include. */
function unrecordedNotes(changes: WhyReport['changes']): readonly string[] {
  const costs = changes.flatMap(({ name, unrecordedUsd }) =>
    unrecordedUsd > 0 ? [`${formatMoney(unrecordedUsd)} for ${name}`] : [],
  );
  if (costs.length === 0) return [];
  return [`Not counted: savings on unrecorded requests, such as summaries: ${costs.join(', ')}.`];
}

/** What is to be known of the savings: what they rest on, where they were tried, and where a change did nothing though it was due. */
export function changeNotes({
  changes,
  sessions,
}: Pick<WhyReport, 'changes' | 'sessions'>): readonly string[] {
  const held = changes.flatMap(({ name, heldBack }) =>
    heldBack.map(
      (each) => `${name} did nothing in ${formatCounted(each.sessions, 'session')}: ${each.reason}.`,
    ),
  );
  const counts = changes.map((change) => change.sessions);
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  const tried =
    most === sessions ? [] : [`Tried on ${TRIED_ON}: ${formatCount(most)} of ${formatCount(sessions)}.`];
  const codex =
    least === most
      ? []
      : [
          `On Codex only earlier compaction is tried: on ${formatCount(most - least)} of ${formatCounted(sessions, 'session')}.`,
        ];
  return [ASSUMED, ...refetchOf(changes), ...unrecordedNotes(changes), ...tried, ...codex, ...held];
}

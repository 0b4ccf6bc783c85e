import { CAUSE_TEXT } from '../../../analysis/why/causes.js';
import type { ChangeSum, Reproduced } from '../../../analysis/why/sum-changes.js';
import type { CauseSum, WhyReport } from '../../../analysis/why/sum-up.js';
import { formatCount, formatCounted, formatMoney, formatShare } from '../../../core/base/format.js';
import { sum } from '../../../core/base/stats.js';
import type { RecordedBill } from '../../../core/run/recorded-bill.js';
import { type Block, said } from '../../../report/document/document.js';
import { packageVersion } from '../../host.js';
import { type Forgotten, forgottenOf, forgottenSentence } from './forgotten-document.js';
import { filledSentences } from './sources-document.js';
import {
  adviceSentence,
  avoidableOf,
  costOf,
  isSteady,
  kindOfReason,
  reproducedSentence,
  unjudgedOf,
} from './why-document.js';

/** Causes named in the block. */
const MOST_CAUSES = 4;

/** What may be shown around: figures, models by their number, causes. Neither names nor paths nor days. */
export interface SharedWhy
  extends Pick<
    WhyReport,
    'sessions' | 'requests' | 'recordedUsd' | 'unpricedCalls' | 'hitRate' | 'byCause' | 'sources'
  > {
  readonly projects: number;
  readonly models: number;
  /** Paid for content that had been in the cache. */
  readonly lostUsd: number;
  readonly avoidableUsd: number;
  /** Of that it is not computed what was avoidable. */
  readonly unjudgedUsd: number;
  readonly changes: readonly Omit<ChangeSum, 'heldBack'>[];
  /** What was needed again after compactions, in figures. */
  readonly compactions: Forgotten;
  readonly reproduced: Omit<Reproduced, 'setAside'> & {
    readonly setAside: readonly { readonly reason: string }[];
  };
  /** What the recorded costs leave out, and what of them is estimated. */
  readonly notes: readonly string[];
  readonly version: string;
}

/** The part of an answer that may be shown around. */
export function sharedWhy(report: WhyReport, notes: readonly string[]): SharedWhy {
  const { sessions, requests, recordedUsd, unpricedCalls, hitRate, byCause, changes } = report;
  const events = byCause.filter(isEvent);
  return {
    sessions,
    projects: report.byProject.length,
    models: report.byModel.length,
    requests,
    recordedUsd,
    unpricedCalls,
    hitRate,
    lostUsd: sum(events.map(({ usd }) => usd)),
    avoidableUsd: avoidableOf(events),
    unjudgedUsd: unjudgedOf(events),
    byCause,
    sources: report.sources.filter(({ name }) => name === null),
    compactions: forgottenOf(report),
    changes: changes.map(({ heldBack: _, ...change }) => change),
    reproduced: { ...report.reproduced, setAside: report.reproduced.setAside.map(withoutDetails) },
    notes,
    version: packageVersion(),
  };
}

/** A bill that names no model of one's own. */
export function withoutModels(bill: RecordedBill): RecordedBill {
  const calls = sum(Object.values(bill.unpriced));
  return { ...bill, unpriced: calls === 0 ? {} : { 'not named': calls } };
}

function isEvent({ cause, usd }: CauseSum): boolean {
  return !isSteady(cause) && usd > 0;
}

/** The same as a block of text. */
export function shareBlocks(shared: SharedWhy): readonly Block[] {
  const { recordedUsd, sessions, requests, hitRate, byCause, lostUsd, unjudgedUsd } = shared;
  const top = byCause
    .filter(isEvent)
    .sort((a, b) => b.usd - a.usd)
    .slice(0, MOST_CAUSES);
  const unjudged = unjudgedUsd === 0 ? '' : `, and of ${formatMoney(unjudgedUsd)} that is not computed`;
  return [
    `${costOf(shared)} at list prices in ${formatCounted(sessions, 'session')} of ${formatCounted(shared.projects, 'project')}: ${formatCounted(requests, 'request')}, ${formatShare(hitRate)} of the prompts read from the cache, ${formatCounted(shared.models, 'model')}.`,
    `${formatMoney(lostUsd)} (${formatShare(recordedUsd === 0 ? null : lostUsd / recordedUsd)}) paid for content that had been in the cache; ${formatMoney(shared.avoidableUsd)} of it was avoidable${unjudged}.`,
    ...top.map(
      ({ cause, usd, events }) =>
        `· ${CAUSE_TEXT[cause].title}: ${formatMoney(usd)} (${formatCount(events)} ×)`,
    ),
    ...filledSentences(shared.sources),
    ...(shared.compactions.compactions === 0 ? [] : [forgottenSentence(shared.compactions)]),
    adviceSentence(shared),
    reproducedSentence(shared.reproduced),
    ...shared.notes,
    `ccbench ${shared.version} why`,
  ].map((sentence) => said(sentence, 'plain', '  '));
}

/** A reason may name files and models of one's own. */
function withoutDetails({ reason }: { readonly reason: string }): { readonly reason: string } {
  return {
    reason: reason.startsWith('no price is known')
      ? 'no price is known for its model'
      : kindOfReason(reason).replace(/:.*$/s, ''),
  };
}

import { UNJUDGED_CAUSES } from '../../../analysis/why/causes.js';
import type { CauseSum, ChangeSum, WhyReport } from '../../../analysis/why/sum-up.js';
import { formatCount, formatCounted, formatMoney } from '../../../core/base/format.js';
import { sum } from '../../../core/base/stats.js';
import type { Conclusion } from '../../../report/text/conclusion.js';

/** What an advice rests on. */
type Advised = Pick<WhyReport, 'sessions' | 'recordedUsd' | 'byCause'> & {
  readonly changes: readonly Omit<ChangeSum, 'heldBack'>[];
};

/** Where changes are tried at all. */
const TRIED_ON = 'sessions of Claude Code on models of Anthropic';

/** What is known to have been avoidable. */
export function avoidableOf(sums: readonly Pick<CauseSum, 'avoidableUsd'>[]): number {
  return sum(sums.map(({ avoidableUsd }) => avoidableUsd ?? 0));
}

/** What was paid for breaks of which it is not worked out what was avoidable. */
export function unjudgedOf(sums: readonly CauseSum[]): number {
  return sum(sums.filter(({ cause }) => UNJUDGED_CAUSES.includes(cause)).map(({ usd }) => usd));
}

/** How many of the sessions a change was tried on, where not on all. */
function triedOn(tried: number, sessions: number): string {
  return tried === sessions
    ? ''
    : `, tried on ${formatCount(tried)} of ${formatCounted(sessions, 'session')}`;
}

/** What to do first, or that nothing is worth doing, or that nothing was tried. */
export function adviceSentence({ changes, sessions, recordedUsd, byCause }: Advised): string {
  if (changes.length === 0) return `No change was tried: they are tried on ${TRIED_ON} alone.`;
  const where = triedOn(Math.max(...changes.map((change) => change.sessions)), sessions);
  const best = changes.find(({ low }) => low > 0);
  if (best !== undefined)
    return `First thing to try: ${best.name}, which would have saved ${formatMoney(best.usd)} of ${formatMoney(recordedUsd)} (${formatMoney(best.low)} to ${formatMoney(best.high)})${triedOn(best.sessions, sessions)}.`;
  const isIdle = changes.every(({ usd }) => usd <= 0);
  if (where === '' && isIdle && byCause.every(({ events }) => events === 0))
    return 'Nothing to change: no cache was lost.';
  const none = `None of the standard changes${where}${where === '' ? '' : ','} would surely have saved money on ${sessions === 1 ? 'this session' : 'these sessions'}`;
  return avoidableOf(byCause) > 0
    ? `${none}: what is avoidable is worked out break by break, and a change is made throughout a session.`
    : `${none}.`;
}

/** What the sessions came to, and what to do first. */
export function whyConclusion(report: WhyReport): Conclusion {
  const { recordedUsd, sessions, byCause } = report;
  const lost = avoidableOf(byCause);
  const unjudged = unjudgedOf(byCause);
  const all = `${formatCounted(sessions, 'session')} cost ${formatMoney(recordedUsd)}`;
  const known = `${all}, of which ${formatMoney(lost)} went into avoidable breaks of the cache`;
  const unknown = `what was avoidable of the ${formatMoney(unjudged)} for prompts that the cache let go is not worked out`;
  const it = sessions === 1 ? 'it' : 'them';
  return {
    result:
      unjudged === 0
        ? lost > 0
          ? `${known}.`
          : `${all}, and no avoidable break of the cache is in ${it}.`
        : lost > 0
          ? `${known}; ${unknown}.`
          : `${all}; ${unknown}, and no other break in ${it} is known to have been avoidable.`,
    advice: adviceSentence(report),
  };
}

/** What the savings of changes rest on. */
const ASSUMED =
  'Savings are simulated, not recorded: the same answers come after the change, and what a summary forgets is not paid for again.';

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
  const tried = [
    ...(most === sessions ? [] : [`Tried on ${TRIED_ON}: ${formatCount(most)} of ${formatCount(sessions)}.`]),
    ...(least === most
      ? []
      : [
          `Ways of compacting are tried where a session can be run forward: on ${formatCount(least)} of ${formatCounted(sessions, 'session')}.`,
        ]),
  ];
  return [ASSUMED, ...tried, ...held];
}

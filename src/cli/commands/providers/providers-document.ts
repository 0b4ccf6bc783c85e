import type { Clearing } from '../../../analysis/lifetime/rule-costs.js';
import {
  formatCount,
  formatCounted,
  formatDecimal,
  formatDuration,
  formatMoney,
  formatShare,
} from '../../../core/base/format.js';
import { promptTokens } from '../../../core/model/usage.js';
import type { CacheRules } from '../../../core/run/provider.js';
import type { RecordedBill } from '../../../core/run/recorded-bill.js';
import { billedCalls, comparedUsd, recordedUsd } from '../../../metrics/metric.js';
import { longestLifeMs, MATCH, sureLifeMs } from '../../../provider/cache/cache-rules.js';
import * as doc from '../../../report/document/document.js';
import { AS_RECORDED, againstRecorded, billNotes } from '../../../report/text/as-recorded.js';
import type { Conclusion } from '../../../report/text/conclusion.js';
import { formatAtLeast, unpricedText } from '../../../report/text/words.js';
import type { ProviderFacts, ProviderReplay } from './provider-replay.js';

/** Not published. */
const UNKNOWN = '?';
const ASSUMED = 'Unknown, and assumed instead:';
/** A replay that is further from the recording than this, as a share, is worth a sentence. */
const WORTH_SAYING = 0.1;
/** Parts of a request below this are rounding. */
const ROUNDING = 1e-6;

function requests(value: number | null): string {
  return value === null ? 'never' : formatDecimal(value, 1);
}

/** How long entries live after their last use: for certain, and at most where some outlive others. */
function lifetimeText({ lifetime }: CacheRules): string {
  const [sureMs, lastMs] = [sureLifeMs(lifetime), longestLifeMs(lifetime)];
  return lastMs <= sureMs ? formatDuration(sureMs) : `${formatDuration(sureMs)} – ${formatDuration(lastMs)}`;
}

const LIST: readonly doc.ColumnOf<ProviderFacts>[] = [
  doc.text('provider', ({ name }) => name),
  doc.text('reads', ({ cache }) => MATCH[cache.written], 4),
  doc.amount('step', ({ cache }) => (cache.grain === null ? 'any' : formatCount(cache.grain.tokens)), 2),
  doc.amount('minimum', ({ minimumTokens: own }) => (own === null ? UNKNOWN : formatCount(own)), 3),
  doc.amount('lifetime', ({ cache }) => lifetimeText(cache), 5),
  doc.amount('write', ({ write }) => (write === null ? UNKNOWN : formatDecimal(write, 2))),
  doc.amount('read', ({ read }) => (read === null ? UNKNOWN : formatDecimal(read, 4))),
  doc.amount('break-even', ({ input, breakEvenRequests }) =>
    input === null ? UNKNOWN : requests(breakEvenRequests),
  ),
  doc.text('model', ({ model }) => model, 1),
];

const REPLAYS: readonly doc.ColumnOf<ProviderReplay>[] = [
  doc.text('provider', ({ facts, finished }) => (finished ? facts.name : `${facts.name} (unfinished)`)),
  doc.number('cost', ({ costUsd }) => costUsd, formatMoney),
  doc.amount('90 % interval', intervalText, 4),
  doc.number('hit rate', ({ hitRate }) => hitRate, formatShare),
  doc.number('compactions', ({ compactions }) => compactions, formatCount, 3),
  doc.number('break-even', ({ facts }) => facts.breakEvenRequests, requests, 2),
  doc.text('model', (own) => `${own.facts.model}${doubtOf(own)}`, 1),
];

/** The 90 % interval of sessions under a provider whose cache is chance. */
function intervalText({ isDraw, costLowUsd, costHighUsd }: ProviderReplay): string {
  if (!isDraw || costLowUsd === null || costHighUsd === null || costLowUsd === costHighUsd) return '';
  return `${formatMoney(costLowUsd)} … ${formatMoney(costHighUsd)}`;
}

/** What is to be said of a run beside its model. */
function doubtOf({ requestsRefused, callsLost, calls }: ProviderReplay): string {
  if (callsLost > 0) return ` (${formatCount(callsLost)} of ${formatCount(calls)} calls not answered)`;
  return requestsRefused === 0 ? '' : ` (${formatCount(requestsRefused)} refused)`;
}

/** Which providers end an entry however often it is used; empty if none does before its lifetime has passed unused. */
function limitSentence(facts: readonly ProviderFacts[]): string {
  const limits = facts.flatMap(({ name, cache: { lifetime } }) =>
    lifetime.maxMs === null || lifetime.maxMs <= longestLifeMs(lifetime)
      ? []
      : [`${formatDuration(lifetime.maxMs)} at ${name}`],
  );
  return limits.length === 0 ? '' : ` However often it is used, an entry ends after ${limits.join(', ')}.`;
}

function breakEvenSentence({ rewritten, freed }: Clearing): string {
  return `Break-even: requests after which a clearing that frees ${formatCount(freed)} tokens and rewrites ${formatCount(rewritten)} pays off.`;
}

/** The providers as a table. */
export function providerList(facts: readonly ProviderFacts[], clearing: Clearing): readonly doc.Block[] {
  return [
    doc.tableOf(LIST, doc.rowsOf(LIST, facts), ''),
    '',
    `Lifetimes count from the last use.${limitSentence(facts)} Writes and reads as shares of the input price of the model; ? means not published. ${breakEvenSentence(clearing)}`,
  ];
}

/** One provider with what is known, and what is not. */
export function oneProvider(facts: ProviderFacts, clearing: Clearing): readonly doc.Block[] {
  return [
    `${facts.label} (${facts.source})`,
    '',
    ...providerList([facts], clearing),
    ...(facts.doubts.length === 0 ? [] : ['', ASSUMED]),
    ...facts.doubts.map((doubt) => doc.inset(doubt, 'plain', '  - ')),
  ];
}

/** Where clearing pays soonest and latest. */
export function providersConclusion(facts: readonly ProviderFacts[]): Conclusion {
  const requestsOf = ({ breakEvenRequests }: ProviderFacts) => breakEvenRequests ?? Number.POSITIVE_INFINITY;
  const byRequests = [...facts].sort((a, b) => requestsOf(a) - requestsOf(b));
  const [first, last] = [byRequests[0]!, byRequests.at(-1)!];
  // What is whole but for rounding is whole.
  const after = ({ name, breakEvenRequests }: ProviderFacts): string =>
    breakEvenRequests === null
      ? `never at ${name}`
      : `after ${formatCounted(Math.ceil(breakEvenRequests - ROUNDING), 'further request')} at ${name}`;
  if (facts.length > 1)
    return {
      result: `Such a clearing pays soonest ${after(first)}, and ${last.breakEvenRequests === null ? '' : 'latest '}${after(last)}.`,
      advice: 'ccbench providers <name> shows what is assumed of one of them.',
    };
  return {
    result:
      first.input === null
        ? `The break-even at ${first.name} is not known: ${first.model} has no price in the table.`
        : `Such a clearing pays ${after(first)}.`,
    advice: 'ccbench providers --session <recording> shows what the cache is worth there.',
  };
}

/** What is to be known of replays besides their numbers, each a sentence. */
function replayNotes(bill: RecordedBill | null, replays: readonly ProviderReplay[]): readonly doc.Said[] {
  const drawn = replays.filter(({ isDraw }) => isDraw).map(({ facts }) => facts.name);
  const unpriced = bill === null ? null : unpricedText(billedCalls(bill));
  const { window, compactionsUndone } = replays[0]!;
  const are = compactionsUndone === 1 ? 'is' : 'are';
  return [
    drawn.length > 0 &&
      `At ${drawn.join(', ')} a cache hit is chance: cost and hit rate are one draw, and the 90 % interval assumes the chance of the recordings it was fitted to.`,
    ...(bill === null ? [] : billNotes([bill])),
    unpriced !== null && `As recorded ${unpriced}; under each provider all calls go to the model of its row.`,
    window !== null &&
      `The window of the recording, ${formatCount(window)} tokens, is kept under every provider, so compactions stay in place; with a larger one the client would compact later and send longer prompts.`,
    compactionsUndone > 0 &&
      `No policy is known for the session, so ${formatCounted(compactionsUndone, 'compaction')} of it ${are} not repeated: prompts keep growing, and every cost is higher than the session’s own.`,
  ];
}

/** What is not known or assumed, each sentence once with the providers that it is about. */
function doubtNotes(facts: readonly ProviderFacts[]): readonly doc.Block[] {
  const doubts = new Set(facts.flatMap((each) => each.doubts));
  return [...doubts].map((doubt) => {
    const about = facts.filter((each) => each.doubts.includes(doubt)).map(({ name }) => name);
    return doc.inset(`${about.join(', ')}: ${doubt}`);
  });
}

/** What the session cost as it was. */
function recordedCells(bill: RecordedBill): readonly string[] {
  const { tokens, compactions } = bill;
  const prompt = promptTokens(tokens);
  return [
    AS_RECORDED,
    formatAtLeast(recordedUsd(bill), billedCalls(bill)),
    '',
    formatShare(prompt === 0 ? null : tokens.cacheRead / prompt),
    formatCount(compactions),
    '',
    '',
  ];
}

/** One session under every provider. */
export function replayBlocks(
  name: string,
  bill: RecordedBill | null,
  replays: readonly ProviderReplay[],
  clearing: Clearing,
): readonly doc.Block[] {
  const recorded = bill === null ? [] : [{ cells: recordedCells(bill) }];
  const { policy, calls } = replays[0]!;
  return [
    `${name} · policy ${policy} · ${formatCounted(calls, 'call')}`,
    '',
    doc.tableOf(REPLAYS, [...recorded, ...doc.rowsOf(REPLAYS, replays)], ''),
    '',
    breakEvenSentence(clearing),
    ...replayNotes(bill, replays),
    ASSUMED,
    ...doubtNotes(replays.map(({ facts }) => facts)),
  ];
}

/** How the replay under the recording's own provider compares with the recorded cost, and what it pays in addition; nothing if both are small, or there is none. */
function ownSentence(recorded: number, replays: readonly ProviderReplay[]): string {
  const own = replays.find(({ isOwn, finished }) => isOwn && finished);
  if (own === undefined) return '';
  const { heldUsd, costUsd, facts } = own;
  const where = `At ${facts.name}, where it was recorded,`;
  const more = costUsd - heldUsd;
  const besides =
    more / costUsd < WORTH_SAYING
      ? ''
      : ` ${where} ${formatMoney(more)} of this is for requests that are not in the recording.`;
  if (Math.abs(heldUsd / recorded - 1) < WORTH_SAYING) return besides;
  const doubt = 'the other rows may be as far from what the session would have cost there';
  return `${besides} ${where} the replay gives ${formatMoney(heldUsd)} for the same requests, ${againstRecorded(heldUsd, recorded)}: ${doubt}.`;
}

/** Where one session is cheapest and most expensive, beside what it cost, and what that leaves out. */
export function replayConclusion(bill: RecordedBill | null, replays: readonly ProviderReplay[]): Conclusion {
  const byCost = replays.filter(({ finished }) => finished).sort((a, b) => a.costUsd - b.costUsd);
  const [first, last] = [byCost[0], byCost.at(-1)];
  if (first === undefined || last === undefined)
    return {
      result: 'No provider finished the session: some of its calls were not answered.',
      advice: 'The cost of a part compares with nothing.',
    };
  const cost = ({ costUsd, facts }: ProviderReplay): string =>
    `${formatMoney(costUsd)} at ${facts.name} (${facts.model})`;
  const recorded = bill === null ? null : recordedUsd(bill);
  const paid =
    bill === null || recorded === null
      ? 'The session'
      : `The session cost ${formatAtLeast(recorded, billedCalls(bill))} as recorded; replayed it`;
  const isWhole = bill !== null && recorded !== null && recorded > 0 && billedCalls(bill).unpricedCalls === 0;
  const own = isWhole ? ownSentence(comparedUsd(bill)!, replays) : '';
  return {
    result:
      byCost.length === 1
        ? `${paid} costs ${cost(first)}.${own}`
        : `${paid} costs between ${cost(first)} and ${cost(last)}.${own}`,
    advice: 'Prices and caches are compared, not answers: another model would have taken different steps.',
  };
}

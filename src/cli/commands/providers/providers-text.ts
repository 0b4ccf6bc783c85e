import type { Clearing } from '../../../analysis/lifetime/clearing-break-even.js';
import {
  formatCount,
  formatCounted,
  formatDecimal,
  formatDuration,
  formatMoney,
  formatShare,
  printable,
} from '../../../core/base/format.js';
import { promptTokens } from '../../../core/model/usage.js';
import type { CacheRules } from '../../../core/run/provider.js';
import type { RecordedBill } from '../../../core/run/recorded-bill.js';
import { billedCalls, recordedUsd } from '../../../metrics/recorded-metrics.js';
import { longestLifeMs, MATCH, sureLifeMs } from '../../../provider/cache/cache-rules.js';
import { AS_RECORDED, againstRecorded, billNotes } from '../../../report/text/as-recorded.js';
import { formatAtLeast, unpricedText } from '../../../report/text/at-least.js';
import type { Conclusion } from '../../../report/text/conclusion.js';
import { type Column, tableLines, wrapText } from '../../../report/text/table.js';
import type { Screen } from '../../../report/text/terminal.js';
import type { ProviderFacts } from './provider-facts.js';
import type { ProviderReplay } from './provider-replay.js';

const LIST: readonly Column[] = [
  { header: 'provider', align: 'left', drop: null },
  { header: 'reads', align: 'left', drop: 4 },
  { header: 'step', align: 'right', drop: 2 },
  { header: 'minimum', align: 'right', drop: 3 },
  { header: 'lifetime', align: 'right', drop: 5 },
  { header: 'write', align: 'right', drop: null },
  { header: 'read', align: 'right', drop: null },
  { header: 'break-even', align: 'right', drop: null },
  { header: 'model', align: 'left', drop: 1 },
];

const REPLAYS: readonly Column[] = [
  { header: 'provider', align: 'left', drop: null },
  { header: 'cost', align: 'right', drop: null },
  { header: 'nine of ten', align: 'right', drop: 4 },
  { header: 'hit rate', align: 'right', drop: null },
  { header: 'compactions', align: 'right', drop: 3 },
  { header: 'break-even', align: 'right', drop: 2 },
  { header: 'model', align: 'left', drop: 1 },
];

const UNKNOWN = '?';
/** A replay that is further from the recording than this, as a share, is worth a sentence. */
const WORTH_SAYING = 0.1;
/** Parts of a request below this are rounding. */
const ROUNDING = 1e-6;

/** Tokens with what they are where nobody says. */
function tokens(value: number | null): string {
  return value === null ? UNKNOWN : formatCount(value);
}

function share(value: number | null, digits: number): string {
  return value === null ? UNKNOWN : formatDecimal(value, digits);
}

/** How long entries live after their last use: for certain, and at most where some outlive others. */
function lifetimeText({ lifetime }: CacheRules): string {
  const [sureMs, lastMs] = [sureLifeMs(lifetime), longestLifeMs(lifetime)];
  return lastMs <= sureMs ? formatDuration(sureMs) : `${formatDuration(sureMs)} – ${formatDuration(lastMs)}`;
}

/** Which providers end an entry however often it is used; empty where none does before its lifetime has passed unused. */
function limitSentence(facts: readonly ProviderFacts[]): string {
  const limits = facts.flatMap(({ name, cache: { lifetime } }) =>
    lifetime.maxMs === null || lifetime.maxMs <= longestLifeMs(lifetime)
      ? []
      : [`${formatDuration(lifetime.maxMs)} at ${name}`],
  );
  return limits.length === 0 ? '' : ` However often it is used, an entry ends after ${limits.join(', ')}.`;
}

function requests(value: number | null): string {
  return value === null ? 'never' : formatDecimal(value, 1);
}

/** The first whole number of requests that is enough; what is whole but for rounding is whole. */
function wholeRequests(value: number): number {
  return Math.ceil(value - ROUNDING);
}

function paragraph(text: string, { width }: Screen): readonly string[] {
  return wrapText(text, width, '', '');
}

function breakEvenSentence({ rewritten, freed }: Clearing): string {
  return `Break-even: further requests until a clearing pays that frees ${formatCount(freed)} tokens and has ${formatCount(rewritten)} written again.`;
}

/** What is not known or assumed, each sentence once with the providers that it is about. */
function doubtLines(facts: readonly ProviderFacts[], screen: Screen): readonly string[] {
  const doubts = new Set(facts.flatMap((each) => each.doubts));
  return [...doubts].flatMap((doubt) => {
    const about = facts.filter((each) => each.doubts.includes(doubt)).map(({ name }) => name);
    return wrapText(`${about.join(', ')}: ${doubt}`, screen.width, '  ', '    ');
  });
}

/** The providers as a table. */
export function providerList(facts: readonly ProviderFacts[], clearing: Clearing, screen: Screen): string {
  const rows = facts.map((each) => ({
    cells: [
      each.name,
      MATCH[each.cache.written],
      each.cache.grain === null ? 'any' : formatCount(each.cache.grain.tokens),
      tokens(each.minimumTokens),
      lifetimeText(each.cache),
      share(each.write, 2),
      share(each.read, 4),
      each.input === null ? UNKNOWN : requests(each.breakEvenRequests),
      each.model,
    ],
  }));
  const lines = [
    ...tableLines(LIST, rows, { indent: '', ...screen }),
    '',
    ...paragraph(
      `Lifetimes count from the last use.${limitSentence(facts)} Writes and reads as shares of the input price of the model; ? is not published. ${breakEvenSentence(clearing)}`,
      screen,
    ),
  ];
  return `${lines.join('\n')}\n`;
}

/** Where clearing pays soonest and latest. */
export function providersConclusion(facts: readonly ProviderFacts[]): Conclusion {
  const byRequests = [...facts].sort(
    (a, b) =>
      (a.breakEvenRequests ?? Number.POSITIVE_INFINITY) - (b.breakEvenRequests ?? Number.POSITIVE_INFINITY),
  );
  const [first, last] = [byRequests[0]!, byRequests.at(-1)!];
  const after = ({ name, breakEvenRequests }: ProviderFacts): string =>
    breakEvenRequests === null
      ? `never at ${name}`
      : `after ${formatCounted(wholeRequests(breakEvenRequests), 'further request')} at ${name}`;
  return facts.length === 1
    ? {
        result:
          first.input === null
            ? `When such a clearing pays at ${first.name} is not known: ${first.model} has no price in the table.`
            : `Such a clearing pays ${after(first)}.`,
        advice: 'ccbench providers --session, with a recording, says what the cache is worth there.',
      }
    : {
        result: `Such a clearing pays soonest ${after(first)}, and ${last.breakEvenRequests === null ? '' : 'latest '}${after(last)}.`,
        advice: 'What is assumed of one of them, ccbench providers says with its name.',
      };
}

/** One provider with what is known, and what is not. */
export function providerPage(facts: ProviderFacts, clearing: Clearing, screen: Screen): string {
  const lines = [
    `${facts.label} (${facts.source})`,
    '',
    providerList([facts], clearing, screen),
    ...(facts.doubts.length === 0 ? [] : ['Not known, and what is assumed instead:']),
    ...facts.doubts.flatMap((doubt) => wrapText(doubt, screen.width, '  - ', '    ')),
  ];
  return `${lines.join('\n').trimEnd()}\n`;
}

/** That prompts grew beyond the recorded ones, where the recording was compacted and the runs were not. */
function undone({ compactionsUndone }: ProviderReplay, screen: Screen): readonly string[] {
  if (compactionsUndone === 0) return [];
  const are = compactionsUndone === 1 ? 'is' : 'are';
  return paragraph(
    `No policy is known for the session, so ${formatCounted(compactionsUndone, 'compaction')} of it ${are} not made again: the prompts grow on, and every cost is higher than that of the session as it was.`,
    screen,
  );
}

/** That the same compactions are made everywhere, and why. */
function held({ window }: ProviderReplay, screen: Screen): readonly string[] {
  if (window === null) return [];
  return paragraph(
    `The window of the recording, ${formatCount(window)} tokens, is held under every provider, so that compactions come where they came; a client that used all of a larger one would compact later and send longer prompts.`,
    screen,
  );
}

/** What the session cost as it was. */
function recordedCells(bill: RecordedBill): { readonly cells: readonly string[] } {
  const { tokens: used, compactions } = bill;
  const prompt = promptTokens(used);
  return {
    cells: [
      AS_RECORDED,
      formatAtLeast(recordedUsd(bill), billedCalls(bill)),
      '',
      formatShare(prompt === 0 ? null : used.cacheRead / prompt),
      formatCount(compactions),
      '',
      '',
    ],
  };
}

/** Where nine of ten sessions lie under a provider whose cache is chance. */
function intervalText({ isDraw, costLowUsd, costHighUsd }: ProviderReplay): string {
  if (!isDraw || costLowUsd === null || costHighUsd === null) return '';
  return `${formatMoney(costLowUsd)} … ${formatMoney(costHighUsd)}`;
}

/** Which rows are one draw of chance. */
function drawn(replays: readonly ProviderReplay[], screen: Screen): readonly string[] {
  const names = replays.filter(({ isDraw }) => isDraw).map(({ facts }) => facts.name);
  if (names.length === 0) return [];
  return paragraph(
    `Whether a request finds its cache is chance at ${names.join(', ')}: cost and hit rate there are one draw of it, and nine of ten lie in the interval beside it, if chance is what it was where it was fitted.`,
    screen,
  );
}

/** That calls of models without a price are priced in the rows, though not as recorded. */
function standIns(bill: RecordedBill | null, screen: Screen): readonly string[] {
  const text = bill === null ? null : unpricedText(billedCalls(bill));
  return text === null
    ? []
    : paragraph(`As recorded ${text}; under each provider all calls go to the model of its row.`, screen);
}

/** What is to be said of a run beside its model. */
function doubtOf({ requestsRefused, callsLost, calls }: ProviderReplay): string {
  if (callsLost > 0) return ` (${formatCount(callsLost)} of ${formatCount(calls)} calls not answered)`;
  return requestsRefused === 0 ? '' : ` (${formatCount(requestsRefused)} refused)`;
}

/** How the replay under the provider of the recording stands to what was recorded; nothing where it is close, or there is none. */
function ownSentence(recorded: number, replays: readonly ProviderReplay[]): string {
  const own = replays.find(({ isOwn, finished }) => isOwn && finished);
  if (own === undefined || Math.abs(own.costUsd / recorded - 1) < WORTH_SAYING) return '';
  const draw = own.isDraw ? ', one draw of chance' : '';
  const doubt = 'the other rows may be as far from what the session would have cost there';
  return ` At ${own.facts.name}, where it was recorded, the replay gives ${formatMoney(own.costUsd)}${draw}, ${againstRecorded(own.costUsd, recorded)}: ${doubt}.`;
}

/** Where one session is cheapest and dearest, beside what it cost, and what that leaves out. */
export function replayConclusion(bill: RecordedBill | null, replays: readonly ProviderReplay[]): Conclusion {
  const byCost = replays.filter(({ finished }) => finished).sort((a, b) => a.costUsd - b.costUsd);
  const [first, last] = [byCost[0], byCost.at(-1)];
  if (first === undefined || last === undefined)
    return {
      result: 'The session is finished at no provider: calls of it were not answered.',
      advice: 'What a part of it costs can be held against nothing.',
    };
  const cost = ({ costUsd, facts }: ProviderReplay): string =>
    `${formatMoney(costUsd)} at ${facts.name} (${facts.model})`;
  const recorded = bill === null ? null : recordedUsd(bill);
  const paid =
    bill === null || recorded === null
      ? 'The session'
      : `The session cost ${formatAtLeast(recorded, billedCalls(bill))} as recorded; replayed it`;
  const isWhole = bill !== null && recorded !== null && recorded > 0 && billedCalls(bill).unpricedCalls === 0;
  const own = isWhole ? ownSentence(recorded, replays) : '';
  return {
    result:
      byCost.length === 1
        ? `${paid} costs ${cost(first)}.${own}`
        : `${paid} costs between ${cost(first)} and ${cost(last)}.${own}`,
    advice: 'Prices and caches are compared, not answers: another model would have taken other steps.',
  };
}

/** One session under every provider. */
export function replayTable(
  name: string,
  bill: RecordedBill | null,
  replays: readonly ProviderReplay[],
  clearing: Clearing,
  screen: Screen,
): string {
  const rows = replays.map((each) => ({
    cells: [
      each.finished ? each.facts.name : `${each.facts.name} (unfinished)`,
      formatMoney(each.costUsd),
      intervalText(each),
      formatShare(each.hitRate),
      formatCount(each.compactions),
      requests(each.facts.breakEvenRequests),
      `${each.facts.model}${doubtOf(each)}`,
    ],
  }));
  const recorded = bill === null ? [] : [recordedCells(bill)];
  const lines = [
    printable(`${name} · policy ${replays[0]!.policy} · ${formatCounted(replays[0]!.calls, 'call')}`),
    '',
    ...tableLines(REPLAYS, [...recorded, ...rows], { indent: '', ...screen }),
    '',
    ...paragraph(breakEvenSentence(clearing), screen),
    ...drawn(replays, screen),
    ...(bill === null ? [] : billNotes([bill]).flatMap((each) => paragraph(each, screen))),
    ...standIns(bill, screen),
    ...held(replays[0]!, screen),
    ...undone(replays[0]!, screen),
    'Not known, and what is assumed instead:',
    ...doubtLines(
      replays.map(({ facts }) => facts),
      screen,
    ),
  ];
  return `${lines.join('\n')}\n`;
}

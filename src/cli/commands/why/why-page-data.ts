import type { AttributedRequest } from '../../../analysis/why/attribute.js';
import { CAUSE_TEXT, type WhyCause } from '../../../analysis/why/causes.js';
import type { Counted } from '../../../analysis/why/count-once.js';
import type { SourceBy } from '../../../analysis/why/name-sources.js';
import { filledPrompts } from '../../../analysis/why/sources.js';
import { type SessionSums, sumsOf, type WhyBreak, type WhyReport } from '../../../analysis/why/sum-up.js';
import {
  formatCount,
  formatCounted,
  formatMoney,
  formatShare,
  printable,
} from '../../../core/base/format.js';
import { sum } from '../../../core/base/stats.js';
import { usd } from '../../../metrics/metric.js';
import { BREAK_COLORS, causeColors } from '../../../report/charts/palette.js';
import { card } from '../../../report/document/document.js';
import { pageHtml } from '../../../report/html/page-html.js';
import { chartedRequests } from '../../../report/page-data/left-out.js';
import type { ChartedRun, PageFact } from '../../../report/page-data/page-data.js';
import { pageFill } from '../../../report/page-data/page-run.js';
import type { WhyPageData, WhyPageSession, WhyPageSources } from '../../../report/page-data/why-page-data.js';
import type { ColumnRequest } from '../../../report/tables/request-columns.js';
import { inputId } from '../../../transcripts/files/read-input.js';
import { belowHome } from '../../files/chosen-sessions.js';
import { countedWords } from '../../files/session-words.js';
import { forgottenOf, forgottenSentence, lostSentence, lostText } from './forgotten-document.js';
import { againSentences, sourceRows, timesPaid } from './sources-document.js';
import {
  avoidableOf,
  changeNotes,
  costOf,
  isSteady,
  remedyOf,
  reproducedSentence,
  type WhyOptions,
  whyConclusion,
} from './why-document.js';

/** How much a page holds: requests of one session, of all of them, and breaks. */
export interface PageRoom {
  readonly session: number;
  readonly all: number;
  readonly breaks: number;
}

const ROOM: PageRoom = { session: 4_000, all: 60_000, breaks: 5_000 };

/** What is said of a break of which nothing is known to have been avoidable. */
const NO_REMEDY = 'No known remedy would have been cheaper.';
const NOT_COMPUTED = 'The avoidable part is not computed.';

const [READ_COLOR, NEW_COLOR, OUTPUT_COLOR] = causeColors(['carry', 'new', 'output']) as [
  string,
  string,
  string,
];

/** Colour of each cause: that of the same cause in a run, or of one that recordings do not have. */
const CAUSE_COLORS: Readonly<Record<WhyCause, string>> = {
  read: READ_COLOR,
  output: OUTPUT_COLOR,
  uncached: NEW_COLOR,
  'first-write': NEW_COLOR,
  growth: NEW_COLOR,
  'lifetime-5m': BREAK_COLORS['ttl-5m'],
  'lifetime-1h': BREAK_COLORS['ttl-1h'],
  lifetime: BREAK_COLORS.expired,
  compaction: BREAK_COLORS.compaction,
  microcompaction: BREAK_COLORS.microcompaction,
  clear: BREAK_COLORS.snip,
  rewind: BREAK_COLORS.collapse,
  resume: BREAK_COLORS.rounding,
  tools: BREAK_COLORS.tools,
  system: BREAK_COLORS.system,
  model: BREAK_COLORS.model,
  version: BREAK_COLORS.parameters,
  thinking: BREAK_COLORS.thinking,
  effort: BREAK_COLORS.server,
  reasoning: BREAK_COLORS.lookback,
  delivery: BREAK_COLORS['not-readable-yet'],
  messages: BREAK_COLORS.messages,
  unexplained: BREAK_COLORS.chance,
};

function columnRequest(request: AttributedRequest): ColumnRequest {
  const { parts, prompt, read, output } = request;
  const event = parts.find(({ cause }) => !isSteady(cause)) ?? null;
  const written = sum(parts.map((part) => part.written));
  return {
    t: request.startMs,
    thread: request.threadId,
    turn: request.number,
    purpose: request.isMain ? 'main' : 'subagent',
    model: request.model,
    prompt,
    read,
    write5m: written,
    write1h: 0,
    input: Math.max(0, prompt - read - written),
    output,
    context: prompt + output,
    rewritten: event === null ? 0 : event.written + event.uncached,
    cause: event === null ? null : CAUSE_TEXT[event.cause].title,
    latencyMs: 0,
    readCost: request.readNano,
    writeCost: sum(parts.map(({ nano }) => nano)),
    inputCost: request.uncachedNano,
    outputCost: request.outputNano,
    rewriteCost: event?.nano ?? 0,
  };
}

function chartedSession({ requests }: Counted, most: number): ChartedRun {
  const [first] = requests;
  const main = requests.find(({ isMain }) => isMain)?.threadId ?? first?.threadId ?? '';
  const ids = [...new Map(requests.map(({ threadId, isMain }) => [threadId, isMain]))];
  const threads = ids.map(([id, isMain]) => ({ id, parent: isMain ? null : main, label: printable(id) }));
  const start = first?.startMs ?? 0;
  const columns = requests.map((request) => columnRequest({ ...request, startMs: request.startMs - start }));
  return chartedRequests(columns, threads, most);
}

function cardsOf(report: WhyReport): readonly PageFact[] {
  const lost = sum(report.breaks.map(({ usd }) => usd ?? 0));
  const avoidable = avoidableOf(report.byCause);
  const share = (usd: number): string =>
    formatShare(report.recordedUsd === 0 ? null : usd / report.recordedUsd);
  const [best] = report.changes;
  const days = report.from === null ? '' : `${report.from} to ${report.to}`;
  return [
    card('As recorded', costOf(report), days),
    card(
      'Lost in breaks',
      formatMoney(lost),
      `${share(lost)} of it, in ${formatCounted(report.breaks.length, 'break')}`,
    ),
    card('Avoidable', formatMoney(avoidable), `${share(avoidable)} of it`),
    card('Read from the cache', formatShare(report.hitRate), 'of all prompt tokens'),
    card('Sessions', formatCount(report.sessions), formatCounted(report.requests, 'request')),
    ...(best === undefined || best.usd <= 0
      ? []
      : [
          card(
            'Best change',
            formatMoney(best.usd),
            `${best.name}: ${formatMoney(best.low)} to ${formatMoney(best.high)}`,
          ),
        ]),
  ];
}

/** What a page draws of one session: its requests, and what fills their prompts. */
export function drawnSession(counted: Counted, most = ROOM.session): ChartedRun {
  const run = chartedSession(counted, most);
  const { session, requests } = counted;
  const shown = run.requests.t.map((_t, i) => requests[(run.leftOut?.n[i] ?? i + 1) - 1]!);
  return { ...run, fill: pageFill(filledPrompts({ tape: session.tape, requests }), shown) };
}

/** A session as a page takes it: what was drawn before is drawn where there is room for it. */
export interface PageSession {
  readonly file: string;
  readonly sums: Pick<SessionSums, 'requests' | 'spent'>;
  drawn(most: number): ChartedRun;
}

/** A session that is drawn when it is asked for. */
export function pageSession(counted: Counted): PageSession {
  const { file } = counted.session;
  return { file, sums: sumsOf(counted, 'kind'), drawn: (most) => drawnSession(counted, most) };
}

function sessionsOf(
  report: WhyReport,
  given: readonly PageSession[],
  home: string,
  room: PageRoom,
): readonly WhyPageSession[] {
  const byFile = new Map(given.map((each) => [each.file, each]));
  const breaks = new Map<string, WhyBreak[]>();
  for (const each of report.breaks) {
    const own = breaks.get(each.file);
    if (own === undefined) breaks.set(each.file, [each]);
    else own.push(each);
  }
  let left = room.all;
  return report.worst.map((ranked) => {
    const { sums, drawn } = byFile.get(ranked.file)!;
    const size = Math.min(sums.requests, room.session);
    const run = size > 0 && size <= left ? drawn(room.session) : null;
    if (run !== null) left -= run.requests.t.length;
    return {
      name: printable(inputId(ranked.file)),
      project: printable(belowHome(ranked.project, home)),
      day: ranked.from,
      requests: ranked.requests,
      hitRate: ranked.hitRate,
      usd: ranked.usd,
      lostUsd: ranked.lostUsd,
      avoidableUsd: avoidableOf(breaks.get(ranked.file) ?? []),
      topBreak: ranked.topEvent === null ? null : CAUSE_TEXT[ranked.topEvent].title,
      spent: sums.spent.flatMap(({ model, day, nano }) =>
        nano === null ? [] : [{ model: printable(model), day, usd: usd(nano) }],
      ),
      run,
    };
  });
}

/** What the page does not show, in words. */
function leftOutNotes(report: WhyReport, sessions: readonly WhyPageSession[], room: PageRoom) {
  const bare = sessions.filter(({ run, requests }) => run === null && requests > 0).length;
  const thinned = sessions.filter(({ run }) => run?.leftOut !== undefined).length;
  return [
    bare > 0 &&
      `${formatCounted(bare, 'session')} that cost least ${bare === 1 ? 'has' : 'have'} no chart, as the page holds ${formatCount(room.all)} requests; name fewer sessions to see them.`,
    thinned > 0 &&
      `${formatCounted(thinned, 'session')} with more than ${formatCount(room.session)} requests ${thinned === 1 ? 'is' : 'are'} drawn from some of them: every break is there, and sums count all.`,
    report.breaks.length > room.breaks &&
      `Of ${formatCount(report.breaks.length)} breaks the most expensive ${formatCount(room.breaks)} are listed; ccbench why --json has all.`,
  ].filter((note) => note !== false);
}

/** What the page is called: the project, the sessions, and their first and last day. */
function titleOf({ from, to }: WhyReport, sessions: readonly WhyPageSession[]): string {
  const projects = sessions.map(({ project }) => project.split(/[\\/]/).at(-1)!);
  const days = [from, to].flatMap((day) => day ?? []);
  return `Where the money went: ${countedWords(projects, days)}`;
}

/** Everything the page of `ccbench why` shows. */
export function whyPageData(
  report: WhyReport,
  given: readonly PageSession[],
  { home, notes, by = 'source' }: Pick<WhyOptions, 'home' | 'notes'> & Partial<Pick<WhyOptions, 'by'>>,
  room: PageRoom = ROOM,
): WhyPageData {
  const sessions = sessionsOf(report, given, home, room);
  const places = new Map(report.worst.map(({ file }, i) => [file, i]));
  const paid = [...report.byCause].sort((a, b) => b.usd - a.usd).filter(({ usd }) => usd > 0);
  const index = new Map(paid.map(({ cause }, i) => [cause, i]));
  const forgotten = forgottenOf(report);
  const { result, advice } = whyConclusion(report);
  return {
    kind: 'why',
    title: titleOf(report, sessions),
    trust: reproducedSentence(report.reproduced),
    // Where no change was tried, what was avoidable is all there is to head the page with.
    advice: report.changes.length === 0 ? `${result} ${advice}` : advice,
    cards: cardsOf(report),
    causes: paid.map((own) => ({
      title: CAUSE_TEXT[own.cause].title,
      color: CAUSE_COLORS[own.cause],
      usd: own.usd,
      share: report.recordedUsd === 0 ? null : own.usd / report.recordedUsd,
      events: isSteady(own.cause) ? 0 : own.events,
      avoidableUsd: own.avoidableUsd ?? 0,
      remedy: remedyOf(own),
      unavoided: own.avoidableUsd === null ? NOT_COMPUTED : NO_REMEDY,
    })),
    sources: pageSources(report, by, home),
    changes: report.changes,
    assumed: changeNotes(report).join(' '),
    sessions,
    breaks: report.breaks.slice(0, room.breaks).flatMap((each) => {
      const cause = index.get(each.cause);
      if (cause === undefined) return [];
      return [
        {
          session: places.get(each.file)!,
          request: each.sessionRequest,
          thread: each.isMain ? 'main' : printable(each.thread),
          inThread: each.request,
          cause,
          usd: each.usd ?? 0,
          avoidableUsd: each.avoidableUsd ?? 0,
          tokens: each.tokens,
          gapMs: each.gapMs,
          at: each.at,
          model: printable(each.model),
        },
      ];
    }),
    compactions: report.compactions.map((own) => ({
      session: places.get(own.file)!,
      request: own.sessionRequest,
      at: own.at,
      trigger: own.trigger,
      tokensBefore: own.tokensBefore,
      tokensAfter: own.tokensAfter,
      rereadTokens: own.rereadTokens,
      rereadBefore: own.before.rereadTokens,
      rereadUsd: own.rereadUsd,
      carriedUsd: own.carriedUsd,
      lost: own.lost?.length ?? 0,
      missing: lostText(own),
    })),
    forgotten: [forgottenSentence(forgotten), lostSentence(forgotten)],
    notes: [...notes, ...leftOutNotes(report, sessions, room)],
    setAside: report.reproduced.setAside.map(({ file, reason }) => ({
      name: printable(inputId(file)),
      reason: printable(reason),
    })),
  };
}

/** why.html: one file. */
export function whyHtml(data: WhyPageData, events?: string): string {
  return pageHtml({
    data,
    ...(events === undefined ? {} : { events }),
    elsewhere: 'ccbench why prints the same numbers, and ccbench why --json all of them.',
  });
}

/** What fills the context, as the page shows it. */
function pageSources({ sources }: WhyReport, by: SourceBy, home: string): WhyPageSources {
  return {
    rows: sourceRows(sources, by, home).map(({ title, kind, tokens, carriedTokens, usd, share }) => ({
      title,
      kind,
      tokens,
      times: timesPaid({ tokens, carriedTokens }),
      usd,
      share,
    })),
    notes: againSentences(sources),
  };
}

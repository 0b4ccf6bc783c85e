import { getOrMake } from '../../core/base/once.js';
import { ratio, sum } from '../../core/base/stats.js';
import type { RecordedBill } from '../../core/run/recorded-bill.js';
import { usd } from '../../metrics/metric.js';
import { type AttributedRequest, isUnpriced } from './attribute.js';
import { STEADY_CAUSES, UNJUDGED_CAUSES, WHY_CAUSES, type WhyCause } from './causes.js';
import { partOfChange } from './changes.js';
import { type Counted, countOnce } from './count-once.js';
import type { Rereads } from './judge-compactions.js';
import type { SourceBy } from './name-sources.js';
import type { SessionWhy, Uncounted } from './session-why.js';
import { type Slice, Slices, type Spent } from './slices.js';
import { type SourceRow, type SourceSum, SourceTally, sourceRowsOf } from './sources.js';
import { type ChangeSum, ChangeTally, type Reproduced, reproducedOf } from './sum-changes.js';

/** The answer to where the money went. */
export interface WhyReport {
  readonly sessions: number;
  readonly requests: number;
  readonly recordedUsd: number;
  /** Requests of models without a price: the cost is without them. */
  readonly unpricedCalls: number;
  readonly hitRate: number | null;
  readonly from: string | null;
  readonly to: string | null;
  readonly reproduced: Reproduced;
  readonly byCause: readonly CauseSum[];
  /** What filled the prompts, the most expensive first: together all of `recordedUsd`. */
  readonly sources: readonly SourceSum[];
  readonly breaks: readonly WhyBreak[];
  /** What was needed again behind recorded compactions, where most was read again first. */
  readonly compactions: readonly WhyCompaction[];
  readonly byProject: readonly Slice[];
  readonly byModel: readonly Slice[];
  readonly byDay: readonly Slice[];
  /** Sessions by what they cost, the most expensive first. */
  readonly worst: readonly RankedSession[];
  /** Empty where none could be tried on any session. */
  readonly changes: readonly ChangeSum[];
}

const DAY_CHARS = 10;
const MINUTE_CHARS = 16;

/** What of a cause was avoidable, in dollars; null if that is not computed. */
function avoidableUsd(cause: WhyCause, nano: number): number | null {
  return UNJUDGED_CAUSES.includes(cause) ? null : usd(nano);
}

interface Tallied {
  tokens: number;
  otherTokens: number;
  events: number;
  nano: number;
  avoidableNano: number;
}

class CauseTally {
  readonly sums = new Map<WhyCause, Tallied>();

  add(
    cause: WhyCause,
    add: Partial<Pick<Tallied, 'tokens' | 'otherTokens' | 'events'>>,
    nano: number,
    kept = 0,
  ): void {
    const nothing = () => ({ tokens: 0, otherTokens: 0, events: 0, nano: 0, avoidableNano: 0 });
    const own = getOrMake(this.sums, cause, nothing);
    own.tokens += add.tokens ?? 0;
    own.otherTokens += add.otherTokens ?? 0;
    own.events += add.events ?? 0;
    own.nano += nano;
    own.avoidableNano += kept;
  }

  request({ read, readNano, output, outputNano, uncached, uncachedNano, parts }: AttributedRequest): void {
    this.add('read', { otherTokens: read }, readNano);
    this.add('output', { otherTokens: output }, outputNano);
    if (uncached > 0) this.add('uncached', { otherTokens: uncached }, uncachedNano);
    for (const { cause, written, uncached: bare, nano, avoidableNano } of parts) {
      const events = STEADY_CAUSES.includes(cause) ? 0 : 1;
      this.add(cause, { tokens: written, otherTokens: bare, events }, nano, avoidableNano);
    }
  }

  /** Adds what a session took. */
  session(causes: SessionSums['causes']): void {
    for (const [cause, own] of causes) this.add(cause, own, own.nano, own.avoidableNano);
  }

  /** In nano-dollars up to here, in dollars from here on; the order of the list of causes. */
  list(): readonly CauseSum[] {
    return WHY_CAUSES.flatMap((cause) => {
      const own = this.sums.get(cause);
      return own === undefined ? [] : [sumOfCause(cause, own)];
    });
  }
}

/** What one cause took: tokens written, tokens read, sent beyond the cache or put out, and the money. */
export type CauseSum = Readonly<ReturnType<typeof sumOfCause>>;

function sumOfCause(cause: WhyCause, { tokens, otherTokens, events, nano, avoidableNano }: Tallied) {
  const kept = avoidableUsd(cause, avoidableNano);
  return { cause, tokens, otherTokens, usd: usd(nano), avoidableUsd: kept, events };
}

/** What a request cost. */
export function nanoOf({ readNano, outputNano, uncachedNano, parts }: AttributedRequest): number {
  return readNano + outputNano + uncachedNano + sum(parts.map(({ nano }) => nano));
}

/** A time of a session in UTC, `2026-08-01 09:30:00.000`, or as many characters of it; null if the record does not tell. */
export function timeOf(startedAtMs: number | null, ms: number, chars: number): string | null {
  if (startedAtMs === null) return null;
  const at = startedAtMs + ms;
  return Math.abs(at) > 8.64e15 ? null : new Date(at).toISOString().slice(0, chars).replace('T', ' ');
}

function breaksOf({ session, requests }: Counted) {
  return requests.flatMap((request, i) =>
    request.parts
      .filter(({ cause }) => !STEADY_CAUSES.includes(cause))
      .map(({ cause, written, uncached, nano, avoidableNano, isCompactable = false }) => ({
        thread: request.threadId,
        isMain: request.isMain,
        /** Request of its thread, from 1. */
        request: request.number,
        /** The same among all requests of its session in the order of time. */
        sessionRequest: i + 1,
        /** Time of the day and date in UTC; null if the record does not tell. */
        at: timeOf(session.startedAtMs, request.startMs, MINUTE_CHARS),
        gapMs: request.gapMs,
        cause,
        model: request.model,
        tokens: written + uncached,
        /** Null if its model has no price. */
        usd: isUnpriced(request) ? null : usd(nano),
        /** Null if it is not computed. */
        avoidableUsd: isUnpriced(request) ? null : avoidableUsd(cause, avoidableNano),
        /** A compaction before the pause would have saved something. */
        isCompactable,
      })),
  );
}

/** One event that made a session pay for content again. */
export type WhyBreak = { readonly file: string } & Readonly<ReturnType<typeof breaksOf>[number]>;

function rereadsOf({ calls, rereads, tokens, writtenNano }: Rereads) {
  return { calls, rereads, rereadTokens: tokens, rereadUsd: usd(writtenNano) };
}

function compactionsOf({ session, requests, compactions }: Counted) {
  return compactions.map((own) => {
    const place = requests.findIndex(
      ({ threadId, number }) => threadId === own.threadId && number === own.request,
    );
    return {
      thread: own.threadId,
      isMain: own.isMain,
      /** The first request behind it, in its thread, from 1. */
      request: own.request,
      /** The same among all requests of its session in the order of time; null if there is none. */
      sessionRequest: place < 0 ? null : place + 1,
      at: timeOf(session.startedAtMs, own.atMs, MINUTE_CHARS),
      trigger: own.trigger,
      tokensBefore: own.tokensBefore,
      tokensAfter: own.tokensAfter,
      /** Calls behind it that are looked at, and what they read again of what was there before it. */
      ...rereadsOf(own.after),
      /** What reading that costs later requests, up to the next compaction. */
      carriedUsd: usd(own.after.carriedNano),
      /** The same of the calls in front of it: things are read again without a compaction too. */
      before: rereadsOf(own.before),
      repeats: own.repeats,
      lost: own.lost,
    };
  });
}

/** A recorded compaction, and what was needed again behind it. */
export type WhyCompaction = { readonly file: string } & Readonly<ReturnType<typeof compactionsOf>[number]>;

function spentOf({ session, requests }: Counted): readonly Spent[] {
  const found = new Map<string, Spent & { requests: number; nano: number | null }>();
  for (const request of requests) {
    const { model } = request;
    const day = timeOf(session.startedAtMs, request.startMs, DAY_CHARS) ?? 'unknown';
    const key = `${day} ${model}`;
    const own = getOrMake(found, key, () => ({ model, day, requests: 0, nano: null }));
    own.requests++;
    if (!isUnpriced(request)) own.nano = (own.nano ?? 0) + nanoOf(request);
  }
  return [...found.values()];
}

/** The money of sessions by model, the most first. */
export function modelSlices(counted: readonly Counted[]): readonly Slice[] {
  const slices = new Slices();
  for (const [i, each] of counted.entries())
    for (const spent of spentOf(each)) slices.add(spent.model, spent, i);
  return slices.list();
}

function largest(sums: readonly CauseSum[]): WhyCause | null {
  return [...sums].sort((a, b) => b.usd - a.usd)[0]?.cause ?? null;
}

function ranked({ file, project, startedAtMs, sums: own }: SummedSession) {
  const tally = new CauseTally();
  tally.session(own.causes);
  const sums = tally.list();
  const events = sums.filter(({ cause }) => !STEADY_CAUSES.includes(cause));
  return {
    file,
    project,
    from: timeOf(startedAtMs, 0, DAY_CHARS),
    requests: own.requests,
    hitRate: ratio(own.read, own.prompt),
    usd: usd(own.nano),
    /** The cause that took most. */
    topCause: largest(sums) ?? 'read',
    /** What its events cost: all but reading, output, first prompts and new content. */
    lostUsd: sum(events.map((each) => each.usd)),
    /** The event that cost most; null if there is none. */
    topEvent: largest(events),
  };
}

/** A session in the ranking. */
export type RankedSession = Readonly<ReturnType<typeof ranked>>;

/** The share of prompts that was read from the cache. */
export function hitRateOf(requests: readonly AttributedRequest[]): number | null {
  return ratio(sum(requests.map(({ read }) => read)), sum(requests.map(({ prompt }) => prompt)));
}

/** What one session adds to the sums over all. */
export interface SessionSums {
  readonly requests: number;
  readonly read: number;
  readonly prompt: number;
  readonly nano: number;
  readonly causes: readonly (readonly [WhyCause, Readonly<Tallied>])[];
  readonly spent: readonly Spent[];
  readonly breaks: ReturnType<typeof breaksOf>;
  readonly compactions: ReturnType<typeof compactionsOf>;
  readonly sources: readonly SourceRow[];
  readonly noted: RecordedBill;
}

/** A session by what it adds: all that a report over many needs of it. */
export interface SummedSession
  extends Pick<
    SessionWhy,
    'file' | 'project' | 'agent' | 'version' | 'startedAtMs' | 'carries' | 'reproduction' | 'changes'
  > {
  readonly sums: SessionSums;
}

/** What a session adds to a report. */
export function sumsOf(counted: Counted, by: SourceBy): SessionSums {
  const { session, requests, noted } = counted;
  const tally = new CauseTally();
  for (const request of requests) tally.request(request);
  return {
    requests: requests.length,
    read: sum(requests.map(({ read }) => read)),
    prompt: sum(requests.map(({ prompt }) => prompt)),
    nano: sum(requests.map(nanoOf)),
    causes: [...tally.sums],
    spent: spentOf(counted),
    breaks: breaksOf(counted),
    compactions: compactionsOf(counted),
    sources: sourceRowsOf({ tape: session.tape, requests }, by),
    noted,
  };
}

/** Below this a share differs from all by rounding. */
const ALL_BUT_ROUNDING = 1e-9;

/**
 * A session with what it adds. Changes are tried on all of it: where other sessions hold some of its calls, as with forks, it adds
 * the share of their savings that its own calls have of its cost.
 */
export function summedSession<Session extends Pick<SessionWhy, 'changes'>>(
  session: Session,
  sums: SessionSums,
): Session & { readonly sums: SessionSums } {
  const share = ratio(sums.nano, sums.noted.costNano.total) ?? 1;
  if (share > 1 - ALL_BUT_ROUNDING) return { ...session, sums };
  const changes = session.changes.map((change) => partOfChange(change, share));
  return { ...session, changes, sums };
}

/** Sums up what sessions cost and why; the same call in several sessions counts once. */
export function sumUp(
  sessions: readonly SessionWhy[],
  uncounted: readonly Uncounted[],
  by: SourceBy = 'source',
): WhyReport {
  return sumSessions(
    countOnce(sessions).map((counted) => summedSession(counted.session, sumsOf(counted, by))),
    uncounted,
  );
}

/**
 * The same of sessions whose sums are known, none of which counts a call of another. They are gone through once, and only what the
 * report shows of each is kept.
 */
export function sumSessions(sessions: Iterable<SummedSession>, uncounted: readonly Uncounted[]): WhyReport {
  const total = { requests: 0, read: 0, prompt: 0, nano: 0, unpriced: 0 };
  const causes = new CauseTally();
  const sources = new SourceTally();
  const changes = new ChangeTally();
  const [projects, models, days] = [new Slices(), new Slices(), new Slices()];
  const breaks: WhyBreak[] = [];
  const compactions: WhyCompaction[] = [];
  const worst: RankedSession[] = [];
  const ran: Pick<SummedSession, 'file' | 'reproduction'>[] = [];
  for (const session of sessions) {
    const { file, project, reproduction, sums } = session;
    for (const name of ['requests', 'read', 'prompt', 'nano'] as const) total[name] += sums[name];
    total.unpriced += sum(Object.values(sums.noted.unpriced));
    causes.session(sums.causes);
    sources.add(sums.sources);
    changes.add(session.changes);
    for (const spent of sums.spent) {
      projects.add(project, spent, worst.length);
      models.add(spent.model, spent, worst.length);
      days.add(spent.day, spent, worst.length);
    }
    for (const own of sums.breaks) breaks.push({ file, ...own });
    for (const own of sums.compactions) compactions.push({ file, ...own });
    ran.push({ file, reproduction });
    worst.push(ranked(session));
  }
  const byDay = days.list().sort((a, b) => (a.name < b.name ? -1 : 1));
  const known = byDay.map(({ name }) => name).filter((name) => name !== 'unknown');
  const recordedUsd = usd(total.nano);
  return {
    sessions: worst.length,
    requests: total.requests,
    recordedUsd,
    unpricedCalls: total.unpriced,
    hitRate: ratio(total.read, total.prompt),
    from: known[0] ?? null,
    to: known.at(-1) ?? null,
    reproduced: reproducedOf(ran, uncounted),
    byCause: causes.list(),
    sources: sources.list(),
    breaks: breaks.sort((a, b) => (b.usd ?? -1) - (a.usd ?? -1)),
    compactions: compactions.sort(
      (a, b) => b.rereadTokens - a.rereadTokens || (b.lost?.length ?? 0) - (a.lost?.length ?? 0),
    ),
    byProject: projects.list(),
    byModel: models.list(),
    byDay,
    worst: worst.sort((a, b) => b.usd - a.usd),
    changes: changes.list().map((change) => ({ ...change, high: Math.min(change.high, recordedUsd) })),
  };
}

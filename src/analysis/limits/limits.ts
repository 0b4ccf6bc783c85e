import { type Interval, ratio, sum } from '../../core/base/stats.js';
import { holds } from '../../metrics/metric.js';
import { CAUSE_TEXT, WHY_CAUSES, type WhyCause } from '../why/causes.js';
import { CHANGES, type ChangeName, type UsageAt } from '../why/changes.js';
import type { Counted } from '../why/count-once.js';
import { nanoOf } from '../why/sum-up.js';
import {
  fitKindOf,
  fitWeights,
  lengthMs,
  type MeterFit,
  type MeterName,
  type PublishedMeter,
  publishedFactor,
  publishedMeter,
  type Reading,
} from './fit-weights.js';
import {
  type Asker,
  familyOf,
  fullestOf,
  type LimitRequest,
  limitRequests,
  priceWeight,
  type TokenKind,
  usageByKind,
  vendorOf,
  type Weighed,
  type WindowSpan,
  windowsOf,
} from './limit-requests.js';
import { WEIGHTS } from './weights.generated.js';

/** Windows that are listed. */
const MOST_WINDOWS = 3;

/** Causes that a pause has. */
export const PAUSE_CAUSES: readonly WhyCause[] = ['lifetime-5m', 'lifetime-1h', 'lifetime'];
const COMPACTION_CAUSES: readonly WhyCause[] = ['compaction', 'microcompaction'];

/** A part of a window. The parts of one split add up to it exactly. */
export interface WindowSlice {
  readonly name: string;
  readonly weighted: number;
  /** Null if nothing weighs. */
  readonly share: number | null;
}

/** What a window held. */
export interface LimitWindow {
  /** ISO times in UTC. */
  readonly from: string;
  readonly to: string;
  readonly requests: number;
  /** Tokens of all kinds, each counted once. */
  readonly tokens: number;
  readonly weighted: number;
  /** The same with the weights at both ends of their published interval; absent if the weights are fitted or have none. */
  readonly weightedBetween?: Interval;
  /** Per cent of the meter by the fit to the readings; null without one. */
  readonly percent: (Interval & { readonly value: number }) | null;
  /** Per cent of the meter of the account that a published fit is of; null if there is none. */
  readonly publishedPercent: Interval | null;
}

/** The same with what filled it. */
export interface WindowDetail extends LimitWindow {
  readonly byCause: readonly (WindowSlice & { readonly cause: WhyCause })[];
  readonly byModel: readonly WindowSlice[];
  readonly bySession: readonly WindowSlice[];
  readonly byThread: readonly WindowSlice[];
  readonly byCompaction: readonly WindowSlice[];
}

/** What a change would have taken out of a window; negative where it adds. */
export interface LimitChange {
  readonly name: ChangeName;
  readonly weighted: number;
  readonly share: number | null;
}

/** What a meter counted. */
export interface MeterReport {
  readonly hours: number;
  readonly fullest: WindowDetail;
  /** The window that ends with the last request. */
  readonly latest: WindowDetail;
  /** The fullest windows without a request in common. */
  readonly windows: readonly LimitWindow[];
  /** What changes would have saved in the fullest window. */
  readonly changes: readonly LimitChange[];
}

/** Where the limits of a plan went. */
export interface LimitsReport {
  readonly vendor: string;
  readonly fiveHour: MeterReport;
  readonly weekly: MeterReport;
  readonly weights: typeof WEIGHTS;
  readonly fit: Readonly<Record<MeterName, MeterFit>>;
  readonly leftOut: readonly { readonly what: string; readonly why: string }[];
}

type FactorOf = (model: string, kind: TokenKind) => number;

/** The factors on list-price weights: as fitted, else as published. */
function factorsOf(fit: MeterFit, published: PublishedMeter | null): FactorOf {
  const known = new Map(
    fit.kind === 'fitted' ? fit.factors.map(({ family, kind, factor }) => [`${family} ${kind}`, factor]) : [],
  );
  return (model, kind) => {
    const own = fitKindOf(kind);
    return known.get(`${familyOf(model)} ${own}`) ?? publishedFactor(published, own);
  };
}

interface Charge {
  readonly cause: WhyCause;
  /** Whole weighted tokens: sums of any split are equal. */
  readonly weighted: number;
}

interface WeighedRequest extends Weighed {
  readonly request: LimitRequest;
  readonly charges: readonly Charge[];
}

function weigh(request: LimitRequest, factorOf: FactorOf): WeighedRequest {
  const charges = request.parts.map((part) => ({
    cause: part.cause,
    weighted: Math.round(priceWeight(part, request.inputUsd) * factorOf(request.model, part.kind)),
  }));
  return { atMs: request.atMs, request, charges, weighted: sum(charges.map(({ weighted }) => weighted)) };
}

/** Sums by name, the largest first. */
function slices(
  items: readonly WeighedRequest[],
  nameOf: (charge: Charge, request: LimitRequest) => string,
): readonly WindowSlice[] {
  const sums = new Map<string, number>();
  for (const { request, charges } of items)
    for (const charge of charges) {
      const name = nameOf(charge, request);
      sums.set(name, (sums.get(name) ?? 0) + charge.weighted);
    }
  const total = sum([...sums.values()]);
  return [...sums]
    .map(([name, weighted]) => ({ name, weighted, share: ratio(weighted, total) }))
    .sort((a, b) => b.weighted - a.weighted || (a.name < b.name ? -1 : 1));
}

const THREADS: Readonly<Record<Asker, string>> = {
  main: 'main thread',
  subagent: 'subagents',
  summary: 'summaries for compactions',
};

/** What a charge has to do with compactions. */
function compactionOf({ cause }: Charge, { asker }: LimitRequest): string {
  if (asker === 'summary') return 'summaries';
  return COMPACTION_CAUSES.includes(cause) ? 'rebuilds after compactions' : 'everything else';
}

/** Sessions and weights of one meter. */
class Meter {
  readonly #items: readonly WeighedRequest[];
  readonly #windows: readonly WindowSpan[];
  readonly #factorOf: FactorOf;
  readonly #published: PublishedMeter | null;

  constructor(
    readonly name: MeterName,
    requests: readonly LimitRequest[],
    readonly fit: MeterFit,
    readonly vendor: string,
  ) {
    this.#published = publishedMeter(vendor, name);
    this.#factorOf = factorsOf(fit, this.#published);
    this.#items = requests.map((request) => weigh(request, this.#factorOf));
    this.#windows = windowsOf(this.#items, lengthMs(name));
  }

  report(sessions: readonly Counted[]): MeterReport {
    const top = fullestOf(this.#windows, MOST_WINDOWS);
    const fullest = top[0]!;
    return {
      hours: WEIGHTS.meters[this.name].hours,
      fullest: this.#detail(fullest),
      latest: this.#detail(this.#windows.at(-1)!),
      windows: top.map((window) => this.#window(window)),
      changes: this.#changes(sessions, fullest),
    };
  }

  #within({ first, last }: WindowSpan): readonly WeighedRequest[] {
    return this.#items.slice(first, last + 1);
  }

  #window(window: WindowSpan): LimitWindow {
    const { endMs, weighted } = window;
    const items = this.#within(window);
    const tokens = sum(items.flatMap(({ request }) => request.parts.map((part) => part.tokens)));
    return {
      from: new Date(endMs - lengthMs(this.name)).toISOString(),
      to: new Date(endMs).toISOString(),
      requests: items.length,
      tokens,
      weighted,
      ...this.#between(items),
      percent: this.#percent(weighted),
      publishedPercent: this.#publishedPercent(tokens),
    };
  }

  #detail(window: WindowSpan): WindowDetail {
    const items = this.#within(window);
    const byCause = slices(items, ({ cause }) => cause);
    return {
      ...this.#window(window),
      byCause: WHY_CAUSES.flatMap((cause) =>
        byCause
          .filter(({ name }) => name === cause)
          .map((slice) => ({ ...slice, cause, name: CAUSE_TEXT[cause].title })),
      ).sort((a, b) => b.weighted - a.weighted),
      byModel: slices(items, (_, { model }) => model),
      bySession: slices(items, (_, { file }) => file),
      byThread: slices(items, (_, { asker }) => THREADS[asker]),
      byCompaction: slices(items, compactionOf),
    };
  }

  /** Both ends of the published interval of the weight of reads. */
  #between(items: readonly WeighedRequest[]): Pick<LimitWindow, 'weightedBetween'> {
    const read = this.#published?.read;
    if (this.fit.kind === 'fitted' || read === undefined) return {};
    const at = (factor: number): number =>
      sum(items.map(({ request }) => weigh(request, (_, kind) => (kind === 'read' ? factor : 1)).weighted));
    return { weightedBetween: { low: at(read.low), high: at(read.high) } };
  }

  #percent(weighted: number): LimitWindow['percent'] {
    if (this.fit.kind !== 'fitted') return null;
    const value = (weighted * this.fit.percentPerMillion) / 1e6;
    const off = value * (this.fit.errorShare ?? 0);
    return { value, low: Math.max(0, value - off), high: value + off };
  }

  #publishedPercent(tokens: number): Interval | null {
    const known = this.#published?.tokensPerPercent;
    return known === undefined ? null : { low: tokens / known.high, high: tokens / known.low };
  }

  /**
   * What changes save in a window, by the usage of each request in the runs with and without them: as everywhere no more than the
   * recorded requests save, and of a session whose calls others hold too the share of its own calls.
   */
  #changes(sessions: readonly Counted[], { endMs, weighted }: WindowSpan): readonly LimitChange[] {
    const startMs = endMs - lengthMs(this.name);
    const sums = new Map<ChangeName, number>();
    for (const { session, requests } of sessions) {
      const { startedAtMs, changes, bill } = session;
      if (startedAtMs === null) continue;
      const within = (atMs: number, model: string): boolean =>
        startedAtMs + atMs <= endMs && startedAtMs + atMs > startMs && vendorOf(model) === this.vendor;
      const nano = (own: Counted['requests']): number =>
        sum(own.map((request) => (within(request.startMs, request.model) ? nanoOf(request) : 0)));
      const isWhole = requests.length === session.requests.length;
      const share = isWhole ? 1 : (ratio(nano(requests), nano(session.requests)) ?? 0);
      const total = (usages: readonly UsageAt[]): number =>
        sum(usages.map((usage) => (within(usage.atMs, usage.model) ? this.#weightOf(usage) : 0)));
      const held = (usages: readonly UsageAt[]): number =>
        total(usages.filter(({ purpose }) => holds(bill, purpose)));
      for (const { name, usage } of changes) {
        if (usage === undefined) continue;
        const { before, after } = usage;
        const saved = Math.min(total(before) - total(after), Math.max(0, held(before) - held(after)));
        sums.set(name, (sums.get(name) ?? 0) + share * saved);
      }
    }
    return CHANGES.flatMap((name) => {
      const saved = sums.get(name);
      if (saved === undefined) return [];
      const whole = Math.round(saved);
      return [{ name, weighted: whole, share: ratio(whole, weighted) }];
    }).sort((a, b) => b.weighted - a.weighted);
  }

  #weightOf({ model, inputUsd, usage }: UsageAt): number {
    return sum(
      usageByKind(usage).map((part) => priceWeight(part, inputUsd) * this.#factorOf(model, part.kind)),
    );
  }
}

/** Where the limits went: the fullest and the latest window of each meter; null if no request has a time and a weight. */
export function limitsOf(
  sessions: readonly Counted[],
  readings: readonly Reading[],
): LimitsReport | { readonly vendor: null; readonly leftOut: LimitsReport['leftOut'] } {
  const { vendor, requests, leftOut } = limitRequests(sessions);
  if (vendor === null) return { vendor, leftOut };
  const fitted = (name: MeterName): MeterFit =>
    fitWeights(requests, readings, name, publishedMeter(vendor, name));
  const fit = { fiveHour: fitted('fiveHour'), weekly: fitted('weekly') };
  const report = (name: MeterName): MeterReport =>
    new Meter(name, requests, fit[name], vendor).report(sessions);
  return { vendor, fiveHour: report('fiveHour'), weekly: report('weekly'), weights: WEIGHTS, fit, leftOut };
}

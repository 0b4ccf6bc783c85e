import type { LifetimeCost, RuleCosts } from '../../../analysis/lifetime/rule-costs.js';
import {
  formatCount,
  formatCounted,
  formatDuration,
  formatMoney,
  formatShare,
  printable,
} from '../../../core/base/format.js';
import { sumKnown } from '../../../core/base/stats.js';
import type { CacheLifetime } from '../../../core/run/provider.js';
import { addPricedCalls, type PricedCalls } from '../../../core/run/recorded-bill.js';
import { sureLifeMs } from '../../../provider/cache/cache-rules.js';
import { providerRegistry } from '../../../provider/providers/providers.js';
import * as doc from '../../../report/document/document.js';
import { AS_RECORDED } from '../../../report/text/as-recorded.js';
import { formatAtLeast, unpricedText } from '../../../report/text/words.js';

const BY_RULE = 'by its rule';
/** Differences below this are rounding, not money. */
export const EQUAL_USD = 1e-9;

/** A lifetime as the tables name it. */
export function lifetimeName(ttlSeconds: number | null): string {
  return ttlSeconds === null ? 'unlimited' : formatDuration(ttlSeconds * 1_000);
}

/** What all sessions cost in one of the ways; without `savesUsd` where it is not held against the rule. */
interface CostRow {
  readonly name: string;
  readonly costUsd: number | null;
  readonly savesUsd?: number | null;
}

/** What the sessions of a provider without a choice of lifetimes cost, by lifetime. */
export function providerLifetimesBlocks(
  report: ProviderLifetimes,
  perSession: 'each' | 'total',
): readonly doc.Block[] {
  const { sessions, untold, lifetimes } = report;
  const whose =
    untold === 0 ? '' : `, ${formatCount(sessions - untold)} of ${formatCounted(sessions, 'session')}`;
  const unpriced = unpricedText(report);
  const columns: readonly doc.ColumnOf<CostRow>[] = [
    doc.text('', ({ name }) => name),
    doc.amount('cost', ({ costUsd }) => formatAtLeast(costUsd, report)),
    doc.amount(
      'against its rule',
      ({ savesUsd }) => (savesUsd === undefined ? '' : differenceOf(savesUsd)),
      1,
    ),
  ];
  const rows: readonly CostRow[] = [
    ...(untold === sessions ? [] : [{ name: `${AS_RECORDED}${whose}`, costUsd: report.recordedUsd }]),
    { name: BY_RULE, costUsd: report.averageUsd },
    ...lifetimes.map((own) => ({ ...own, name: lifetimeName(own.ttlSeconds) })),
  ];
  return [
    `${report.label} · ${formatCounted(sessions, 'session')}`,
    doc.table(columns, rows),
    unpriced !== null && doc.inset(unpriced),
    '',
    ...(perSession === 'each' ? [sessionTable(report), ''] : []),
    `${ruleSentence(report)} ${savingSentence(report)}`,
  ];
}

function differenceOf(savesUsd: number | null): string {
  if (savesUsd === null) return formatMoney(null);
  if (Math.abs(savesUsd) < EQUAL_USD) return '±$0';
  return `${savesUsd > 0 ? '−' : '+'}${formatMoney(Math.abs(savesUsd))}`;
}

function sessionTable({ perSession, lifetimes }: ProviderLifetimes): doc.Block {
  const columns: readonly doc.ColumnOf<(typeof perSession)[number]>[] = [
    doc.text('session', ({ id }) => printable(id)),
    doc.amount(AS_RECORDED, (own) => formatAtLeast(own.recordedUsd, own)),
    doc.amount(BY_RULE, (own) => formatAtLeast(own.averageUsd, own)),
    ...lifetimes.map(({ ttlSeconds }, i) =>
      doc.amount<(typeof perSession)[number]>(
        lifetimeName(ttlSeconds),
        (own) => formatAtLeast(own.lifetimes[i]!.costUsd, own),
        i + 1,
      ),
    ),
  ];
  return doc.answer('Each session', doc.table(columns, perSession));
}

/** @internal */
export function ruleSentence({ lifetime }: { readonly lifetime: CacheLifetime }): string {
  const faded = lifetime.tail
    .filter(({ share }) => share < 1)
    .map(
      ({ afterMs, share }) =>
        `${share === 0 ? 'none is' : `${formatShare(share)} are`} left after ${formatDuration(afterMs)}`,
    );
  const rest = faded.length === 0 ? '' : ` for certain; ${faded.join(', ')}`;
  return `By its rule an entry lives ${formatDuration(sureLifeMs(lifetime))} after its last use${rest}. There is no lifetime to choose.`;
}

/** What a longer lifetime would save, at the same prices. */
function savingSentence({ lifetimes }: ProviderLifetimes): string {
  if (lifetimes.every(({ savesUsd }) => savesUsd === null)) return 'No model of these sessions has a price.';
  const savings = lifetimes.flatMap(({ ttlSeconds, savesUsd }) =>
    savesUsd !== null && savesUsd >= EQUAL_USD
      ? [`${lifetimeName(ttlSeconds)} ${formatMoney(savesUsd)}`]
      : [],
  );
  return savings.length === 0
    ? 'A longer one would save nothing here.'
    : `At the same prices a longer one would save: ${savings.join(', ')}.`;
}

/** A session whose cache the provider rules alone, priced by lifetime. */
interface RuledSession extends RuleCosts {
  readonly id: string;
  readonly provider: string;
  /** Null if it is not known. */
  readonly recordedUsd: number | null;
}

/** The sessions of one provider, priced by lifetime. */
export interface ProviderLifetimes extends PricedCalls {
  readonly label: string;
  readonly sessions: number;
  /** How long entries live by the provider's rule. */
  readonly lifetime: CacheLifetime;
  /** Of the sessions whose cost is known. */
  readonly recordedUsd: number | null;
  /** Sessions that can be priced but whose recorded cost is not known: the other costs include them. */
  readonly untold: number;
  /** By that rule, on average. */
  readonly averageUsd: number | null;
  /** If every entry lived so long, at the same prices, and what that saves against the rule. */
  readonly lifetimes: readonly (LifetimeCost & { readonly savesUsd: number | null })[];
  readonly perSession: readonly Omit<RuledSession, 'provider'>[];
}

/** Whether a client of the provider chooses between five minutes and one hour. */
export function choosesLifetime(provider: string): boolean {
  return providerRegistry.get(provider).serves === 'anthropic';
}

function ofProvider(provider: string, all: readonly RuledSession[]): ProviderLifetimes {
  const own = all.filter((session) => session.provider === provider);
  const { label, cache } = providerRegistry.get(provider);
  const averageUsd = sumKnown(own.map((session) => session.averageUsd));
  return {
    label,
    sessions: own.length,
    lifetime: cache.lifetime,
    recordedUsd: sumKnown(own.map((session) => session.recordedUsd)),
    untold: own.filter((session) => session.recordedUsd === null && session.averageUsd !== null).length,
    ...addPricedCalls(own),
    averageUsd,
    lifetimes: own[0]!.lifetimes.map(({ ttlSeconds }, i) => {
      const costUsd = sumKnown(own.map(({ lifetimes }) => lifetimes[i]!.costUsd));
      const savesUsd = averageUsd === null || costUsd === null ? null : averageUsd - costUsd;
      return { ttlSeconds, costUsd, savesUsd };
    }),
    perSession: own.map(({ provider: _, ...session }) => session),
  };
}

/** Adds sessions up by provider, by name. */
export function providerLifetimes(
  sessions: readonly RuledSession[],
): Readonly<Record<string, ProviderLifetimes>> {
  const names = [...new Set(sessions.map(({ provider }) => provider))].sort();
  return Object.fromEntries(names.map((name) => [name, ofProvider(name, sessions)]));
}

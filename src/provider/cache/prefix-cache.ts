import { chainDigest, type Digest, digestParts } from '../../core/base/digest.js';
import { getOrMake } from '../../core/base/once.js';
import type { CacheRules } from '../../core/run/provider.js';
import type { ModelRow } from '../prices/model-row.js';
import { cacheRulesOf, knownProvider, type ProviderRef } from '../providers/providers.js';
import { chanceOfShort, longestLifeMs, minimumOf, onGrain, survival } from './cache-rules.js';
import {
  type CacheOutcome,
  type CacheRequest,
  createPromptCache,
  type HitOdds,
  keyAt,
  type Luck,
  outcomeOf,
  type PromptCache,
  type PromptCacheOptions,
  readyTime,
} from './prompt-cache.js';

/** A stretch of positions that one request stored: they share all that becomes of them. */
interface Stretch {
  /** Where it begins and ends, and the stretch that it goes on from. */
  start: number;
  readonly end: number;
  parent: Stretch | null;
  readyAtMs: number;
  usedAtMs: number;
  createdAtMs: number;
}

/** The answer that is stored behind the end of a prompt: its first block, and its tokens. */
interface StoredAnswer {
  readonly first: Digest;
  readonly tokens: number;
}

/** The rules by the name of a model. */
export type RulesOf = (model: string) => CacheRules;

const SWEEP_MIN_ENTRIES = 4_096;
const TWO_TO_53 = 2 ** 53;

/**
 * A cache without marks of the client: the longest prefix that is stored and lives is read, on the steps and with the chance that the
 * provider's rules say. What chance decides is drawn from the seed by session and request. A request costs its new blocks, and one
 * step for each earlier request that it goes on from. @internal
 */
export function createPrefixCache(rulesOf: RulesOf, seed: number): PromptCache {
  const entries = new Map<Digest, Stretch>();
  const answers = new Map<Digest, StoredAnswer>();
  const salt = digestParts(['provider cache', seed]);
  let sweepAt = SWEEP_MIN_ENTRIES;

  /** A number from 0 to 1 for a purpose; the same for the same seed, session and request. */
  function draw(purpose: string, ...of: readonly Digest[]): number {
    let digest = chainDigest(salt, digestParts([purpose]));
    for (const each of of) digest = chainDigest(digest, each);
    return digest / TWO_TO_53;
  }

  function lives(stored: Stretch, { lifetime }: CacheRules, luck: Luck, startMs: number): boolean {
    if (lifetime.maxMs !== null && startMs - stored.createdAtMs > lifetime.maxMs) return false;
    const used = lifetime.refresh === 'on-hit' ? stored.usedAtMs : stored.createdAtMs;
    const share = survival(lifetime, startMs - used);
    return share >= 1 || (share > 0 && draw('lifetime', luck.session, luck.request) < share);
  }

  /** Share of what could be read that is read. */
  function foundShare({ hit }: CacheRules, luck: Luck, gapMs: number): number {
    if (hit === null) return 1;
    const factor = hit.sessions[Math.floor(draw('session', luck.session) * hit.sessions.length)]!;
    if (draw('hit', luck.session, luck.request) >= chanceOfShort(hit, gapMs, factor)) return 1;
    return hit.partial[Math.floor(draw('partial', luck.session, luck.request) * hit.partial.length)]!;
  }

  /** The part of a stretch up to a position, where a request leaves it there: what is behind has a fate of its own from then on. */
  function partAt(request: CacheRequest, stretch: Stretch, position: number): Stretch {
    if (position === stretch.end) return stretch;
    const head: Stretch = { ...stretch, end: position };
    for (let i = stretch.start; i <= position; i++) entries.set(keyAt(request.view, request.salts, i), head);
    stretch.start = position + 1;
    stretch.parent = head;
    return head;
  }

  /** What is gone is made again; what lives keeps its age and the earlier readiness. */
  function use(stretch: Stretch, isAlive: boolean, startMs: number, readyAtMs: number): void {
    if (isAlive) {
      stretch.usedAtMs = Math.max(stretch.usedAtMs, startMs);
      stretch.readyAtMs = Math.min(stretch.readyAtMs, readyAtMs);
    } else {
      stretch.usedAtMs = startMs;
      stretch.createdAtMs = startMs;
      stretch.readyAtMs = readyAtMs;
    }
  }

  /** What was read has been used, up to where it was read. */
  function renew(request: CacheRequest, position: number): void {
    const read = entries.get(keyAt(request.view, request.salts, position));
    if (read === undefined) return;
    const part = partAt(request, read, position);
    part.usedAtMs = Math.max(part.usedAtMs, request.startMs);
  }

  /** Drops what no rule keeps that long, once there is twice as much of it. */
  function sweep(nowMs: number, rules: CacheRules): void {
    if (entries.size < sweepAt) return;
    const { maxMs } = rules.lifetime;
    const longest = longestLifeMs(rules.lifetime);
    for (const [key, { usedAtMs, createdAtMs }] of entries)
      if (nowMs - usedAtMs > longest || (maxMs !== null && nowMs - createdAtMs > maxMs)) {
        entries.delete(key);
        answers.delete(key);
      }
    sweepAt = Math.max(SWEEP_MIN_ENTRIES, entries.size * 2);
  }

  /** Tokens of a stored answer that a prompt goes on with: none if it goes on with something else. */
  function answeredTokens({ view, salts }: CacheRequest, position: number): number {
    const answer = answers.get(keyAt(view, salts, position));
    if (answer === undefined || position + 1 >= view.length) return 0;
    const isIt = view.digests[position + 1] === chainDigest(view.digests[position]!, answer.first);
    return isIt ? Math.min(answer.tokens, view.sums[view.length - 1]! - view.sums[position]!) : 0;
  }

  /** Stores the positions of a request that are not there yet, and uses those that are. */
  function store(
    request: CacheRequest,
    rules: CacheRules,
    luck: Luck,
    from: number,
    top: number,
    ready: number,
  ): void {
    const { view, salts, startMs } = request;
    let known = top;
    while (known >= from && !entries.has(keyAt(view, salts, known))) known--;
    const below = known < from ? null : entries.get(keyAt(view, salts, known))!;
    const parent = below === null ? null : partAt(request, below, known);
    for (let each = parent; each !== null; each = rules.written === 'every-grain' ? each.parent : null)
      use(each, lives(each, rules, luck, startMs), startMs, ready);
    if (known < top) {
      const start = known + 1 < from ? from : known + 1;
      const made: Stretch = {
        start,
        end: top,
        parent,
        readyAtMs: ready,
        usedAtMs: startMs,
        createdAtMs: startMs,
      };
      for (let i = start; i <= top; i++) entries.set(keyAt(view, salts, i), made);
    }
    const { answer, outputTokens = 0 } = request;
    if (rules.storesOutput && top === view.length - 1 && answer != null)
      answers.set(keyAt(view, salts, top), { first: answer, tokens: outputTokens });
  }

  function handle(request: CacheRequest): CacheOutcome {
    const { view, salts, startMs, model } = request;
    const { sums, length, systemEnd } = view;
    const rules = rulesOf(model.id);
    const promptTokens = length === 0 ? 0 : sums[length - 1]!;
    const minimum = minimumOf(model, rules);
    const luck = request.luck ?? { session: 0, request: chainDigest(startMs, promptTokens) };
    const top = rules.written === 'head' ? systemEnd - 1 : length - 1;

    let hitPosition = -1;
    let found: Stretch | null = null;
    let sawUnreadable = false;
    let sawExpired = false;
    for (let i = top; i >= 0 && found === null; i--) {
      if (rules.written === 'head' && i < top) break;
      const stored = entries.get(keyAt(view, salts, i));
      if (stored === undefined) continue;
      if (!lives(stored, rules, luck, startMs)) sawExpired = true;
      else if (startMs < stored.readyAtMs) sawUnreadable = true;
      else {
        hitPosition = i;
        found = stored;
      }
    }
    const own = found === null ? 0 : sums[hitPosition]! + answeredTokens(request, hitPosition);
    const { outsideTokens = 0 } = request;
    // What others keep is there whatever became of the session's own entries.
    const isOutside = outsideTokens > own;
    if (isOutside) {
      found = null;
      for (hitPosition = 0; sums[hitPosition]! < outsideTokens; ) hitPosition++;
    }
    const reachable = isOutside ? outsideTokens : own;
    const gapMs = found === null ? 0 : startMs - found.usedAtMs;
    const share = found === null ? 1 : foundShare(rules, luck, gapMs);
    const onStep = (tokens: number): number => {
      const read = onGrain(rules, Math.floor(tokens));
      return read < minimum ? 0 : read;
    };
    const readTokens = onStep(reachable * share);
    const odds: HitOdds | null =
      found === null || rules.hit === null
        ? null
        : { hit: rules.hit, gapMs, fullTokens: onStep(reachable), session: luck.session };

    let writtenEnd = readTokens;
    if (request.write === 'write' && length > 0) {
      const readyAtMs = readyTime(request, promptTokens - readTokens, rules.visibleAfter);
      let from = rules.written === 'every-grain' ? 0 : top;
      if (sums[top]! < minimum) from = top + 1;
      else if (from === 0 && minimum > 0) while (sums[from]! < minimum) from++;
      if (from <= top) store(request, rules, luck, from, top, readyAtMs);
      if (rules.tellsWrites) writtenEnd = Math.max(readTokens, onStep(sums[top] ?? 0));
      sweep(startMs, rules);
    }
    if (found !== null) renew(request, hitPosition);
    const short = sawExpired ? 'expired' : share < 1 ? 'chance' : readTokens < reachable ? 'rounding' : null;
    const outcome = outcomeOf({
      readTokens,
      longEnd: readTokens,
      writtenEnd,
      promptTokens,
      hitPosition: readTokens === 0 ? -1 : hitPosition,
      hitTtlMs: readTokens === 0 ? null : rules.lifetime.idleMs,
      sawUnreadable,
      odds,
    });
    const lifetimeMs = longestLifeMs(rules.lifetime);
    return short === null ? { ...outcome, lifetimeMs } : { ...outcome, lifetimeMs, short };
  }

  return {
    request: handle,
    get size() {
      return entries.size;
    },
    clear() {
      entries.clear();
      answers.clear();
    },
  };
}

/** The cache of a provider by its rules: with marks that the client sets, or without. */
function createOne(provider: ProviderRef, options: PromptCacheOptions): PromptCache {
  const { cache } = knownProvider(provider);
  if (cache.written === 'marks')
    return createPromptCache({
      ...options,
      visibleAfter: cache.visibleAfter,
      positions: cache.lookback ?? Number.POSITIVE_INFINITY,
      lifetimes: { shortMs: cache.lifetime.idleMs, longMs: cache.lifetime.longMs },
    });
  return createPrefixCache((model) => cacheRulesOf(provider, model), options.seed ?? 0);
}

/** The cache of one provider, or those of several behind one door: each request goes to the one of its model. */
export function createProviderCache(
  provider: ProviderRef | ((model: ModelRow) => string),
  options: PromptCacheOptions,
): PromptCache {
  if (typeof provider !== 'function') return createOne(provider, options);
  const caches = new Map<string, PromptCache>();
  const cacheOf = (name: string): PromptCache => getOrMake(caches, name, () => createOne(name, options));
  return {
    request: (request) => cacheOf(provider(request.model)).request(request),
    get size() {
      let size = 0;
      for (const cache of caches.values()) size += cache.size;
      return size;
    },
    clear() {
      for (const cache of caches.values()) cache.clear();
    },
  };
}

import { chainDigest, type Digest, digestParts } from '../base/digest.js';
import { type CacheRules, chanceOfShort, onGrain, survival } from './cache-rules.js';
import {
  type CacheOutcome,
  type CacheRequest,
  keyAt,
  type Luck,
  type PromptCache,
  readyTime,
} from './prompt-cache.js';

/** What is known of a stored prefix. */
interface Stored {
  readyAtMs: number;
  usedAtMs: number;
  createdAtMs: number;
  /** Tokens of the answer that are stored behind it. */
  outputTokens: number;
}

/** Whether a stored prefix lives at the time of a request. */
type Lived = (stored: Stored) => boolean;

/** The rules by the name of a model. */
export type RulesOf = (model: string) => CacheRules;

const SWEEP_MIN_ENTRIES = 4_096;
const TWO_TO_53 = 2 ** 53;

/**
 * A cache without marks of the client: the longest prefix that is stored and lives is read, on the steps and with the chance that the
 * provider's rules say. What chance decides is drawn from the seed by session and request.
 */
export function createPrefixCache(rulesOf: RulesOf, seed: number): PromptCache {
  const entries = new Map<Digest, Stored>();
  const salt = digestParts(['provider cache', seed]);
  let sweepAt = SWEEP_MIN_ENTRIES;

  /** A number from 0 to 1 for a purpose; the same for the same seed, session and request. */
  function draw(purpose: string, ...of: readonly Digest[]): number {
    let digest = chainDigest(salt, digestParts([purpose]));
    for (const each of of) digest = chainDigest(digest, each);
    return digest / TWO_TO_53;
  }

  function lives(stored: Stored, rules: CacheRules, luck: Luck, startMs: number): boolean {
    const { lifetime } = rules;
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

  /** What is gone is made anew; what lives keeps its age and the earlier readiness. */
  function store(request: CacheRequest, position: number, fresh: Stored, lived: Lived): void {
    const key = keyAt(request.view, request.salts, position);
    const known = entries.get(key);
    const { readyAtMs, outputTokens } = fresh;
    if (known === undefined || !lived(known)) entries.set(key, { ...fresh });
    else {
      known.usedAtMs = Math.max(known.usedAtMs, request.startMs);
      known.readyAtMs = Math.min(known.readyAtMs, readyAtMs);
      known.outputTokens = Math.max(known.outputTokens, outputTokens);
    }
  }

  /** Drops what no rule keeps that long, once there is twice as much of it. */
  function sweep(nowMs: number, rules: CacheRules): void {
    if (entries.size < sweepAt) return;
    const { idleMs, maxMs, tail } = rules.lifetime;
    const longest = Math.max(idleMs ?? Number.POSITIVE_INFINITY, tail.at(-1)?.afterMs ?? 0);
    for (const [key, { usedAtMs, createdAtMs }] of entries)
      if (nowMs - usedAtMs > longest || (maxMs !== null && nowMs - createdAtMs > maxMs)) entries.delete(key);
    sweepAt = Math.max(SWEEP_MIN_ENTRIES, entries.size * 2);
  }

  function handle(request: CacheRequest): CacheOutcome {
    const { view, salts, startMs, model } = request;
    const { sums, length, systemEnd } = view;
    const rules = rulesOf(model.id);
    const promptTokens = length === 0 ? 0 : sums[length - 1]!;
    const minimum = model.minCacheableTokens > 0 ? model.minCacheableTokens : (rules.minimum ?? 0);
    const luck = request.luck ?? { session: 0, request: chainDigest(startMs, promptTokens) };
    const lived: Lived = (stored) => lives(stored, rules, luck, startMs);
    const top = rules.written === 'head' ? systemEnd - 1 : length - 1;

    let hitPosition = -1;
    let found: Stored | null = null;
    let sawUnreadable = false;
    for (let i = top; i >= 0 && found === null; i--) {
      if (rules.written === 'head' && i < top) break;
      const stored = entries.get(keyAt(view, salts, i));
      if (stored === undefined || !lived(stored)) continue;
      if (startMs < stored.readyAtMs) sawUnreadable = true;
      else {
        hitPosition = i;
        found = stored;
      }
    }
    const reachable =
      found === null
        ? 0
        : sums[hitPosition]! +
          Math.min(rules.storesOutput ? found.outputTokens : 0, promptTokens - sums[hitPosition]!);
    const share = found === null ? 1 : foundShare(rules, luck, startMs - found.usedAtMs);
    const read = onGrain(rules, Math.floor(reachable * share));
    const readTokens = read < minimum ? 0 : read;

    let writtenEnd = readTokens;
    if (request.write === 'write' && length > 0) {
      const { event, plusMs } = rules.visibleAfter;
      const readyAtMs = readyTime(request, promptTokens - readTokens, event) + plusMs;
      const isEverywhere = rules.written === 'every-grain';
      const fresh: Stored = { readyAtMs, usedAtMs: startMs, createdAtMs: startMs, outputTokens: 0 };
      const last: Stored = { ...fresh, outputTokens: request.outputTokens ?? 0 };
      for (let i = isEverywhere ? 0 : top; i <= top; i++)
        if (sums[i]! >= minimum) store(request, i, i === length - 1 ? last : fresh, lived);
      if (rules.tellsWrites) writtenEnd = Math.max(readTokens, onGrain(rules, sums[top] ?? 0));
      sweep(startMs, rules);
    }
    if (found !== null) found.usedAtMs = Math.max(found.usedAtMs, startMs);
    return {
      readTokens,
      write5mTokens: writtenEnd - readTokens,
      write1hTokens: 0,
      inputTokens: promptTokens - writtenEnd,
      hitPosition: readTokens === 0 ? -1 : hitPosition,
      hitTtlMs: readTokens === 0 ? null : rules.lifetime.idleMs,
      promptTokens,
      sawUnreadable,
    };
  }

  return {
    request: handle,
    get size() {
      return entries.size;
    },
    clear() {
      entries.clear();
    },
  };
}

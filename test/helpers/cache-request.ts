import { chainDigest, digestText } from '../../src/core/base/digest.js';
import type { Breakpoint, PrefixView } from '../../src/core/model/prefix.js';
import type { CacheOutcome, CacheRequest, PromptCache } from '../../src/provider/cache/prompt-cache.js';
import { levelSalts } from '../../src/provider/cache/salts.js';
import { TTL_1H_MS, TTL_5M_MS } from '../../src/provider/cache/ttl.js';
import { resolveModel } from '../../src/provider/prices/models.js';

/** A block by what it says and what it weighs. */
export type TestBlock = readonly [text: string, tokens: number];

/** A prefix over blocks: the first `toolsEnd` are tools, then system up to `systemEnd`. */
export function prefixOf(blocks: readonly TestBlock[], toolsEnd = 0, systemEnd = toolsEnd): PrefixView {
  const digests: number[] = [];
  const sums: number[] = [];
  let digest = 0;
  let sum = 0;
  for (const [text, tokens] of blocks) {
    digest = chainDigest(digest, digestText(text));
    sum += tokens;
    digests.push(digest);
    sums.push(sum);
  }
  return { length: blocks.length, digests, sums, toolsEnd, systemEnd };
}

/** `count` blocks b1, b2, … of equal weight. */
export function numbered(count: number, tokens = 1_000): TestBlock[] {
  return Array.from({ length: count }, (_, i) => [`b${i + 1}`, tokens] as const);
}

/** A five-minute breakpoint at an index. */
export function mark5m(position: number): Breakpoint {
  return { position, ttlMs: TTL_5M_MS };
}

/** A one-hour breakpoint at an index. */
export function mark1h(position: number): Breakpoint {
  return { position, ttlMs: TTL_1H_MS };
}

/** Sends a request to a cache; what is not given is a Sonnet 4.5 write whose response begins a second after its start. */
export function send(
  cache: PromptCache,
  given: Pick<CacheRequest, 'view' | 'breakpoints' | 'startMs'> & Partial<CacheRequest>,
): CacheOutcome {
  const model = given.model ?? resolveModel('claude-sonnet-4-5');
  return cache.request({
    model,
    salts: levelSalts({ model }),
    readableAtMs: given.startMs + 1_000,
    write: 'write',
    ...given,
  });
}

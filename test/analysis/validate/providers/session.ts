import type { ProviderRequest } from '../../../../src/analysis/validate/providers/provider-requests.js';
import type { Random } from '../../../../src/core/base/random.js';
import type { CacheRules, HitChance } from '../../../../src/core/run/provider.js';
import { chanceOfShort, onGrain } from '../../../../src/provider/cache/cache-rules.js';
import { NEWEST } from '../../../../src/provider/prices/price.js';
import { cacheRulesOf } from '../../../../src/provider/providers/providers.js';
import { messageFrom } from '../../../helpers/blocks.js';

/** What a simulated session is drawn by. */
export interface Simulated {
  readonly hit: HitChance;
  readonly requests: number;
  readonly random: Random;
}

const MODEL = 'gpt-5.4';
const STEP_TOKENS = 1_500;
const FIRST_TOKENS = 12_000;

/** A session whose hits are drawn from a known chance: it grows by the request, with pauses of 2 s to 4 min. */
export function simulatedSession({ hit, requests, random }: Simulated): readonly ProviderRequest[] {
  const rules: CacheRules = cacheRulesOf('openai', MODEL);
  const pick = (values: readonly number[]): number => values[Math.floor(random.next() * values.length)]!;
  const factor = pick(hit.sessions);
  let endMs = 0;
  return Array.from({ length: requests }, (_, index) => {
    const reachable = onGrain(rules, FIRST_TOKENS + index * STEP_TOKENS);
    const prompt = FIRST_TOKENS + (index + 1) * STEP_TOKENS;
    const gapMs = 2_000 * Math.exp(random.next() * Math.log(120));
    const isShort = random.next() < chanceOfShort(hit, gapMs, factor);
    const read = isShort ? onGrain(rules, Math.floor(pick(hit.partial) * reachable)) : reachable;
    endMs += gapMs;
    const usage = { input: prompt - read, cacheRead: read, cacheWrite5m: 0, cacheWrite1h: 0, output: 200 };
    return {
      promptBefore: prompt - STEP_TOKENS,
      request: {
        key: `main#${index}`,
        threadId: 'main',
        index,
        call: {
          id: `call-${index}`,
          startMs: endMs,
          endMs,
          model: MODEL,
          response: messageFrom('model', `m${index}`, [], { at: endMs }),
          usage,
          outputIsPlaceholder: false,
          stopReason: null,
          missReason: null,
          effort: null,
        },
        previous: null,
        gapMs,
        startMs: endMs,
        pricedAtMs: NEWEST,
        endMs,
        model: MODEL,
        effort: null,
        usage,
        prompt,
        read,
        creation: 0,
        cached: prompt,
        missReason: null,
      },
      rules,
      reachable,
      head: 0,
      gapMs,
      cause: 'hit' as const,
      dropped: 'nothing',
    };
  });
}

import { ratio, sum } from '../../../core/base/stats.js';
import type { Thread } from '../../../core/model/transcript.js';
import { promptTokens } from '../../../core/model/usage.js';

/** Calls of one kind of step, and what their prompts found in the cache. */
interface StepHits {
  readonly calls: number;
  readonly promptTokens: number;
  readonly cachedTokens: number;
  /** The sum over the calls of each one's share. */
  readonly shares: number;
}

/** The calls of main conversations by what they answer, and the compactions before a call that answers a tool. */
export interface StepFacts {
  readonly afterPrompt: StepHits;
  readonly afterTools: StepHits;
  readonly midLoopCompactions: number;
}

const NO_HITS: StepHits = { calls: 0, promptTokens: 0, cachedTokens: 0, shares: 0 };

function addHits(a: StepHits, b: StepHits): StepHits {
  return {
    calls: a.calls + b.calls,
    promptTokens: a.promptTokens + b.promptTokens,
    cachedTokens: a.cachedTokens + b.cachedTokens,
    shares: a.shares + b.shares,
  };
}

/** What each call answers: the first thing that came in since the response before, a prompt or the result of a tool. */
export function stepFacts(threads: readonly Pick<Thread, 'parentId' | 'steps'>[]): StepFacts {
  const hits = { human: NO_HITS, tool: NO_HITS };
  let midLoopCompactions = 0;
  for (const { steps } of threads.filter(({ parentId }) => parentId === null)) {
    let answers: 'human' | 'tool' | null = null;
    let compactions = 0;
    for (const step of steps) {
      if (step.kind === 'message') {
        const { origin } = step.message;
        if (origin === 'human' || origin === 'tool') answers ??= origin;
      } else if (step.kind === 'event') {
        if (step.event.kind === 'recorded-compaction') compactions++;
      } else {
        if (answers === 'tool') midLoopCompactions += compactions;
        const { usage } = step.call;
        if (answers !== null && usage !== null) {
          const tokens = promptTokens(usage);
          hits[answers] = addHits(hits[answers], {
            calls: 1,
            promptTokens: tokens,
            cachedTokens: usage.cacheRead,
            shares: ratio(usage.cacheRead, tokens) ?? 0,
          });
        }
        answers = null;
        compactions = 0;
      }
    }
  }
  return { afterPrompt: hits.human, afterTools: hits.tool, midLoopCompactions };
}

/** How much of the prompts came from the cache: of all their tokens, and in the mean over the calls. */
interface HitRates {
  readonly calls: number;
  readonly hitRate: number | null;
  readonly meanHitRate: number | null;
}

/** The sessions of one provider: how many compact, how many compactions come in the middle of a tool loop, and the hit rates by step. */
export interface ProviderSteps {
  readonly provider: string | null;
  readonly sessions: number;
  readonly compactedSessions: number;
  readonly compactions: number;
  readonly midLoopCompactions: number;
  readonly afterPrompt: HitRates;
  readonly afterTools: HitRates;
}

interface SessionSteps {
  readonly provider: string | null;
  readonly compactions: number;
  readonly steps: StepFacts;
}

function ratesOf(all: readonly StepHits[]): HitRates {
  const { calls, promptTokens: tokens, cachedTokens, shares } = all.reduce(addHits, NO_HITS);
  return { calls, hitRate: ratio(cachedTokens, tokens), meanHitRate: ratio(shares, calls) };
}

/** Sessions by provider, those with the most sessions first. */
export function stepsByProvider(sessions: readonly SessionSteps[]): readonly ProviderSteps[] {
  const groups = new Map<string | null, SessionSteps[]>();
  for (const session of sessions)
    groups.set(session.provider, [...(groups.get(session.provider) ?? []), session]);
  return [...groups]
    .map(([provider, own]) => ({
      provider,
      sessions: own.length,
      compactedSessions: own.filter(({ compactions }) => compactions > 0).length,
      compactions: sum(own.map(({ compactions }) => compactions)),
      midLoopCompactions: sum(own.map(({ steps }) => steps.midLoopCompactions)),
      afterPrompt: ratesOf(own.map(({ steps }) => steps.afterPrompt)),
      afterTools: ratesOf(own.map(({ steps }) => steps.afterTools)),
    }))
    .sort((a, b) => b.sessions - a.sessions || (String(a.provider) < String(b.provider) ? -1 : 1));
}

import { formatCount, formatCounted, formatShare } from '../../core/base/format.js';
import { isUnpriced } from '../../core/run/priced-calls.js';
import { completionOf, pricedCalls } from '../../metrics/completion.js';
import type { ExpectationResult } from '../../metrics/expect.js';
import type { BreakFacts, RunFacts } from '../../metrics/facts.js';
import { metricValues } from '../../metrics/registry.js';
import { offersHour } from '../../provider/cache/ttl.js';
import { MODELS } from '../../provider/prices/models.js';
import { knownProvider, providerRegistry } from '../../provider/providers/providers.js';
import { formatAtLeast, unpricedText } from '../../report/text/at-least.js';
import { causeWords } from '../../report/text/cause-words.js';
import type { Conclusion } from '../../report/text/conclusion.js';

/** Whose rules hold for models of no known provider. */
const ANTHROPIC = 'anthropic';

/** How expectations came out where one failed; null where all hold. */
export function failedSentence(expectations: readonly ExpectationResult[]): string | null {
  const failed = expectations.filter(({ passed }) => !passed);
  if (failed.length === 0) return null;
  const many = formatCounted(expectations.length, 'expectation');
  return `${formatCount(failed.length)} of ${many} failed, the first of them ${failed[0]!.text}.`;
}

const lostOf = (breaks: readonly BreakFacts[]): number =>
  breaks.reduce((sum, { lostTokens }) => sum + lostTokens, 0);

/** The cause that cost most of the cache, of those that no layer announced; null where nothing was lost. */
function worstBreak({ breaks }: RunFacts): { readonly cause: string; readonly size: string } | null {
  const all = Object.entries(breaks.unexpected).map(([cause, facts]) => ({ cause, ...facts }));
  const [worst] = all.toSorted((a, b) => b.lostTokens - a.lostTokens);
  if (worst === undefined || worst.lostTokens === 0) return null;
  const part =
    worst.lostTokens * 2 > lostOf(all)
      ? 'most of the cache it lost'
      : 'more of the cache than any other cause';
  const givenUp = lostOf(Object.values(breaks.expected)) > 0 ? ' besides what was given up knowingly' : '';
  const lost = `${formatCounted(worst.count, 'break')}, ${formatCounted(worst.lostTokens, 'token')}`;
  return { cause: worst.cause, size: `${part}${givenUp} (${lost})` };
}

/** Whether entries of an hour are to be had of one of the models. */
function mayLiveLonger({ run, models }: RunFacts): boolean {
  const named = (run?.plan as { readonly provider?: unknown } | undefined)?.provider;
  return Object.keys(models).some((name) => {
    const row = MODELS.find(name);
    if (row === null) return true;
    const [provider = ANTHROPIC] = [named, row.provider].filter(
      (each): each is string => typeof each === 'string' && providerRegistry.has(each),
    );
    return offersHour(row) && knownProvider(provider).cache.written === 'marks';
  });
}

function adviceOn(facts: RunFacts, expectations: readonly ExpectationResult[]): string {
  const failed = failedSentence(expectations);
  if (failed !== null) return failed;
  if (!completionOf(facts).finished)
    return 'It did not finish, so its cost does not compare with runs that did.';
  const worst = worstBreak(facts);
  if (worst !== null) {
    return worst.cause === 'ttl-5m' && mayLiveLonger(facts)
      ? `Pauses of more than 5 minutes cost it ${worst.size}; a run with --set cache.ttl=1h shows whether the longer lifetime pays.`
      : `One cause, ${causeWords(worst.cause)}, cost it ${worst.size}.`;
  }
  if (facts.run?.transcript.recorded !== undefined)
    return 'How far such a cost is from the recorded one: ccbench validate, on the recording.';
  if (facts.run?.transcript.source === 'synthetic')
    return 'The session is generated: what it says of yours, ccbench why says better.';
  return 'It is one session: ccbench compare over several says whether a difference lasts.';
}

/** What one run came to, and what to make of it. */
export function runConclusion(facts: RunFacts, expectations: readonly ExpectationResult[]): Conclusion {
  const { costUsd, cacheHitRate } = metricValues(facts);
  const name = facts.run?.name ?? 'the run';
  const { answered } = completionOf(facts);
  if (answered === 0)
    return { result: `No call of ${name} was answered.`, advice: adviceOn(facts, expectations) };
  const priced = pricedCalls(facts);
  const unpriced = unpricedText(priced, 'request');
  const cost = isUnpriced(priced)
    ? `The cost of ${name} is not known: ${unpriced}`
    : `${name} cost ${formatAtLeast(costUsd ?? null, priced)}${unpriced === null ? ` for ${formatCounted(answered, 'call')}` : `: ${unpriced}`}`;
  return {
    result: `${cost}${unpriced === null ? ', with' : ';'} ${formatShare(cacheHitRate ?? null)} of its prompts ${unpriced === null ? '' : 'were '}read from the cache.`,
    advice: adviceOn(facts, expectations),
  };
}

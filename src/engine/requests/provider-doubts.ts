import { getOrMake } from '../../core/base/once.js';
import { createRandom, type Random } from '../../core/base/random.js';
import { type CacheWritten, type HitChance, SAME_TOKENS } from '../../core/run/provider.js';
import type { EndEntry } from '../../core/run/run-log.js';
import type { RunPlan } from '../../core/run/run-plan.js';
import type { WarningList } from '../../core/run/warning.js';
import { chanceOfShort } from '../../provider/cache/cache-rules.js';
import type { HitOdds } from '../../provider/cache/prompt-cache.js';
import { offersHour } from '../../provider/cache/ttl.js';
import type { ModelRow } from '../../provider/prices/model-row.js';
import { modelsOf } from '../../provider/prices/models.js';
import { isServedBy, knownProvider, plannedProvider } from '../../provider/providers/providers.js';
import { firstModels, providersOf, type RecordedModels } from './provider-of.js';

/** What the reader of a run's numbers must know of a provider whose cache it goes by. */
export interface ProviderDoubts {
  readonly label: string;
  /** What chance decides: whether an entry is found, only how long it lives, or nothing. */
  readonly chance: 'hits' | 'lifetimes' | 'none';
  /** That another model replaces the named one, or those of the session; null if the provider serves one of them. */
  readonly standIn: string | null;
  /** That the plan asks for an hour that is not offered; null if it does not, or it is. */
  readonly noHour: string | null;
  /** What is not known, and what was assumed instead. */
  readonly doubts: readonly string[];
}

/** What is not known of the providers that a run goes by. */
export function providerDoubts(plan: RunPlan, recorded: RecordedModels): readonly ProviderDoubts[] {
  const models = modelsOf(plan);
  return providersOf(plan, recorded).map((provider) => {
    const { label, cache, defaultModel, doubts } = knownProvider(provider);
    const isStandIn =
      plannedProvider(plan) !== undefined &&
      firstModels(plan, recorded).every((name) => {
        const row = models.find(name);
        return row === null || !isServedBy(provider, row);
      });
    return {
      label,
      chance: cache.hit !== null ? 'hits' : cache.lifetime.tail.length > 0 ? 'lifetimes' : 'none',
      noHour: noHourSentence(
        plan,
        label,
        cache.written,
        models.find(isStandIn ? defaultModel : (firstModels(plan, recorded)[0] ?? defaultModel)),
      ),
      standIn: isStandIn ? standInSentence(label, plan.model, defaultModel) : null,
      doubts: doubts.filter((doubt) => isStandIn || doubt !== SAME_TOKENS),
    };
  });
}

function noHourSentence(
  { cache: { mode, ttl } }: RunPlan,
  label: string,
  written: CacheWritten,
  model: ModelRow | null,
): string | null {
  if (mode === 'off' || ttl !== '1h') return null;
  if (written !== 'marks')
    return `${label}: entries live as long as its rules say, and cache.ttl has no say in it`;
  if (model === null || offersHour(model)) return null;
  return `${model.id} has no lifetime of an hour: its entries live five minutes`;
}

function standInSentence(label: string, named: string | null, model: string): string {
  return named === null
    ? `${label} serves none of the models of the session: ${model} stands for them`
    : `${label} does not serve ${named}: ${model} stands for it`;
}

/** Says what is not known of the providers that a run goes by, and that chance was drawn: for all requests, or for those alone that its recording does not hold. */
export function warnOfDoubts(
  plan: RunPlan,
  recorded: RecordedModels,
  warnings: WarningList,
  drawn: 'all' | 'unrecorded' = 'all',
): void {
  const providers = providerDoubts(plan, recorded);
  if (providers.length > 1) warnings.add('several-providers', severalProviders(providers));
  for (const { label, chance, standIn, noHour, doubts } of providers) {
    if (chance === 'hits' && drawn === 'unrecorded')
      warnings.add(
        'chance-drawn',
        `${label}: whether a request finds its cache is chance; it is drawn for requests that the recording does not hold`,
        'no interval covers these draws; other seeds draw again',
      );
    else if (chance === 'hits')
      warnings.add(
        'chance-drawn',
        `${label}: whether a request finds its cache is chance, and this run is one draw of it`,
        'its interval holds nine of ten draws; other seeds draw again',
      );
    else if (chance === 'lifetimes')
      warnings.add(
        'chance-drawn',
        `${label}: how long an entry lives is chance, and this run is one draw of it`,
        'no interval is stated for it; other seeds draw again',
      );
    for (const doubt of doubts) warnings.add('provider-assumption', `${label}: ${doubt}`);
    if (noHour !== null) warnings.add('no-hour', noHour, 'leave cache.ttl out');
    if (standIn !== null) warnings.add('model-assumed', standIn, 'name one that it serves with model:');
  }
}

/** What is to be known of a session whose models are of several providers. */
export function severalProviders(providers: readonly ProviderDoubts[]): string {
  const names = providers.map(({ label }) => label);
  return `the models of the session are of ${names.join(' and ')}: each request goes to the cache of its model`;
}

/** How a run on another model than the recorded one counts its tokens, and what that does to its cost where it is known. */
export interface OtherTokens {
  readonly message: string;
  readonly remedy: string | null;
}

/** The tokenizer is known to be that of the other: the table has how they compare for one vendor alone. */
function areComparable(a: ModelRow, b: ModelRow): boolean {
  return a.provider === b.provider && a.pricesAreKnown && b.pricesAreKnown;
}

/**
 * That a recording is run with the tokens its own model counted, though the plan's counts otherwise; null if both count alike. The
 * scale of the table is not applied: it is an average over texts, and prompts would no longer be those that were recorded.
 */
export function otherTokens(plan: RunPlan, { models, ofAgents }: RecordedModels): OtherTokens | null {
  if (plan.model === null) return null;
  const book = modelsOf(plan);
  const own = book.orUnknown(plan.model);
  // A plan's model takes the place of those of main threads; if agents have the same one, they cannot be distinguished.
  const main = models.filter((name) => !ofAgents.includes(name));
  const rows = [...new Set(main.length === 0 ? models : main)].map((name) => book.orUnknown(name));
  const row = rows.find(
    (each) => each.id !== own.id && (!areComparable(each, own) || each.tokenizerScale !== own.tokenizerScale),
  );
  if (row === undefined) return null;
  const taken = `prompts have as many tokens as ${row.id} counted when they were recorded`;
  if (!areComparable(row, own))
    return { message: `${taken}, whatever the tokenizer of ${own.id}`, remedy: null };
  const percent = Math.round((own.tokenizerScale / row.tokenizerScale - 1) * 100);
  return {
    message: `${taken}: ${own.id} counts about ${Math.abs(percent)} % ${percent > 0 ? 'more' : 'fewer'} for the same text`,
    remedy: `take its cost for about as much too ${percent > 0 ? 'low' : 'high'}`,
  };
}

/** Draws of a run's luck, and the 90 % interval. */
const DRAWS = 2_000;
const LOW = 0.05;
const HIGH = 0.95;

/** What comes up short adds to the cost of one session, for each factor that its odds may have. */
interface SessionSums {
  readonly means: number[];
  readonly variances: number[];
}

/**
 * What chance adds to the cost of a run: drawn once in the run itself, and as it would be over many draws. What is stored does not
 * depend on what was found, so requests are independent of one another but for the luck of their session.
 */
export class ChanceTally {
  readonly #sessions = new Map<number, SessionSums>();
  #lost = 0;

  /** A request that would cost so much more with nothing read than with all of it, and that this much was lost of. */
  add({ hit, gapMs, session }: HitOdds, allNano: number, lostNano: number): void {
    this.#lost += lostNano;
    const zeros = () => hit.sessions.map(() => 0);
    const sums = getOrMake(this.#sessions, session, () => ({ means: zeros(), variances: zeros() }));
    const { first, second } = lostShares(hit);
    for (let i = 0; i < hit.sessions.length; i++) {
      const chance = chanceOfShort(hit, gapMs, hit.sessions[i]!);
      const mean = chance * first * allNano;
      sums.means[i]! += mean;
      sums.variances[i]! += chance * second * allNano * allNano - mean * mean;
    }
  }

  /** Null if chance had no say. */
  finish(): NonNullable<EndEntry['chance']> | null {
    if (this.#sessions.size === 0) return null;
    const random = createRandom('chance of a run');
    const all = [...this.#sessions.values()];
    let expected = 0;
    for (const { means } of all) expected += means.reduce((sum, mean) => sum + mean, 0) / means.length;
    const drawn = Array.from({ length: DRAWS }, () => {
      let sum = 0;
      for (const session of all) sum += drawSession(session, random);
      return sum;
    }).sort((a, b) => a - b);
    return {
      lost: Math.round(this.#lost),
      expected: Math.round(expected),
      low: Math.round(drawn[Math.floor(LOW * DRAWS)]!),
      high: Math.round(drawn[Math.ceil(HIGH * DRAWS) - 1]!),
    };
  }
}

/** Mean and mean square of the share that a request loses which comes up short. */
function lostShares({ partial }: HitChance): { readonly first: number; readonly second: number } {
  let first = 0;
  let second = 0;
  for (const share of partial) {
    first += 1 - share;
    second += (1 - share) ** 2;
  }
  return { first: first / partial.length, second: second / partial.length };
}

/** What one session loses: a factor at random, and a sum of many that is spread like a normal one, never below nothing. */
function drawSession({ means, variances }: SessionSums, random: Random): number {
  const i = Math.floor(random.next() * means.length);
  return Math.max(0, means[i]! + random.normal() * Math.sqrt(variances[i]!));
}

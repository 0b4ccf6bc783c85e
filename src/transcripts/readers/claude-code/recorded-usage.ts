import { promptTokens, type Usage } from '../../../core/model/usage.js';
import type { WarningList } from '../../../core/run/warning.js';
import type { Tariff } from '../../../provider/prices/model-book.js';
import { findModel } from '../../../provider/prices/models.js';
import type { DraftCall } from '../../drafts/draft.js';
import { isObject, type JsonObject, objectOf, objectsOf } from '../../lines/narrow.js';
import { isPlausibleUsage, knownTokens } from '../../lines/plausible.js';

/** What makes a response cost something else than its counts at the list price (api.md §1.8). */
export type BilledOtherwise = Exclude<Tariff, 'regional'> | 'priority' | 'iterations';

/** What most responses are: billed as they are counted. */
const AS_COUNTED: readonly BilledOtherwise[] = Object.freeze([]);

/** Iterations that are requests of the recording: those of the response itself, and those of an advisor (K22). */
const COUNTED_PARTS: ReadonlySet<unknown> = new Set([undefined, 'message', 'advisor_message']);

/** What a usage record says of the price besides its counts. */
function billedOtherwise(usage: JsonObject): readonly BilledOtherwise[] {
  const { speed, inference_geo: geo, service_tier: layer, iterations } = usage;
  const found: BilledOtherwise[] = [];
  if (speed === 'fast') found.push('fast');
  if (geo === 'us') found.push('us');
  if (layer === 'batch' || layer === 'priority') found.push(layer);
  if (objectsOf(iterations).some(({ type }) => !COUNTED_PARTS.has(type))) found.push('iterations');
  return found.length === 0 ? AS_COUNTED : found;
}

/** Gives a call its model at the tariffs that are known of it; what else it was billed by is left. */
export function billAt(
  call: Pick<DraftCall, 'model'>,
  model: string,
  billed: readonly BilledOtherwise[],
): readonly BilledOtherwise[] {
  call.model = model;
  return billed.filter((kind) => {
    const name = `${call.model}:${kind}`;
    if (kind === 'priority' || kind === 'iterations' || findModel(name) === null) return true;
    call.model = name;
    return false;
  });
}

/** A request behind a response, besides the one that ended it (K22). */
export interface ResponsePart {
  readonly speaker: 'message' | 'advisor';
  /** Null is the model of the response. */
  readonly model: string | null;
  readonly usage: Usage;
}

const NO_PARTS: readonly ResponsePart[] = Object.freeze([]);

/** What a usage record says: counts, zeros, nothing at all, or numbers nobody can have been billed. */
export type RecordedUsage =
  /** `output` is 0 where the record does not say it. */
  | {
      readonly state: 'counts';
      readonly usage: Usage;
      readonly output: 'said' | 'unsaid';
      readonly otherwise: readonly BilledOtherwise[];
      /** Requests before the one that the counts are of. */
      readonly parts: readonly ResponsePart[];
    }
  /** `sent` is what its last request says of itself; null if it says nothing. */
  | { readonly state: 'zero'; readonly sent: RecordedUsage | null }
  | { readonly state: 'absent' }
  | { readonly state: 'impossible' };

function countOf(value: unknown): number | null {
  return value === undefined || value === null ? 0 : knownTokens(value);
}

/** The counts of a usage record or of one of its iterations; writes without a lifetime count as five minutes, the API's default. */
function countsOf(value: JsonObject): Usage | null {
  const split = objectOf(value.cache_creation);
  const input = countOf(value.input_tokens);
  const cacheRead = countOf(value.cache_read_input_tokens);
  const written = countOf(value.cache_creation_input_tokens);
  const short = countOf(split.ephemeral_5m_input_tokens);
  const long = countOf(split.ephemeral_1h_input_tokens);
  const output = countOf(value.output_tokens);
  if (input === null || cacheRead === null || written === null) return null;
  if (short === null || long === null || output === null) return null;
  const total = Math.max(written, short + long);
  const cacheWrite1h = Math.min(long, total);
  return { input, cacheRead, cacheWrite5m: total - cacheWrite1h, cacheWrite1h, output };
}

/** The requests of a response that asked an advisor, the one that ended it last; null for every other response (K22). */
function advisedParts(value: JsonObject): readonly ResponsePart[] | null {
  const iterations = objectsOf(value.iterations);
  if (!iterations.some(({ type }) => type === 'advisor_message')) return null;
  const parts = iterations.flatMap((part): ResponsePart[] => {
    const usage = COUNTED_PARTS.has(part.type) ? countsOf(part) : null;
    if (usage === null || promptTokens(usage) === 0 || !isPlausibleUsage(usage)) return [];
    const speaker = part.type === 'advisor_message' ? 'advisor' : 'message';
    return [{ speaker, model: typeof part.model === 'string' ? part.model : null, usage }];
  });
  return parts.at(-1)?.speaker === 'message' ? parts : null;
}

/** What a client sets to zero if it writes a response again that a compaction kept; splits and iterations stay (K24). */
const TOP_COUNTS = [
  'input_tokens',
  'cache_read_input_tokens',
  'cache_creation_input_tokens',
  'output_tokens',
] as const;

/** Reads `message.usage`. */
export function parseUsage(value: unknown): RecordedUsage {
  if (!isObject(value)) return { state: 'absent' };
  const whole = countsOf(value);
  if (whole === null || !isPlausibleUsage(whole)) return { state: 'impossible' };
  if (TOP_COUNTS.every((count) => value[count] === 0)) {
    const sent = objectsOf(value.iterations).at(-1) ?? {};
    const isSaid = TOP_COUNTS.some((count) => (countOf(sent[count]) ?? 0) > 0);
    return { state: 'zero', sent: isSaid ? parseUsage({ ...value, ...sent }) : null };
  }
  if (promptTokens(whole) === 0) return { state: 'absent' };
  const said = value.output_tokens === undefined || value.output_tokens === null ? 'unsaid' : 'said';
  const parts = advisedParts(value);
  return {
    state: 'counts',
    usage: parts === null ? whole : parts.at(-1)!.usage,
    output: said,
    otherwise: billedOtherwise(value),
    parts: parts === null ? NO_PARTS : parts.slice(0, -1),
  };
}

/** Lines of one response repeat its usage. */
export function sameUsage(usage: RecordedUsage, before: RecordedUsage | null): RecordedUsage {
  if (usage.state !== 'counts' || before?.state !== 'counts') return usage;
  const [a, b] = [usage.usage, before.usage];
  const isSame =
    a.input === b.input &&
    a.cacheRead === b.cacheRead &&
    a.cacheWrite5m === b.cacheWrite5m &&
    a.cacheWrite1h === b.cacheWrite1h &&
    a.output === b.output &&
    usage.output === before.output &&
    usage.parts.length === before.parts.length &&
    usage.otherwise.length === before.otherwise.length;
  return isSame ? before : usage;
}

const OWN_PRICES = 'give the model its real prices under `models:` in a scenario';

const UNKNOWN_MODEL = [
  'responses have a tariff of a model whose price is not known here',
  OWN_PRICES,
] as const;

const PRICE_WARNINGS: Readonly<Record<BilledOtherwise, readonly [message: string, remedy: string | null]>> = {
  fast: [
    'responses came in fast mode, whose price is not known for their model; they are priced at standard speed, so costs are too low',
    OWN_PRICES,
  ],
  us: UNKNOWN_MODEL,
  batch: UNKNOWN_MODEL,
  priority: ['responses came by a priority tier, whose price is not known here', OWN_PRICES],
  iterations: [
    'responses were billed for more than their own counts (a compaction or another model behind them); that is not counted, so costs are too low',
    null,
  ],
};

/** Says how many responses cost something else than what they are priced at. */
function warnOfPrices(responses: Iterable<readonly BilledOtherwise[]>, warnings: WarningList): void {
  const counts = new Map<BilledOtherwise, number>();
  for (const kinds of responses) for (const kind of kinds) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  for (const [kind, count] of counts) {
    const [message, remedy] = PRICE_WARNINGS[kind];
    warnings.add(`billed-${kind}`, message, remedy, count);
  }
}

/** What is known of the responses of a conversation once all of it is read. */
interface ReadResponses {
  readonly calls: ReadonlyMap<string, DraftCall>;
  readonly asked: ReadonlyMap<string, { readonly isAnswered: boolean }>;
  /** Responses that cost something else than their counts at the list price. */
  readonly otherwise: ReadonlyMap<string, readonly BilledOtherwise[]>;
}

/** Says what the responses of a conversation leave open. */
export function warnOfResponses({ calls, asked, otherwise }: ReadResponses, warnings: WarningList): void {
  let silent = 0;
  for (const { usage, outputIsMissing } of calls.values()) if (usage !== null && outputIsMissing) silent++;
  warnings.add(
    'no-output-count',
    'responses do not say how many tokens they have',
    'their output is estimated from what they say',
    silent,
  );
  let unanswered = 0;
  for (const { isAnswered } of asked.values()) if (!isAnswered) unanswered++;
  warnings.add('unanswered-tool-call', 'tool calls have no result in the file', null, unanswered);
  warnOfPrices(otherwise.values(), warnings);
}

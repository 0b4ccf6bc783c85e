import { promptTokens, type Usage } from '../../../core/model/usage.js';
import { isObject, objectOf } from '../../lines/narrow.js';
import { type BilledOtherwise, billedOtherwise } from './billed-otherwise.js';

/** What a usage record says: counts, nothing at all, or numbers nobody can have been billed. */
export type RecordedUsage =
  /** `output` is 0 where the record does not say it. */
  | {
      readonly state: 'counts';
      readonly usage: Usage;
      readonly output: 'said' | 'unsaid';
      readonly otherwise: readonly BilledOtherwise[];
    }
  | { readonly state: 'absent' }
  | { readonly state: 'impossible' };

/** No window of any model comes near this many tokens. */
const LARGEST_COUNT = 100_000_000;

function countOf(value: unknown): number | null {
  if (value === undefined || value === null) return 0;
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= LARGEST_COUNT
    ? value
    : null;
}

/** Reads `message.usage`; writes without a lifetime count as five minutes, the API's default. */
export function parseUsage(value: unknown): RecordedUsage {
  if (!isObject(value)) return { state: 'absent' };
  const split = objectOf(value.cache_creation);
  const input = countOf(value.input_tokens);
  const cacheRead = countOf(value.cache_read_input_tokens);
  const written = countOf(value.cache_creation_input_tokens);
  const short = countOf(split.ephemeral_5m_input_tokens);
  const long = countOf(split.ephemeral_1h_input_tokens);
  const output = countOf(value.output_tokens);
  if (input === null || cacheRead === null || written === null) return { state: 'impossible' };
  if (short === null || long === null || output === null) return { state: 'impossible' };
  const said = value.output_tokens === undefined || value.output_tokens === null ? 'unsaid' : 'said';
  const total = Math.max(written, short + long);
  const cacheWrite1h = Math.min(long, total);
  const usage: Usage = { input, cacheRead, cacheWrite5m: total - cacheWrite1h, cacheWrite1h, output };
  if (promptTokens(usage) === 0) return { state: 'absent' };
  return { state: 'counts', usage, output: said, otherwise: billedOtherwise(value) };
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
    usage.otherwise.length === before.otherwise.length;
  return isSame ? before : usage;
}

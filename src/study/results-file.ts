import { sha256Hex } from '../core/base/digest.js';
import type { MetricRecord } from './job.js';

/** Version of the results file; results of other versions are not used. */
const RESULTS_VERSION = 2;

/** Digits of a checksum: enough to tell every accident. */
const CHECK_DIGITS = 16;

/** One finished run of a sweep, addressed by the digest of its plan and transcript. */
export interface StoredResult {
  readonly key: string;
  readonly metrics: MetricRecord;
  readonly skipped: readonly string[];
}

/** What a results file holds. */
export type ResultsFile =
  | { readonly state: 'usable'; readonly results: ReadonlyMap<string, StoredResult>; readonly broken: number }
  /** Written by another version, or no results file at all. */
  | { readonly state: 'foreign'; readonly found: string };

/** The first line of a results file. */
export function resultsHeader(program: string): string {
  return `${JSON.stringify({ type: 'sweep', version: RESULTS_VERSION, program })}\n`;
}

/** Checksum of a result: a line that was changed since it was written has another. */
function checkOf({ key, metrics, skipped }: StoredResult): string {
  return sha256Hex(JSON.stringify([key, metrics, skipped])).slice(0, CHECK_DIGITS);
}

/** One finished run as a line. */
export function resultLine(result: StoredResult): string {
  const { key, metrics, skipped } = result;
  return `${JSON.stringify({ type: 'point', key, metrics, skipped, check: checkOf(result) })}\n`;
}

function asRecord(line: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(line);
    return value !== null && typeof value === 'object' && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : null;
  } catch {
    return null;
  }
}

function asResult(line: string): StoredResult | null {
  const value = asRecord(line);
  if (value?.type !== 'point' || typeof value.key !== 'string' || !Array.isArray(value.skipped)) return null;
  const { metrics } = value;
  if (metrics === null || typeof metrics !== 'object' || Array.isArray(metrics)) return null;
  const known = Object.values(metrics).every((item) => item === null || typeof item === 'number');
  if (!known) return null;
  const result = { key: value.key, metrics: metrics as MetricRecord, skipped: value.skipped as string[] };
  return value.check === checkOf(result) ? result : null;
}

/** Reads a results file: good lines are used, broken ones counted; a file of another version is not used at all. */
export function parseResults(text: string, program: string): ResultsFile {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const header = asRecord(lines[0] ?? '');
  if (header?.type !== 'sweep') return { state: 'foreign', found: 'no header of a sweep' };
  if (header.version !== RESULTS_VERSION)
    return { state: 'foreign', found: `format ${JSON.stringify(header.version) ?? 'unknown'}` };
  if (header.program !== program)
    return {
      state: 'foreign',
      found: `ccbench ${typeof header.program === 'string' ? header.program : 'of no version'}`,
    };
  const results = new Map<string, StoredResult>();
  let broken = 0;
  for (const line of lines.slice(1)) {
    const result = asResult(line);
    if (result === null) broken++;
    else results.set(result.key, result);
  }
  return { state: 'usable', results, broken };
}

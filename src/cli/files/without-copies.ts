import {
  type CallIds,
  containedFiles,
  type Identified,
  type Repeated,
  repeatedCalls,
} from '../../analysis/validate/contained.js';
import { formatCounted } from '../../core/base/format.js';
import { type CliSession, remark } from '../session.js';
import type { SkippedFile } from './each-file.js';

/** A session with the keys of its calls. */
interface Keyed {
  readonly file: string;
  readonly callKeys: CallIds;
}

/** Whether calls that sessions have in common count once, or in each of them: a replay needs them in each. */
type Counting = 'once' | 'in each';

/** What is left of sessions without copies. */
interface WithoutCopies<T> {
  readonly kept: readonly T[];
  readonly copies: readonly SkippedFile[];
  /** Those kept that share some calls with one before. */
  readonly sharedCalls: readonly Repeated[];
}

/** Sessions without those of which another one holds every call: forks and resumed sessions copy lines. Each is reported. */
export function withoutCopies<T extends Keyed>(
  session: CliSession,
  items: readonly T[],
  counting: Counting,
): WithoutCopies<T> {
  const identified = ({ file, callKeys }: Keyed): Identified => ({ file, callIds: callKeys });
  const contained = containedFiles(items.map(identified));
  const copies = contained.map(({ file, within, responses }) => ({
    file,
    reason: `all of its ${formatCounted(responses, 'call')} are in ${within} too`,
  }));
  for (const { file, reason } of copies) remark(session, `left out: ${file}: ${reason}`);
  const out = new Set(copies.map(({ file }) => file));
  const kept = items.filter(({ file }) => !out.has(file));
  const sharedCalls = repeatedCalls(kept.map(identified));
  noteRepeated(session, sharedCalls, counting);
  return { kept, copies, sharedCalls };
}

/** Says which sessions share calls with one before, and what that means for sums over all. */
export function noteRepeated(session: CliSession, repeated: readonly Repeated[], counting: Counting): void {
  for (const { file, calls } of repeated) {
    const shared = `${formatCounted(calls, 'call')} of ${file} ${calls === 1 ? 'is' : 'are'} in an earlier session too`;
    const elsewhere = counting === 'once' ? '' : '; ccbench inspect counts such calls once';
    remark(session, `counted ${counting}: ${shared}${elsewhere}`);
  }
}

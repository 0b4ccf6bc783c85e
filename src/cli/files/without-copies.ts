import { containedFiles } from '../../fidelity/contained.js';
import { formatCounted } from '../../report/format.js';
import { type CliSession, note } from '../session.js';
import type { SkippedFile } from './each-file.js';

/** A session with the keys of its calls. */
interface Keyed {
  readonly file: string;
  readonly callKeys: ReadonlySet<string>;
}

/** Sessions without those of which another one holds every call: forks and resumed sessions copy lines. Each is told. */
export function withoutCopies<T extends Keyed>(
  session: CliSession,
  items: readonly T[],
): { readonly kept: readonly T[]; readonly copies: readonly SkippedFile[] } {
  const contained = containedFiles(items.map(({ file, callKeys }) => ({ file, callIds: callKeys })));
  const copies = contained.map(({ file, within, responses }) => ({
    file,
    reason: `all of its ${formatCounted(responses, 'call')} are in ${within} too`,
  }));
  for (const { file, reason } of copies) note(session, `left out: ${file}: ${reason}`);
  const out = new Set(copies.map(({ file }) => file));
  return { kept: items.filter(({ file }) => !out.has(file)), copies };
}

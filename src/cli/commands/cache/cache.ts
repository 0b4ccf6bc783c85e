import { rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { CcbenchError } from '../../../core/base/errors.js';
import { formatCounted, formatDecimal } from '../../../core/base/format.js';
import {
  COMPILED_FOLDER,
  compiledEntries,
  MOST_KEPT_BYTES,
  removeEntries,
} from '../../../transcripts/files/compiled-store.js';
import { EXIT, type ExitCode } from '../../exit-codes.js';
import { cacheFolder } from '../../files/cache-folder.js';
import { forgetPage } from '../../files/last-page.js';
import type { CliSession } from '../../session.js';
import { present } from '../../terminal/present.js';

/** What is kept: how many transcripts, in how many bytes. */
function kept(folder: string): { readonly entries: number; readonly bytes: number } {
  const entries = compiledEntries(join(folder, COMPILED_FOLDER));
  return { entries: entries.length, bytes: entries.reduce((sum, { bytes }) => sum + bytes, 0) };
}

function megabytes(bytes: number): string {
  return `${formatDecimal(bytes / 1_048_576, bytes < 10_485_760 ? 1 : 0)} MB`;
}

function transcripts(count: number): string {
  return formatCounted(count, 'compiled transcript');
}

/** `ccbench cache`: place, entries and size. */
export function showCacheCommand(session: CliSession): ExitCode {
  const folder = cacheFolder(session.host);
  const { entries, bytes } = kept(folder);
  const holds =
    entries === 0
      ? 'holds no compiled transcript'
      : `holds ${transcripts(entries)} in ${megabytes(bytes)}, of at most ${megabytes(MOST_KEPT_BYTES)}`;
  const advice =
    'CCBENCH_CACHE names another folder, --no-cache keeps nothing, ccbench cache clear removes what is kept.';
  present(session, {
    blocks: [],
    closing: { result: `${folder} ${holds}.`, advice },
    json: { folder, entries, bytes, mostBytes: MOST_KEPT_BYTES },
  });
  return EXIT.fine;
}

/** Folders that ccbench made and that hold nothing now. */
function removeEmpty(folder: string): void {
  for (const path of [join(folder, COMPILED_FOLDER), folder])
    try {
      rmdirSync(path);
    } catch {
      return;
    }
}

/** `ccbench cache clear`: removes what ccbench has put there, and nothing else. */
export function clearCacheCommand(session: CliSession): ExitCode {
  const folder = cacheFolder(session.host);
  const before = kept(folder);
  removeEntries(join(folder, COMPILED_FOLDER));
  forgetPage(folder);
  const after = kept(folder);
  if (after.entries > 0)
    throw new CcbenchError('output-unwritable', `${transcripts(after.entries)} cannot be removed`, {
      place: { file: folder },
      hint: 'they belong to another user, or the folder is read-only; CCBENCH_CACHE names another folder',
    });
  removeEmpty(folder);
  const { entries, bytes } = before;
  const blocks = [`removed ${transcripts(entries)}, ${megabytes(bytes)}, from ${folder}`];
  present(session, { blocks, closing: null, json: { folder, removed: entries, bytes } });
  return EXIT.fine;
}

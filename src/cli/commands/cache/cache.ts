import { rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { CcbenchError, succeeds } from '../../../core/base/errors.js';
import { formatBytes, formatCounted } from '../../../core/base/format.js';
import {
  COMPILED_FOLDER,
  compiledEntries,
  MOST_KEPT_BYTES,
  removeEntries,
  WHY_FOLDER,
} from '../../../transcripts/files/compiled-store.js';
import { forgetDigests } from '../../../transcripts/files/file-digests.js';
import { cacheFolder } from '../../files/cache-folder.js';
import { forgetPage } from '../../files/last-page.js';
import { type CliSession, EXIT, type ExitCode } from '../../session.js';
import { present } from '../../terminal/present.js';

/** What is kept: how many transcripts and explained sessions, in how many bytes. */
interface Kept {
  readonly entries: number;
  readonly explained: number;
  readonly bytes: number;
}

function kept(folder: string): Kept {
  const entries = compiledEntries(join(folder, COMPILED_FOLDER));
  const explained = compiledEntries(join(folder, WHY_FOLDER));
  const bytes = [...entries, ...explained].reduce((sum, own) => sum + own.bytes, 0);
  return { entries: entries.length, explained: explained.length, bytes };
}

function countText({ entries, explained }: Kept): string {
  const transcripts = formatCounted(entries, 'compiled transcript');
  return explained === 0
    ? transcripts
    : `${transcripts} and ${formatCounted(explained, 'explained session')}`;
}

/** `ccbench cache`: place, entries and size. */
export function showCacheCommand(session: CliSession): ExitCode {
  const folder = cacheFolder(session.host);
  const found = kept(folder);
  const { entries, explained, bytes } = found;
  // Each kind has a folder of its own.
  const mostBytes = 2 * MOST_KEPT_BYTES;
  const holds =
    entries + explained === 0
      ? 'holds no compiled transcript'
      : `holds ${countText(found)} in ${formatBytes(bytes)}, of at most ${formatBytes(mostBytes)}`;
  const advice =
    'CCBENCH_CACHE names another folder, --no-cache keeps nothing, ccbench cache clear empties it.';
  present(session, {
    blocks: [],
    closing: { result: `${folder} ${holds}.`, advice },
    json: { folder, entries, explained, bytes, mostBytes },
  });
  return EXIT.fine;
}

/** Folders that ccbench made and that hold nothing now. */
function removeEmpty(folder: string): void {
  for (const path of [join(folder, COMPILED_FOLDER), join(folder, WHY_FOLDER), folder])
    succeeds(() => rmdirSync(path));
}

/** `ccbench cache clear`: removes what ccbench has put there, and nothing else. */
export function clearCacheCommand(session: CliSession): ExitCode {
  const folder = cacheFolder(session.host);
  const before = kept(folder);
  for (const name of [COMPILED_FOLDER, WHY_FOLDER]) removeEntries(join(folder, name));
  forgetDigests(folder);
  forgetPage(folder);
  const after = kept(folder);
  if (after.entries + after.explained > 0)
    throw new CcbenchError('output-unwritable', `${countText(after)} cannot be removed`, {
      place: { file: folder },
      hint: 'they belong to another user, or the folder is read-only; CCBENCH_CACHE names another folder',
    });
  removeEmpty(folder);
  const { entries, explained, bytes } = before;
  const blocks = [`removed ${countText(before)}, ${formatBytes(bytes)}, from ${folder}`];
  present(session, { blocks, closing: null, json: { folder, removed: entries + explained, bytes } });
  return EXIT.fine;
}

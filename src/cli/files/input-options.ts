import { FileDigests } from '../../transcripts/files/file-digests.js';
import type { LoadOptions } from '../../transcripts/files/transcripts.js';
import type { CliSession } from '../session.js';

const bySession = new WeakMap<CliSession, FileDigests>();

/** How the files that a user names are read; the digests of those that stay as they are are kept for the next command. */
export function inputOptions(session: CliSession): LoadOptions {
  const { host, cache, priceDay } = session;
  let digests = bySession.get(session);
  if (digests === undefined) {
    const own = new FileDigests(cache === 'off' ? null : cache.folder, host.epochMs());
    bySession.set(session, own);
    session.atEnd?.push(() => own.save());
    digests = own;
  }
  return { cwd: host.cwd, cache, digests, ...(priceDay === undefined ? {} : { priceDay }) };
}

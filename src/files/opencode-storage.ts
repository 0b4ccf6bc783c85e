import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A session's own file in the storage folder of opencode 1.x. */
const SESSION_FILE = /[\\/]storage[\\/]session[\\/][^\\/]+[\\/](ses_[^\\/]+)\.json$/;

function objects(folder: string): readonly Readonly<Record<string, unknown>>[] {
  let names: string[];
  try {
    names = readdirSync(folder).filter((name) => name.endsWith('.json'));
  } catch {
    return [];
  }
  return names.sort().flatMap((name) => {
    try {
      return [JSON.parse(readFileSync(join(folder, name), 'utf8'))];
    } catch {
      return [];
    }
  });
}

/** The session of a storage folder in the form of `opencode export`; null for any other file. Files half-written are left out. */
export function readOpencodeStorage(path: string, bytes: Uint8Array): Uint8Array | null {
  const session = SESSION_FILE.exec(path)?.[1];
  if (session === undefined) return null;
  const storage = join(dirname(path), '..', '..');
  const messages = objects(join(storage, 'message', session)).map((info) => ({
    info,
    parts: objects(join(storage, 'part', String(info.id))),
  }));
  if (messages.length === 0) return null;
  const info = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  return Buffer.from(`{"info":${info},"messages":${JSON.stringify(messages)}}`);
}

import { dirname, join } from 'node:path';
import { jsonFolder } from './json-folder.js';

/** A session's own file in the storage folder of opencode 1.x. */
const SESSION_FILE = /[\\/]storage[\\/]session[\\/][^\\/]+[\\/](ses_[^\\/]+)\.json$/;

/** The session of a storage folder in the form of `opencode export`; null for any other file. Files half-written are left out. */
export function readOpencodeStorage(path: string, bytes: Uint8Array): Uint8Array | null {
  const session = SESSION_FILE.exec(path)?.[1];
  if (session === undefined) return null;
  const storage = join(dirname(path), '..', '..');
  const messages = jsonFolder(join(storage, 'message', session)).map((info) => ({
    info,
    parts: jsonFolder(join(storage, 'part', String(info.id))),
  }));
  if (messages.length === 0) return null;
  const info = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  return Buffer.from(`{"info":${info},"messages":${JSON.stringify(messages)}}`);
}

import { basename, dirname, join } from 'node:path';
import { jsonFolder } from './json-folder.js';

/** The state of an OpenHands conversation together with the events of its folder; null for any other file. */
export function readOpenhandsFolder(path: string, bytes: Uint8Array): Uint8Array | null {
  if (basename(path) !== 'base_state.json') return null;
  const events = jsonFolder(join(dirname(path), 'events'));
  if (events.length === 0) return null;
  const state = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8').trim();
  return Buffer.from(`[${state},${JSON.stringify({ events })}]`);
}

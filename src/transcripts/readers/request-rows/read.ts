import type { Transcript } from '../../../core/model/transcript.js';
import { allBut } from '../../../core/run/capability.js';
import { createWarnings } from '../../../core/run/warning.js';
import { finishRows } from '../../drafts/finish-rows.js';
import { headLines } from '../../lines/head-lines.js';
import { decodeBytes } from '../../lines/json-lines.js';
import type { ReadOptions, TranscriptReader } from '../reader.js';
import { columnsOf, hasColumns, readRows } from './rows.js';

const CARRIES = allBut('text', 'lifetimes', 'tools', 'boundaries');

function detect(head: string): boolean {
  if (headLines(head).some((row) => hasColumns((name) => name in row))) return true;
  const first = head.split('\n').find((line) => line.trim() !== '' && !line.startsWith('#'));
  return first !== undefined && columnsOf(first.trim()) !== null;
}

function read(bytes: Uint8Array, { id }: ReadOptions): Transcript {
  const warnings = createWarnings();
  const plain = decodeBytes(bytes, { name: id, warnings });
  const rows = readRows(plain, { name: id, warnings });
  return finishRows(rows, {
    id,
    source: 'request-rows',
    label: 'a table of requests',
    carries: CARRIES,
    warnings,
  });
}

/** Reads rows about requests, without content: CSV with a header, or JSON lines. */
export const requestRowsReader: TranscriptReader = {
  label: 'table of requests',
  carries: CARRIES,
  detect,
  read,
};

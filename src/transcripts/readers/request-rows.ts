import { allBut } from '../../core/run/capability.js';
import { type Row, readRows } from '../drafts/rows.js';
import { splitLines } from '../lines/byte-lines.js';
import { decodeBytes, decodeUtf8, headLines, parseObject } from '../lines/json-lines.js';
import { type JsonObject, soundTime, textsOf } from '../lines/narrow.js';
import { tokensOf } from '../lines/plausible.js';
import { defineReader, type ReaderFile } from './reader.js';

/** Times from here on are milliseconds since 1970, smaller ones seconds. */
const FIRST_MILLISECONDS = 100_000_000_000;
const DEFAULT_SESSION = 'session';

/** The fields of a line of CSV; a field between quotes may hold commas, and quotes as pairs. */
function splitFields(line: string): readonly string[] {
  if (!line.includes('"')) return line.split(',').map((field) => field.trim());
  const fields: string[] = [];
  for (const [, quoted, plain] of line.matchAll(/(?:^|,)(?:\s*"((?:[^"]|"")*)"\s*|([^,]*))/g))
    fields.push(quoted === undefined ? plain!.trim() : quoted.replaceAll('""', '"'));
  return fields;
}

/** The columns of a header of CSV; null for a line that is none. */
function columnsOf(line: string): readonly string[] | null {
  const columns = splitFields(line.replace(/^\uFEFF/, '')).map((name) => name.toLowerCase());
  return hasColumns((name) => columns.includes(name)) ? columns : null;
}

/** True when there is what every row needs. */
function hasColumns(has: (name: string) => boolean): boolean {
  return has('time') && has('model') && has('cached') && (has('input') || has('fresh'));
}

function count(value: unknown): number | null {
  return tokensOf(typeof value === 'string' && /^[-+.\d]/.test(value) ? Number(value) : value);
}

function time(value: unknown): number | null {
  const number = typeof value === 'string' && /^\d+(?:\.\d+)?$/.test(value) ? Number(value) : value;
  if (typeof number === 'number') return soundTime(number < FIRST_MILLISECONDS ? number * 1_000 : number);
  const parsed = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(parsed) ? null : parsed;
}

function nameOf(value: unknown): string | null {
  return typeof value === 'number' ? String(value) : typeof value === 'string' && value !== '' ? value : null;
}

/** A row of its members; null when it does not say how long the prompt was. */
function rowOf(members: JsonObject, line: number): Row | null {
  const cached = count(members.cached);
  const written = count(members.written);
  const fresh = count(members.fresh);
  const prompt = count(members.input) ?? (fresh === null ? null : fresh + (cached ?? 0) + (written ?? 0));
  if (prompt === null) return null;
  const { prefix } = members;
  return {
    id: nameOf(members.id),
    session: nameOf(members.session) ?? DEFAULT_SESSION,
    thread: nameOf(members.thread),
    provider: nameOf(members.provider),
    model: nameOf(members.model) ?? 'unknown',
    timeMs: time(members.time),
    endedMs: time(members.ended),
    prompt,
    cached,
    written,
    output: count(members.output),
    line,
    prefix: typeof prefix === 'string' ? prefix.split(/\s+/).filter((id) => id !== '') : textsOf(prefix),
  };
}

/** The rows of a file, CSV with a header or JSON lines; lines that are no rows are counted in a warning. */
function* rowsIn({ bytes, name, warnings }: ReaderFile): Generator<Row, void, void> {
  let columns: readonly string[] | null = null;
  let bad = 0;
  let isCut = false;
  let at = 0;
  for (const { buffer, start, end, complete } of splitLines([decodeBytes(bytes, { name, warnings })], name)) {
    at++;
    const line = decodeUtf8(buffer, start, end).trim();
    if (line === '' || line.startsWith('#')) continue;
    if (line.startsWith('{')) {
      const members = parseObject(line);
      const row = members === null ? null : rowOf(members, at);
      if (row !== null) yield row;
      else if (complete) bad++;
      else isCut = true;
      continue;
    }
    if (columns === null) {
      columns = columnsOf(line);
      if (columns === null) bad++;
      continue;
    }
    const fields = splitFields(line);
    if (!complete && fields.length < columns.length) {
      isCut = true;
      continue;
    }
    const row = rowOf(Object.fromEntries(columns.map((column, i) => [column, fields[i]])), at);
    if (row === null) bad++;
    else yield row;
  }
  warnings.add(
    'truncated-file',
    `${name}: the last row is incomplete and was left out`,
    'the file was still being written, or the copy was cut short',
    Number(isCut),
  );
  warnings.add(
    'broken-lines',
    `${name}: lines that are no rows were skipped`,
    'a row needs time, model, cached and input (or fresh)',
    bad,
  );
}

const CARRIES = allBut('text', 'lifetimes', 'tools', 'boundaries');

function detect(head: string): boolean {
  if (headLines(head).some((row) => hasColumns((name) => Object.hasOwn(row, name)))) return true;
  const first = head.split('\n').find((line) => line.trim() !== '' && !line.startsWith('#'));
  return first !== undefined && columnsOf(first.trim()) !== null;
}

/** Reads rows about requests, without content: CSV with a header, or JSON lines. */
export const requestRowsReader = defineReader({
  name: 'request-rows',
  label: 'table of requests',
  carries: CARRIES,
  detect,
  read: (file) => readRows(rowsIn(file), CARRIES, file.warnings),
});

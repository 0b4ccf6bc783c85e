import { sha256Hex } from '../core/base/digest.js';
import { ownValue } from '../core/base/own-value.js';
import type { Axis } from './vary.js';

/** One value of a result. */
export type CellValue = string | number | null;

/** A column of the results of a study. */
export interface ResultColumn {
  readonly name: string;
  readonly kind: 'text' | 'number';
}

/** One run of a study: its place among the runs, and its values in the order of the columns. */
export interface ResultRow {
  readonly run: number;
  readonly cells: readonly CellValue[];
}

/** What identifies a run, besides its settings; `key` is the address of plan and transcript. */
const IDENTITY: readonly ResultColumn[] = [
  { name: 'run', kind: 'number' },
  { name: 'key', kind: 'text' },
  { name: 'version', kind: 'text' },
  { name: 'scenario', kind: 'text' },
  { name: 'transcript', kind: 'text' },
  { name: 'policy', kind: 'text' },
  { name: 'seed', kind: 'number' },
];

/** What a run left out, and why it failed where it did. */
const OUTCOME: readonly ResultColumn[] = [
  { name: 'skipped', kind: 'text' },
  { name: 'error', kind: 'text' },
];

function isNumber(value: string): boolean {
  return value.trim() !== '' && Number.isFinite(Number(value));
}

/** The columns of a study: who, with which settings, what came of it. A setting that is varied stands as it was given. */
export function resultColumns(axes: readonly Axis[], metrics: readonly string[]): readonly ResultColumn[] {
  const varied = axes.map(
    ({ path, values }): ResultColumn => ({ name: path, kind: values.every(isNumber) ? 'number' : 'text' }),
  );
  const columns = new Map<string, ResultColumn>();
  const measured = metrics.map((name): ResultColumn => ({ name, kind: 'number' }));
  for (const column of [...IDENTITY, ...varied, ...OUTCOME, ...measured]) columns.set(column.name, column);
  return [...columns.values()];
}

/** A row from values by name. */
export function rowOf(
  columns: readonly ResultColumn[],
  run: number,
  values: Readonly<Record<string, CellValue | undefined>>,
): ResultRow {
  return {
    run,
    cells: columns.map(({ name, kind }) => {
      const value = name === 'run' ? run : (ownValue(values, name) ?? null);
      return kind === 'number' && typeof value === 'string' ? Number(value) : value;
    }),
  };
}

/** Digits of a checksum: enough to detect every accident. */
const CHECK_DIGITS = 16;

/** The checksum of some content. Content that belongs to something, as rows to a study, does not pass for that of another. */
export function checkOf(content: string | Uint8Array, owner = ''): string {
  const bytes = owner === '' ? content : Buffer.concat([Buffer.from(`${owner}\n`), Buffer.from(content)]);
  return sha256Hex(bytes).slice(0, CHECK_DIGITS);
}

/** A record as a line with its checksum. */
export function sealedLine(record: object, owner = ''): string {
  return `${JSON.stringify({ ...record, check: checkOf(JSON.stringify(record), owner) })}\n`;
}

/** The record of a line; null for one that was cut off, changed since it was written, or written for another owner. */
export function unsealed<Kind extends object>(line: string, owner = ''): Kind | null {
  try {
    const { check, ...record } = JSON.parse(line) as Kind & { readonly check?: unknown };
    return check === checkOf(JSON.stringify(record), owner) ? (record as unknown as Kind) : null;
  } catch {
    return null;
  }
}

/** Reads the lines of rows that a study wrote; what was cut off or changed since then is left out. */
export function parseRows(text: string, study: string): readonly ResultRow[] {
  return text.split('\n').flatMap((line) => unsealed<ResultRow>(line, study) ?? []);
}

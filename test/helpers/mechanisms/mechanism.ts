import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { Message } from '../../../src/core/model/message.js';
import type { Transcript } from '../../../src/core/model/transcript.js';
import type { BreakEntry, LayerEntry, NoticeEntry, RequestEntry } from '../../../src/core/run/log-entries.js';
import type { LogEntry } from '../../../src/core/run/run-log.js';
import type { RunPlan } from '../../../src/core/run/run-plan.js';
import { ofType } from '../plan.js';

/** A run of a shipped scenario, to be looked at for mechanisms that acted in it. */
export interface ActedRun {
  readonly plan: RunPlan;
  readonly transcript: Transcript;
  readonly entries: readonly LogEntry[];
}

/** A described mechanism, with what shows that it acted. */
export interface Mechanism {
  readonly id: string;
  /** What it does, in a sentence. */
  readonly does: string;
  /** The file to begin reading at. */
  readonly code: string;
  /** How it is known. */
  readonly source: string;
  /** What one count is. */
  readonly counts: string;
  acted(run: ActedRun): number;
}

/** How most mechanisms are known. */
export const COMMON_SOURCE = 'public analysis';

/** How a mechanism is known. */
const SOURCES = {
  analysis: COMMON_SOURCE,
  recordings: 'recordings',
  measured: 'measured',
  api: 'API',
  design: 'ccbench',
  assumed: 'assumed',
} as const;

/** How a log shows that mechanisms acted, by their IDs: how often. */
export type Acting = Readonly<Record<string, (run: ActedRun) => number>>;

/** The mechanisms of `mechanisms.yaml`, each with what shows that it acted. */
export function mechanisms(acting: Acting): readonly Mechanism[] {
  const rows = parse(readFileSync(join(import.meta.dirname, 'mechanisms.yaml'), 'utf8')) as readonly {
    readonly id: string;
    readonly does: string;
    readonly code: string;
    readonly source: keyof typeof SOURCES;
    readonly counts: string;
  }[];
  const known = new Set(rows.map(({ id }) => id));
  for (const id of Object.keys(acting)) if (!known.has(id)) throw new Error(`mechanisms.yaml has no ${id}`);
  return rows.map((row) => {
    const acted = acting[row.id];
    if (acted === undefined) throw new Error(`nothing shows that ${row.id} acted`);
    return { ...row, source: SOURCES[row.source], acted };
  });
}

type Which<T> = (entry: T) => boolean;
const ANY = (): boolean => true;

/** Counts what layers did. */
export function layers(layer: string, action: string | null, which: Which<LayerEntry> = ANY) {
  return ({ entries }: ActedRun): number =>
    ofType(entries, 'layer').filter(
      (entry) => entry.layer === layer && (action === null || entry.action === action) && which(entry),
    ).length;
}

/** Counts compactions by summary, whatever asked for them. */
export function compactions(which: Which<LayerEntry> = ANY) {
  return ({ entries }: ActedRun): number =>
    ofType(entries, 'layer').filter(
      (entry) =>
        (entry.layer === 'full-compact' || entry.layer === 'reactive') &&
        entry.action === 'compact' &&
        which(entry),
    ).length;
}

/** Sums a number in the details of layer entries. */
export function detailSum(layer: string, key: string, action: string | null = null) {
  return ({ entries }: ActedRun): number =>
    ofType(entries, 'layer')
      .filter((entry) => entry.layer === layer && (action === null || entry.action === action))
      .reduce((sum, { details }) => sum + amount(details[key]), 0);
}

/** A count in details: a number, the length of a list, the sum of a table, 1 for a yes. */
export function amount(value: unknown): number {
  if (typeof value === 'number') return value;
  if (Array.isArray(value)) return value.length;
  if (value !== null && typeof value === 'object')
    return Object.values(value).reduce((sum: number, item) => sum + amount(item), 0);
  return value === true || (typeof value === 'string' && value !== '') ? 1 : 0;
}

export function requests(which: Which<RequestEntry> = ANY) {
  return ({ entries }: ActedRun): number => ofType(entries, 'request').filter(which).length;
}

export function notices(what: string, which: Which<NoticeEntry> = ANY) {
  return ({ entries }: ActedRun): number =>
    ofType(entries, 'notice').filter((entry) => entry.what === what && which(entry)).length;
}

export function breaks(which: Which<BreakEntry> = ANY) {
  return ({ entries }: ActedRun): number => ofType(entries, 'break').filter(which).length;
}

export function entriesOf(type: LogEntry['type'], which: Which<LogEntry> = ANY) {
  return ({ entries }: ActedRun): number =>
    entries.filter((entry) => entry.type === type && which(entry)).length;
}

/** Counts messages of the transcript that took part. */
export function messages(which: Which<Message>) {
  return ({ transcript }: ActedRun): number =>
    transcript.threads.reduce(
      (sum, { steps }) => sum + steps.filter((step) => step.kind === 'message' && which(step.message)).length,
      0,
    );
}

/** Counts only where a policy has certain parameters. */
export function where(
  params: Readonly<Record<string, (value: unknown) => boolean>>,
  acted: (run: ActedRun) => number,
) {
  return (run: ActedRun): number =>
    Object.entries(params).every(([path, fits]) => fits(run.plan.policy.params[path])) ? acted(run) : 0;
}

export const is =
  (wanted: unknown) =>
  (value: unknown): boolean =>
    value === wanted;

import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { CcbenchError } from '../../../core/base/errors.js';
import type { Shard } from '../../../study/batches.js';
import { GrowingPart, namesIn, unwritable } from '../../../study/results/part-file.js';
import { makeFolder } from '../../../transcripts/files/make-folder.js';
import type { CliSession } from '../../session.js';
import { FIDELITY_COLUMNS } from '../validate/fidelity-columns.js';
import { REQUEST_COLUMNS, SESSION_COLUMNS } from '../why/why-results.js';

/** The tables that `why --results` and `validate --results` write. */
export const SESSION_TABLES = {
  sessions: SESSION_COLUMNS,
  requests: REQUEST_COLUMNS,
  fidelity: FIDELITY_COLUMNS,
} as const;

/** A table of a results folder and its files. */
export interface SessionTable {
  readonly name: keyof typeof SESSION_TABLES;
  readonly files: readonly string[];
  /** Shares that the sessions are divided into; null if they are not. */
  readonly of: number | null;
}

const PART = /^(sessions|requests|fidelity)(?:-(\d+)-of-(\d+))?\.parquet$/;

function partName(table: string, shard: Shard | undefined): string {
  return `${table}${shard === undefined ? '' : `-${shard.index}-of-${shard.of}`}.parquet`;
}

/** The tables in a results folder; empty if it has none. */
export function sessionTables(folder: string): readonly SessionTable[] {
  const found = namesIn(folder).flatMap((name) => {
    const [, table, , of = null] = PART.exec(name) ?? [];
    const shares = of === null ? null : Number(of);
    return table === undefined ? [] : [{ table, path: join(folder, name), of: shares }];
  });
  return (Object.keys(SESSION_TABLES) as readonly SessionTable['name'][]).flatMap((name) => {
    const own = found.filter(({ table }) => table === name);
    if (new Set(own.map(({ of }) => of)).size > 1) throw mixed(folder);
    return own.length === 0 ? [] : [{ name, files: own.map(({ path }) => path), of: own[0]!.of }];
  });
}

function mixed(folder: string): CcbenchError {
  return new CcbenchError(
    'bad-input',
    `${folder} holds two divisions of its sessions: they would count twice`,
    {
      hint: 'keep the sessions-*.parquet and requests-*.parquet of one division',
    },
  );
}

/** Makes a folder; one that cannot be made is refused. */
function resultsFolder(folder: string): string {
  try {
    makeFolder(folder);
    return folder;
  } catch (error) {
    throw unwritable(folder, error);
  }
}

/**
 * Makes the results folder of a table before long work. Refuses a share that would have nowhere to go, and a folder whose
 * sessions are divided in another way: they would count twice.
 */
export function checkResults(
  { host: { cwd }, json }: CliSession,
  table: SessionTable['name'],
  { results, shard }: { readonly results?: string; readonly shard?: Shard },
): void {
  if (results === undefined && shard !== undefined && !json)
    throw new CcbenchError('bad-usage', '--shard writes no report', {
      hint: 'add --results <folder>, which all shares write into, or --json',
    });
  if (results === undefined) return;
  const first = sessionTables(resultsFolder(resolve(cwd, results))).find(({ name }) => name === table);
  if (first === undefined || first.of === (shard?.of ?? null)) return;
  const held = first.of === null ? 'sessions that are not divided' : `sessions in ${first.of} shares`;
  throw new CcbenchError('bad-usage', `${results} holds ${held}: with these they would count twice`, {
    hint: `choose another folder with --results, or remove its ${table}*.parquet${table === 'sessions' ? ' and requests*.parquet' : ''}`,
  });
}

/** Whether a folder has the file of a share. */
export function hasShare(folder: string, table: SessionTable['name'], shard: Shard): boolean {
  return existsSync(join(folder, partName(table, shard)));
}

/** Opens the file of a table, or of a share of it. */
export function openPart(folder: string, table: SessionTable['name'], shard?: Shard): Promise<GrowingPart> {
  return GrowingPart.open(join(folder, partName(table, shard)), SESSION_TABLES[table]);
}

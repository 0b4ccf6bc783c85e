import { join } from 'node:path';
import { countNew, type SummedSession } from '../../../analysis/why/sum-up.js';
import { CcbenchError } from '../../../core/base/errors.js';
import type { Shard } from '../../../study/batches.js';
import { GrowingPart } from '../../../study/results/part-file.js';
import { namesIn } from '../../../study/results/write-whole.js';
import { yieldToEventLoop } from '../../terminal/interrupt.js';
import type { ExplainedFile } from './explain-files.js';
import { REQUEST_COLUMNS, SESSION_COLUMNS } from './why-results.js';

/** The tables of results of `why`. */
export const WHY_TABLES = { sessions: SESSION_COLUMNS, requests: REQUEST_COLUMNS } as const;

/** A table of a results folder and its files. */
export interface WhyTable {
  readonly name: keyof typeof WHY_TABLES;
  readonly files: readonly string[];
  /** Shares that the sessions are divided into; null where they are not. */
  readonly of: number | null;
}

const PART = /^(sessions|requests)(?:-(\d+)-of-(\d+))?\.parquet$/;

function partName(table: string, shard: Shard | undefined): string {
  return `${table}${shard === undefined ? '' : `-${shard.index}-of-${shard.of}`}.parquet`;
}

/** The tables in a results folder; empty where it has none. */
export function whyTables(folder: string): readonly WhyTable[] {
  const found = namesIn(folder).flatMap((name) => {
    const [, table, , of = null] = PART.exec(name) ?? [];
    const shares = of === null ? null : Number(of);
    return table === undefined ? [] : [{ table, path: join(folder, name), of: shares }];
  });
  if (new Set(found.map(({ of }) => of)).size > 1) throw mixed(folder);
  return (Object.keys(WHY_TABLES) as readonly WhyTable['name'][]).flatMap((name) => {
    const own = found.filter(({ table }) => table === name);
    return own.length === 0 ? [] : [{ name, files: own.map(({ path }) => path), of: own[0]!.of }];
  });
}

function mixed(folder: string): CcbenchError {
  return new CcbenchError(
    'bad-input',
    `${folder} holds sessions divided in two ways: they would count twice`,
    {
      hint: 'keep the sessions-*.parquet and requests-*.parquet of one division',
    },
  );
}

/** Refuses a folder whose sessions are divided in another way: they would count twice. */
export function checkParts(folder: string, shown: string, shard: Shard | undefined): void {
  const [first] = whyTables(folder);
  if (first === undefined || first.of === (shard?.of ?? null)) return;
  const held = first.of === null ? 'sessions that are not divided' : `sessions in ${first.of} shares`;
  throw new CcbenchError('bad-usage', `${shown} holds ${held}: with these they would count twice`, {
    hint: 'choose another folder with --results, or remove its sessions*.parquet and requests*.parquet',
  });
}

/** What is written into a results folder. */
export interface WhyRows {
  readonly explained: readonly ExplainedFile[];
  /** The same, as the report counts them. */
  readonly counted: readonly SummedSession[];
}

/** Writes the rows of sessions one session at a time; a call that a session before holds is in that one alone. */
export async function writeParts(
  folder: string,
  shard: Shard | undefined,
  { explained, counted }: WhyRows,
  interrupt: AbortSignal,
): Promise<void> {
  const open = (table: WhyTable['name']) =>
    GrowingPart.open(join(folder, partName(table, shard)), WHY_TABLES[table]);
  const sessions = await open('sessions');
  const requests = await open('requests');
  try {
    const seen = new Set<string>();
    for (const [i, each] of explained.entries()) {
      await yieldToEventLoop(interrupt);
      const session = counted[i]!;
      sessions.add(SESSION_COLUMNS.map(({ of }) => of(session)));
      for (const request of countNew(each.session(), seen).requests)
        requests.add(REQUEST_COLUMNS.map(({ of }) => of({ session, request })));
    }
    // Requests first: a session is in the folder with all of its requests.
    requests.finish();
    sessions.finish();
  } finally {
    requests.discard();
    sessions.discard();
  }
}

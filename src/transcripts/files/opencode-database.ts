import { attempt, CcbenchError, messageOf, type Place } from '../../core/base/errors.js';
import { addTo } from '../../core/base/groups.js';

/** The part of `node:sqlite` that is used. */
export interface Sqlite {
  readonly DatabaseSync: new (
    path: string,
    options: { readonly readOnly: boolean },
  ) => {
    prepare(sql: string): { all(...values: readonly string[]): readonly unknown[] };
    close(): void;
  };
}

/** A row of the database; columns differ between versions. */
type Row = Readonly<Record<string, unknown>>;

/** Sessions of a database in the form of `opencode export`, and how many others it holds. */
export interface DatabaseSessions {
  readonly bytes: Uint8Array;
  readonly others: number;
}

/** The first bytes of every SQLite file. */
const MAGIC = 'SQLite format 3\0';

/** Whether a file begins like an SQLite database. */
export function isDatabase(head: Uint8Array): boolean {
  return (
    Buffer.from(head.buffer, head.byteOffset, Math.min(head.byteLength, 16)).toString('latin1') === MAGIC
  );
}

/** SQLite as this Node has it; null before 22.5. */
export function nodeSqlite(): Sqlite | null {
  const found: unknown = process.getBuiltinModule?.('node:sqlite');
  return (found as Sqlite | undefined) ?? null;
}

function failure(id: string, place: Place, error: unknown): CcbenchError {
  const reason = messageOf(error);
  if (/locked|busy/i.test(reason)) {
    return new CcbenchError('file-unreadable', `${place.file} is locked by another program`, {
      hint: 'end opencode, or write the session with `opencode export <session> > session.json` and pass that file',
      place,
      cause: error,
    });
  }
  if (/no such (?:table|column)/i.test(reason)) {
    return new CcbenchError('bad-transcript', `${id} is a database without sessions of opencode`, {
      hint: 'pass opencode.db of ~/.local/share/opencode, or a file of `opencode export`',
      place,
      cause: error,
    });
  }
  return new CcbenchError('file-unreadable', `${place.file} cannot be read as a database: ${reason}`, {
    hint: 'write the session with `opencode export <session> > session.json` and pass that file',
    place,
    cause: error,
  });
}

function dataOf({ data }: Row): object {
  const value: unknown = typeof data === 'string' ? attempt(() => JSON.parse(data), null) : data;
  return typeof value === 'object' && value !== null ? value : {};
}

/** Reads one session with its subagents: the one that is named, else the latest. */
export function readOpencodeDatabase(
  path: string,
  options: {
    readonly session: string | null;
    readonly sqlite: Sqlite | null;
    readonly id: string;
    readonly place: Place;
  },
): DatabaseSessions {
  const { sqlite, id, place } = options;
  if (sqlite === null) {
    throw new CcbenchError('not-supported', `${id} is a database, which this Node cannot open`, {
      hint: 'use Node 22.5 or later, or write the session with `opencode export <session> > session.json` and pass that file',
      place,
    });
  }
  let database: InstanceType<Sqlite['DatabaseSync']> | null = null;
  try {
    database = new sqlite.DatabaseSync(path, { readOnly: true });
    return sessionsOf(database, options);
  } catch (error) {
    throw error instanceof CcbenchError ? error : failure(id, place, error);
  } finally {
    database?.close();
  }
}

function sessionsOf(
  database: InstanceType<Sqlite['DatabaseSync']>,
  {
    session,
    id: name,
    place,
  }: { readonly session: string | null; readonly id: string; readonly place: Place },
): DatabaseSessions {
  const all = (sql: string, ...values: readonly string[]): readonly Row[] =>
    database.prepare(sql).all(...values) as readonly Row[];
  const rows = all('SELECT * FROM session ORDER BY time_updated, id');
  const roots = rows.filter(({ parent_id }) => typeof parent_id !== 'string');
  const main = session === null ? roots.at(-1) : rows.find(({ id }) => id === session);
  if (main === undefined) {
    const known = roots.slice(-5).map(({ id }) => String(id));
    throw new CcbenchError('bad-transcript', `${name}: the database has no session ${session ?? 'at all'}`, {
      hint: known.length === 0 ? 'use opencode once' : `its latest sessions are ${known.join(', ')}`,
      place,
    });
  }
  const wanted = [main];
  for (const each of wanted) wanted.push(...rows.filter(({ parent_id }) => parent_id === each.id));
  const exports = wanted.map((row) => {
    const parts = new Map<unknown, object[]>();
    for (const part of all('SELECT * FROM part WHERE session_id = ? ORDER BY id', String(row.id)))
      addTo(parts, part.message_id, { ...dataOf(part), id: part.id });
    const messages = all(
      'SELECT * FROM message WHERE session_id = ? ORDER BY time_created, id',
      String(row.id),
    );
    return {
      info: { id: row.id, parentID: row.parent_id, title: row.title, version: row.version },
      messages: messages.map((each) => ({
        info: { ...dataOf(each), id: each.id },
        parts: parts.get(each.id) ?? [],
      })),
    };
  });
  return { bytes: Buffer.from(JSON.stringify(exports)), others: roots.length - 1 };
}

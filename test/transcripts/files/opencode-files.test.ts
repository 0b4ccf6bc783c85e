import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  isDatabase,
  readOpencodeDatabase,
  type Sqlite,
} from '../../../src/transcripts/files/opencode-database.js';
import { loadTranscript } from '../../../src/transcripts/files/transcripts.js';
import { answer, finish, tokens, typed } from '../../helpers/recordings/opencode-session.js';
import { readAny } from '../../helpers/recordings/read-any.js';
import { recordedTotals } from '../../helpers/recordings/recorded-totals.js';
import { refusalOf } from '../../helpers/refusal.js';
import type { Fields } from '../../helpers/session.js';

const SESSION = [
  typed('msg_1', 0, 'go'),
  answer(
    'msg_2',
    [1, 2],
    [{ id: 'prt_2', type: 'text', text: 'done' }, finish('prt_3', tokens(10, 0, 900, 40))],
  ),
];

/** Rows as the tables hold them: the id in a column, the rest as JSON. */
function row(session: string, { id, ...data }: Fields, columns: Fields = {}): Fields {
  return { id: `${session}-${id}`, session_id: session, data: JSON.stringify(data), ...columns };
}

function tables(sessions: readonly Fields[]): Readonly<Record<string, readonly Fields[]>> {
  const names = sessions.map(({ id }) => String(id));
  const message = names.flatMap((name) => SESSION.map(({ info }) => row(name, info)));
  const part = names.flatMap((name) =>
    SESSION.flatMap(({ info, parts }) =>
      parts.map((each) => row(name, each, { message_id: `${name}-${String(info.id)}` })),
    ),
  );
  return { session: sessions, message, part };
}

/** A database that answers from rows, or with an error. */
function sqliteOf(rows: Readonly<Record<string, readonly Fields[]>>, error: string | null = null): Sqlite {
  return {
    DatabaseSync: class {
      prepare(sql: string) {
        const table = /FROM (\w+)/.exec(sql)![1]!;
        return {
          all(...[session]: readonly string[]) {
            if (error !== null) throw new Error(error);
            return rows[table]!.filter((each) => session === undefined || each.session_id === session);
          },
        };
      }
      close() {}
    },
  };
}

const TWO = [
  { id: 'ses_a', parent_id: null, title: 'older', version: '1.2.0' },
  { id: 'ses_b', parent_id: null, title: 'newer', version: '1.2.0' },
  { id: 'ses_c', parent_id: 'ses_b', title: 'a subagent', version: '1.2.0' },
];

function open(session: string | null, sqlite: Sqlite | null) {
  return readOpencodeDatabase('opencode.db', {
    session,
    sqlite,
    id: 'opencode',
    place: { file: 'opencode.db' },
  });
}

describe('the database of opencode', () => {
  it('gives the latest session with its subagents, and says how many others there are', () => {
    const { bytes, others } = open(null, sqliteOf(tables(TWO)));
    expect(others).toBe(1);
    const { threads } = readAny(bytes, { id: 'opencode.db' });
    expect(threads.map(({ id, parentId, label }) => [id, parentId, label])).toEqual([
      ['opencode.db', null, 'newer'],
      ['ses_c', 'opencode.db', 'a subagent'],
    ]);
  });

  it('gives the session that is named, once', () => {
    const { bytes } = open('ses_a', sqliteOf(tables(TWO)));
    const transcript = readAny(bytes, { id: 'opencode.db' });
    expect(recordedTotals(transcript)).toMatchObject({
      calls: 1,
      usage: { input: 10, cacheWrite5m: 900, output: 40 },
    });
  });

  it('names the sessions there are where the one asked for is not', () => {
    const error = refusalOf(() => open('ses_x', sqliteOf(tables(TWO))))!;
    expect(error).toMatchObject({ code: 'bad-transcript' });
    expect(error.hint).toContain('ses_a, ses_b');
  });

  it('says what to do where Node has no SQLite, where it is locked, and where it is another database', () => {
    expect(refusalOf(() => open(null, null))).toMatchObject({
      code: 'not-supported',
      hint: expect.stringMatching(/Node 22\.5.*opencode export/),
    });
    expect(refusalOf(() => open(null, sqliteOf(tables(TWO), 'database is locked')))).toMatchObject({
      code: 'file-unreadable',
      message: 'opencode.db is locked by another program',
      hint: expect.stringContaining('opencode export'),
    });
    expect(refusalOf(() => open(null, sqliteOf({}, 'no such table: session')))).toMatchObject({
      code: 'bad-transcript',
    });
  });

  it('is known by its first bytes', () => {
    expect(isDatabase(Buffer.from('SQLite format 3\0rest'))).toBe(true);
    expect(isDatabase(Buffer.from('{"info":{}}'))).toBe(false);
  });
});

describe('the storage folder of opencode', () => {
  let home: string;
  beforeAll(() => {
    home = mkdtempSync(join(tmpdir(), 'ccbench-opencode-'));
    const write = (path: string, text: string): void => {
      mkdirSync(join(home, path, '..'), { recursive: true });
      writeFileSync(join(home, path), text);
    };
    write('storage/session/p/ses_1.json', JSON.stringify({ id: 'ses_1', projectID: 'p', version: '1.0.1' }));
    for (const { info, parts } of SESSION) {
      write(`storage/message/ses_1/${String(info.id)}.json`, JSON.stringify(info));
      for (const part of parts)
        write(`storage/part/${String(info.id)}/${String(part.id)}.json`, JSON.stringify(part));
    }
    write('storage/message/ses_1/msg_3.json', '{"id":"msg_3","ro');
    write('storage/message/ses_1/msg_4.json', 'null');
    write('storage/message/ses_1/msg_5.json', '{"id":{"toString":3},"role":"user"}');
  });
  afterAll(() => rmSync(home, { recursive: true, force: true }));

  it('is read from the file of the session, without what is half written or no message', () => {
    const { format, transcript } = loadTranscript('storage/session/p/ses_1.json', { cwd: home });
    expect(format).toBe('opencode');
    expect(transcript.agentVersion).toBe('1.0.1');
    expect(recordedTotals(transcript)).toMatchObject({ calls: 1, usage: { cacheWrite5m: 900 } });
  });
});

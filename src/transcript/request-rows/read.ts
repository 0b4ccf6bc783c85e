import type { Capability, Transcript } from '../../model/transcript.js';
import { createWarnings, type WarningList } from '../../model/warning.js';
import { finishRecording } from '../drafts/finish-recording.js';
import { ThreadDraft } from '../drafts/thread-draft.js';
import { headLines } from '../head-lines.js';
import { decodeBytes } from '../json-lines.js';
import type { ReadOptions, TranscriptReader } from '../reader.js';
import { RowThread } from './row-thread.js';
import { columnsOf, hasColumns, type Row, readRows } from './rows.js';

const CARRIES: readonly Capability[] = [
  'timestamps',
  'usage',
  'cache-writes',
  'subagents',
  'output-tokens',
  'latency',
];

function detect(head: string): boolean {
  if (headLines(head).some((row) => hasColumns((name) => name in row))) return true;
  const first = head.split('\n').find((line) => line.trim() !== '' && !line.startsWith('#'));
  return first !== undefined && columnsOf(first.trim()) !== null;
}

/** The rows of each conversation, each row once. */
function groupRows(rows: Iterable<Row>, warnings: WarningList): ReadonlyMap<string, readonly Row[]> {
  const groups = new Map<string, Row[]>();
  const seen = new Set<string>();
  let repeated = 0;
  for (const row of rows) {
    const key = row.id ?? [row.session, row.thread, row.timeMs, row.prompt, row.output].join('\n');
    if (seen.has(key)) {
      repeated++;
      continue;
    }
    seen.add(key);
    const name = row.thread === null ? row.session : `${row.session}/${row.thread}`;
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [row]);
    else group.push(row);
  }
  if (repeated > 0)
    warnings.add('repeated-rows', 'rows stand in the file twice: counted once', null, repeated);
  return groups;
}

function draftOf(name: string, rows: readonly Row[], groups: ReadonlyMap<string, unknown>): ThreadDraft {
  const { session, thread } = rows[0]!;
  const draft = new ThreadDraft(name, thread !== null && groups.has(session) ? session : null);
  const conversation = new RowThread(draft);
  for (const row of rows) conversation.take(row);
  return draft;
}

/** What depends on the columns that are filled. */
function carriesOf(rows: readonly Row[]): readonly Capability[] {
  const missing = new Set<Capability>();
  if (rows.every(({ written }) => written === null)) missing.add('cache-writes');
  if (rows.every(({ endedMs }) => endedMs === null)) missing.add('latency');
  if (rows.every(({ thread }) => thread === null)) missing.add('subagents');
  return CARRIES.filter((each) => !missing.has(each));
}

function read(bytes: Uint8Array, { id }: ReadOptions): Transcript {
  const warnings = createWarnings();
  const plain = decodeBytes(bytes, { name: id, warnings });
  const groups = groupRows(readRows(plain, { name: id, warnings }), warnings);
  const rows = [...groups.values()].flat();
  const firstMs = ([, [first]]: readonly [string, readonly Row[]]) => first?.timeMs ?? 0;
  const ordered = [...groups].sort((a, b) => firstMs(a) - firstMs(b));
  const [provider, ...others] = new Set(rows.flatMap((row) => row.provider ?? []));
  return finishRecording({
    id,
    source: 'request-rows',
    label: 'a table of requests',
    carries: carriesOf(rows),
    agentVersion: null,
    ...(provider === undefined || others.length > 0 ? {} : { provider }),
    threads: ordered.map(([name, own]) => draftOf(name, own, groups)),
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

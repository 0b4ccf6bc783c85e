import type { Transcript } from '../../core/model/transcript.js';
import { type Capability, less } from '../../core/run/capability.js';
import type { WarningList } from '../../core/run/warning.js';
import { finishRecording, type Recording } from './finish-recording.js';
import { type Row, RowThread, rowId } from './row-thread.js';
import { ThreadDraft } from './thread-draft.js';

/** The rows of each conversation, each row once. */
function groupRows(rows: Iterable<Row>, warnings: WarningList): ReadonlyMap<string, readonly Row[]> {
  const groups = new Map<string, Row[]>();
  const seen = new Set<string>();
  let repeated = 0;
  for (const row of rows) {
    const key = rowId(row);
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
    warnings.add('repeated-rows', 'requests stand in the file twice: counted once', null, repeated);
  return groups;
}

function draftOf(name: string, rows: readonly Row[], groups: ReadonlyMap<string, unknown>): ThreadDraft {
  const { session, thread } = rows[0]!;
  const draft = new ThreadDraft(name, thread !== null && groups.has(session) ? session : null);
  const conversation = new RowThread(draft);
  for (const row of rows) conversation.take(row);
  return draft;
}

/** What the rows can tell of all that their format can. */
function carriesOf(best: readonly Capability[], rows: readonly Row[]): readonly Capability[] {
  const missing = new Set<Capability>();
  if (rows.every(({ written }) => written === null)) missing.add('cache-writes');
  if (rows.every(({ endedMs }) => endedMs === null)) missing.add('latency');
  if (rows.every(({ thread }) => thread === null)) missing.add('subagents');
  if (rows.every(({ answer }) => answer === undefined))
    for (const each of ['text', 'tools'] as const) missing.add(each);
  return less(best, missing);
}

/** The transcript of requests that are known one by one: a thread for each session and each thread in it. */
export function finishRows(
  from: Iterable<Row>,
  recording: Omit<Recording, 'threads' | 'provider' | 'agentVersion'>,
): Transcript {
  const groups = groupRows(from, recording.warnings);
  const rows = [...groups.values()].flat();
  const firstMs = ([, [first]]: readonly [string, readonly Row[]]) => first?.timeMs ?? 0;
  const ordered = [...groups].sort((a, b) => firstMs(a) - firstMs(b));
  const [provider, ...others] = new Set(rows.flatMap((row) => row.provider ?? []));
  return finishRecording({
    ...recording,
    carries: carriesOf(recording.carries, rows),
    agentVersion: null,
    ...(provider === undefined || others.length > 0 ? {} : { provider }),
    threads: ordered.map(([name, own]) => draftOf(name, own, groups)),
  });
}

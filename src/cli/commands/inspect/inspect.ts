import { containedFiles } from '../../../analysis/validate/contained.js';
import { formatCounted } from '../../../core/base/format.js';
import type { Transcript } from '../../../core/model/transcript.js';
import type { Block } from '../../../report/document/document.js';
import { billNotes } from '../../../report/text/as-recorded.js';
import { loadTranscript } from '../../../transcripts/files/transcripts.js';
import { callKeys } from '../../../transcripts/sessions/copy-keys.js';
import type { CommandOptions } from '../../commands.generated.js';
import { chosenSessions } from '../../files/chosen-sessions.js';
import { eachFile, noteRepeated } from '../../files/each-file.js';
import { inputOptions } from '../../files/input-options.js';
import { type CliSession, EXIT, type ExitCode, note } from '../../session.js';
import { runInterruptible } from '../../terminal/interrupt.js';
import { screenFor } from '../../terminal/paint.js';
import { present } from '../../terminal/present.js';
import { type CountCheck, checkCounts } from './count-check.js';
import { countBlocks, inspectBlocks } from './inspect-document.js';
import { inspectTranscript, type TranscriptFacts } from './inspect-facts.js';
import { listSessions } from './list-sessions.js';
import {
  type SessionFacts,
  type SessionReading,
  sessionFacts,
  sessionsTotal,
  stepsByProvider,
} from './session-facts.js';
import { inspectConclusion, sessionsBlocks } from './sessions-document.js';
import { usesDocument, usesFacts } from './uses-facts.js';

/** A session of which earlier ones hold every call. */
function isCopy({ calls, repeatedCalls }: SessionFacts): boolean {
  return calls === 0 && repeatedCalls > 0;
}

/** Counters against each file; its transcript is read again, so that one at a time is held. */
async function countsOf(
  session: CliSession,
  facts: TranscriptFacts,
  names: readonly string[] | undefined,
): Promise<readonly CountCheck[] | null> {
  if (names === undefined) return null;
  const transcript = await runInterruptible(
    session.host.interrupt,
    (): Transcript => loadTranscript(facts.file, inputOptions(session)).transcript,
  );
  return checkCounts(session, transcript, names);
}

/** `ccbench inspect`: what is in transcripts, without replaying them; what there is on this machine where none is named. */
export async function inspectCommand(
  session: CliSession,
  paths: readonly string[],
  options: CommandOptions['inspect'],
): Promise<ExitCode> {
  const looksInside = [options.uses, options.countWith, options.last].some((value) => value !== undefined);
  if (paths.length === 0 && !looksInside) return listSessions(session, options);
  const found = await chosenSessions(session, { command: 'inspect', paths }, options);
  const seen = new Set<string>();
  const { used, skipped } = await eachFile(session, 'inspecting', found, (path) => {
    const { format, transcript } = loadTranscript(path, inputOptions(session));
    const source = { file: path, format };
    const callIds = new Set(callKeys(transcript).map(({ key }) => key));
    const uses = options.uses === true ? usesFacts(transcript) : undefined;
    return {
      facts: inspectTranscript(transcript, source),
      uses,
      callIds,
      ...sessionFacts(transcript, source, seen),
    };
  });
  const rows = await runInterruptible(session.host.interrupt, () => fullRows(session, used));
  const sessions = rows.map(({ row }) => row).filter((row) => !isCopy(row));
  const copies = rows.map(({ row }) => row).filter(isCopy);
  const total = sessionsTotal(sessions);
  for (const { file, repeatedCalls } of copies)
    note(
      session,
      `left out: ${file}: all of its ${formatCounted(repeatedCalls, 'call')} are in other sessions too`,
    );
  noteRepeated(
    session,
    sessions.flatMap(({ file, repeatedCalls: calls }) => (calls === 0 ? [] : [{ file, calls }])),
    'once',
  );
  const byProvider = stepsByProvider(sessions);
  const isOne = used.length === 1;
  const { width } = screenFor(session.host.stdout, session.colors);
  const shown = {
    notes: billNotes(rows.flatMap(({ bill }) => bill ?? [])),
    warnings: used.flatMap(({ facts }) => facts.warnings),
    byProvider,
  };
  const needed = options.uses === true ? usesDocument(used.map(({ uses }) => uses ?? null)) : null;
  const whole = () => (isOne ? inspectBlocks(used[0]!.facts) : sessionsBlocks(sessions, total, shown, width));
  const blocks: Block[] = [...(needed?.blocks ?? whole())];
  const files: object[] = [];
  for (const { facts, uses } of used) {
    const counts = await countsOf(session, facts, options.countWith);
    files.push({ ...facts, ...(uses === undefined ? {} : { uses }), ...(counts === null ? {} : { counts }) });
    if (counts !== null) blocks.push('', ...(isOne ? [] : [facts.file]), ...countBlocks(counts));
  }
  // Several sessions may have the same finding: it is listed above once.
  const problems = new Set(shown.warnings.map(({ code, message }) => `${code}: ${message}`));
  const repeated = copies.map(({ file, repeatedCalls }) => ({ file, calls: repeatedCalls }));
  present(session, {
    blocks,
    closing: needed?.closing ?? inspectConclusion(total, problems.size),
    json: { sessions, total, byProvider, files, skipped, repeated },
  });
  return EXIT.fine;
}

/** A session that was gone through. */
interface ReadRow extends SessionReading {
  readonly facts: Pick<TranscriptFacts, 'file'>;
  readonly callIds: ReadonlySet<string>;
}

/**
 * The rows with each call counted where it is whole: a file that ends in the middle of a response is a copy of the one that continues.
 * Where such a copy came first, the files are read once more, copies last.
 */
function fullRows(session: CliSession, used: readonly ReadRow[]): readonly SessionReading[] {
  const contained = containedFiles(used.map(({ facts: { file }, callIds }) => ({ file, callIds })));
  const copies = new Set(contained.map(({ file }) => file));
  const isFirst = used.some(({ facts: { file }, row }) => copies.has(file) && !isCopy(row));
  if (!isFirst) return used;
  const seen = new Set<string>();
  const again = ({ facts: { file } }: ReadRow) => {
    const { format, transcript } = loadTranscript(file, inputOptions(session));
    return [file, sessionFacts(transcript, { file, format }, seen)] as const;
  };
  const whole = used.filter(({ facts: { file } }) => !copies.has(file)).map(again);
  const rest = used.filter(({ facts: { file } }) => copies.has(file)).map(again);
  const byFile = new Map([...whole, ...rest]);
  return used.map((item) => byFile.get(item.facts.file) ?? item);
}

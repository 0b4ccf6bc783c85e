import { containedFiles } from '../../../analysis/validate/contained.js';
import { formatCount, formatCounted, formatDecimal, formatShare } from '../../../core/base/format.js';
import type { Transcript } from '../../../core/model/transcript.js';
import type { RecordedBill } from '../../../core/run/recorded-bill.js';
import { billNotes } from '../../../report/text/as-recorded.js';
import { formatAtLeast, unpricedText } from '../../../report/text/at-least.js';
import type { Conclusion } from '../../../report/text/conclusion.js';
import { type Column, tableLines, wrapText } from '../../../report/text/table.js';
import type { Screen } from '../../../report/text/terminal.js';
import { loadTranscript } from '../../../transcripts/files/transcripts.js';
import { callKeys } from '../../../transcripts/readers/call-keys.js';
import { EXIT, type ExitCode } from '../../exit-codes.js';
import { eachFile } from '../../files/each-file.js';
import { tellRepeated } from '../../files/without-copies.js';
import { type CliSession, inputOptions, note, printJson } from '../../session.js';
import { closingText } from '../../terminal/closing.js';
import { withoutPause } from '../../terminal/interrupt.js';
import { screenFor } from '../../terminal/paint.js';
import { type CountCheck, checkCounts } from './count-check.js';
import { inspectTranscript, type TranscriptFacts } from './inspect-facts.js';
import { inspectText } from './inspect-text.js';
import { listSessions } from './list-sessions.js';
import { type SessionFacts, type SessionsTotal, sessionFacts, sessionsTotal } from './session-facts.js';
import { sessionsText } from './sessions-text.js';

function counted(sessions: number, calls: number): string {
  return `${formatCounted(sessions, 'session')} with ${formatCounted(calls, 'call')}`;
}

/** What was found in transcripts, and where to go on. */
function inspectConclusion(total: SessionsTotal, findings: number): Conclusion {
  const { sessions, calls, costUsd, costCalls, withoutCost, unpricedCalls, hitRate } = total;
  const who = counted(sessions, calls);
  const found = findings === 0 ? 'no problems found' : `${formatCounted(findings, 'finding')} above`;
  if (costUsd === null)
    return {
      result: `${who}, of which no cost is recorded; ${found}.`,
      advice: 'ccbench ttl says what lifetimes of the cache would make of them.',
    };
  const payers = withoutCost === 0 ? who : `Of ${who}, ${counted(sessions - withoutCost, costCalls)}`;
  const priced = { calls: costCalls, unpricedCalls };
  const unpriced = unpricedText(priced);
  const read = hitRate === null ? '' : `, ${formatShare(hitRate)} of the prompts read from the cache`;
  return {
    result: `${payers} cost ${formatAtLeast(costUsd, priced)} as recorded${unpriced === null ? '' : ` (${unpriced})`}${read}; ${found}.`,
    advice: 'Where the money went, and what would have been cheaper: ccbench why, with the same names.',
  };
}

const COLUMNS: readonly Column[] = [
  { header: 'counter', align: 'left', drop: null },
  { header: 'counted', align: 'right', drop: null },
  { header: 'recorded', align: 'right', drop: null },
  { header: 'ratio', align: 'right', drop: null },
  { header: 'calls', align: 'right', drop: 1 },
];

/** How far counters are from recorded usage, for the screen. */
function countText(checks: readonly CountCheck[], screen: Screen): string {
  const { style, width } = screen;
  const rows = checks.map(({ counter, countedTokens, recordedTokens, ratio, calls }) => ({
    cells: [
      counter,
      formatCount(countedTokens),
      formatCount(recordedTokens),
      formatDecimal(ratio, 3),
      formatCount(calls),
    ],
  }));
  const { sealedBlocks, stretches } = checks[0]!;
  const notes = [
    stretches === 0
      ? 'nothing to compare: the recording holds no two calls with usage and text between them'
      : 'what prompts grew by while nothing was taken out of them; below 1 a counter under-counts',
  ];
  if (stretches > 0 && sealedBlocks > 0)
    notes.push(
      `${formatCount(sealedBlocks)} blocks have no text in the recording: recorded, but not counted`,
    );
  for (const { sent } of checks) {
    if (sent === null) continue;
    notes.push(
      `text was sent to the API: ${formatCounted(sent.characters, 'character')} in ${formatCounted(sent.requests, 'request')}`,
    );
  }
  const lines = [
    style.bold('Token counters against recorded usage'),
    ...tableLines(COLUMNS, rows, { indent: '  ', ...screen }),
    ...notes.flatMap((note) => wrapText(note, width, '  ', '    ').map(style.dim)),
  ];
  return `${lines.join('\n')}\n`;
}

/** Options of `ccbench inspect`. */
export interface InspectOptions {
  readonly countWith?: readonly string[];
}

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
  const transcript = await withoutPause(
    session.host.interrupt,
    (): Transcript => loadTranscript(facts.file, inputOptions(session)).transcript,
  );
  return checkCounts(session, transcript, names);
}

/** `ccbench inspect`: what is in transcripts, without replaying them; what there is on this machine where none is named. */
export async function inspectCommand(
  session: CliSession,
  paths: readonly string[],
  options: InspectOptions,
): Promise<ExitCode> {
  if (paths.length === 0) return listSessions(session);
  const { stdout } = session.host;
  const seen = new Set<string>();
  const { used, skipped } = await eachFile(session, 'inspecting', paths, (path) => {
    const { format, transcript } = loadTranscript(path, inputOptions(session));
    const source = { file: path, format };
    const callIds = new Set(callKeys(transcript).map(({ key }) => key));
    return { facts: inspectTranscript(transcript, source), callIds, ...rowOf(transcript, source, seen) };
  });
  const rows = await withoutPause(session.host.interrupt, () => fullRows(session, used));
  const sessions = rows.map(({ row }) => row).filter((row) => !isCopy(row));
  const copies = rows.map(({ row }) => row).filter(isCopy);
  const total = sessionsTotal(sessions);
  for (const { file, repeatedCalls } of copies)
    note(
      session,
      `left out: ${file}: all of its ${formatCounted(repeatedCalls, 'call')} stand in other sessions too`,
    );
  tellRepeated(
    session,
    sessions.flatMap(({ file, repeatedCalls: calls }) => (calls === 0 ? [] : [{ file, calls }])),
    'once',
  );
  const screen = screenFor(stdout, session.colors);
  if (!session.json && used.length > 1) {
    const bills = rows.flatMap(({ bill }) => bill ?? []);
    const warnings = used.flatMap(({ facts }) => facts.warnings);
    stdout.write(sessionsText(sessions, total, { notes: billNotes(bills), warnings }, screen));
  }
  const files: object[] = [];
  for (const { facts } of used) {
    const counts = await countsOf(session, facts, options.countWith);
    files.push(counts === null ? facts : { ...facts, counts });
    if (session.json) continue;
    if (used.length === 1) stdout.write(inspectText(facts, screen));
    if (counts === null) continue;
    const name = used.length === 1 ? '' : `${facts.file}\n`;
    stdout.write(`\n${name}${countText(counts, screen)}`);
  }
  const repeated = copies.map(({ file, repeatedCalls }) => ({ file, calls: repeatedCalls }));
  if (session.json) printJson(session, { sessions, total, files, skipped, repeated });
  else {
    // Several sessions may have the same finding: it stands above once.
    const findings = new Set(
      used.flatMap(({ facts }) => facts.warnings.map(({ code, message }) => `${code}: ${message}`)),
    );
    stdout.write(`\n${closingText(inspectConclusion(total, findings.size), screen)}`);
  }
  return EXIT.fine;
}

/** A session that was gone through. */
interface ReadRow {
  readonly facts: Pick<TranscriptFacts, 'file'>;
  readonly callIds: ReadonlySet<string>;
  readonly row: SessionFacts;
  readonly bill: RecordedBill | null;
}

/**
 * The rows with each call counted where it is whole: a file that ends in the middle of a response is a copy of the one that goes on.
 * Where such a copy came first, the files are read once more, copies last.
 */
function fullRows(session: CliSession, used: readonly ReadRow[]): readonly Pick<ReadRow, 'row' | 'bill'>[] {
  const contained = containedFiles(used.map(({ facts: { file }, callIds }) => ({ file, callIds })));
  const copies = new Set(contained.map(({ file }) => file));
  const isFirst = used.some(({ facts: { file }, row }) => copies.has(file) && !isCopy(row));
  if (!isFirst) return used;
  const seen = new Set<string>();
  const again = ({ facts: { file } }: ReadRow) => {
    const { format, transcript } = loadTranscript(file, inputOptions(session));
    return [file, rowOf(transcript, { file, format }, seen)] as const;
  };
  const whole = used.filter(({ facts: { file } }) => !copies.has(file)).map(again);
  const rest = used.filter(({ facts: { file } }) => copies.has(file)).map(again);
  const byFile = new Map([...whole, ...rest]);
  return used.map((item) => byFile.get(item.facts.file) ?? item);
}

function rowOf(
  transcript: Transcript,
  source: { readonly file: string; readonly format: string },
  seen: Set<string>,
) {
  const { facts: row, bill } = sessionFacts(transcript, source, seen);
  return { row, bill };
}

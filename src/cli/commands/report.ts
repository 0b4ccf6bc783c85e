import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { CcbenchError } from '../../core/base/errors.js';
import { sum } from '../../core/base/stats.js';
import type { PromptFills } from '../../core/model/source-kind.js';
import type { RequestEntry } from '../../core/run/log-entries.js';
import type { LogEntry } from '../../core/run/run-log.js';
import { createMetricsFold } from '../../metrics/fold.js';
import { metricValues } from '../../metrics/registry.js';
import { createRunSample } from '../../report/page-data/run-sample.js';
import {
  PROMPTS_FILE,
  type PromptRow,
  REQUESTS_HEAD,
  readPromptLine,
  readPromptsHead,
  requestLines,
} from '../../report/tables/csv.js';
import { EVENTS_HEAD, eventLines } from '../../report/tables/events-csv.js';
import { finishedJson, remarksJson, summaryJson } from '../../report/tables/summary-json.js';
import { recordedJson } from '../../report/text/as-recorded.js';
import { briefRunBlocks, runBlocks } from '../../report/text/terminal.js';
import { fileChunks } from '../../transcripts/files/disk-file.js';
import { splitLines } from '../../transcripts/lines/byte-lines.js';
import type { CommandOptions } from '../commands.generated.js';
import { openLog } from '../files/open-log.js';
import { type OutputFile, openFile, openSoftly, writeSoftly } from '../files/output.js';
import { type CliSession, EXIT, type ExitCode } from '../session.js';
import { yieldToEventLoop } from '../terminal/interrupt.js';
import { screenFor } from '../terminal/paint.js';
import { present } from '../terminal/present.js';
import { runConclusion } from './run/runs-conclusion.js';

/** What fills the prompts of a log, or why that is not known. */
type KnownFills = { readonly fills: PromptFills<RequestEntry> } | { readonly noFills: string };

/** Takes what fills the prompts from the table beside a log while that is read. */
interface FillReader {
  /** Takes the row of a request; requests come in the order of the log. */
  read(entry: RequestEntry): void;
  finish(): KnownFills;
}

function unknown(why: string): KnownFills {
  return { noFills: `What fills the context is not shown: ${why}.` };
}

const MISSING = unknown(
  `${PROMPTS_FILE}, which ccbench run writes into the report folder, is not beside the log`,
);
const FOREIGN = unknown(`${PROMPTS_FILE} beside the log is damaged or belongs to another run`);

function* linesOf(path: string): Generator<string, void, void> {
  const decoder = new TextDecoder();
  const chunks = fileChunks({ name: path, path, place: { file: path } });
  for (const { buffer, start, end } of splitLines(chunks, path))
    yield decoder.decode(buffer.subarray(start, end));
}

/** Opens the table beside a log; every row must add up to the prompt of its request. */
function openFills(log: string, cwd: string): FillReader {
  const path = join(dirname(resolve(cwd, log)), PROMPTS_FILE);
  if (!existsSync(path)) return { read() {}, finish: () => MISSING };
  const lines = linesOf(path);
  const columns = readPromptsHead(lines.next().value ?? '');
  const of = new WeakMap<RequestEntry, readonly number[]>();
  let isDamaged = columns === null;
  const nextRow = (): PromptRow | null => {
    const line = lines.next();
    if (line.done === true || isDamaged) return null;
    const row = readPromptLine(line.value);
    isDamaged = row?.tokens.length !== columns?.length;
    return isDamaged ? null : row;
  };
  let row = nextRow();
  return {
    read(entry) {
      if (row?.n !== entry.n) {
        // Requests of layers have prompts of their own and no row; the others have one.
        isDamaged ||= entry.purpose === 'main' || entry.purpose === 'subagent';
        return;
      }
      if (sum(row.tokens) === entry.prompt) of.set(entry, row.tokens);
      else isDamaged = true;
      row = nextRow();
    },
    // Every row has its request: one that is left over belongs to another log.
    finish: () => (isDamaged || columns === null || row !== null ? FOREIGN : { fills: { columns, of } }),
  };
}

/** Entries between two pauses to notice Ctrl-C. */
const BATCH = 2_000;

/** What is wrong with a given log: if it contradicts itself, it was changed after the run. */
function logError(error: unknown, file: string): unknown {
  if (!(error instanceof CcbenchError) || error.code !== 'invariant') return error;
  return new CcbenchError('bad-log', `the log contradicts itself: ${error.message}`, {
    hint: 'the file was changed after the run; run the scenario again',
    place: { file },
    cause: error,
  });
}

/** The tables of a report that grow with its log. */
interface GrowingTables {
  write(entries: readonly LogEntry[]): Promise<void>;
  commit(): void;
  discard(): void;
}

/** Begins `requests.csv` and `events.csv` once there is something to write. */
function openTables(session: CliSession, out: string): GrowingTables {
  const tables = [
    { name: 'requests.csv', head: REQUESTS_HEAD, linesOf: requestLines },
    { name: 'events.csv', head: EVENTS_HEAD, linesOf: eventLines },
  ];
  let files: readonly (OutputFile | null)[] = [];
  const open = (name: string) => () => openFile(join(out, name), session.host.cwd);
  return {
    async write(entries) {
      const isFirst = files.length === 0;
      if (isFirst) files = tables.map(({ name }) => openSoftly(session, '--out', open(name)));
      for (const [i, { head, linesOf }] of tables.entries())
        files[i]?.append((isFirst ? head : '') + linesOf(entries));
    },
    commit() {
      for (const file of files) file?.commit();
    },
    discard() {
      for (const file of files) file?.discard();
    },
  };
}

/** Goes through a log once: what it adds up to, its tables, and what the pictures are made from. */
async function readThrough(session: CliSession, file: string, tables: GrowingTables | null) {
  const { cwd, interrupt } = session.host;
  const log = openLog(file, { cwd });
  const fold = createMetricsFold();
  const sample = createRunSample();
  const fills = openFills(file, cwd);
  let batch: LogEntry[] = [];
  const flush = async (): Promise<void> => {
    await tables?.write(batch);
    batch = [];
    await yieldToEventLoop(interrupt);
  };
  for (const entry of log.entries) {
    fold.write(entry);
    sample.write(entry);
    if (entry.type === 'request') fills.read(entry);
    if (batch.push(entry) === BATCH) await flush();
  }
  const facts = fold.finish();
  await flush();
  return { facts, digest: log.digest(), sample: { ...sample.finish(), ...fills.finish() } };
}

/** `ccbench report`: everything that can be made from a log, without the engine. */
export async function reportCommand(
  session: CliSession,
  file: string,
  options: CommandOptions['report'],
): Promise<ExitCode> {
  const { stdout } = session.host;
  const { out } = options;
  const tables = out === undefined ? null : openTables(session, out);
  const { facts, digest, sample } = await readThrough(session, file, tables).catch((error: unknown) => {
    tables?.discard();
    throw logError(error, file);
  });
  const report = { digest, facts, expectations: [] };
  present(session, {
    blocks:
      session.detail === 'verbose'
        ? runBlocks(report, screenFor(stdout, session.colors).width)
        : briefRunBlocks(report),
    closing: runConclusion(facts, []),
    json: {
      digest,
      name: facts.run?.name ?? null,
      policy: facts.run?.policy ?? null,
      complete: facts.complete,
      ...finishedJson(facts),
      asRecorded: recordedJson(facts),
      metrics: metricValues(facts),
      ...remarksJson(facts),
    },
  });
  if (out !== undefined) {
    tables?.commit();
    const files = async function* () {
      yield { folder: '', name: 'summary.json', content: summaryJson(report) };
      if (!options.charts) return;
      const { reportPictures } = await import('../terminal/report-pictures.js');
      const { policyInfoOf } = await import('../runs/policy-info.js');
      const name = facts.run?.name ?? file;
      const run = { name, ...sample, facts, digest, policyInfo: policyInfoOf(facts) };
      yield* reportPictures(name, run, runConclusion(facts, []), options, session.host.interrupt);
    };
    await writeSoftly(session, out, files(), join(out, options.charts ? 'report.html' : ''));
  }
  return EXIT.fine;
}

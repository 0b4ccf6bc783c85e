import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { plannedRequests, recordedRequests, tracedRequests } from '../../../analysis/export/sent-requests.js';
import { openRef } from '../../../config/files/open-ref.js';
import { CcbenchError } from '../../../core/base/errors.js';
import { formatCounted } from '../../../core/base/format.js';
import { sum } from '../../../core/base/stats.js';
import type { SentRequest, SentSession } from '../../../core/model/request-trace.js';
import { countCalls, type Transcript } from '../../../core/model/transcript.js';
import { isLoss, type Warning } from '../../../core/run/warning.js';
import { STREAM_FORMATS } from '../../../report/export/formats.js';
import type { StreamFormat } from '../../../report/export/otel.js';
import type { LeftOut } from '../../../transcripts/files/find-sessions.js';
import { inputId, sessionPath } from '../../../transcripts/files/read-input.js';
import { inputFormat, loadTranscript, parseTrace } from '../../../transcripts/files/transcripts.js';
import { transcriptFindings } from '../../../transcripts/lines/findings.js';
import type { CommandOptions } from '../../commands.generated.js';
import { chosenSessions, isChosen, USUAL_LAST } from '../../files/chosen-sessions.js';
import { eachFile } from '../../files/each-file.js';
import { inputOptions } from '../../files/input-options.js';
import { folderName, type OutputFile, openFile } from '../../files/output.js';
import { mergeWarnings, noteWarnings } from '../../files/reading-notes.js';
import { BASE, planScenarios } from '../../runs/plan-runs.js';
import { withPlugins } from '../../runs/with-plugins.js';
import { type CliSession, EXIT, type ExitCode, note, printJson } from '../../session.js';
import { runInterruptible, yieldToEventLoop } from '../../terminal/interrupt.js';

/** Characters that are written at a time. */
const PART_CHARS = 1 << 16;

/** Where a line of an export belongs. */
interface LinePlace {
  readonly session: string;
  /** When its request was sent: since 1970, or since the start of a session without a clock. */
  readonly ms: number;
  readonly clock: 'wall' | 'none';
}

/** Takes the lines of an export. */
interface LineOutput {
  add(line: string, place: LinePlace): void;
  /** Writes what is not written yet. */
  finish(): void;
  /** Leaves nothing behind, whether it was finished or not. */
  close(): void;
}

/** Lines in the order in which they come. */
function plainLines(write: (text: string) => void): LineOutput & { add(line: string): void } {
  let part = '';
  const flush = (): void => {
    if (part !== '') write(part);
    part = '';
  };
  return {
    add(line) {
      part += `${line}\n`;
      if (part.length >= PART_CHARS) flush();
    },
    finish: flush,
    close() {},
  };
}

/**
 * Lines by time, each with its `timestamp` in ms since the first of them. They wait in a file of their own, so that memory holds no
 * more than where each of them lies.
 */
function timedLines(write: (text: string) => void): LineOutput {
  const folder = mkdtempSync(join(tmpdir(), 'ccbench-export-'));
  const file = openSync(join(folder, 'lines'), 'w+');
  const times: number[] = [];
  const clocks: boolean[] = [];
  const ends: number[] = [];
  let written = 0;
  const waiting = plainLines((text) => {
    writeSync(file, text);
  });
  const lineAt = (i: number): string => {
    const start = i === 0 ? 0 : ends[i - 1]!;
    const bytes = Buffer.alloc(ends[i]! - start - 1);
    readSync(file, bytes, 0, bytes.length, start);
    return bytes.toString('latin1');
  };
  return {
    add(line, { ms, clock }) {
      waiting.add(line);
      written += line.length + 1;
      times.push(ms);
      clocks.push(clock === 'wall');
      ends.push(written);
    },
    finish() {
      waiting.finish();
      const firstMs = times.reduce((first, ms, i) => (clocks[i] ? Math.min(first, ms) : first), Infinity);
      for (let i = 0; i < times.length; i++) if (clocks[i]) times[i]! -= firstMs;
      const order = Uint32Array.from(times, (_, i) => i).sort((a, b) => times[a]! - times[b]!);
      const sorted = plainLines(write);
      for (const i of order) sorted.add(`{"timestamp":${Math.round(times[i]!)},${lineAt(i)}`);
      sorted.finish();
    },
    close() {
      closeSync(file);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A file in a folder for each session. */
function sessionFiles(folder: string, cwd: string): LineOutput {
  return {
    add(line, { session }) {
      const file = openFile(join(folder, `${session}.json`), cwd);
      file.append(`${line}\n`);
      file.commit();
    },
    finish() {},
    close() {},
  };
}

type ExportOptions = CommandOptions['export'];

/** What was written. */
interface Exported {
  sessions: number;
  requests: number;
  /** Recorded calls that are not among the requests, and how many of them for which reason. */
  leftOut: number;
  readonly leftOutBecause: Map<string, number>;
  /** Sessions whose sizes are simulated, because they carry no usage. */
  simulated: number;
}

/** Reasons for requests that are left out, each with a note of its own. */
const SHOWN_REASONS = 3;

const SCENARIO = /\.ya?ml$/i;

/** Writes sessions in a format, each under a name of its own. */
class Exporter {
  readonly done: Exported = { sessions: 0, requests: 0, leftOut: 0, leftOutBecause: new Map(), simulated: 0 };
  readonly #names = new Set<string>();

  constructor(
    private readonly format: StreamFormat,
    private readonly output: LineOutput,
  ) {}

  /** Writes a session as its requests come; the caller may do something else between them. */
  *write(
    { name: wanted, ...session }: SentSession,
    parts: Iterable<readonly SentRequest[]>,
  ): Generator<void, number, void> {
    const name = folderName(wanted, this.#names);
    const writer = this.format.open({ name, ...session });
    const { startedAtMs } = session;
    let requests = 0;
    let ms = startedAtMs ?? 0;
    const add = (lines: readonly string[]): void => {
      for (const line of lines)
        this.output.add(line, { session: name, ms, clock: startedAtMs === null ? 'none' : 'wall' });
    };
    for (const part of parts) {
      for (const request of part) {
        ms = (startedAtMs ?? 0) + request.startMs;
        add(writer.add(request));
      }
      requests += part.length;
      yield;
    }
    add(writer.end());
    this.done.sessions++;
    this.done.requests += requests;
    return requests;
  }

  /** A recording or a request trace, as it was recorded; what is missing in it. */
  recording(session: CliSession, path: string): readonly Warning[] {
    const input = inputOptions(session);
    if (inputFormat(path, input) === 'request-trace') {
      const trace = parseTrace(path, input);
      const { id, threads } = trace;
      finish(this.write({ name: id, startedAtMs: null, threads }, [tracedRequests(trace)]));
      return [];
    }
    const { transcript } = loadTranscript(path, input);
    let counted = 0;
    const leaveOut = (calls: number, reason: string): void => {
      counted += calls;
      const { leftOutBecause } = this.done;
      leftOutBecause.set(reason, (leftOutBecause.get(reason) ?? 0) + calls);
    };
    const sent = recordedRequests(transcript, leaveOut);
    const requests = finish(this.write(sentSession(transcript, nameOf(path)), sent));
    const leftOut = Math.max(0, countCalls(transcript) - requests);
    if (leftOut > counted) leaveOut(leftOut - counted, 'the replay ends before them');
    this.done.leftOut += leftOut;
    if (!transcript.carries.includes('usage')) this.done.simulated++;
    return transcriptFindings(transcript).filter(isLoss);
  }
}

/** The session of a path: a file that holds many names them. */
function nameOf(path: string): string {
  return sessionPath(path).session ?? inputId(path);
}

function sentSession({ startedAtMs, threads }: Transcript, name: string): SentSession {
  return { name, startedAtMs, threads };
}

function finish<T>(work: Generator<void, T, void>): T {
  for (;;) {
    const next = work.next();
    if (next.done === true) return next.value;
  }
}

/** The runs of scenarios, one after the other. */
async function exportScenarios(
  session: CliSession,
  files: readonly string[],
  exporter: Exporter,
  { variant = BASE, plugin }: ExportOptions,
): Promise<void> {
  const { host } = session;
  await withPlugins(session, files, plugin === undefined ? {} : { plugin }, async (plugins) => {
    const planned = await planScenarios(session, files, { set: [], variant }, plugins, (doubt) =>
      note(session, doubt.message),
    );
    for (const { file, runs } of planned)
      await plugins.within(file, async () => {
        for (const { run, label } of runs) {
          const transcript = await runInterruptible(host.interrupt, () =>
            openRef(run.transcript, inputOptions(session)),
          );
          const requests = plannedRequests(run.plan, transcript);
          for (const _ of exporter.write(sentSession(transcript, label), requests))
            await yieldToEventLoop(host.interrupt);
        }
      });
  });
}

/** Refuses what cannot be meant, before anything is read. */
function checkOptions(session: CliSession, paths: readonly string[], options: ExportOptions): void {
  const { out, variant } = options;
  const scenarios = paths.filter((path) => SCENARIO.test(path));
  if (variant !== undefined && scenarios.length === 0)
    throw new CcbenchError('bad-usage', '--variant has no effect without a scenario', {
      hint: 'name the scenario: ccbench export study.yaml --variant "keep 3" --format mooncake',
    });
  if (isChosen(options) && scenarios.length > 0 && scenarios.length === paths.length)
    throw new CcbenchError('bad-usage', '--since, --project, --agent and --last choose among sessions', {
      hint: 'leave them out: scenarios name their own sessions',
    });
  if (session.json && out === undefined)
    throw new CcbenchError(
      'bad-usage',
      '--json has no effect without --out: the requests themselves are printed',
      {
        hint: 'name a file for the requests: --out requests.jsonl',
      },
    );
  const { cwd } = session.host;
  const same = paths.find(
    (path) => out !== undefined && resolve(cwd, sessionPath(path).file) === resolve(cwd, out),
  );
  if (same !== undefined)
    throw new CcbenchError('bad-usage', `--out ${out} is also the input`, {
      hint: 'name another file for the requests',
    });
}

function noteOf({ sessions, requests }: Exported, out: string | undefined): string {
  const what = `${formatCounted(requests, 'request')} of ${formatCounted(sessions, 'session')}`;
  return out === undefined ? `${what}, no text` : `${what}, no text, in ${out}`;
}

/** `ccbench export`: recorded or simulated requests for load generators and tracing tools. */
export async function exportCommand(
  session: CliSession,
  paths: readonly string[],
  options: ExportOptions,
): Promise<ExitCode> {
  checkOptions(session, paths, options);
  const { host } = session;
  const { out } = options;
  const format: StreamFormat = STREAM_FORMATS[options.format];
  const isFolder = format.order === 'file' && out !== undefined;
  const file: OutputFile | null = out === undefined || isFolder ? null : openFile(out, host.cwd);
  const print = (text: string): void => (file === null ? host.stdout.write(text) : file.append(text));
  const output = isFolder
    ? sessionFiles(out, host.cwd)
    : format.order === 'time'
      ? timedLines(print)
      : plainLines(print);
  try {
    const exporter = new Exporter(format, output);
    const scenarios = paths.filter((path) => SCENARIO.test(path));
    const named = paths.filter((path) => !SCENARIO.test(path));
    await exportScenarios(session, scenarios, exporter, options);
    let skipped: readonly LeftOut[] = [];
    let losses: readonly { readonly label: string; readonly warnings: readonly Warning[] }[] = [];
    if (scenarios.length === 0 || named.length > 0) {
      const choice = { command: 'export', paths: named, usualLast: USUAL_LAST };
      const found = await chosenSessions(session, choice, options);
      const read = await eachFile(session, 'exporting', found, (path) => {
        return { label: path, warnings: exporter.recording(session, path) };
      });
      skipped = read.skipped;
      losses = read.used.filter(({ warnings }) => warnings.length > 0);
    }
    output.finish();
    file?.commit();
    const { done } = exporter;
    if (session.json)
      printJson(session, {
        format: options.format,
        out,
        ...done,
        leftOutBecause: Object.fromEntries(done.leftOutBecause),
        skipped,
        warnings: mergeWarnings(losses),
      });
    else note(session, noteOf(done, out));
    noteWarnings(session, losses);
    noteLosses(session, done);
    return EXIT.fine;
  } catch (error) {
    file?.discard();
    throw error;
  } finally {
    output.close();
  }
}

/** What the exported requests do not show as it was. */
function noteLosses(session: CliSession, { leftOutBecause, simulated }: Exported): void {
  const reasons = [...leftOutBecause].sort((a, b) => b[1] - a[1]);
  const [shown, others] = [reasons.slice(0, SHOWN_REASONS), reasons.slice(SHOWN_REASONS)];
  for (const [reason, calls] of shown)
    note(session, `left out: ${formatCounted(calls, 'recorded request')}: ${reason}`);
  if (others.length > 0)
    note(
      session,
      `left out: ${formatCounted(sum(others.map(([, calls]) => calls)), 'recorded request')} for ${formatCounted(others.length, 'other reason')} (--json)`,
    );
  if (simulated > 0)
    note(
      session,
      `${formatCounted(simulated, 'session carries', 'sessions carry')} no usage: a replay counts the prompts, without cache tokens`,
    );
}

import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import type { CompiledRun } from '../../../config/compile.js';
import { inputOf, openFileRef, refKey, refLabel, sessionKey } from '../../../config/files/open-ref.js';
import { isRecording } from '../../../config/files/scenario-text.js';
import type { TranscriptRef } from '../../../config/normalise.js';
import { sha256Hex } from '../../../core/base/digest.js';
import { CcbenchError, ProblemList } from '../../../core/base/errors.js';
import type { Transcript } from '../../../core/model/transcript.js';
import type { RecordedBill } from '../../../core/run/recorded-bill.js';
import type { RunPlan } from '../../../core/run/run-plan.js';
import type { Warning } from '../../../core/run/warning.js';
import { type RecordedModels, recordedModels } from '../../../engine/requests/provider-of.js';
import { recordedBill } from '../../../provider/prices/recorded-bill.js';
import { uniqueName } from '../../../study/run-rows.js';
import type { LeftOut } from '../../../transcripts/files/find-sessions.js';
import {
  openTranscript,
  packInput,
  type TranscriptInput,
} from '../../../transcripts/files/transcript-input.js';
import type { LoadOptions } from '../../../transcripts/files/transcripts.js';
import { recordedProject } from '../../../transcripts/files/usual-places.js';
import { WaitingFile } from '../../../transcripts/files/waiting-file.js';
import { transcriptFindings } from '../../../transcripts/lines/findings.js';
import { DEFAULT_MODEL } from '../../../transcripts/synthetic/spec.js';
import { reasonLine } from '../../fail.js';
import { inputOptions } from '../../files/input-options.js';
import { mergeWarnings, noteWarnings } from '../../files/reading-notes.js';
import { dayOf, sessionWords } from '../../files/session-words.js';
import { scenarioNameOf } from '../../runs/scenario-reader.js';
import { type CliSession, note } from '../../session.js';
import { runInterruptible, yieldToEventLoop } from '../../terminal/interrupt.js';
import { createProgress } from '../../terminal/progress.js';

/** A transcript of a study. */
export interface StudyTranscript {
  readonly input: TranscriptInput;
  /** The session: the path as the user wrote it, or the name of a generated one, which several models may be given. */
  readonly label: string;
  readonly path: string | null;
  /** Day on which it was recorded; null if it is not known. */
  readonly day: string | null;
  /** What it cost where it was recorded; null if it is not known. */
  readonly bill: RecordedBill | null;
  /** What decides whose cache its requests go to. */
  readonly models: RecordedModels;
  /** What its reader found, and what a replay has to mend. */
  readonly warnings: readonly Warning[];
}

/** The transcripts that runs refer to; those that cannot be read are left out and said so. */
export interface StudyInputs {
  readonly transcripts: readonly StudyTranscript[];
  /** The labels of the sessions, each once. */
  readonly sessions: readonly string[];
  readonly skipped: readonly LeftOut[];
  readonly warnings: readonly Warning[];
  /** Null for one that was left out. */
  of(ref: TranscriptRef): StudyTranscript | null;
}

/** Up to this many sessions are held in memory, and opened without a progress line. */
const FEW = 64;

/** Loads every transcript that the runs refer to, each once. */
export async function loadInputs(session: CliSession, runs: readonly CompiledRun[]): Promise<StudyInputs> {
  const byRef = new Map<string, StudyTranscript | null>();
  const labelOf = createLabels();
  const problems: { readonly file: string; readonly error: CcbenchError }[] = [];
  const first = new Map<string, CompiledRun>();
  for (const run of runs) {
    const key = refKey(run.transcript);
    if (!first.has(key)) first.set(key, run);
  }
  const waiting = new WaitingFile(session.cache === 'off' ? tmpdir() : session.cache.folder);
  session.atEnd?.push(() => waiting.close());
  const progress = createProgress(session, 'files');
  if (first.size > FEW) progress.start('opening sessions', first.size);
  try {
    for (const [key, { transcript: ref, plan }] of first) {
      await yieldToEventLoop(session.host.interrupt);
      if (first.size > FEW) progress.update(byRef.size);
      try {
        const loaded = await runInterruptible(session.host.interrupt, () => load(session, ref, plan));
        const input = byRef.size < FEW ? loaded.input : packInput(loaded.input, waiting);
        byRef.set(key, { ...loaded, input, label: labelOf(sessionKey(ref), loaded.label) });
      } catch (error) {
        if (!(error instanceof CcbenchError)) throw error;
        byRef.set(key, null);
        problems.push({ file: ref.kind === 'file' ? ref.written : ref.kind, error });
      }
    }
  } finally {
    progress.clear();
  }
  const transcripts = [...byRef.values()].filter((item) => item !== null);
  if (transcripts.length === 0) {
    const errors = problems.map(({ error }) => error);
    throw errors.length === 1 ? errors[0]! : new ProblemList('bad-input', 'no transcript is usable', errors);
  }
  for (const { error } of problems) note(session, `left out: ${reasonLine(error)}`);
  const warnings = mergeWarnings(transcripts);
  noteWarnings(session, transcripts);
  return {
    warnings,
    transcripts,
    sessions: [...new Set(transcripts.map(({ label }) => label))],
    skipped: problems.map(({ file, error }) => ({ file, reason: error.message })),
    of: (ref) => byRef.get(refKey(ref)) ?? null,
  };
}

/** What a study is called: after its scenario; over several recordings after their project and their number. */
export function studyName(
  scenario: string,
  file: string,
  cwd: string,
  { transcripts, sessions }: StudyInputs,
): string {
  if (sessions.length < 2 || !isRecording(file, cwd)) return scenario;
  const keys = transcripts.map(({ input }) => input.key).sort();
  const projects = new Set(
    transcripts.map(({ path }) => (path === null ? null : recordedProject(resolve(cwd, path)))),
  );
  const [project = null] = projects;
  const of =
    projects.size > 1
      ? `${projects.size}-projects-`
      : project === null
        ? ''
        : `${scenarioNameOf(project.split(/[\\/]/).findLast((part) => part !== '') ?? project)}-`;
  return `${of}${sessions.length}-sessions-${sha256Hex(keys.join('\n')).slice(0, 8)}`;
}

/** What the page of a study is called: its scenario, or its recordings in words where one of them represents it. */
export function studyTitle(
  scenario: string,
  file: string,
  cwd: string,
  { transcripts }: StudyInputs,
): string {
  if (!isRecording(file, cwd)) return scenario;
  const paths = new Map(
    transcripts.flatMap(({ path, day }) => (path === null ? [] : [[path, day] as const])),
  );
  return (
    sessionWords(
      [...paths].map(([path, day]) => ({ path, day })),
      cwd,
    ) || scenario
  );
}

/** The recordings to name for the same runs again; null if the scenario's own transcripts are all used. */
export function recordingsOf(
  { transcripts, skipped }: StudyInputs,
  from: 'scenario' | 'command line',
): readonly string[] | null {
  if (from === 'scenario' && skipped.length === 0) return null;
  const paths = transcripts.flatMap(({ path }) => path ?? []);
  return paths.length === transcripts.length ? paths : null;
}

function load(session: CliSession, ref: TranscriptRef, plan: RunPlan): StudyTranscript {
  const path = ref.kind === 'file' ? ref.path : null;
  const options = inputOptions(session);
  const { input, transcript } = ref.kind === 'file' ? openFileRef(ref, options) : openInput(ref, options);
  const label = refLabel(ref);
  if (transcript === null)
    return { input, label, path, day: null, bill: null, models: generatedModels(ref), warnings: [] };
  const bill = recordedBill(transcript, plan);
  return {
    input,
    label,
    path,
    day: dayOf(transcript),
    bill,
    models: recordedModels(transcript),
    warnings: transcriptFindings(transcript),
  };
}

/** The models of a generated session, without making it. */
function generatedModels(ref: TranscriptRef): RecordedModels {
  if (ref.kind !== 'synthetic') return { provider: undefined, models: [], ofAgents: [] };
  const { model = DEFAULT_MODEL, subagents } = ref.spec;
  const ofAgents = subagents?.model === undefined ? [] : [subagents.model];
  return { provider: undefined, models: [model, ...ofAgents], ofAgents };
}

/** Sessions are put together once more where they are replayed; a generated one has nothing to say before. */
function openInput(
  ref: TranscriptRef,
  options: LoadOptions,
): { readonly input: TranscriptInput; readonly transcript: Transcript | null } {
  const input = inputOf(ref, options);
  return { input, transcript: ref.kind === 'synthetic' ? null : openTranscript(input) };
}

/** Labels of sessions: each has its own among others that would be called the same. */
function createLabels(): (session: string, label: string) => string {
  const known = new Map<string, string>();
  const taken = new Set<string>();
  return (session, label) => {
    const name = known.get(session) ?? uniqueName(label, taken);
    known.set(session, name);
    return name;
  };
}

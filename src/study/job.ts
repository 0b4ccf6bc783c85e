import { blamePlugins } from '../config/plugins/register-plugin.js';
import { CcbenchError, type ErrorCode, messageOf } from '../core/base/errors.js';
import type { Transcript } from '../core/model/transcript.js';
import type { RunPlan } from '../core/run/run-plan.js';
import { sweepReplayParts } from '../engine/columnar/sweep-replay.js';
import { createMetricsFold } from '../metrics/fold.js';
import { findMetric, metricValues } from '../metrics/registry.js';
import { openTranscript, type TranscriptInput } from '../transcripts/files/transcript-input.js';

/** One run of a study: plain JSON that a worker can be sent. */
export interface Job {
  /** Position among the jobs; results are ordered by it. */
  readonly index: number;
  readonly plan: RunPlan;
  /** Key of the transcript. */
  readonly transcript: string;
  /** Metrics of families that are wanted besides the named ones. */
  readonly metrics: readonly string[];
}

/** The metrics of a run by name. */
export type MetricRecord = Readonly<Record<string, number | null>>;

/** How a job ended. */
export type JobResult =
  | {
      readonly ok: true;
      readonly index: number;
      readonly metrics: MetricRecord;
      readonly skipped: readonly string[];
    }
  | { readonly ok: false; readonly index: number; readonly error: JobError };

/** Why a job failed, as plain data. */
export interface JobError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint: string | null;
}

/** A failure as plain data; what is not the user's is a fault of ccbench. */
export function jobError(error: unknown): JobError {
  if (error instanceof CcbenchError) return { code: error.code, message: error.message, hint: error.hint };
  return { code: 'internal', message: messageOf(error), hint: null };
}

/** Transcripts that a thread keeps at least: after this many others it is sent one again. */
export const KNOWN_TRANSCRIPTS = 64;

/** Transcripts kept open at a time. */
const OPEN_TRANSCRIPTS = 4;

/** Transcripts by key; each is opened once while jobs go on using it. */
export class OpenTranscripts {
  private readonly inputs = new Map<string, TranscriptInput>();
  private readonly open = new Map<string, Transcript>();

  add(input: TranscriptInput): void {
    this.inputs.delete(input.key);
    this.inputs.set(input.key, input);
  }

  /** Keeps at most this many inputs: those that were added last. */
  keep(most: number): void {
    for (const key of this.inputs.keys()) {
      if (this.inputs.size <= most) return;
      this.inputs.delete(key);
    }
  }

  get(key: string): Transcript {
    const known = this.open.get(key);
    if (known !== undefined) return known;
    const input = this.inputs.get(key);
    if (input === undefined) throw new CcbenchError('internal', `no transcript has the key ${key}`);
    const transcript = openTranscript(input);
    const oldest = this.open.keys().next();
    if (this.open.size >= OPEN_TRANSCRIPTS && oldest.done !== true) this.open.delete(oldest.value);
    this.open.set(key, transcript);
    return transcript;
  }
}

/** Runs a job in short parts, so that whoever drives it may do something else in between. */
export function* jobParts(job: Job, transcripts: OpenTranscripts): Generator<void, JobResult, void> {
  const { index } = job;
  let transcript: Transcript;
  try {
    transcript = transcripts.get(job.transcript);
  } catch (error) {
    return { ok: false, index, error: jobError(error) };
  }
  try {
    const fold = createMetricsFold();
    yield* sweepReplayParts(job.plan, transcript, fold);
    const facts = fold.finish();
    const wanted = job.metrics.map((name) => [name, findMetric(name)?.value(facts) ?? null] as const);
    const metrics = { ...metricValues(facts), ...Object.fromEntries(wanted) };
    return { ok: true, index, metrics, skipped: facts.skipped.map(({ what, needs }) => `${what}: ${needs}`) };
  } catch (error) {
    return { ok: false, index, error: jobError(blamePlugins(job.plan, error)) };
  }
}

/** Runs a job to its end. */
export function runJob(job: Job, transcripts: OpenTranscripts): JobResult {
  const parts = jobParts(job, transcripts);
  for (;;) {
    const step = parts.next();
    if (step.done === true) return step.value;
  }
}

/** Bytes of a recording for one call, roughly. */
const BYTES_PER_CALL = 4_000;

/** About how many calls a session has, without opening it: enough to tell long ones from short ones. */
export function expectedCalls(input: TranscriptInput): number {
  switch (input.kind) {
    case 'synthetic':
      return input.spec.turns;
    case 'recorded':
      return 1 + input.bytes.length / BYTES_PER_CALL;
    case 'shared':
      return 1 + input.compiled.length / BYTES_PER_CALL;
    case 'packed':
    case 'waiting':
      return 1 + input.length / BYTES_PER_CALL;
    case 'sessions':
      return input.sessions.reduce((sum, { input: own }) => sum + expectedCalls(own), 0);
  }
}

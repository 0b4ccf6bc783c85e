import type { CompiledRun } from '../config/compile.js';
import type { TranscriptRef } from '../config/normalise.js';
import type { RunPlan } from '../core/run/run-plan.js';
import type { TranscriptInput } from '../transcripts/files/transcript-input.js';
import {
  type Completeness,
  type RunsBySession,
  type VariantCompleteness,
  type VariantRuns,
  variantMeans,
} from './completeness.js';
import type { Job, JobError, JobResult, MetricRecord } from './job.js';
import type { StoredResult } from './kept-runs.js';
import { type Point, runKey } from './point.js';

/** A row of a study: a variant or a point, with a plan for each of its sessions. */
export interface StudyRow {
  readonly name: string;
  readonly runs: readonly CompiledRun[];
}

/** A session that rows are run over. */
export interface StudySession {
  readonly input: TranscriptInput;
  readonly label: string;
}

/** The sessions that runs refer to. */
export interface StudySessions<Session extends StudySession> {
  readonly transcripts: readonly Session[];
  /** Null for one that is left out. */
  of(ref: TranscriptRef): Session | null;
}

/** One run of a study: a row over a session. */
export interface RowRun<Row, Session> {
  readonly row: Row;
  readonly session: Session;
  readonly key: string;
  readonly plan: RunPlan;
  readonly metrics: readonly string[];
}

/** A name that was not taken before: others of the same name get a number. */
export function uniqueName(name: string, taken: Set<string>): string {
  let unique = name;
  for (let n = 2; taken.has(unique); n++) unique = `${name} #${n}`;
  taken.add(unique);
  return unique;
}

/** What the runs of some rows measure. */
export interface RowMeasure {
  readonly metrics: readonly string[];
}

/** The runs of all rows in the order of sessions, so that each is opened once. */
export function planRows<Row extends StudyRow, Session extends StudySession>(
  rows: readonly Row[],
  sessions: StudySessions<Session>,
  { metrics }: RowMeasure,
): readonly RowRun<Row, Session>[] {
  const planned = new Map(sessions.transcripts.map((each) => [each, [] as RowRun<Row, Session>[]]));
  for (const row of rows)
    for (const { plan, transcript } of row.runs) {
      const session = sessions.of(transcript);
      const own = session === null ? undefined : planned.get(session);
      if (session === null || own === undefined) continue;
      const key = runKey({ plan, transcript: session.input.key });
      own.push({ row, session, key, plan, metrics });
    }
  return [...planned.values()].flat();
}

/** Finished runs by their address. */
export type FoundRuns = Pick<ReadonlyMap<string, StoredResult>, 'get' | 'size'>;

/** Metrics that a result must hold to be ranked. */
const RANKED_BY = ['finishedShare', 'callsAnswered', 'unpricedRequests'];

/** The runs that no result is known of, each once; a result that lacks a wanted metric is none. */
export function missingRuns<Run extends RowRun<unknown, unknown>>(
  planned: readonly Run[],
  found: FoundRuns,
): readonly Run[] {
  const isKnown = ({ key, metrics: wanted }: Run): boolean => {
    const { metrics } = found.get(key) ?? {};
    return metrics !== undefined && [...wanted, ...RANKED_BY].every((name) => Object.hasOwn(metrics, name));
  };
  return [...new Map(planned.map((run) => [run.key, run])).values()].filter((run) => !isKnown(run));
}

/** Runs jobs somewhere, and gives each result as it comes. */
export type RunJobs = (
  jobs: readonly Job[],
  inputs: readonly TranscriptInput[],
  onResult: (result: JobResult) => void,
) => Promise<unknown>;

/** Makes runs; each result is kept as it comes. Gives why runs failed, by their keys. */
export async function makeRuns(
  missing: readonly RowRun<unknown, StudySession>[],
  run: RunJobs,
  keep: (result: StoredResult) => void,
): Promise<ReadonlyMap<string, JobError>> {
  const failed = new Map<string, JobError>();
  const jobs = missing.map(
    ({ plan, session: { input }, metrics }, index): Job => ({ index, plan, transcript: input.key, metrics }),
  );
  const inputs = new Map(missing.map(({ session: { input } }) => [input.key, input]));
  await run(jobs, [...inputs.values()], (result) => {
    const { key } = missing[result.index]!;
    if (result.ok) keep({ key, metrics: result.metrics, skipped: result.skipped });
    else failed.set(key, result.error);
  });
  return failed;
}

/** The runs of a row, each looked up when it is asked for. */
class RunsOfRow implements RunsBySession {
  /** Addresses of runs by session. */
  readonly #keys = new Map<string, string>();
  readonly #found: FoundRuns;

  constructor(found: FoundRuns) {
    this.#found = found;
  }

  add(session: string, key: string): void {
    this.#keys.set(session, key);
  }

  get size(): number {
    return this.#keys.size;
  }

  get(session: string): MetricRecord | null | undefined {
    const key = this.#keys.get(session);
    return key === undefined ? undefined : (this.#found.get(key)?.metrics ?? null);
  }

  keys(): IterableIterator<string> {
    return this.#keys.keys();
  }

  *values(): Generator<MetricRecord | null> {
    for (const [, record] of this) yield record;
  }

  *[Symbol.iterator](): Generator<[string, MetricRecord | null]> {
    for (const [session, key] of this.#keys) yield [session, this.#found.get(key)?.metrics ?? null];
  }
}

/** What each row came to over its sessions. */
export function runsOfRows<Row extends StudyRow>(
  rows: readonly Row[],
  planned: readonly RowRun<Row, StudySession>[],
  found: FoundRuns,
): readonly VariantRuns[] {
  const runs = new Map(rows.map((row) => [row, new RunsOfRow(found)]));
  for (const { row, session, key } of planned) runs.get(row)!.add(session.label, key);
  return rows.map((row) => ({ name: row.name, byTranscript: runs.get(row)! }));
}

/** A point with what its runs came to. */
export interface SweptPoint {
  readonly point: Point;
  /** Means over the compared sessions. */
  readonly metrics: MetricRecord;
  readonly completeness: VariantCompleteness;
  readonly runs: VariantRuns;
}

/** Points with the means of their runs, in the same order. */
export function sweptPoints(
  points: readonly Point[],
  runs: readonly VariantRuns[],
  completeness: Completeness,
): readonly SweptPoint[] {
  return points.map((point, i) => ({
    point,
    metrics: variantMeans(runs[i]!, completeness),
    completeness: completeness.variants[i]!,
    runs: runs[i]!,
  }));
}

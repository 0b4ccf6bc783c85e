import type { Completeness } from '../../../study/completeness.js';
import type { MetricRecord } from '../../../study/job.js';
import { type Point, pointName, runKey } from '../../../study/point.js';
import { type Candidate, rungWork, type Trial } from '../../../study/search.js';
import { type CandidateRuns, type Goal, judge } from '../../../study/trial.js';
import type { WorkerPool } from '../../../study/worker-pool.js';
import type { CliSession } from '../../session.js';
import type { SweptPoint } from '../study/points.js';
import { type Elsewhere, runPoints } from '../study/run-points.js';
import type { StudyInputs } from '../study/study-inputs.js';
import type { SweepFolder } from '../study/sweep-folder.js';

/** A setting that was tried, with what came of it. */
export interface Tried extends SweptPoint {
  readonly trial: Trial;
}

/** What came of a rung. */
export interface JudgedRung {
  readonly completeness: Completeness;
  readonly tried: readonly Tried[];
}

/** A step of the search: some settings on some of the work. */
export interface Rung {
  readonly session: CliSession;
  readonly goal: Goal;
  readonly points: readonly Point[];
  readonly inputs: StudyInputs;
  readonly workers: number | undefined;
  readonly threads: WorkerPool | null;
  readonly label: string;
  readonly folder: SweepFolder | null;
  readonly globbed: boolean;
  /** The settings that are varied. */
  readonly paths: readonly string[];
  /** Where the runs are made; null for here. */
  readonly elsewhere: Elsewhere | null;
  repeat(point: Point, recordings: readonly string[] | null): string;
}

/** Runs the settings of a rung and judges them. */
export async function runRung(
  rung: Rung,
  candidates: readonly Candidate[],
  share: number,
): Promise<JudgedRung> {
  const { goal, inputs, points } = rung;
  const wanted = [goal.metric, ...goal.constraints.map(({ metric }) => metric)];
  const work = rungWork(inputs.sessions.length, share);
  const sessions = new Set(inputs.sessions.slice(0, work.transcripts));
  const used = inputs.transcripts.filter(({ label }) => sessions.has(label));
  const planned = used.flatMap((transcript) =>
    candidates.flatMap((candidate) =>
      points[candidate.index]!.runs.filter((run) => inputs.of(run.transcript) === transcript).map(
        ({ plan }) => ({
          candidate,
          point: points[candidate.index]!,
          transcript: transcript.label,
          recording: rung.globbed ? transcript.path : null,
          job: { plan, transcript: transcript.input.key, share: work.share, metrics: wanted },
        }),
      ),
    ),
  );
  const step = {
    paths: rung.paths,
    points: candidates.map(({ values }) => values),
    sessions: [...sessions],
    share: work.share,
  };
  const made = await rung.elsewhere?.(step, wanted, rung.label);
  const { found } = await runPoints(rung.session, planned, inputs, {
    label: rung.label,
    workers: rung.workers,
    threads: rung.threads,
    folder: rung.folder,
    metrics: wanted,
    ...(made === undefined ? {} : { made }),
    commandOf: ({ point, recording }) => rung.repeat(point, recording === null ? null : [recording]),
  });
  const records = new Map(candidates.map((candidate) => [candidate, new Map<string, MetricRecord | null>()]));
  for (const { candidate, transcript, job } of planned)
    records.get(candidate)!.set(transcript, found.get(runKey(job))?.metrics ?? null);
  const runs = candidates.map(
    (candidate): CandidateRuns => ({
      candidate,
      name: pointName(points[candidate.index]!),
      byTranscript: records.get(candidate)!,
    }),
  );
  const { completeness, tried } = judge(runs, goal, share);
  return {
    completeness,
    tried: tried.map(({ trial, metrics }, i) => ({
      trial,
      metrics,
      point: points[trial.candidate.index]!,
      completeness: completeness.variants[i]!,
      runs: runs[i]!,
    })),
  };
}

/** Some setting came through every session of the rung: none can answer more. */
export function isFinishedBySome({ completeness }: JudgedRung): boolean {
  return completeness.variants.some(({ unfinished }) => unfinished.length === 0);
}

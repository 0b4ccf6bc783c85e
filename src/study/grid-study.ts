import type { CompiledRun, ScenarioSource } from '../config/compile.js';
import { createProblems, loadScenario } from '../config/load.js';
import { canonicalJson, sha256Hex } from '../core/base/digest.js';
import { CcbenchError } from '../core/base/errors.js';
import { planDigest } from '../engine/run/replay.js';
import { METRICS } from '../metrics/registry.js';
import type { TranscriptInput } from '../transcripts/files/transcript-input.js';
import { partitionOf, type Span } from './batches.js';
import { chosenMetrics, SWEPT_METRICS } from './chosen-metrics.js';
import { expectedCalls, type Job, jobError } from './job.js';
import { compilePoint, type Point, pointCompiler, runKey } from './point.js';
import { type CellValue, resultColumns } from './result-rows.js';
import type { StudyRecord } from './results/result-store.js';
import type { StudySession, StudySessions } from './run-rows.js';
import { type Axis, pointsOfGrid, pointsOfStep, type SearchStep } from './vary.js';

/** What makes a study, as a command line says it. Plain JSON: a machine that gets it opens the same study. */
export interface StudySpec {
  readonly file: string;
  readonly vary: readonly string[];
  readonly set: readonly string[];
  readonly transcripts?: readonly string[];
  readonly metrics?: string;
  /** The settings of a search, in place of a grid. */
  readonly step?: SearchStep;
}

/** The part of a command line that makes its study. */
export function specOf(file: string, options: Omit<StudySpec, 'file'>): StudySpec {
  const { vary, set, transcripts, metrics } = options;
  return {
    file,
    vary,
    set,
    ...(transcripts === undefined ? {} : { transcripts }),
    ...(metrics === undefined ? {} : { metrics }),
  };
}

/** What studies over one scenario share: its text with the policy files that it names, and its sessions. */
export interface StudyContext {
  readonly source: ScenarioSource;
  /** The unchanged scenario. */
  readonly base: Point;
  /** Digests of the policy files that were read so far, by name. */
  readonly read: ReadonlyMap<string, string>;
  /** The version and build of the program. */
  readonly version: string;
  /** What studies over it are called. */
  name(): Promise<string>;
  axesOf(vary: readonly string[]): Promise<readonly Axis[]>;
  /** The sessions of the scenario, read when they are first wanted. */
  sessions(): Promise<StudySessions<StudySession>>;
  /** A session that only some points have. */
  load(run: CompiledRun): Promise<StudySession>;
  /** Is called often, and lets other things happen now and then. */
  pause(): Promise<void>;
}

/** A run of a study that is to be made, or that cannot be. */
export interface PlannedRun {
  readonly run: number;
  /** The cells of its row that are known before it is made. */
  readonly known: Readonly<Record<string, CellValue>>;
  readonly job: Omit<Job, 'index'> | null;
  readonly input: TranscriptInput | null;
}

/** A study whose points are made one by one, when they are wanted. */
export interface GridStudy {
  readonly record: StudyRecord;
  /** The metrics that the user asked for, or the usual ones; the first decides which point is best. */
  readonly shown: readonly string[];
  /** Runs of one point: its sessions. */
  readonly sessions: number;
  /** Whether the sessions themselves are varied. */
  readonly variesSessions: boolean;
  plan(runs: Span, isWanted: (run: number) => boolean): Promise<readonly PlannedRun[]>;
  /** What a session of a point is expected to cost, in calls. */
  weight(point: number, session: number): number;
}

/** Digits of the id of a study. */
const ID_DIGITS = 16;

/** Sessions that only some points have and that are kept for the next ones. */
const KEPT_SESSIONS = 64;

/** Opens a study without making its points: the time it takes does not depend on their number. */
export async function openGridStudy(context: StudyContext, spec: StudySpec): Promise<GridStudy> {
  const { source, base, read, version } = context;
  const { step } = spec;
  const shown = chosenMetrics(spec.metrics, SWEPT_METRICS);
  const points = step === undefined ? pointsOfGrid(await context.axesOf(spec.vary)) : pointsOfStep(step);
  const { axes } = points;
  const compile = pointCompiler(source, axes);
  if (!Number.isSafeInteger(points.size * base.runs.length))
    throw new CcbenchError('bad-usage', 'the grid has too many points to be counted', {
      hint: 'vary fewer settings or take fewer steps',
    });
  const corners = points.corners.map((values) => compilePoint(source, axes, values));
  const inputs = await context.sessions();
  const used = base.runs.flatMap(({ transcript }, at) => {
    const session = inputs.of(transcript);
    const isUsed = session !== null && (step === undefined || step.sessions.includes(session.label));
    return isUsed ? [{ at, session }] : [];
  });
  for (const axis of axes) readNamedFiles(source, axis);
  const metrics = [...new Set([...METRICS.names, ...shown])];
  const scenario = await context.name();
  const record: StudyRecord = {
    id: idOf({
      version,
      scenario: meantBy(source),
      set: spec.set,
      axes: axes.map(({ path, values }) => [path, sha256Hex(values.join('\n'))]),
      files: [...read].sort(([a], [b]) => (a < b ? -1 : 1)),
      plans: corners.map((point) => point.runs.map(({ plan }) => planDigest(plan))),
      transcripts: used.map(({ session }) => session.input.key),
      metrics,
      ...(step === undefined ? {} : { step }),
    }),
    version,
    name: `${scenario}-${step === undefined ? 'sweep' : 'tune'}`,
    axes: axes.map(({ path, values }) => ({ path, values: values.length })),
    transcripts: used.map(({ session }) => session.label),
    metrics,
    columns: resultColumns(axes, metrics),
    partition: partitionOf(points.size * used.length),
  };
  const others = new Map<string, StudySession>();
  const sessionOf = async (run: CompiledRun): Promise<StudySession> => {
    const known = inputs.of(run.transcript);
    if (known !== null) return known;
    const key = JSON.stringify(run.transcript);
    const kept = others.get(key) ?? (await context.load(run));
    if (others.size >= KEPT_SESSIONS) others.delete(others.keys().next().value!);
    others.set(key, kept);
    return kept;
  };
  const isVaried = (path: string): boolean => axes.some((axis) => axis.path === path);

  /** The job of a run, and the cells of its row that its plan gives. */
  async function jobOf(compiled: CompiledRun): Promise<Pick<PlannedRun, 'known' | 'job' | 'input'>> {
    const { plan } = compiled;
    try {
      const { input, label } = await sessionOf(compiled);
      const job = { plan, transcript: input.key, metrics: shown };
      const known = {
        key: runKey(job),
        transcript: label,
        ...(isVaried('policy') ? {} : { policy: plan.policy.name }),
        ...(isVaried('seed') ? {} : { seed: plan.seed }),
      };
      return { known, job, input };
    } catch (error) {
      return { known: { error: reasonOf(error) }, job: null, input: null };
    }
  }

  const variesSessions = axes.some(({ path }) => /^(?:transcript|transcripts|sessions)\b/.test(path));
  return {
    record,
    shown,
    sessions: used.length,
    variesSessions,
    async plan({ from, to }, isWanted) {
      const planned: PlannedRun[] = [];
      let place = -1;
      let [values, point, why]: readonly [readonly string[], Point | null, string] = [[], null, ''];
      for (let run = from; run < to; run++) {
        if (!isWanted(run)) continue;
        if (Math.floor(run / used.length) !== place) {
          place = Math.floor(run / used.length);
          values = points.at(place);
          [point, why] = tryPoint(compile, values, base.runs.length);
        }
        const { at, session } = used[run % used.length]!;
        const own =
          point === null ? { known: { error: why }, job: null, input: null } : await jobOf(point.runs[at]!);
        const settings = Object.fromEntries(axes.map(({ path }, i) => [path, values[i]!]));
        const known = { version, scenario, transcript: session.label, ...settings, ...own.known };
        planned.push({ run, ...own, known });
        await context.pause();
      }
      return planned;
    },
    weight(place, i) {
      const [point] = variesSessions ? tryPoint(compile, points.at(place), base.runs.length) : [base];
      const run = point?.runs[used[i]!.at];
      if (run?.transcript.kind === 'synthetic') return run.transcript.spec.turns;
      const known = run === undefined ? null : inputs.of(run.transcript);
      return known === null ? 1 : expectedCalls(known.input);
    },
  };
}

function idOf(identity: object): string {
  return sha256Hex(canonicalJson(identity)).slice(0, ID_DIGITS);
}

/** The scenario without what changes no run of a study. */
function meantBy({ text, file }: ScenarioSource): object {
  const scenario = loadScenario(text, file, createProblems()).value as Record<string, unknown>;
  const { variants: _variants, expect: _expect, description: _description, ...meant } = scenario;
  return meant;
}

/** The message of a problem that a user can act on; anything else is thrown on. */
function reasonOf(error: unknown): string {
  if (!(error instanceof CcbenchError)) throw error;
  return jobError(error).message;
}

/** A point, or why it is none. */
function tryPoint(
  compile: (values: readonly string[]) => Point,
  values: readonly string[],
  runs: number,
): readonly [Point | null, string] {
  try {
    const point = compile(values);
    if (point.runs.length === runs) return [point, ''];
    return [null, `the setting changes the number of sessions from ${runs} to ${point.runs.length}`];
  } catch (error) {
    return [null, reasonOf(error)];
  }
}

/** Most values of a list that may be files; longer ones are numbers. */
const MOST_FILES = 1_000;

/** Reads the policy files among the values of an axis, so that their content counts; a value that makes no sense alone is passed over. */
function readNamedFiles(source: ScenarioSource, axis: Axis): void {
  const named = axis.values.filter((value) => !Number.isFinite(Number(value))).slice(0, MOST_FILES);
  for (const value of named) {
    try {
      compilePoint(source, [axis], [value]);
    } catch (error) {
      reasonOf(error);
    }
  }
}

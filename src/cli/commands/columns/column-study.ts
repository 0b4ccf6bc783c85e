import type { CompiledRun, ScenarioSource } from '../../../config/compile.js';
import type { OpenPlugins } from '../../../config/files/open-plugins.js';
import { windowOf } from '../../../config/files/window-of.js';
import { createProblems, loadScenario } from '../../../config/load.js';
import { canonicalJson, sha256Hex } from '../../../core/base/digest.js';
import { CcbenchError } from '../../../core/base/errors.js';
import { planDigest } from '../../../engine/run/replay.js';
import { METRICS } from '../../../metrics/registry.js';
import { partitionOf, type Span } from '../../../study/batches.js';
import { expectedCalls } from '../../../study/expected-calls.js';
import { type Job, jobError } from '../../../study/job.js';
import { compilePoint, type Point, pointCompiler, runKey } from '../../../study/point.js';
import { type CellValue, resultColumns } from '../../../study/result-rows.js';
import type { StudyRecord } from '../../../study/results/results-folder.js';
import { splitValues } from '../../../study/split-values.js';
import { pointsOfGrid, pointsOfStep, type SearchStep } from '../../../study/study-points.js';
import { type Axis, parseAxes } from '../../../study/vary.js';
import type { TranscriptInput } from '../../../transcripts/files/transcript-input.js';
import { type CliSession, inputOptions } from '../../session.js';
import { breathe, withoutPause } from '../../terminal/interrupt.js';
import { chosenMetric, SWEPT_METRICS } from '../study/chosen-metrics.js';
import { loadInputs, openSource, type StudyInputs, type StudyTranscript } from '../study/study-inputs.js';
import { programVersion } from './program-version.js';

/** What makes a study: the words of a command line. A machine that is told them opens the same study. */
export interface StudyWords {
  readonly file: string;
  readonly vary: readonly string[];
  readonly set: readonly string[];
  readonly transcripts?: readonly string[];
  readonly metrics?: string;
  /** What a search wants to know, in place of a grid. */
  readonly step?: SearchStep;
}

/** The words of a command line that make its study. */
export function wordsOf(file: string, options: Omit<StudyWords, 'file'>): StudyWords {
  const { vary, set, transcripts, metrics } = options;
  return {
    file,
    vary,
    set,
    ...(transcripts === undefined ? {} : { transcripts }),
    ...(metrics === undefined ? {} : { metrics }),
  };
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
export interface ColumnStudy {
  readonly record: StudyRecord;
  readonly axes: readonly Axis[];
  /** The metrics that the user asked for, or the usual ones; the first decides which point is best. */
  readonly shown: readonly string[];
  /** Runs of one point: its sessions. */
  readonly sessions: number;
  /** Some runs, planned; often enough it hears Ctrl-C. */
  plan(runs: Span, isWanted: (run: number) => boolean): Promise<readonly PlannedRun[]>;
  /** What a session of a point is expected to cost, in calls. */
  weight(point: number, session: number): number;
  /** Whether the sessions themselves are varied. */
  readonly variesSessions: boolean;
}

/** Wall time between two looks at the terminal. */
const BREATH_MS = 20;

/** Digits of the id of a study. */
const ID_DIGITS = 16;

/** Transcripts that only some points have and that are kept for the next ones. */
const KEPT_INPUTS = 64;

/** What studies over one scenario share: its text with the policy files that it names, and its sessions. */
export interface StudyGround {
  readonly source: ScenarioSource;
  readonly base: Point;
  /** Digests of the policy files that were read so far, by name. */
  readonly read: ReadonlyMap<string, string>;
  /** The sessions, read when they are first wanted. */
  inputs(): Promise<StudyInputs>;
}

/** Opens what the studies of a command line share. */
export async function openGround(
  session: CliSession,
  words: Pick<StudyWords, 'file' | 'set' | 'transcripts'>,
  opened: OpenPlugins,
): Promise<StudyGround> {
  const { source: plain } = await openSource(session, words.file, words, opened);
  const read = new Map<string, string>();
  const source: ScenarioSource = {
    ...plain,
    readPolicy: (written, place) => {
      const found = plain.readPolicy(written, place);
      read.set(written, sha256Hex(found.text));
      return found;
    },
  };
  const base = compilePoint(source, [], []);
  let inputs: Promise<StudyInputs> | null = null;
  return { source, base, read, inputs: () => (inputs ??= loadInputs(session, base.runs)) };
}

/** Opens a study without making its points: the time it takes does not depend on their number. */
export async function openColumnStudy(
  session: CliSession,
  words: StudyWords,
  opened: OpenPlugins,
): Promise<ColumnStudy> {
  return columnStudyOn(session, await openGround(session, words, opened), words);
}

/** A study on ground that is open already. */
export async function columnStudyOn(
  session: CliSession,
  ground: StudyGround,
  words: StudyWords,
): Promise<ColumnStudy> {
  const { source, base, read } = ground;
  const shown = words.metrics === undefined ? SWEPT_METRICS : splitValues(words.metrics);
  for (const metric of shown) chosenMetric(metric, '--metrics');
  const { interrupt } = session.host;
  const { step } = words;
  const points =
    step === undefined
      ? pointsOfGrid(
          await withoutPause(interrupt, () =>
            parseAxes(words.vary, () => windowOf(base.runs[0]!, inputOptions(session)), 'refused'),
          ),
        )
      : pointsOfStep(step);
  const { axes } = points;
  const share = step?.share ?? 1;
  const compile = pointCompiler(source, axes);
  if (!Number.isSafeInteger(points.size * base.runs.length))
    throw new CcbenchError('bad-usage', 'the grid has too many points to be counted', {
      hint: 'vary fewer settings or take fewer steps',
    });
  const corners = points.corners.map((values) => compilePoint(source, axes, values));
  const inputs = await ground.inputs();
  const isUsed = ({ label }: StudyTranscript): boolean => step === undefined || step.sessions.includes(label);
  const used = base.runs.flatMap(({ transcript }, i) => {
    const known = inputs.of(transcript);
    return known !== null && isUsed(known) ? i : [];
  });
  const labels = used.map((i) => inputs.of(base.runs[i]!.transcript)!.label);
  for (const axis of axes) readNamedFiles(source, axis);
  const metrics = [...new Set([...METRICS.names, ...shown])];
  const columns = resultColumns(axes, metrics);
  const version = programVersion();
  const partition = partitionOf(points.size * used.length);
  const scenario = loadScenario(source.text, source.file, createProblems()).value as Record<string, unknown>;
  const { variants: _variants, expect: _expect, description: _description, ...meant } = scenario;
  const identity = {
    version,
    scenario: meant,
    set: words.set,
    axes: axes.map(({ path, values }) => [path, sha256Hex(values.join('\n'))]),
    files: [...read].sort(([a], [b]) => (a < b ? -1 : 1)),
    plans: corners.map((point) => point.runs.map(({ plan }) => planDigest(plan))),
    transcripts: used.map((i) => inputs.of(base.runs[i]!.transcript)!.input.key),
    metrics,
    ...(step === undefined ? {} : { step }),
  };
  const record: StudyRecord = {
    id: sha256Hex(canonicalJson(identity)).slice(0, ID_DIGITS),
    version,
    name: `${base.runs[0]!.plan.name}-${step === undefined ? 'sweep' : 'tune'}`,
    axes: axes.map(({ path, values }) => ({ path, values: values.length })),
    transcripts: labels,
    ...(share === 1 ? {} : { share }),
    metrics,
    columns,
    partition,
  };
  const others = new Map<string, StudyTranscript>();
  const transcriptOf = async (run: CompiledRun): Promise<StudyTranscript> => {
    const known = inputs.of(run.transcript);
    if (known !== null) return known;
    const key = JSON.stringify(run.transcript);
    const kept = others.get(key) ?? (await loadInputs(session, [run])).transcripts[0]!;
    if (others.size >= KEPT_INPUTS) others.delete(others.keys().next().value!);
    others.set(key, kept);
    return kept;
  };
  const known = (values: readonly string[], i: number): Record<string, CellValue> => ({
    version,
    scenario: base.runs[0]!.plan.name,
    transcript: labels[i]!,
    ...Object.fromEntries(axes.map(({ path }, at) => [path, values[at]!])),
  });
  const isVaried = (path: string): boolean => axes.some((axis) => axis.path === path);

  async function planRun(
    run: number,
    point: Point | null,
    i: number,
    values: readonly string[],
    why: string,
  ) {
    const cells = known(values, i);
    if (point === null) return { run, known: { ...cells, error: why }, job: null, input: null };
    const compiled = point.runs[used[i]!]!;
    const { plan } = compiled;
    try {
      const { input, label } = await transcriptOf(compiled);
      const job = { plan, transcript: input.key, share, metrics: shown };
      const own = {
        key: runKey(job),
        transcript: label,
        ...(isVaried('policy') ? {} : { policy: plan.policy.name }),
        ...(isVaried('seed') ? {} : { seed: plan.seed }),
      };
      return { run, known: { ...cells, ...own }, job, input };
    } catch (error) {
      if (!(error instanceof CcbenchError)) throw error;
      return { run, known: { ...cells, error: jobError(error).message }, job: null, input: null };
    }
  }

  const variesSessions = axes.some(({ path }) => /^(?:transcript|transcripts|sessions)\b/.test(path));
  return {
    record,
    axes,
    shown,
    sessions: used.length,
    variesSessions,
    async plan({ from, to }, isWanted) {
      const planned: PlannedRun[] = [];
      let nextBreath = session.host.now() + BREATH_MS;
      let at = -1;
      let point: Point | null = null;
      let why = '';
      for (let run = from; run < to; run++) {
        if (!isWanted(run)) continue;
        const place = Math.floor(run / used.length);
        const values = points.at(place);
        if (place !== at) [point, why] = tryPoint(compile, values, base.runs.length);
        at = place;
        planned.push(await planRun(run, point, run % used.length, values, why));
        if (session.host.now() < nextBreath) continue;
        await breathe(interrupt);
        nextBreath = session.host.now() + BREATH_MS;
      }
      return planned;
    },
    weight(place, i) {
      const values = variesSessions ? points.at(place) : [];
      const [point] = variesSessions ? tryPoint(compile, values, base.runs.length) : [base];
      const run = point?.runs[used[i]!];
      if (run?.transcript.kind === 'synthetic') return run.transcript.spec.turns;
      const known = run === undefined ? null : inputs.of(run.transcript);
      return known === null ? 1 : expectedCalls(known.input);
    },
  };
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
    if (!(error instanceof CcbenchError)) throw error;
    return [null, jobError(error).message];
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
      if (!(error instanceof CcbenchError)) throw error;
    }
  }
}

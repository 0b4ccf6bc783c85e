import { join } from 'node:path';
import { policyRegistry } from '../../../agent/policies/catalogue.js';
import { isReadBy } from '../../../agent/policies/param-readers.js';
import { policyValues } from '../../../agent/policy-file/paths.js';
import { percentDoubt } from '../../../config/check/check-overrides.js';
import type { ScenarioSource } from '../../../config/compile.js';
import { builtinContext } from '../../../config/context.js';
import type { OpenPlugins } from '../../../config/files/open-plugins.js';
import { priceStepsOf, windowOf } from '../../../config/files/scenario-text.js';
import { CcbenchError } from '../../../core/base/errors.js';
import { ownValue } from '../../../core/base/own-value.js';
import * as doc from '../../../report/document/document.js';
import type { ComparisonCell, ComparisonTable } from '../../../report/page-data/page-data.js';
import { OPEN_LOOP } from '../../../report/text/as-recorded.js';
import { comparisonMarkdown, recordsCsv } from '../../../report/text/comparison-text.js';
import { type Completeness, finishedOf, type VariantRuns } from '../../../study/completeness.js';
import type { MetricRecord } from '../../../study/job.js';
import { compilePoint, type Point, pointCompiler } from '../../../study/point.js';
import type { RowRun, SweptPoint } from '../../../study/run-rows.js';
import { type Axis, parseAxes } from '../../../study/vary.js';
import { inputOptions } from '../../files/input-options.js';
import { jsonPieces } from '../../files/json-pieces.js';
import type { PluginOptions } from '../../runs/with-plugins.js';
import { type CliSession, note } from '../../session.js';
import { runInterruptible, yieldToEventLoop } from '../../terminal/interrupt.js';
import { type Closing, present, tellWritten } from '../../terminal/present.js';
import { createProgress } from '../../terminal/progress.js';
import type { PictureOptions } from '../../terminal/report-pictures.js';
import { completenessJson, rowNote } from './completeness-notes.js';
import { assumedOf, standInsOf, studyRuns } from './provider-notes.js';
import { type RecordedReference, recordedReference } from './recorded-reference.js';
import { repeatPoint } from './repeat-command.js';
import { concluded, measured } from './study-conclusion.js';
import { openStudyFolder, STUDY_PAGE, type StudyFolder, writeSweepReport } from './study-files.js';
import {
  loadInputs,
  recordingsOf,
  type StudyInputs,
  type StudyTranscript,
  studyName,
  studyTitle,
} from './study-inputs.js';
import { openSource, type StudyChoice } from './study-sessions.js';
import type { SweepPageInput } from './sweep-page.js';

/** Options of the commands that run points. */
export interface PointOptions extends PluginOptions, StudyChoice, PictureOptions {
  /** Absent: the threshold at which the policy compacts. */
  readonly vary?: readonly string[];
  readonly set: readonly string[];
  readonly workers?: number;
  readonly out: string;
  readonly files: boolean;
}

/** A sweep or a search that is ready to run. */
export interface PointStudy {
  readonly kind: 'sweep' | 'tune';
  readonly name: string;
  /** What its page is called. */
  readonly title: string;
  /** The unchanged scenario. */
  readonly base: Point;
  readonly axes: readonly Axis[];
  readonly points: readonly Point[];
  readonly inputs: StudyInputs;
  /** Null if no files are written. */
  readonly folder: StudyFolder | null;
  readonly pictures: PictureOptions;
  /** What is taken for granted of models and providers. */
  assumed(): Promise<readonly string[]>;
  /** Which models replace those of the sessions. */
  standIns(): readonly string[];
  /** The command that repeats a point over all its sessions. */
  repeat(point: Point): string;
  /** The command that repeats one run. */
  repeatRun(run: RowRun<Point, StudyTranscript>): string;
}

/** Opens a study over points of a scenario: `choose` gives the values of each axis, point by point. */
export async function openPointStudy(
  session: CliSession,
  kind: PointStudy['kind'],
  files: readonly string[],
  options: PointOptions,
  opened: OpenPlugins,
  choose: (axes: readonly Axis[]) => readonly (readonly string[])[],
): Promise<PointStudy> {
  const { cwd, interrupt } = session.host;
  const { file, source, recordings, named } = await openSource(session, kind, files, options, opened);
  const base = compilePoint(source, [], []);
  const vary = options.vary ?? usualVary(session, base.runs[0]!.plan.policy.name);
  const axes = await runInterruptible(interrupt, () =>
    parseAxes(
      vary,
      () => windowOf(base.runs[0]!, inputOptions(session)),
      kind === 'sweep' ? 'refused' : 'allowed',
      () => priceStepsOf(base.runs[0]!, inputOptions(session)),
    ),
  );
  const points = await compilePoints(session, source, axes, choose(axes));
  const inputs = await loadInputs(
    session,
    points.flatMap((point) => point.runs),
  );
  const scenario = base.runs[0]!.plan.name;
  const name = `${studyName(scenario, file, cwd, inputs)}-${kind}`;
  const folder = options.files ? openStudyFolder(session, options.out, name) : null;
  for (const line of folder?.notes ?? []) note(session, line);
  const used = recordingsOf(inputs, recordings === undefined ? 'scenario' : 'command line');
  const repeat = (point: Point, over: readonly string[] | null): string =>
    repeatPoint({
      file,
      text: source.text,
      set: options.set,
      point,
      recordings: over,
      patterns: options.transcripts,
      named,
      plugins: options.plugin ?? [],
    });
  return {
    kind,
    name,
    title: `${studyTitle(scenario, file, cwd, inputs)}: ${axes.map(({ path }) => path).join(' × ')}`,
    base,
    axes,
    points,
    inputs,
    folder,
    pictures: options,
    assumed: () => runInterruptible(interrupt, () => assumedOf(studyRuns(points, inputs))),
    standIns: () => standInsOf(studyRuns(points, inputs)),
    repeat: (point) => repeat(point, used),
    repeatRun: ({ row, session: { path } }) =>
      repeat(row, recordings === undefined || path === null ? null : [path]),
  };
}

/** What is varied by default: the size at which the policy compacts. */
function usualVary(session: CliSession, name: string): readonly string[] {
  const policy = policyRegistry.has(name) ? policyRegistry.get(name) : null;
  const values = policy?.written === undefined ? [] : policyValues(policy.written);
  const path =
    policy !== null && isReadBy(policy, 'window.percent')
      ? 'window.percent'
      : values.find((value) => /^rules\..*\.when\b.*\.tokens$/.test(value.path))?.path;
  if (path === undefined)
    throw new CcbenchError(
      'bad-usage',
      `${name} does not compact at a fixed size, so --vary must name a setting`,
      {
        hint: `for example: --vary cache.ttl=5m,1h; ccbench policies show ${name} lists its settings`,
      },
    );
  note(session, `no --vary: using --vary ${path}=auto`);
  return [`${path}=auto`];
}

/** Wall time between two looks at the terminal. */
const LOOK_MS = 40;

/** What is doubtful in the percentages that axes take, which may be planned without the scenario being checked again. */
function noteSmallPercents({ onWarning }: ScenarioSource, axes: readonly Axis[]): void {
  for (const { path, values } of axes) {
    const [doubt] = values.flatMap((value) => percentDoubt(builtinContext, path, Number(value)) ?? []);
    if (doubt !== undefined) onWarning?.(doubt);
  }
}

/** Compiles the points of a study, pausing often enough to notice Ctrl-C and to show how far it is. */
async function compilePoints(
  session: CliSession,
  source: ScenarioSource,
  axes: readonly Axis[],
  values: readonly (readonly string[])[],
): Promise<readonly Point[]> {
  const { host } = session;
  const progress = createProgress(session, 'points');
  const points: Point[] = [];
  const compile = pointCompiler(source, axes);
  noteSmallPercents(source, axes);
  let nextLook = host.now() + LOOK_MS;
  progress.start('planning', values.length);
  try {
    for (const each of values) {
      points.push(compile(each));
      if (host.now() < nextLook) continue;
      progress.update(points.length);
      await yieldToEventLoop(host.interrupt);
      nextLook = host.now() + LOOK_MS;
    }
  } finally {
    progress.clear();
  }
  return points;
}

/** A cell of a table of points. */
export function metricCell(metrics: MetricRecord, metric: string, isBest: boolean): ComparisonCell {
  const text = measured(metrics, metric);
  const value = ownValue(metrics, metric) ?? null;
  return isBest ? { text, value, mark: 'best' } : { text, value };
}

/** The beginning of the row of a point: its name, and over how many sessions it is where points differ in that. */
export function rowHead(
  { point, completeness }: SweptPoint,
  all: Completeness,
): {
  readonly name: string;
  readonly note?: string;
} {
  const own = rowNote(completeness, all);
  return own === undefined ? { name: point.name } : { name: point.name, note: own };
}

/** What a study over points came to. */
export interface PointFindings
  extends Pick<SweepPageInput, 'swept' | 'discarded' | 'asItIs' | 'names' | 'table' | 'columns'> {
  readonly completeness: Completeness;
  readonly runs: readonly VariantRuns[];
  readonly recorded: RecordedReference | null;
  readonly assumed: readonly string[];
  readonly closing: Closing;
  /** What JSON says of this kind of study alone, around what every kind says of its completeness. */
  json(completeness: object): object;
}

/** The reference that points stand beside, with what is assumed of them all. */
export async function referenceOf(
  { inputs, assumed }: PointStudy,
  { compared }: Completeness,
): Promise<Pick<PointFindings, 'recorded' | 'assumed'>> {
  return { recorded: recordedReference(inputs, compared), assumed: await assumed() };
}

/** The last lines of a study over points. */
export function closingOf({ repeat }: PointStudy, conclusion: Closing, best: SweptPoint | null): Closing {
  return { ...conclusion, repeat: best === null ? null : repeat(best.point) };
}

/** Prints what a study over points came to, then writes its files; `shown` is the table as the terminal has room for it. */
export async function publish(
  session: CliSession,
  study: PointStudy,
  findings: PointFindings,
  shown: ComparisonTable,
  extra: object = {},
): Promise<void> {
  const { kind, folder, inputs } = study;
  const { completeness, recorded, table, closing } = findings;
  const json = {
    recorded: recorded === null ? null : { metrics: recorded.metrics, runs: recorded.runs },
    assumes: OPEN_LOOP,
    assumptions: findings.assumed,
    ...findings.json(completenessJson(completeness, findings.runs)),
    transcripts: inputs.sessions,
    skipped: inputs.skipped,
    warnings: inputs.warnings,
  };
  present(session, {
    blocks: [...study.standIns().map((text) => doc.said(text, 'warning')), doc.comparison(shown)],
    closing,
    json: { ...json, ...extra, report: folder?.shown ?? null },
  });
  if (folder !== null) {
    folder.sort();
    await folder.write('', `${kind}.json`, jsonPieces(json));
    await folder.write('', `${kind}.md`, comparisonMarkdown(concluded(table, closing)));
    await folder.write('', `${kind}.csv`, pointsCsv(study.axes, completeness.compared, findings.swept));
    const page = {
      conclusion: closing,
      compared: completeness.compared,
      recorded: recorded?.metrics ?? null,
    };
    await writeSweepReport(session, folder, { ...study, ...findings, ...page }, study.pictures);
    if (folder.isWritten()) tellWritten(session, join(folder.shown, STUDY_PAGE));
  }
}

/** Points as CSV: settings, how far each came and over which sessions, none for a point that is not compared, every metric. */
function pointsCsv(
  axes: readonly Axis[],
  compared: readonly string[],
  points: readonly SweptPoint[],
): Iterable<string> {
  return recordsCsv(
    [
      ...axes.map(({ path }) => path),
      'standing',
      'sessions',
      'sessionsFinished',
      'sessionsCompared',
      'sessionsUnfinished',
    ],
    Object.keys(points[0]?.metrics ?? {}),
    points.map(({ point, completeness, metrics, runs }) => ({
      keys: [
        ...point.values,
        completeness.standing,
        completeness.run,
        completeness.finished,
        completeness.standing === 'apart' ? '' : finishedOf(runs, compared).join('; '),
        completeness.unfinished.map(({ transcript }) => transcript).join('; '),
      ],
      values: metrics,
    })),
  );
}

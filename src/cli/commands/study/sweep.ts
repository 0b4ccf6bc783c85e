import { join } from 'node:path';
import type { OpenPlugins } from '../../../config/files/open-plugins.js';
import { windowOf } from '../../../config/files/window-of.js';
import { CcbenchError } from '../../../core/base/errors.js';
import { formatCounted, formatDecimal, formatValue } from '../../../core/base/format.js';
import { findMetric } from '../../../metrics/registry.js';
import type { ComparisonTable } from '../../../report/page-data/page-data.js';
import { OPEN_LOOP } from '../../../report/text/assumptions.js';
import { comparisonLines, comparisonMarkdown } from '../../../report/text/comparison-text.js';
import { bestRanked } from '../../../study/best-ranked.js';
import {
  type Completeness,
  completenessOf,
  type VariantRuns,
  variantMeans,
} from '../../../study/completeness.js';
import { type FittedMinimum, fitMinimum } from '../../../study/fit-minimum.js';
import type { MetricRecord } from '../../../study/job.js';
import { compilePoint, type Point, pointName, runKey } from '../../../study/point.js';
import type { StoredResult } from '../../../study/results-file.js';
import { splitValues } from '../../../study/split-values.js';
import { type Axis, grid, parseAxes } from '../../../study/vary.js';
import type { ExitCode } from '../../exit-codes.js';
import { type PluginOptions, withPlugins } from '../../runs/with-plugins.js';
import { type CliSession, inputOptions, note, printJson } from '../../session.js';
import { closingText } from '../../terminal/closing.js';
import { withoutPause } from '../../terminal/interrupt.js';
import { screenFor } from '../../terminal/paint.js';
import { answeredExit } from './answered-exit.js';
import { chosenMetric, SWEPT_METRICS } from './chosen-metrics.js';
import {
  completenessJson,
  completenessNotes,
  meansNote,
  partialNotes,
  rowNote,
  standingJson,
} from './completeness-notes.js';
import { compilePoints, type PlannedPoint, type SweptPoint } from './points.js';
import { pointsCsv } from './points-csv.js';
import { assumedOf, costIntervalNotes, studyRuns } from './provider-notes.js';
import { recordedReference, referenceNotes } from './recorded-reference.js';
import { repeatPoint } from './repeat-command.js';
import { runPoints } from './run-points.js';
import { concluded, sweepConclusion } from './study-conclusion.js';
import { jsonText, STUDY_PAGE } from './study-files.js';
import { loadInputs, openSource, recordingsOf, type StudyInputs } from './study-inputs.js';
import { openSweepFolder, type SweepFolder } from './sweep-folder.js';
import { writeSweepReport } from './sweep-report.js';

/** Options of `ccbench sweep`. */
export interface SweepOptions extends PluginOptions {
  readonly vary: readonly string[];
  readonly set: readonly string[];
  readonly transcripts?: readonly string[];
  readonly metrics?: string;
  readonly workers?: number;
  readonly out: string;
  readonly files: boolean;
}

/** Points that the terminal lists; the files hold all. */
const LISTED_POINTS = 40;

/** `ccbench sweep`: a grid of settings, resumable. */
export async function sweepCommand(
  session: CliSession,
  file: string,
  options: SweepOptions,
): Promise<ExitCode> {
  return withPlugins(session, [file], options, (plugins) => sweep(session, file, options, plugins));
}

async function sweep(
  session: CliSession,
  file: string,
  options: SweepOptions,
  opened: OpenPlugins,
): Promise<ExitCode> {
  const { cwd } = session.host;
  const names = options.metrics === undefined ? SWEPT_METRICS : splitValues(options.metrics);
  for (const metric of names) chosenMetric(metric, '--metrics');
  const { source, recordings } = await openSource(session, file, options, opened);
  const { text } = source;
  const base = compilePoint(source, [], []);
  const { interrupt } = session.host;
  const axes = await withoutPause(interrupt, () =>
    parseAxes(options.vary, () => windowOf(base.runs[0]!, inputOptions(session)), 'refused'),
  );
  const points = await compilePoints(session, source, axes, grid(axes));
  const inputs = await loadInputs(
    session,
    points.flatMap((point) => point.runs),
  );
  const planned = await withoutPause(interrupt, () =>
    planPoints(points, inputs, names, recordings !== undefined),
  );
  const used = recordingsOf(inputs, recordings === undefined ? 'scenario' : 'command line');
  const name = `${base.runs[0]!.plan.name}-sweep`;
  const folder = options.files ? openSweepFolder(options.out, name, cwd) : null;
  for (const line of folder?.notes ?? []) note(session, line);
  const repeat = (point: Point, recordings: readonly string[] | null = used): string =>
    repeatPoint({
      file,
      text,
      set: options.set,
      point,
      recordings,
      patterns: options.transcripts,
      plugins: options.plugin ?? [],
    });
  const { found, ran } = await runPoints(session, planned, inputs, {
    label: name,
    workers: options.workers,
    folder,
    metrics: names,
    commandOf: ({ point, recording }) => repeat(point, recording === null ? null : [recording]),
  });
  const gathered = await withoutPause(interrupt, () => gather(points, planned, found));
  if (gathered.swept.length === 0) throw new CcbenchError('bad-input', 'no run of the sweep came to its end');
  const assumed = await withoutPause(interrupt, () => assumedOf(studyRuns(points, inputs)));
  await tell(session, { name, axes, names, ...gathered, inputs, folder, repeat, ran, assumed });
  return answeredExit(session, gathered.runs);
}

function planPoints(
  points: readonly Point[],
  inputs: StudyInputs,
  metrics: readonly string[],
  globbed: boolean,
): readonly PlannedPoint[] {
  return inputs.transcripts.flatMap((transcript) =>
    points.flatMap((point) =>
      point.runs
        .filter((run) => inputs.of(run.transcript) === transcript)
        .map(({ plan }) => ({
          point,
          transcript: transcript.label,
          recording: globbed ? transcript.path : null,
          job: { plan, transcript: transcript.input.key, share: 1, metrics },
        })),
    ),
  );
}

interface Gathered {
  /** The points of which a run came to its end. */
  readonly swept: readonly SweptPoint[];
  readonly completeness: Completeness;
  readonly runs: readonly VariantRuns[];
}

function gather(
  points: readonly Point[],
  planned: readonly PlannedPoint[],
  found: ReadonlyMap<string, StoredResult>,
): Gathered {
  const byPoint = new Map(points.map((point) => [point, new Map<string, MetricRecord | null>()]));
  for (const { point, transcript, job } of planned)
    byPoint.get(point)!.set(transcript, found.get(runKey(job))?.metrics ?? null);
  const runs = points.map((point) => ({ name: pointName(point), byTranscript: byPoint.get(point)! }));
  const completeness = completenessOf(runs, 'every-variant');
  const swept = points.flatMap((point, i) => {
    if ([...runs[i]!.byTranscript.values()].every((record) => record === null)) return [];
    const metrics = variantMeans(runs[i]!, completeness);
    return [{ point, metrics, completeness: completeness.variants[i]!, runs: runs[i]! }];
  });
  return { swept, completeness, runs };
}

interface Told extends Gathered {
  readonly name: string;
  readonly axes: readonly Axis[];
  readonly names: readonly string[];
  readonly inputs: StudyInputs;
  readonly folder: SweepFolder | null;
  readonly ran: number;
  /** What is not known of the providers. */
  readonly assumed: readonly string[];
  repeat(point: Point): string;
}

/** Where a smooth curve through a sweep over one number has its smallest value. */
function fitOf(axes: readonly Axis[], swept: readonly SweptPoint[], metric: string): FittedMinimum | null {
  const [axis] = axes;
  if (axis === undefined || axes.length !== 1 || findMetric(metric)!.better !== 'lower') return null;
  const points = swept.flatMap(({ point, metrics, completeness }) => {
    const x = Number(point.values[0]);
    const y = completeness.standing === 'ranked' ? (metrics[metric] ?? null) : null;
    return Number.isFinite(x) && y !== null ? [{ x, y }] : [];
  });
  return fitMinimum(points, axis.scale);
}

function tableOf(told: Told, notes: readonly string[]): ComparisonTable {
  const { name, axes, names, swept, completeness, runs } = told;
  const best = new Map(names.map((metric) => [metric, bestRanked(swept, findMetric(metric)!)] as const));
  const ranked = swept.filter((item) => item.completeness.standing === 'ranked');
  const differ = new Map(
    names.map((metric) => [metric, new Set(ranked.map(({ metrics }) => metrics[metric])).size > 1] as const),
  );
  // Of several that are equally good none is better than the others.
  const isBest = (item: SweptPoint, metric: string): boolean =>
    item.completeness.standing === 'ranked' && item.metrics[metric] === best.get(metric)?.metrics[metric];
  return {
    caption: `${name}: ${axes.map(({ path }) => path).join(' × ')}`,
    columns: names,
    rows: swept.map((item) => ({
      name: pointName(item.point),
      ...noteOf(item),
      cells: names.map((metric) => {
        const value = item.metrics[metric] ?? null;
        const text = formatValue(value, findMetric(metric)!.unit);
        return isBest(item, metric) && differ.get(metric) === true
          ? { text, value, mark: 'best' as const }
          : { text, value };
      }),
    })),
    notes: [
      ...[meansNote(completeness)].filter((line) => line !== ''),
      ...partialNotes(runs, completeness, names),
      ...completenessNotes(completeness, 'point', runs),
      ...notes,
    ],
  };
}

/** The note of a row that did not finish everything. */
export function noteOf({ completeness }: SweptPoint): { readonly note?: string } {
  const note = rowNote(completeness);
  return note === undefined ? {} : { note };
}

function runsJson({ byTranscript }: VariantRuns) {
  return [...byTranscript].flatMap(([transcript, metrics]) =>
    metrics === null ? [] : [{ transcript, metrics }],
  );
}

async function tell(session: CliSession, told: Told): Promise<void> {
  const { axes, names, swept, inputs, folder } = told;
  const [metric] = names as [string];
  const best = bestRanked(swept, findMetric(metric)!);
  const fit = fitOf(axes, swept, metric);
  const closing = {
    ...sweepConclusion(
      metric,
      best === null
        ? null
        : {
            settings: best.point.set.join(', '),
            value: best.metrics[metric] ?? null,
            equal: swept.filter(
              (item) =>
                item !== best &&
                item.completeness.standing === 'ranked' &&
                item.metrics[metric] === best.metrics[metric],
            ).length,
          },
      told.completeness,
    ),
    repeat: best === null ? null : told.repeat(best.point),
    written: folder === null ? null : join(folder.shown, STUDY_PAGE),
  };
  const notes: string[] = [];
  if (best !== null && metric === 'costUsd')
    notes.push(...costIntervalNotes('the best point', best.metrics, told.completeness.compared.length));
  if (fit !== null) {
    notes.push(
      `a curve through the ${fit.points} points near it is smallest at ${axes[0]!.path}=${formatDecimal(fit.x, fit.x >= 100 ? 0 : 2)}`,
    );
  }
  const recorded = recordedReference(inputs, told.completeness.compared);
  notes.push(...referenceNotes(recorded, names), OPEN_LOOP, ...told.assumed);
  const json = {
    recorded: recorded === null ? null : { metrics: recorded.metrics, runs: recorded.runs },
    assumes: OPEN_LOOP,
    assumptions: told.assumed,
    axes: axes.map(({ path, values, scale }) => ({ path, values, scale })),
    points: swept.map(({ point, metrics, completeness, runs }) => ({
      settings: point.settings,
      ...standingJson(completeness),
      metrics,
      runs: runsJson(runs),
    })),
    best:
      best === null
        ? null
        : {
            metric,
            settings: best.point.settings,
            value: best.metrics[metric] ?? null,
            command: told.repeat(best.point),
          },
    ...completenessJson(told.completeness, told.runs),
    fitted: fit === null ? null : { metric, path: axes[0]!.path, ...fit },
    transcripts: inputs.sessions,
    skipped: inputs.skipped,
    warnings: inputs.warnings,
  };
  const table = tableOf(told, notes);
  if (folder !== null) {
    await folder.write('', 'sweep.json', jsonText(json));
    await folder.write('', 'sweep.md', comparisonMarkdown(concluded(table, closing)));
    await folder.write('', 'sweep.csv', pointsCsv(axes, told.completeness.compared, swept));
    await writeSweepReport(folder, {
      name: told.name,
      conclusion: closing,
      axes,
      names,
      swept,
      table,
      compared: told.completeness.compared,
      recorded: recorded?.metrics ?? null,
      repeat: told.repeat,
    });
  }
  if (session.json) {
    printJson(session, { ...json, ran: told.ran, report: folder?.shown ?? null });
    return;
  }
  const bestAt = best === null ? -1 : swept.indexOf(best);
  const rows = table.rows.filter((_, i) => i < LISTED_POINTS || i === bestAt);
  const more = table.rows.length - rows.length;
  const screen = screenFor(session.host.stdout, session.colors);
  const lines = comparisonLines(
    { ...table, rows, notes: [...(more > 0 ? [leftOutNote(more, bestAt)] : []), ...table.notes] },
    screen,
  );
  session.host.stdout.write(`${lines.join('\n')}\n\n${closingText(closing, screen)}`);
}

/** Says what the table of a large sweep leaves out. */
function leftOutNote(more: number, bestAt: number): string {
  const best = bestAt >= LISTED_POINTS ? '; the last row is the best of all' : '';
  return `… and ${formatCounted(more, 'more point')}${best}`;
}

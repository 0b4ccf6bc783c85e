import { CcbenchError } from '../../base/errors.js';
import { findMetric } from '../../metrics/registry.js';
import { OPEN_LOOP } from '../../report/assumptions.js';
import { comparisonLines, comparisonMarkdown, recordsCsv } from '../../report/comparison-text.js';
import { formatDecimal, formatValue } from '../../report/format.js';
import type { ComparisonTable } from '../../report/page-data.js';
import { meansOf } from '../../study/comparison.js';
import { type FittedMinimum, fitMinimum } from '../../study/fit-minimum.js';
import type { StoredResult } from '../../study/results-file.js';
import { splitValues } from '../../study/split-values.js';
import { type Axis, grid, parseVary } from '../../study/vary.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { screenFor } from '../paint.js';
import { readTextInput } from '../read-input.js';
import { type CliSession, note, printJson } from '../session.js';
import { chosenMetric } from '../study/chosen-metrics.js';
import { compilePoint, type PlannedPoint, type Point, runKey, type SweptPoint } from '../study/points.js';
import { recordedReference, referenceNotes } from '../study/recorded-reference.js';
import { repeatCommand } from '../study/repeat-command.js';
import { runPoints } from '../study/run-points.js';
import { jsonText } from '../study/study-files.js';
import { globbedRecordings, loadInputs, type StudyInputs, windowOf } from '../study/study-inputs.js';
import { openSweepFolder, type SweepFolder } from '../study/sweep-folder.js';
import { writeSweepReport } from '../study/sweep-report.js';

/** Options of `ccbench sweep`. */
export interface SweepOptions {
  readonly vary: readonly string[];
  readonly set: readonly string[];
  readonly transcripts?: readonly string[];
  readonly metrics?: string;
  readonly workers?: number;
  readonly out: string;
  readonly files: boolean;
}

/** Metrics of a sweep for which nobody chose others. */
const SWEPT_METRICS = ['costUsd', 'cacheHitRate', 'compactions', 'keptContentShare', 'requestsRefused'];

/** Points that the terminal lists; the files hold all. */
const LISTED_POINTS = 40;

/** The axes of a study's `--vary` options. */
export function axesOf(
  session: CliSession,
  vary: readonly string[],
  base: Point,
  open: 'allowed' | 'refused',
): readonly Axis[] {
  let window: number | null = null;
  const windowTokens = (): number => (window ??= windowOf(base.runs[0]!, session));
  const axes = vary.map((text) => parseVary(text, windowTokens, open));
  const paths = new Set<string>();
  for (const { path } of axes) {
    if (paths.has(path)) throw new CcbenchError('bad-usage', `--vary names ${path} twice`);
    paths.add(path);
  }
  return axes;
}

/** `ccbench sweep`: a grid of settings, resumable. */
export async function sweepCommand(
  session: CliSession,
  file: string,
  options: SweepOptions,
): Promise<ExitCode> {
  const { cwd } = session.host;
  const names = options.metrics === undefined ? SWEPT_METRICS : splitValues(options.metrics);
  for (const metric of names) chosenMetric(metric, '--metrics');
  const text = readTextInput(file, { cwd });
  const recordings = await globbedRecordings(session, options.transcripts);
  const source = {
    text,
    file,
    set: options.set,
    ...(recordings === undefined ? {} : { recordings: recordings.paths }),
  };
  const base = compilePoint(source, [], []);
  const axes = axesOf(session, options.vary, base, 'refused');
  const points = grid(axes).map((values) => compilePoint(source, axes, values));
  const inputs = await loadInputs(
    session,
    points.flatMap((point) => point.runs),
  );
  const planned = planPoints(points, inputs, names, recordings !== undefined);
  const name = `${base.runs[0]!.plan.name}-sweep`;
  const folder = options.files ? openSweepFolder(options.out, name, cwd) : null;
  for (const line of folder?.notes ?? []) note(session, line);
  const { found, ran } = await runPoints(session, planned, inputs, {
    label: name,
    workers: options.workers,
    folder,
    metrics: names,
    commandOf: ({ point, recording }) =>
      repeatCommand({ file, text, set: [...options.set, ...point.set], recording }),
  });
  const swept = gather(points, planned, found);
  if (swept.length === 0) throw new CcbenchError('bad-input', 'no run of the sweep came to its end');
  const repeat = (point: Point): string =>
    repeatCommand({ file, text, set: [...options.set, ...point.set], recording: null });
  await tell(session, { name, axes, names, swept, inputs, folder, repeat, ran });
  return EXIT.fine;
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

function gather(
  points: readonly Point[],
  planned: readonly PlannedPoint[],
  found: ReadonlyMap<string, StoredResult>,
): readonly SweptPoint[] {
  const byPoint = new Map<Point, PlannedPoint[]>(points.map((point) => [point, []]));
  for (const item of planned) byPoint.get(item.point)!.push(item);
  return points.flatMap((point) => {
    const runs = byPoint.get(point)!.flatMap((item) => {
      const result = found.get(runKey(item.job));
      return result === undefined ? [] : [{ transcript: item.transcript, metrics: result.metrics }];
    });
    return runs.length === 0 ? [] : [{ point, runs, metrics: meansOf(runs.map(({ metrics }) => metrics)) }];
  });
}

interface Told {
  readonly name: string;
  readonly axes: readonly Axis[];
  readonly names: readonly string[];
  readonly swept: readonly SweptPoint[];
  readonly inputs: StudyInputs;
  readonly folder: SweepFolder | null;
  readonly ran: number;
  repeat(point: Point): string;
}

/** The point with the best value of a metric; the first of equals, null where no direction is better. */
function bestPoint(swept: readonly SweptPoint[], metric: string): SweptPoint | null {
  const { better } = findMetric(metric)!;
  let best: SweptPoint | null = null;
  for (const item of swept) {
    const value = item.metrics[metric] ?? null;
    if (better === null || value === null) continue;
    const record = best?.metrics[metric] ?? null;
    if (record === null || (better === 'lower' ? value < record : value > record)) best = item;
  }
  return best;
}

/** Where a smooth curve through a sweep over one number has its smallest value. */
function fitOf(axes: readonly Axis[], swept: readonly SweptPoint[], metric: string): FittedMinimum | null {
  const [axis] = axes;
  if (axis === undefined || axes.length !== 1 || findMetric(metric)!.better !== 'lower') return null;
  const points = swept.flatMap(({ point, metrics }) => {
    const x = Number(point.values[0]);
    const y = metrics[metric] ?? null;
    return Number.isFinite(x) && y !== null ? [{ x, y }] : [];
  });
  return fitMinimum(points, axis.scale);
}

function tableOf({ name, axes, names, swept, inputs }: Told, notes: readonly string[]): ComparisonTable {
  const best = new Map(names.map((metric) => [metric, bestPoint(swept, metric)] as const));
  const differ = new Map(
    names.map((metric) => [metric, new Set(swept.map(({ metrics }) => metrics[metric])).size > 1] as const),
  );
  return {
    caption: `${name}: ${axes.map(({ path }) => path).join(' × ')}`,
    columns: names,
    rows: swept.map((item) => ({
      name: item.point.set.length === 0 ? 'base' : item.point.set.join(', '),
      cells: names.map((metric) => {
        const text = formatValue(item.metrics[metric] ?? null, findMetric(metric)!.unit);
        return best.get(metric) === item && differ.get(metric) === true
          ? { text, mark: 'best' as const }
          : { text };
      }),
    })),
    notes: [
      ...(inputs.transcripts.length > 1 ? [`means over ${inputs.transcripts.length} transcripts`] : []),
      ...notes,
    ],
  };
}

async function tell(session: CliSession, told: Told): Promise<void> {
  const { axes, names, swept, inputs, folder } = told;
  const [metric] = names as [string];
  const best = bestPoint(swept, metric);
  const fit = fitOf(axes, swept, metric);
  const notes: string[] = [];
  if (best !== null && swept.length > 1) {
    const value = formatValue(best.metrics[metric] ?? null, findMetric(metric)!.unit);
    notes.push(
      `best ${metric}: ${value} at ${best.point.set.join(', ')}`,
      `  repeat: ${told.repeat(best.point)}`,
    );
  }
  if (fit !== null) {
    notes.push(
      `a curve through the ${fit.points} points near it is smallest at ${axes[0]!.path}=${formatDecimal(fit.x, fit.x >= 100 ? 0 : 2)}`,
    );
  }
  const recorded = recordedReference(inputs);
  notes.push(...referenceNotes(recorded, names), OPEN_LOOP);
  const json = {
    recorded: recorded === null ? null : { metrics: recorded.metrics, runs: recorded.runs },
    assumes: OPEN_LOOP,
    axes: axes.map(({ path, values, scale }) => ({ path, values, scale })),
    points: swept.map(({ point, metrics, runs }) => ({ settings: point.settings, metrics, runs })),
    best:
      best === null
        ? null
        : {
            metric,
            settings: best.point.settings,
            value: best.metrics[metric] ?? null,
            command: told.repeat(best.point),
          },
    fitted: fit === null ? null : { metric, path: axes[0]!.path, ...fit },
    transcripts: inputs.transcripts.map(({ label }) => label),
    skipped: inputs.skipped,
    ran: told.ran,
  };
  const table = tableOf(told, notes);
  if (folder !== null) {
    await folder.write('', 'sweep.json', jsonText(json));
    await folder.write('', 'sweep.md', comparisonMarkdown(table));
    const rows = swept.map((item) => ({ keys: item.point.values, values: item.metrics }));
    await folder.write(
      '',
      'sweep.csv',
      recordsCsv(
        axes.map(({ path }) => path),
        Object.keys(swept[0]!.metrics),
        rows,
      ),
    );
    await writeSweepReport(folder, { name: told.name, axes, names, swept, table });
  }
  if (session.json) {
    printJson(session, { ...json, report: folder?.shown ?? null });
    return;
  }
  const rows = table.rows.slice(0, LISTED_POINTS);
  const more = table.rows.length - rows.length;
  const lines = comparisonLines(
    { ...table, rows, notes: [...(more > 0 ? [`… and ${more} more points`] : []), ...table.notes] },
    screenFor(session.host.stdout, session.colors),
  );
  const report = folder === null ? '' : `report ${folder.shown}\n`;
  session.host.stdout.write(`${lines.join('\n')}\n${report}`);
}

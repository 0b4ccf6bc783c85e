import { CcbenchError } from '../../base/errors.js';
import { createRandom } from '../../base/random.js';
import { type Expectation, holds, parseExpectation } from '../../metrics/expect.js';
import { findMetric } from '../../metrics/registry.js';
import { OPEN_LOOP } from '../../report/assumptions.js';
import { paretoFront } from '../../report/charts/pareto.js';
import { comparisonLines, comparisonMarkdown, recordsCsv } from '../../report/comparison-text.js';
import { formatValue } from '../../report/format.js';
import type { ComparisonTable } from '../../report/page-data.js';
import { meansOf } from '../../study/comparison.js';
import type { MetricRecord } from '../../study/job.js';
import type { StoredResult } from '../../study/results-file.js';
import {
  type Candidate,
  drawCandidates,
  rank,
  rungsOf,
  rungWork,
  survivors,
  type Trial,
} from '../../study/search.js';
import type { Axis } from '../../study/vary.js';
import type { WorkerPool } from '../../study/worker-pool.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { screenFor } from '../paint.js';
import { readTextInput } from '../read-input.js';
import { type CliSession, note, printJson } from '../session.js';
import { chosenMetric } from '../study/chosen-metrics.js';
import { compilePoint, type Point, runKey, type SweptPoint } from '../study/points.js';
import { recordedReference, referenceNotes } from '../study/recorded-reference.js';
import { repeatCommand } from '../study/repeat-command.js';
import { runPoints } from '../study/run-points.js';
import { openThreads } from '../study/run-study.js';
import { jsonText } from '../study/study-files.js';
import { globbedRecordings, loadInputs, type StudyInputs } from '../study/study-inputs.js';
import { openSweepFolder, type SweepFolder } from '../study/sweep-folder.js';
import { writeSweepReport } from '../study/sweep-report.js';
import { axesOf } from './sweep.js';

/** Options of `ccbench tune`. */
export interface TuneOptions {
  readonly vary: readonly string[];
  readonly set: readonly string[];
  readonly minimise?: string;
  readonly maximise?: string;
  readonly subjectTo: readonly string[];
  readonly method: 'random' | 'halving';
  readonly budget: number;
  readonly searchSeed: number;
  readonly transcripts?: readonly string[];
  readonly workers?: number;
  readonly out: string;
  readonly files: boolean;
}

/** The metric that stands for how much the model still sees. */
const KEPT = 'keptContentShare';

/** Settings that the terminal lists. */
const LISTED = 10;

interface Goal {
  readonly metric: string;
  /** 1 when smaller is wanted, −1 when larger is. */
  readonly sign: 1 | -1;
  readonly constraints: readonly Expectation[];
}

interface Tried {
  readonly trial: Trial;
  readonly point: Point;
  readonly metrics: MetricRecord;
}

/** `ccbench tune`: searches the settings that make a metric best while constraints hold. */
export async function tuneCommand(
  session: CliSession,
  file: string,
  options: TuneOptions,
): Promise<ExitCode> {
  const { cwd } = session.host;
  const goal = goalOf(options);
  const text = readTextInput(file, { cwd });
  const recordings = await globbedRecordings(session, options.transcripts);
  const source = {
    text,
    file,
    set: options.set,
    ...(recordings === undefined ? {} : { recordings: recordings.paths }),
  };
  const base = compilePoint(source, [], []);
  const axes = axesOf(session, options.vary, base, 'allowed');
  const drawn = drawCandidates(axes, options.budget, createRandom(options.searchSeed));
  const points = drawn.map(({ values }) => compilePoint(source, axes, values));
  const inputs = await loadInputs(
    session,
    points.flatMap((point) => point.runs),
  );
  const name = `${base.runs[0]!.plan.name}-tune`;
  const folder = options.files ? openSweepFolder(options.out, name, cwd) : null;
  for (const line of folder?.notes ?? []) note(session, line);
  const repeat = (point: Point, recording: string | null = null): string =>
    repeatCommand({ file, text, set: [...options.set, ...point.set], recording });
  const rungs = rungsOf(options.method, drawn.length);
  let candidates: readonly Candidate[] = drawn;
  let tried: readonly Tried[] = [];
  const threads = openThreads(options.workers);
  try {
    for (const [i, share] of rungs.entries()) {
      const label = rungs.length === 1 ? name : `${name}, rung ${i + 1} of ${rungs.length}`;
      const rung = {
        session,
        goal,
        points,
        inputs,
        workers: options.workers,
        threads,
        label,
        folder,
        globbed: recordings !== undefined,
        repeat,
      };
      tried = await runRung(rung, candidates, share);
      const best = survivors(tried.map(({ trial }) => trial));
      const unbeaten = frontOf(tried, goal).map(({ trial }) => trial.candidate);
      candidates = [...new Set([...best, ...unbeaten])].sort((a, b) => a.index - b.index);
    }
  } finally {
    await threads?.close();
  }
  const ranked = rank(tried.map(({ trial }) => trial)).map(
    (trial) => tried.find((item) => item.trial === trial)!,
  );
  const best = ranked.find(({ trial }) => trial.feasible && trial.objective !== null) ?? null;
  if (best === null) {
    note(
      session,
      `none of ${drawn.length} settings holds ${goal.constraints.map(({ text }) => text).join(' and ')}`,
    );
  }
  const front = frontOf(ranked, goal);
  const swept: readonly SweptPoint[] = ranked.map(({ point, metrics }) => ({ point, metrics, runs: [] }));
  const recorded = recordedReference(inputs);
  const json = {
    recorded: recorded === null ? null : { metrics: recorded.metrics, runs: recorded.runs },
    assumes: OPEN_LOOP,
    best: best === null ? null : { ...settingJson(best, goal), command: repeat(best.point) },
    front: front.map((item) => ({ ...settingJson(item, goal), [KEPT]: item.metrics[KEPT] ?? null })),
    tried: ranked.map((item) => ({ ...settingJson(item, goal), metrics: item.metrics })),
    drawn: drawn.length,
    rungs,
    transcripts: inputs.transcripts.map(({ label }) => label),
    skipped: inputs.skipped,
  };
  const notes = [
    ...(best === null ? [] : [`best: ${best.point.set.join(', ')}`, `  repeat: ${repeat(best.point)}`]),
    ...referenceNotes(recorded, [goal.metric, KEPT]),
    OPEN_LOOP,
  ];
  const table = tableOf(name, goal, ranked, front, best, notes);
  if (folder !== null) {
    await folder.write('', 'tune.json', jsonText(json));
    await folder.write('', 'tune.md', comparisonMarkdown(table));
    await folder.write('', 'tune.csv', triedCsv(axes, ranked));
    await writeSweepReport(folder, { name, axes, names: [goal.metric], swept, table });
  }
  if (session.json) printJson(session, { ...json, report: folder?.shown ?? null });
  else {
    const rows = table.rows.slice(0, LISTED);
    const lines = comparisonLines({ ...table, rows }, screenFor(session.host.stdout, session.colors));
    const report = folder === null ? '' : `report ${folder.shown}\n`;
    session.host.stdout.write(`${lines.join('\n')}\n${report}`);
  }
  return best === null ? EXIT.expectation : EXIT.fine;
}

function goalOf(options: TuneOptions): Goal {
  const { minimise, maximise } = options;
  if ((minimise === undefined) === (maximise === undefined)) {
    throw new CcbenchError('bad-usage', 'say what to search for: --minimise or --maximise, one of them', {
      hint: 'for example: --minimise costUsd',
    });
  }
  const option = minimise === undefined ? '--maximise' : '--minimise';
  const metric = chosenMetric(minimise ?? maximise!, option).name;
  const constraints = options.subjectTo.map((text) =>
    parseExpectation(text, { file: `--subject-to ${text}` }),
  );
  return { metric, sign: minimise === undefined ? -1 : 1, constraints };
}

interface Rung {
  readonly session: CliSession;
  readonly goal: Goal;
  readonly points: readonly Point[];
  readonly inputs: StudyInputs;
  readonly workers: number | undefined;
  readonly threads: WorkerPool | null;
  readonly label: string;
  readonly folder: SweepFolder | null;
  readonly globbed: boolean;
  repeat(point: Point, recording: string | null): string;
}

async function runRung(
  rung: Rung,
  candidates: readonly Candidate[],
  share: number,
): Promise<readonly Tried[]> {
  const { goal, inputs, points } = rung;
  const wanted = [goal.metric, ...goal.constraints.map(({ metric }) => metric)];
  const work = rungWork(inputs.transcripts.length, share);
  const planned = inputs.transcripts.slice(0, work.transcripts).flatMap((transcript) =>
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
  const { found } = await runPoints(rung.session, planned, inputs, {
    label: rung.label,
    workers: rung.workers,
    threads: rung.threads,
    folder: rung.folder,
    metrics: wanted,
    commandOf: ({ point, recording }) => rung.repeat(point, recording),
  });
  const byCandidate = new Map<Candidate, (StoredResult | null)[]>(
    candidates.map((candidate) => [candidate, []]),
  );
  for (const { candidate, job } of planned) byCandidate.get(candidate)!.push(found.get(runKey(job)) ?? null);
  return candidates.map((candidate) => {
    const own = byCandidate.get(candidate)!;
    const records = own.flatMap((result) => (result === null ? [] : [result.metrics]));
    const metrics = meansOf(records);
    const whole = records.length === own.length && own.length > 0;
    const value = whole ? (metrics[goal.metric] ?? null) : null;
    const feasible =
      whole &&
      records.every((record) => goal.constraints.every((rule) => holds(rule, record[rule.metric] ?? null)));
    const trial = { candidate, share, objective: value === null ? null : value * goal.sign, feasible };
    return { trial, point: points[candidate.index]!, metrics };
  });
}

/** The feasible settings that none beats in both the goal and the content that is kept. */
function frontOf(ranked: readonly Tried[], goal: Goal): readonly Tried[] {
  const usable = ranked.flatMap((item) => {
    const x = item.metrics[goal.metric] ?? null;
    const y = item.metrics[KEPT] ?? null;
    return item.trial.feasible && x !== null && y !== null
      ? [{ label: item.point.set.join(', '), x, y, item }]
      : [];
  });
  const front = paretoFront(usable, { x: goal.sign === 1 ? 'lower' : 'higher', y: 'higher' });
  return front.map((point) => usable.find((candidate) => candidate.label === point.label)!.item);
}

function settingJson({ point, trial, metrics }: Tried, goal: Goal) {
  return {
    settings: point.settings,
    [goal.metric]: metrics[goal.metric] ?? null,
    feasible: trial.feasible,
  };
}

function tableOf(
  name: string,
  goal: Goal,
  ranked: readonly Tried[],
  front: readonly Tried[],
  best: Tried | null,
  notes: readonly string[],
): ComparisonTable {
  const columns = [...new Set([goal.metric, KEPT, ...goal.constraints.map(({ metric }) => metric)])];
  const onFront = new Set(front);
  return {
    caption: `${name}: settings by ${goal.metric}`,
    columns: [...columns, 'holds', 'front'],
    rows: ranked.map((item) => ({
      name: item.point.set.join(', '),
      cells: [
        ...columns.map((metric) => {
          const text = formatValue(item.metrics[metric] ?? null, findMetric(metric)!.unit);
          return item === best && metric === goal.metric ? { text, mark: 'best' as const } : { text };
        }),
        { text: item.trial.feasible ? 'yes' : 'no' },
        { text: onFront.has(item) ? 'yes' : '' },
      ],
    })),
    notes: [`front: no other setting is better in both ${goal.metric} and ${KEPT}`, ...notes],
  };
}

function triedCsv(axes: readonly Axis[], ranked: readonly Tried[]): string {
  const rows = ranked.map(({ point, metrics }) => ({ keys: point.values, values: metrics }));
  return recordsCsv(
    axes.map(({ path }) => path),
    Object.keys(ranked[0]?.metrics ?? {}),
    rows,
  );
}

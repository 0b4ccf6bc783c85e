import { join } from 'node:path';
import type { OpenPlugins } from '../../../config/files/open-plugins.js';
import { priceStepsOf, windowOf } from '../../../config/files/window-of.js';
import { formatValue } from '../../../core/base/format.js';
import { createRandom } from '../../../core/base/random.js';
import { findMetric } from '../../../metrics/registry.js';
import { paretoFront } from '../../../report/charts/pareto.js';
import type { ComparisonTable } from '../../../report/page-data/page-data.js';
import { OPEN_LOOP } from '../../../report/text/assumptions.js';
import { comparisonLines, comparisonMarkdown } from '../../../report/text/comparison-text.js';
import { expectedCalls } from '../../../study/expected-calls.js';
import { splitSessions } from '../../../study/out-of-sample.js';
import { compilePoint, type Point, pointName } from '../../../study/point.js';
import { type Candidate, drawCandidates, rank, rungsOf, survivors } from '../../../study/search.js';
import type { Goal } from '../../../study/trial.js';
import { parseAxes } from '../../../study/vary.js';
import { EXIT, type ExitCode } from '../../exit-codes.js';
import { type PluginOptions, withPlugins } from '../../runs/with-plugins.js';
import { type CliSession, inputOptions, note, printJson } from '../../session.js';
import { closingText } from '../../terminal/closing.js';
import { screenFor } from '../../terminal/paint.js';
import {
  completenessJson,
  completenessNotes,
  meansNote,
  standingJson,
  whyNoneRanked,
} from '../study/completeness-notes.js';
import { compilePoints } from '../study/points.js';
import { pointsCsv } from '../study/points-csv.js';
import { assumedOf, studyRuns } from '../study/provider-notes.js';
import { recordedReference, referenceNotes } from '../study/recorded-reference.js';
import { repeatPoint } from '../study/repeat-command.js';
import type { Elsewhere } from '../study/run-points.js';
import { openThreads } from '../study/run-study.js';
import { concluded, tuneConclusion } from '../study/study-conclusion.js';
import { jsonText, STUDY_PAGE } from '../study/study-files.js';
import { loadInputs, openSource, recordingsOf } from '../study/study-inputs.js';
import { noteOf } from '../study/sweep.js';
import { openSweepFolder } from '../study/sweep-folder.js';
import { writeSweepReport } from '../study/sweep-report.js';
import { type GoalOptions, goalOf } from './tune-goal.js';
import { holdoutNotes, onlySessions, tryHeldOut } from './tune-holdout.js';
import { isFinishedBySome, type JudgedRung, runRung, type Tried } from './tune-rung.js';

/** Options of `ccbench tune`. */
export interface TuneOptions extends PluginOptions, GoalOptions {
  readonly vary: readonly string[];
  readonly set: readonly string[];
  readonly method: 'random' | 'halving';
  readonly budget: number;
  readonly searchSeed: number;
  readonly transcripts?: readonly string[];
  readonly workers?: number;
  readonly out: string;
  readonly files: boolean;
  /** Whether some sessions are kept from the search. */
  readonly holdout: boolean;
}

/** The metric that stands for how much the model still sees. */
const KEPT = 'keptContentShare';

/** Settings that the terminal lists. */
const LISTED = 10;

/** What every search asks of a setting, whatever the goal. */
const IMPLIED = 'finishes every session that any setting finishes';

/** `ccbench tune`: searches the settings that make a metric best while constraints hold. */
export async function tuneCommand(
  session: CliSession,
  file: string,
  options: TuneOptions,
): Promise<ExitCode> {
  return withPlugins(session, [file], options, (plugins) => tune(session, file, options, plugins, null));
}

/** Searches, and tells what was found; the runs are made here or elsewhere. */
export async function tune(
  session: CliSession,
  file: string,
  options: TuneOptions,
  opened: OpenPlugins,
  elsewhere: Elsewhere | null,
): Promise<ExitCode> {
  const { cwd } = session.host;
  const goal = goalOf(options);
  const { source, recordings } = await openSource(session, file, options, opened);
  const { text } = source;
  const base = compilePoint(source, [], []);
  const axes = parseAxes(
    options.vary,
    () => windowOf(base.runs[0]!, inputOptions(session)),
    'allowed',
    () => priceStepsOf(base.runs[0]!, inputOptions(session)),
  );
  const paths = axes.map(({ path }) => path);
  const drawn = drawCandidates(axes, options.budget, createRandom(options.searchSeed));
  const points = await compilePoints(
    session,
    source,
    axes,
    drawn.map(({ values }) => values),
  );
  const all = await loadInputs(
    session,
    points.flatMap((point) => point.runs),
  );
  const sessions = all.transcripts.map(({ label, input }) => ({
    label,
    key: input.key,
    calls: expectedCalls(input),
  }));
  const isSame = base.runs.every(({ transcript }) => all.of(transcript) !== null);
  const halves = options.holdout && isSame ? splitSessions(sessions, options.searchSeed) : null;
  const inputs = halves === null ? all : onlySessions(all, halves.searched);
  const name = `${base.runs[0]!.plan.name}-tune`;
  const folder = options.files ? openSweepFolder(options.out, name, cwd) : null;
  for (const line of folder?.notes ?? []) note(session, line);
  const used = recordingsOf(all, recordings === undefined ? 'scenario' : 'command line');
  const repeat = (point: Point, recorded: readonly string[] | null = used): string =>
    repeatPoint({
      file,
      text,
      set: options.set,
      point,
      recordings: recorded,
      patterns: options.transcripts,
      plugins: options.plugin ?? [],
    });
  const rungs = rungsOf(options.method, drawn.length);
  let candidates: readonly Candidate[] = drawn;
  let judged: JudgedRung | null = null;
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
        paths,
        elsewhere,
        repeat,
      };
      judged = await runRung(rung, candidates, share);
      if (share === 1 && candidates.length < drawn.length && !isFinishedBySome(judged)) {
        note(
          session,
          'no setting that was left finished every session: all settings are run on the whole work',
        );
        judged = await runRung(rung, drawn, share);
      }
      const best = survivors(judged.tried.map(({ trial }) => trial));
      const unbeaten = frontOf(judged.tried, goal).map(({ trial }) => trial.candidate);
      candidates = [...new Set([...best, ...unbeaten])].sort((a, b) => a.index - b.index);
    }
  } finally {
    await threads?.close();
  }
  const { tried, completeness } = judged!;
  const runs = tried.map((item) => item.runs);
  const ranked = rank(tried.map(({ trial }) => trial)).map(
    (trial) => tried.find((item) => item.trial === trial)!,
  );
  const found = ranked.find(({ trial }) => trial.feasible && trial.objective !== null) ?? null;
  const tuning = { session, goal, inputs: all, folder, paths, elsewhere, repeat };
  const held =
    halves === null || found === null
      ? null
      : await tryHeldOut(
          {
            ...tuning,
            workers: options.workers,
            label: `${name}, held out`,
            globbed: recordings !== undefined,
          },
          halves,
          base,
          found.point,
        );
  const best = held === null || held.refusal === null ? found : null;
  const isRanked = tried.some((item) => item.completeness.standing === 'ranked');
  const rules = goal.constraints.map(({ text }) => text).join(' and ');
  const refusal = isRanked
    ? (held?.refusal ?? `none of ${drawn.length} settings holds ${rules}`)
    : whyNoneRanked(completeness, 'setting');
  if (best === null) note(session, `${isRanked ? 'nothing qualifies' : 'no setting is chosen'}: ${refusal}`);
  const front = frontOf(ranked, goal);
  const recorded = recordedReference(inputs, completeness.compared);
  const assumed = assumedOf(studyRuns(points, all));
  const json = {
    recorded: recorded === null ? null : { metrics: recorded.metrics, runs: recorded.runs },
    assumes: OPEN_LOOP,
    assumptions: assumed,
    best: best === null ? null : { ...settingJson(best, goal), command: repeat(best.point) },
    front: front.map((item) => ({ ...settingJson(item, goal), [KEPT]: item.metrics[KEPT] ?? null })),
    tried: ranked.map((item) => ({
      ...settingJson(item, goal),
      ...standingJson(item.completeness),
      metrics: item.metrics,
    })),
    constraints: { implied: IMPLIED, given: goal.constraints.map(({ text }) => text) },
    ...completenessJson(completeness, runs),
    outOfSample: held,
    drawn: drawn.length,
    rungs,
    transcripts: all.sessions,
    skipped: inputs.skipped,
    warnings: inputs.warnings,
  };
  const notes = [
    `holds: ${[IMPLIED, ...goal.constraints.map(({ text }) => text)].join('; ')}`,
    ...[meansNote(completeness)].filter((line) => line !== ''),
    ...completenessNotes(completeness, 'setting', runs),
    ...(held === null ? [] : holdoutNotes(held, goal.metric)),
    ...(halves === null || best === null
      ? []
      : [
          `the line that repeats the best setting runs all ${all.sessions.length} sessions, those held out too`,
        ]),
    ...referenceNotes(recorded, [goal.metric, KEPT]),
    OPEN_LOOP,
    ...assumed,
  ];
  const closing = {
    ...tuneConclusion(
      goal.metric,
      best === null
        ? null
        : { settings: best.point.set.join(', '), value: best.metrics[goal.metric] ?? null },
      refusal,
      held,
    ),
    repeat: best === null ? null : repeat(best.point),
    written: folder === null ? null : join(folder.shown, STUDY_PAGE),
  };
  const table = tableOf(name, goal, ranked, front, best, notes);
  if (folder !== null) {
    await folder.write('', 'tune.json', jsonText(json));
    await folder.write('', 'tune.md', comparisonMarkdown(concluded(table, closing)));
    await folder.write('', 'tune.csv', pointsCsv(axes, completeness.compared, ranked));
    await writeSweepReport(folder, {
      name,
      conclusion: closing,
      axes,
      names: [goal.metric],
      swept: ranked,
      table,
      compared: completeness.compared,
      recorded: recorded?.metrics ?? null,
      repeat,
    });
  }
  if (session.json) printJson(session, { ...json, report: folder?.shown ?? null });
  else {
    const rows = table.rows.slice(0, LISTED);
    const screen = screenFor(session.host.stdout, session.colors);
    const lines = comparisonLines({ ...table, rows }, screen);
    session.host.stdout.write(`${lines.join('\n')}\n\n${closingText(closing, screen)}`);
  }
  return best === null ? EXIT.expectation : EXIT.fine;
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
  const columns = [
    ...new Set([
      goal.metric,
      'finishedShare',
      'callsLost',
      KEPT,
      ...goal.constraints.map(({ metric }) => metric),
    ]),
  ];
  const onFront = new Set(front);
  return {
    caption: `${name}: settings by ${goal.metric}`,
    columns: [...columns, 'holds', 'front'],
    rows: ranked.map((item) => ({
      name: pointName(item.point),
      ...noteOf(item),
      cells: [
        ...columns.map((metric) => {
          const value = item.metrics[metric] ?? null;
          const text = formatValue(value, findMetric(metric)!.unit);
          return item === best && metric === goal.metric
            ? { text, value, mark: 'best' as const }
            : { text, value };
        }),
        { text: item.trial.feasible ? 'yes' : 'no' },
        { text: onFront.has(item) ? 'yes' : '' },
      ],
    })),
    notes: [`front: no other setting is better in both ${goal.metric} and ${KEPT}`, ...notes],
  };
}

import type { OpenPlugins } from '../../../config/files/open-plugins.js';
import { createRandom } from '../../../core/base/random.js';
import { paretoFront } from '../../../report/charts/pareto.js';
import type { ComparisonTable } from '../../../report/page-data/page-data.js';
import { OPEN_LOOP } from '../../../report/text/assumptions.js';
import type { Completeness } from '../../../study/completeness.js';
import { expectedCalls } from '../../../study/job.js';
import { JobRunner } from '../../../study/job-runner.js';
import { splitSessions } from '../../../study/out-of-sample.js';
import {
  type Candidate,
  drawCandidates,
  type Goal,
  rank,
  rungsOf,
  survivors,
} from '../../../study/search.js';
import { EXIT, type ExitCode } from '../../exit-codes.js';
import { withPlugins } from '../../runs/with-plugins.js';
import { type CliSession, note } from '../../session.js';
import { completenessNotes, meansNotes, standingJson, whyNoneRanked } from '../study/completeness-notes.js';
import {
  closingOf,
  metricCell,
  openPointStudy,
  type PointOptions,
  publish,
  referenceOf,
  rowHead,
} from '../study/point-study.js';
import { referenceNotes } from '../study/recorded-reference.js';
import { holdoutNotes, tuneConclusion } from '../study/study-conclusion.js';
import type { StudyInputs } from '../study/study-inputs.js';
import {
  type GoalOptions,
  goalOf,
  type JudgedRung,
  onlySessions,
  type RemoteRunner,
  runRung,
  type Search,
  type Tried,
  tryHeldOut,
} from './tune-search.js';

/** Options of `ccbench tune`. */
export interface TuneOptions extends PointOptions, GoalOptions {
  readonly method: 'random' | 'halving';
  readonly budget: number;
  readonly searchSeed: number;
  /** Whether some sessions are kept from the search. */
  readonly holdout: boolean;
}

/** The metric that stands for how much the model still sees. */
const KEPT = 'contentRetention';

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

/** Searches, and reports what was found; the runs are made here or on other machines. */
export async function tune(
  session: CliSession,
  file: string,
  options: TuneOptions,
  opened: OpenPlugins,
  remote: RemoteRunner | null,
): Promise<ExitCode> {
  const goal = goalOf(options);
  let drawn: readonly Candidate[] = [];
  const study = await openPointStudy(session, 'tune', file, options, opened, (axes) => {
    drawn = drawCandidates(axes, options.budget, createRandom(options.searchSeed));
    return drawn.map(({ values }) => values);
  });
  const runner = new JobRunner(options);
  try {
    return await search({ session, study, goal, runner, remote }, drawn, options);
  } finally {
    await runner.close();
  }
}

async function search(tuning: Search, drawn: readonly Candidate[], options: TuneOptions): Promise<ExitCode> {
  const { session, study, goal } = tuning;
  const { inputs: all, base } = study;
  const sessions = all.transcripts.map(({ label, input }) => ({
    label,
    key: input.key,
    calls: expectedCalls(input),
  }));
  const isSame = base.runs.every(({ transcript }) => all.of(transcript) !== null);
  const halves = options.holdout && isSame ? splitSessions(sessions, options.searchSeed) : null;
  const inputs = halves === null ? all : onlySessions(all, halves.searched);
  const rungs = rungsOf(options.method, drawn.length);
  const { tried, completeness } = await climb(tuning, inputs, drawn, rungs);
  const runs = tried.map((item) => item.runs);
  const ranked = rank(tried.map(({ trial }) => trial)).map(
    (trial) => tried.find((item) => item.trial === trial)!,
  );
  const found = ranked.find(({ trial }) => trial.feasible && trial.objective !== null) ?? null;
  const held = halves === null || found === null ? null : await tryHeldOut(tuning, halves, found.point);
  const best = held === null || held.refusal === null ? found : null;
  const isRanked = tried.some((item) => item.completeness.standing === 'ranked');
  const rules = goal.constraints.map(({ text }) => text);
  const refusal = isRanked
    ? (held?.refusal ?? `none of ${drawn.length} settings holds ${rules.join(' and ')}`)
    : whyNoneRanked(completeness, 'setting');
  if (best === null) note(session, `${isRanked ? 'nothing qualifies' : 'no setting is chosen'}: ${refusal}`);
  const front = frontOf(ranked, goal);
  const reference = await referenceOf(study, completeness);
  const { recorded, assumed } = reference;
  const conclusion = tuneConclusion(
    goal.metric,
    best === null ? null : { settings: best.point.set.join(', '), value: best.metrics[goal.metric] ?? null },
    refusal,
    held,
  );
  const table = tableOf(study.name, goal, ranked, front, best, completeness, [
    `holds: ${[IMPLIED, ...rules].join('; ')}`,
    ...meansNotes(completeness),
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
  ]);
  const findings = {
    ...reference,
    completeness,
    runs,
    swept: ranked,
    names: [goal.metric],
    table,
    closing: closingOf(study, conclusion, best),
    json: (standings: object) => ({
      best: best === null ? null : { ...settingJson(best, goal), command: study.repeat(best.point) },
      front: front.map((item) => ({ ...settingJson(item, goal), [KEPT]: item.metrics[KEPT] ?? null })),
      tried: ranked.map((item) => ({
        ...settingJson(item, goal),
        ...standingJson(item.completeness),
        metrics: item.metrics,
      })),
      constraints: { implied: IMPLIED, given: rules },
      ...standings,
      outOfSample: held,
      drawn: drawn.length,
      rungs,
    }),
  };
  await publish(session, study, findings, { ...table, rows: table.rows.slice(0, LISTED) });
  return best === null ? EXIT.expectation : EXIT.fine;
}

/** Runs rung after rung, each on more of the work and with fewer settings; gives what came of the last one. */
async function climb(
  tuning: Search,
  inputs: StudyInputs,
  drawn: readonly Candidate[],
  rungs: readonly number[],
): Promise<JudgedRung> {
  const { session, study, goal } = tuning;
  let candidates = drawn;
  let judged: JudgedRung | null = null;
  for (const [i, share] of rungs.entries()) {
    const label = rungs.length === 1 ? study.name : `${study.name}, rung ${i + 1} of ${rungs.length}`;
    judged = await runRung(tuning, inputs, candidates, { label, share });
    // Where some setting came through every session, none can answer more calls.
    const isFinishedBySome = judged.completeness.variants.some(({ unfinished }) => unfinished.length === 0);
    if (share === 1 && candidates.length < drawn.length && !isFinishedBySome) {
      note(
        session,
        'no setting that was left finished every session: all settings are run on the whole work',
      );
      judged = await runRung(tuning, inputs, drawn, { label, share });
    }
    const best = survivors(judged.tried.map(({ trial }) => trial));
    const unbeaten = frontOf(judged.tried, goal).map(({ trial }) => trial.candidate);
    candidates = [...new Set([...best, ...unbeaten])].sort((a, b) => a.index - b.index);
  }
  return judged!;
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
  completeness: Completeness,
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
      ...rowHead(item, completeness),
      cells: [
        ...columns.map((metric) =>
          metricCell(item.metrics[metric] ?? null, metric, item === best && metric === goal.metric),
        ),
        { text: item.trial.feasible ? 'yes' : 'no' },
        { text: onFront.has(item) ? 'yes' : '' },
      ],
    })),
    notes: [`front: no other setting is better in both ${goal.metric} and ${KEPT}`, ...notes],
  };
}

import type { OpenPlugins } from '../../../config/files/open-plugins.js';
import { formatCount, formatCounted } from '../../../core/base/format.js';
import { ownValue } from '../../../core/base/own-value.js';
import { mean } from '../../../core/base/stats.js';
import type { ComparisonTable } from '../../../report/page-data/page-data.js';
import { OPEN_LOOP } from '../../../report/text/as-recorded.js';
import { metricWords } from '../../../report/text/metric-words.js';
import { costDelta } from '../../../study/comparison.js';
import type { Completeness, VariantRuns } from '../../../study/completeness.js';
import { expectedCalls } from '../../../study/job.js';
import { JobRunner } from '../../../study/job-runner.js';
import { longestFirst, splitSessions } from '../../../study/out-of-sample.js';
import {
  chosenOf,
  type Goal,
  planSearch,
  rank,
  rungsOf,
  type SearchPlan,
  survivors,
} from '../../../study/search.js';
import type { CommandOptions } from '../../commands.generated.js';
import type { WithSet } from '../../option-values.js';
import { pluggedIn } from '../../runs/with-plugins.js';
import { type CliSession, EXIT, type ExitCode, note } from '../../session.js';
import { comparedWhatIf } from '../study/compare-what-if.js';
import {
  completenessNotes,
  meansNotes,
  standingJson,
  valuedSessions,
  whyNoneRanked,
} from '../study/completeness-notes.js';
import {
  closingOf,
  metricCell,
  openPointStudy,
  type PointStudy,
  publish,
  referenceOf,
  rowHead,
} from '../study/point-study.js';
import { referenceNotes } from '../study/recorded-reference.js';
import { frontOf, KEPT } from '../study/study-axes.js';
import { bestSetting, fetchesAgain } from '../study/study-conclusion.js';
import type { DiscardedPoint } from '../study/sweep-page.js';
import { type FoundSaving, holdoutNotes, tuneConclusion } from './tune-conclusion.js';
import {
  goalOf,
  type JudgedRung,
  onlySessions,
  type RemoteRunner,
  runRung,
  type Search,
  type Tried,
  tryAsItIs,
  tryHeldOut,
  tryInSample,
} from './tune-search.js';

type TuneOptions = WithSet<CommandOptions['tune']>;

/** Settings that the terminal lists. */
const LISTED = 10;

/** What every search asks of a setting, whatever the goal. */
const IMPLIED = 'finishes every session that any setting finishes';

/** `ccbench tune`: searches the settings that make a metric best while constraints hold. */
export const tuneCommand = pluggedIn<TuneOptions>(tune);

/** Searches, and reports what was found; the runs are made here or on other machines. */
export async function tune(
  session: CliSession,
  files: readonly string[],
  options: TuneOptions,
  opened: OpenPlugins,
  remote: RemoteRunner | null = null,
): Promise<ExitCode> {
  const goal = goalOf(options);
  let plan: SearchPlan | null = null;
  const study = await openPointStudy(session, 'tune', files, options, opened, (axes) => {
    plan = planSearch(axes, { ...options, seed: options.searchSeed });
    return plan.candidates.map(({ values }) => values);
  });
  if (options.minimise === undefined && options.maximise === undefined)
    note(session, `no goal given: using --minimise ${goal.metric}`);
  const runner = new JobRunner(options);
  try {
    return await search({ session, study, goal, runner, remote }, plan!, options);
  } finally {
    await runner.close();
  }
}

async function search(tuning: Search, plan: SearchPlan, options: TuneOptions): Promise<ExitCode> {
  const { session, study, goal } = tuning;
  const { inputs, base } = study;
  const sessions = inputs.transcripts.map(({ label, input }) => ({
    label,
    key: input.key,
    calls: expectedCalls(input),
  }));
  const isSame = base.runs.every(({ transcript }) => inputs.of(transcript) !== null);
  const halves = options.holdout && isSame ? splitSessions(sessions, options.searchSeed) : null;
  const early = longestFirst(sessions)
    .map(({ label }) => label)
    .filter((label) => halves?.searched.includes(label) ?? true)
    .filter((label) => isEverywhere(study, label));
  const { tried, completeness, rungs, discarded } = await halve(tuning, plan, [...new Set(early)]);
  const runs = tried.map((item) => item.runs);
  const ranked = rank(tried.map(({ trial }) => trial)).map(
    (trial) => tried.find((item) => item.trial === trial)!,
  );
  const best = chosenOf(tried, goal);
  const asItIs = await tryAsItIs(tuning);
  const held = halves === null || best === null ? null : tryHeldOut(tuning, halves, tried, best, asItIs);
  const judged = best === null || !isSame ? null : (held ?? tryInSample(tuning, best, asItIs));
  const isValued = tried.some(({ trial }) => trial.objective !== null);
  const isRanked = tried.some((item) => item.completeness.standing === 'ranked');
  const rules = goal.constraints.map(({ text }) => text);
  const refusal =
    best !== null
      ? (judged?.refusal ?? null)
      : isRanked && !isValued
        ? `${metricWords(goal.metric)} is not known in any setting`
        : isRanked
          ? `none of ${formatCounted(tried.length, 'setting')} meets ${rules.join(' and ')}`
          : whyNoneRanked(completeness, 'setting');
  if (refusal !== null)
    note(session, `${isRanked ? 'nothing qualifies' : 'no setting is chosen'}: ${refusal}`);
  const front = frontOfGoal(ranked, goal);
  const reference = await referenceOf(study, completeness);
  const { recorded, assumed } = reference;
  const chosen = best === null ? null : bestSetting(best, ranked, goal.metric);
  const beside = { runs: asItIs, sessions: completeness.compared };
  const conclusion = tuneConclusion(goal.metric, chosen, {
    refusal,
    saving: judged?.inSample ?? null,
    delta: best === null || !isSame ? null : deltaOf(tuning, best, beside),
    baseRefetchUsd: !isSame || fetchesAgain(base) ? null : meanOf(beside, 'refetchUsd'),
    held,
    isValued,
    settings: plan.candidates.length,
    sessions: valuedSessions(runs, completeness, goal.metric),
  });
  const searched = searchedNote(plan, rungs);
  const columns = columnsOf(goal);
  const alarms = completenessNotes(completeness, 'setting', runs);
  // Of several that are equally good none is better than the others.
  const marked = chosen?.equal === 0 && chosen.unsure !== true ? best : null;
  const settings = tableOf(study.name, goal, ranked, front, marked, completeness, [
    searched,
    `holds: ${[IMPLIED, ...rules].join('; ')}`,
    ...meansNotes(completeness),
    ...alarms,
    ...(held === null ? [] : holdoutNotes(held, goal.metric)),
    ...referenceNotes(recorded, [goal.metric, KEPT]),
    OPEN_LOOP,
    ...assumed,
  ]);
  const table = { ...settings, alarms };
  const findings = {
    ...reference,
    completeness,
    runs,
    swept: ranked,
    discarded,
    asItIs,
    names: [goal.metric],
    table,
    columns,
    closing: closingOf(study, conclusion, best),
    json: (standings: object) => ({
      best: best === null ? null : { ...settingJson(best, goal), command: study.repeat(best.point) },
      recommendation: {
        settings: conclusion.isRecommended ? best!.point.settings : null,
        reason: conclusion.advice,
      },
      front: front.map((item) => ({ ...settingJson(item, goal), [KEPT]: item.metrics[KEPT] ?? null })),
      tried: ranked.map((item) => ({
        ...settingJson(item, goal),
        ...standingJson(item.completeness),
        metrics: item.metrics,
      })),
      constraints: { implied: IMPLIED, given: rules },
      ...standings,
      inSample: judged?.inSample ?? null,
      outOfSample: held,
      method: plan.method,
      possible: Number.isFinite(plan.possible) ? plan.possible : null,
      drawn: plan.candidates.length,
      rungs,
    }),
  };
  await publish(session, study, findings, { ...table, rows: table.rows.slice(0, LISTED) });
  return refusal === null ? EXIT.fine : EXIT.expectation;
}

/** The unchanged scenario, over the sessions that settings are compared on. */
interface AsItIs {
  readonly runs: VariantRuns;
  readonly sessions: readonly string[];
}

function meanOf({ runs, sessions }: AsItIs, metric: string): number | null {
  return mean(sessions.flatMap((label) => ownValue(runs.byTranscript.get(label), metric) ?? []));
}

/** What the best setting costs more than the unchanged scenario; null if the goal is another or nothing was recorded. */
function deltaOf({ study, goal }: Search, best: Tried, base: AsItIs): FoundSaving['delta'] {
  const { runs, sessions } = base;
  if (goal.metric !== 'costUsd' || comparedWhatIf(study.inputs, runs, sessions).mode !== 'what-if')
    return null;
  return { ...costDelta(best.runs, runs, sessions), baseUsd: meanOf(base, 'costUsd') };
}

/** Whether a session is that of every setting: settings such as the seed make sessions of their own. */
function isEverywhere({ points, inputs }: PointStudy, label: string): boolean {
  return points.every(({ runs }) => runs.some(({ transcript }) => inputs.of(transcript)?.label === label));
}

/** A step of a search: over how many sessions, with how many settings, and how many of them were discarded after it. */
interface Rung {
  readonly sessions: number;
  readonly settings: number;
  readonly discarded: number;
}

/** What was searched, and what was discarded on the way. */
function searchedNote({ method, possible, candidates }: SearchPlan, rungs: readonly Rung[]): string {
  const all = formatCounted(candidates.length, 'setting');
  const of = Number.isFinite(possible) ? ` of ${formatCount(possible)}` : '';
  const drawn = method === 'grid' ? `all ${all}` : `${all}${of}, drawn`;
  const steps = rungs.map(({ sessions, settings, discarded }, i) =>
    i === rungs.length - 1
      ? `${formatCount(settings)} tried on ${sessions === 1 ? 'the session' : `all ${formatCounted(sessions, 'session')}`}`
      : `${formatCount(discarded)} discarded after the ${formatCounted(sessions, 'longest session', 'longest sessions')}`,
  );
  return `searched: ${drawn}; ${rungs.length === 1 ? `none discarded, ${steps.join('')}` : steps.join('; ')}`;
}

/** What a search came to, with the settings it discarded on the way. */
interface HalvingResult extends JudgedRung {
  readonly rungs: readonly Rung[];
  readonly discarded: readonly DiscardedPoint[];
}

/** Runs rung after rung, each on more sessions and with fewer settings; gives what came of the last one, which looks at all. */
async function halve(tuning: Search, plan: SearchPlan, early: readonly string[]): Promise<HalvingResult> {
  const { session, study, goal } = tuning;
  const { inputs } = study;
  const sizes = rungsOf(plan, inputs.sessions.length, early.length);
  const rungs: Rung[] = [];
  let discarded: DiscardedPoint[] = [];
  let { candidates } = plan;
  for (const [i, sessions] of sizes.slice(0, -1).entries()) {
    const label = `${study.name}, rung ${i + 1} of ${sizes.length}`;
    const { tried } = await runRung(
      tuning,
      onlySessions(inputs, early.slice(0, sessions)),
      candidates,
      label,
    );
    const kept = survivors(tried.map(({ trial }) => trial));
    const unbeaten = frontOfGoal(tried, goal).map(({ trial }) => trial.candidate);
    // Where what is cheaper keeps less throughout, every setting is unbeaten: still, a third goes.
    const most = Math.ceil((candidates.length * 2) / 3);
    const left = [...new Set([...kept, ...unbeaten])].slice(0, most).sort((a, b) => a.index - b.index);
    rungs.push({ sessions, settings: candidates.length, discarded: candidates.length - left.length });
    const lost = tried.filter(({ trial }) => !left.includes(trial.candidate));
    discarded.push(...lost.map((item) => ({ ...item, sessions: early.slice(0, sessions) })));
    candidates = left;
  }
  let last = await runRung(tuning, inputs, candidates, study.name);
  // Where some setting came through every session, none can answer more calls.
  const isFinishedBySome = last.completeness.variants.some(({ unfinished }) => unfinished.length === 0);
  if (candidates.length < plan.candidates.length && !isFinishedBySome) {
    note(session, 'no remaining setting finished every session: running all settings on all sessions');
    candidates = plan.candidates;
    discarded = [];
    last = await runRung(tuning, inputs, candidates, study.name);
  }
  rungs.push({ sessions: inputs.sessions.length, settings: candidates.length, discarded: 0 });
  return { ...last, rungs, discarded };
}

/** The feasible settings that none beats in both the goal and the content that is kept. */
function frontOfGoal(tried: readonly Tried[], goal: Goal): readonly Tried[] {
  const feasible = tried.filter(({ trial }) => trial.feasible);
  return frontOf(feasible, goal.metric, goal.sign === 1 ? 'lower' : 'higher');
}

function settingJson({ point, trial, metrics }: Tried, goal: Goal) {
  return {
    settings: point.settings,
    [goal.metric]: ownValue(metrics, goal.metric) ?? null,
    feasible: trial.feasible,
  };
}

/** Metrics of the table. */
function columnsOf({ metric, constraints }: Goal): readonly string[] {
  const limited = constraints.map((constraint) => constraint.metric);
  return [...new Set([metric, 'finishedShare', 'callsLost', KEPT, ...limited])];
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
  const columns = columnsOf(goal);
  const onFront = new Set(front);
  return {
    caption: `${name}: settings by ${metricWords(goal.metric)}`,
    columns: [...columns.map(metricWords), 'holds', 'front'],
    metrics: [...columns, 'holds', 'front'],
    rows: ranked.map((item) => ({
      ...rowHead(item, completeness),
      cells: [
        ...columns.map((metric) => metricCell(item.metrics, metric, item === best && metric === goal.metric)),
        { text: item.trial.feasible ? 'yes' : 'no' },
        { text: onFront.has(item) ? 'yes' : '' },
      ],
    })),
    notes: [
      `front: no other setting is better in both ${metricWords(goal.metric)} and ${metricWords(KEPT)}`,
      ...notes,
    ],
  };
}

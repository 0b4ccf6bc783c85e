import { formatCount, formatValue } from '../../../core/base/format.js';
import { getOrMake } from '../../../core/base/once.js';
import type { RunPlan } from '../../../core/run/run-plan.js';
import {
  otherTokens,
  type ProviderDoubts,
  providerDoubts,
  severalProviders,
} from '../../../engine/requests/provider-doubts.js';
import type { RecordedModels } from '../../../engine/requests/provider-of.js';
import { modelsOf } from '../../../provider/prices/models.js';
import type { MetricRecord } from '../../../study/job.js';
import type { Point } from '../../../study/point.js';
import type { StudyInputs } from './study-inputs.js';

/** A run of a study: what it goes by. */
interface StudyRun {
  readonly plan: RunPlan;
  readonly models: RecordedModels;
  /** Whether the session was recorded, not generated. */
  readonly isRecorded: boolean;
}

/** The runs of all points with the models of their sessions. */
export function studyRuns(points: readonly Point[], inputs: StudyInputs): readonly StudyRun[] {
  return points.flatMap(({ runs }) =>
    runs.flatMap(({ plan, transcript }) => {
      const own = inputs.of(transcript);
      return own === null ? [] : [{ plan, models: own.models, isRecorded: own.bill !== null }];
    }),
  );
}

/** What the runs of a study take for granted of models and providers, each sentence once. */
export function assumedOf(runs: readonly StudyRun[]): readonly string[] {
  return [...modelNotes(runs), ...tokenNotes(runs), ...providerNotes(runs)];
}

/** Says which model a run became where its provider does not serve that of the session, each sentence once. */
export function standInsOf(runs: readonly StudyRun[]): readonly string[] {
  return [
    ...new Set(
      runs.flatMap(({ plan, models }) =>
        providerDoubts(plan, models).flatMap(({ standIn }) => standIn ?? []),
      ),
    ),
  ];
}

/** Says where recordings are run with the tokens of another model, each sentence once. */
function tokenNotes(runs: readonly StudyRun[]): readonly string[] {
  const notes = runs.flatMap(({ plan, models, isRecorded }) =>
    isRecorded ? (otherTokens(plan, models) ?? []) : [],
  );
  return [
    ...new Set(notes.map(({ message, remedy }) => (remedy === null ? message : `${message}; ${remedy}`))),
  ];
}

/** Says where recordings are run on another model than they were made with: what was recorded has other prices, and another window. */
function modelNotes(runs: Iterable<StudyRun>): readonly string[] {
  const replaced = new Map<string, Set<string>>();
  for (const { plan, models, isRecorded } of runs) {
    if (!isRecorded || plan.model === null) continue;
    const book = modelsOf(plan);
    const own = book.orUnknown(plan.model).id;
    const recorded = models.models.map((name) => book.orUnknown(name).id);
    if (recorded.length === 0 || recorded.includes(own)) continue;
    const known = getOrMake(replaced, plan.model, () => new Set());
    for (const name of recorded) known.add(name);
  }
  return [...replaced].map(
    ([model, recorded]) =>
      `the scenario runs on ${model}, the recordings were made on ${[...recorded].join(', ')}: recorded costs are at other prices; without \`model\` each recording runs on its own model, and \`window\` sets the window`,
  );
}

/** What is not known of the providers of all runs, each sentence once: what `run` says of one. */
function providerNotes(runs: Iterable<StudyRun>): readonly string[] {
  const notes = new Set<string>();
  const seen = new Map<RecordedModels, Set<string>>();
  for (const { plan, models } of runs) {
    // Points of a sweep differ in other things as a rule.
    const key = `${plan.ownProvider?.name ?? plan.provider} ${plan.model}`;
    const keys = getOrMake(seen, models, () => new Set());
    if (keys.has(key)) continue;
    keys.add(key);
    const providers = providerDoubts(plan, models);
    if (providers.length > 1) notes.add(severalProviders(providers));
    for (const provider of providers) for (const note of notesOn(provider)) notes.add(note);
  }
  return [...notes];
}

function notesOn({ label, chance, standIn, noHour, doubts }: ProviderDoubts): readonly string[] {
  return [
    ...(chance === 'hits'
      ? [
          `${label}: whether a request finds its cache is chance, and each run is one draw of it; intervals are 90 % intervals, and other seeds draw again`,
        ]
      : chance === 'lifetimes'
        ? [
            `${label}: how long an entry lives is chance, and each run is one draw of it; no interval is stated for it, and other seeds draw again`,
          ]
        : []),
    ...doubts.map((doubt) => `${label}: ${doubt}`),
    ...(noHour === null ? [] : [noHour]),
    ...(standIn === null ? [] : [standIn]),
  ];
}

/**
 * The 90 % interval of the cost of a session (K14); nothing if no chance is known. Each session has an interval of its own: over
 * several, the metrics are the means of their ends, which are the ends of no 90 % interval.
 */
export function costIntervalNotes(
  name: string,
  { costLowUsd, costHighUsd }: MetricRecord,
  sessions: number,
): readonly string[] {
  if (costLowUsd == null || costHighUsd == null || costLowUsd === costHighUsd) return [];
  const ends = `${formatValue(costLowUsd, 'usd')} … ${formatValue(costHighUsd, 'usd')}`;
  return [
    sessions === 1
      ? `${name}: the 90 % interval of the cost is ${ends}`
      : `${name}: the mean 90 % interval of the cost of the ${formatCount(sessions)} sessions is ${ends}`,
  ];
}

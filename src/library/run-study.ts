import type { Policy } from '../agent/policies/policy.js';
import type { CompiledRun } from '../config/compile.js';
import { inputOf, refKey, refLabel } from '../config/files/open-ref.js';
import { windowOf } from '../config/files/scenario-text.js';
import { activePlugins } from '../config/plugins/use-plugins.js';
import { CcbenchError } from '../core/base/errors.js';
import { unknownName } from '../core/base/registry.js';
import { findMetric, metricNames } from '../metrics/registry.js';
import { COMPARED_METRICS } from '../study/chosen-metrics.js';
import { compareVariants, type Difference } from '../study/comparison.js';
import type { Standing } from '../study/completeness.js';
import type { JobError } from '../study/job.js';
import { JobRunner } from '../study/job-runner.js';
import type { StoredResult } from '../study/kept-runs.js';
import { compilePoint, pointCompiler } from '../study/point.js';
import {
  makeRuns,
  missingRuns,
  planRows,
  type RowRun,
  runsOfRows,
  type StudySession,
  type StudySessions,
  uniqueName,
} from '../study/run-rows.js';
import { variantsOf } from '../study/variants.js';
import { grid, parseAxes } from '../study/vary.js';
import { openScenario, type ScenarioOptions, settingsOf } from './scenario.js';
import { type Source, withFullMessages, workingFolder } from './source.js';

/** A row of a study, written by hand. */
export interface StudyVariant {
  readonly name: string;
  /** A policy by name or file, or one of `definePolicy`; the scenario's where absent. */
  readonly policy?: string | Policy;
  /** Settings by path. */
  readonly set?: Readonly<Record<string, unknown>>;
}

/** What a study runs. Without `vary` and `variants` it compares the variants of the scenario. */
export interface StudyOptions extends ScenarioOptions {
  readonly scenario: Source | object;
  /** `path=from..to:steps`, `path=a,b,c` or `path=auto`, as `ccbench sweep --vary`; several make a grid. */
  readonly vary?: readonly string[];
  readonly variants?: readonly StudyVariant[];
  /** Metrics that are compared, best and differences included; those of `ccbench compare` where absent. */
  readonly metrics?: readonly string[];
  /** The row that others are compared with; the first where absent. */
  readonly baseline?: string;
  /** Worker threads; 0, or absent, runs everything in this thread. The result is the same. */
  readonly workers?: number;
}

/** One run of a row; `metrics` is null if it failed, and then `error` says why. */
export interface StudyRun {
  readonly transcript: string;
  readonly metrics: Readonly<Record<string, number | null>> | null;
  readonly error: string | null;
}

/** A row of a study. */
export interface StudyRow {
  readonly name: string;
  /** What it changes, by path. */
  readonly settings: Readonly<Record<string, string>>;
  /** Every metric, as the mean over those of the compared transcripts that it finished. */
  readonly metrics: Readonly<Record<string, number | null>>;
  /** Whether it may win: `unranked` lost calls, `apart` finished nothing. */
  readonly standing: Standing;
  /** To the baseline, by metric; null for the baseline itself. */
  readonly differences: Readonly<Record<string, Difference>> | null;
  readonly runs: readonly StudyRun[];
}

/** What a study came to. */
export interface Study {
  readonly metrics: readonly string[];
  readonly baseline: string;
  readonly rows: readonly StudyRow[];
  /** The best row by metric; null if rows do not differ by more than noise. */
  readonly best: Readonly<Record<string, string | null>>;
  /** Transcripts that every ranked row finished: means are taken over them. */
  readonly compared: readonly string[];
}

interface Row {
  readonly name: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly runs: readonly CompiledRun[];
}

/** Runs a scenario many times and holds the rows against each other: what `ccbench compare` and `sweep` compute. */
export function runStudy(options: StudyOptions): Promise<Study> {
  return withFullMessages(async () => {
    const metrics = options.metrics ?? COMPARED_METRICS;
    const rows = await rowsOf(options);
    for (const name of metrics)
      if (findMetric(name) === null) throw unknownName('metric', name, metricNames());
    const baseline = options.baseline ?? rows[0]!.name;
    const names = rows.map(({ name }) => name);
    if (!names.includes(baseline)) throw unknownName('row', baseline, names);
    const twice = names.find((name, i) => names.indexOf(name) < i);
    if (twice !== undefined) throw new CcbenchError('duplicate-name', `two rows are called "${twice}"`);
    const sessions = sessionsOf(rows);
    const planned = planRows(rows, sessions, { metrics });
    const found = new Map<string, StoredResult>();
    const failed = await work(missingRuns(planned, found), options.workers ?? 0, found);
    const comparison = compareVariants(runsOfRows(rows, planned, found), baseline, metrics);
    return {
      metrics,
      baseline,
      rows: rows.map((row, i) => {
        const { metrics, completeness, differences } = comparison.variants[i]!;
        const runs = planned.flatMap((run) =>
          run.row === row
            ? {
                transcript: run.session.label,
                metrics: found.get(run.key)?.metrics ?? null,
                error: failed.get(run.key)?.message ?? null,
              }
            : [],
        );
        const { name, settings } = row;
        return { name, settings, metrics, standing: completeness.standing, differences, runs };
      }),
      best: comparison.best,
      compared: comparison.completeness.compared,
    };
  });
}

async function rowsOf(options: StudyOptions): Promise<readonly Row[]> {
  const { vary, variants = [], policies = [] } = options;
  if (vary !== undefined && options.variants !== undefined)
    throw new CcbenchError('bad-usage', 'a study has `vary` or `variants`, not both');
  const written = variants.flatMap(({ policy }) => (typeof policy === 'object' ? [policy] : []));
  const { source, world } = await openScenario(options.scenario, {
    ...options,
    policies: [...new Set([...policies, ...written])],
  });
  if (vary !== undefined) {
    const base = compilePoint(source, [], [], world);
    const axes = parseAxes(vary, () => windowOf(base.runs[0]!, { cwd: workingFolder() }), 'refused');
    const compile = pointCompiler(source, axes, world);
    return grid(axes).map(compile);
  }
  if (options.variants !== undefined)
    return variants.map(({ name, policy, set }) => {
      const named = typeof policy === 'object' ? policy.name : policy;
      const changes = settingsOf({ ...(named === undefined ? {} : { policy: named }), ...set });
      const own = { ...source, set: [...source.set, ...changes] };
      return { name, settings: textsOf(changes), runs: compilePoint(own, [], [], world).runs };
    });
  return variantsOf(source, { policies: [], set: [] }, world).map(({ name, runs }) => ({
    name,
    settings: {},
    runs,
  }));
}

function textsOf(changes: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    changes.map((change) => {
      const equals = change.indexOf('=');
      return [change.slice(0, equals), change.slice(equals + 1)] as const;
    }),
  );
}

/** The sessions of the rows, each once, with a name of its own. */
function sessionsOf(rows: readonly Row[]): StudySessions<StudySession> {
  const byRef = new Map<string, StudySession>();
  const labels = new Set<string>();
  for (const { transcript: ref } of rows.flatMap(({ runs }) => runs)) {
    if (byRef.has(refKey(ref))) continue;
    const label = uniqueName(refLabel(ref), labels);
    byRef.set(refKey(ref), { input: inputOf(ref, { cwd: workingFolder() }), label });
  }
  return { transcripts: [...byRef.values()], of: (ref) => byRef.get(refKey(ref)) ?? null };
}

async function work(
  missing: readonly RowRun<Row, StudySession>[],
  workers: number,
  found: Map<string, StoredResult>,
): Promise<ReadonlyMap<string, JobError>> {
  const inMemory = activePlugins().find(({ file }) => file === null);
  if (workers > 0 && inMemory !== undefined)
    throw new CcbenchError(
      'bad-plugin',
      `plug-in "${inMemory.name}" is no file, so worker threads cannot load it`,
      { hint: 'put it into a file and name that, or take workers: 0' },
    );
  const { signal } = new AbortController();
  const runner = new JobRunner({ workers });
  try {
    return await makeRuns(
      missing,
      (jobs, inputs, onResult) => runner.run(jobs, inputs, { signal, onResult, pause: async () => {} }),
      (result) => found.set(result.key, result),
    );
  } finally {
    await runner.close();
  }
}

import { percentDoubt } from '../../../config/check/small-percents.js';
import type { ScenarioSource } from '../../../config/compile.js';
import { builtinContext } from '../../../config/context.js';
import type { CcbenchError } from '../../../core/base/errors.js';
import type { VariantCompleteness, VariantRuns } from '../../../study/completeness.js';
import type { Job, MetricRecord } from '../../../study/job.js';
import { type Point, pointCompiler } from '../../../study/point.js';
import type { Axis } from '../../../study/vary.js';
import type { CliSession } from '../../session.js';
import { breathe } from '../../terminal/interrupt.js';
import { createProgress } from '../../terminal/progress.js';

/** A point with what its runs came to. */
export interface SweptPoint {
  readonly point: Point;
  /** Means over the compared transcripts. */
  readonly metrics: MetricRecord;
  readonly completeness: VariantCompleteness;
  readonly runs: VariantRuns;
}

/** Wall time between two looks at the terminal. */
const BREATH_MS = 40;

/** What is doubtful in the percentages that axes take, which may be planned without the scenario being checked anew. */
function smallPercentsOf(axes: readonly Axis[]): readonly CcbenchError[] {
  return axes.flatMap(({ path, values }) =>
    values.flatMap((value) => percentDoubt(builtinContext, path, Number(value)) ?? []).slice(0, 1),
  );
}

/** Compiles the points of a study, pausing often enough to hear Ctrl-C and to show how far it is. */
export async function compilePoints(
  session: CliSession,
  source: ScenarioSource,
  axes: readonly Axis[],
  values: readonly (readonly string[])[],
): Promise<readonly Point[]> {
  const { host } = session;
  const progress = createProgress(host, session.json ? 'silent' : 'shown', 'points');
  const points: Point[] = [];
  const compile = pointCompiler(source, axes);
  for (const doubt of smallPercentsOf(axes)) source.onDoubt?.(doubt);
  let nextBreath = host.now() + BREATH_MS;
  progress.start('planning', values.length);
  try {
    for (const each of values) {
      points.push(compile(each));
      if (host.now() < nextBreath) continue;
      progress.update(points.length);
      await breathe(host.interrupt);
      nextBreath = host.now() + BREATH_MS;
    }
  } finally {
    progress.clear();
  }
  return points;
}

/** One run of a study over points. */
export interface PlannedPoint {
  readonly point: Point;
  /** Name of the transcript. */
  readonly transcript: string;
  /** A recording that the command line named; null for the scenario's own transcripts. */
  readonly recording: string | null;
  readonly job: Omit<Job, 'index'>;
}

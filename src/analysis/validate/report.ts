import type { Comparison } from './compare.js';
import type { TraceFidelity } from './traces.js';
import { countTriggers } from './triggers.js';
import { type FileFidelity, type TotalFidelity, totalFidelity, type Way } from './validate.js';

/** One request of a chart of predicted against recorded. */
export type FidelityPoint = Readonly<ReturnType<typeof pointOf>>;

function pointOf(file: string, way: Way, comparison: Comparison) {
  const { request, predicted, predictedPrompt, recordedClass, predictedClass, cause } = comparison;
  return {
    file,
    thread: request.threadId,
    index: request.index,
    way,
    startMs: request.startMs,
    gapMs: request.gapMs!,
    recordedPrompt: request.prompt,
    predictedPrompt,
    recordedRead: request.read,
    predictedRead: predicted.cacheRead,
    recordedCreation: request.creation,
    predictedCreation: predicted.cacheWrite5m + predicted.cacheWrite1h,
    recordedClass,
    predictedClass,
    cause,
    recordedReason: request.missReason,
  };
}

/** The plain numbers behind a chart: every compared request of a file, one way of predicting. */
export function fidelityPoints({ file, comparisons }: FileFidelity, way: Way): readonly FidelityPoint[] {
  return comparisons[way].map((comparison) => pointOf(file, way, comparison));
}

/** The requests whose reads were furthest off, largest first; ties keep their order. @internal */
export function worstPoints(
  files: readonly FileFidelity[],
  way: Way,
  count: number,
): readonly FidelityPoint[] {
  const off = (point: FidelityPoint): number => Math.abs(point.predictedRead - point.recordedRead);
  return files
    .flatMap((file) => fidelityPoints(file, way))
    .filter((point) => off(point) > 0)
    .sort((a, b) => off(b) - off(a))
    .slice(0, count);
}

/** Everything `ccbench validate` has to say, ready for JSON. */
export interface FidelityReport {
  readonly files: readonly object[];
  readonly total: TotalFidelity;
  /** The requests furthest off in each way, largest first. */
  readonly worst: { readonly blind: readonly FidelityPoint[]; readonly given: readonly FidelityPoint[] };
  readonly traces: TraceFidelity | null;
}

function fileJson(file: FileFidelity): object {
  return {
    file: file.file,
    version: file.version,
    profile: file.profile?.name ?? null,
    profileEvidence: file.profile?.evidence ?? null,
    requests: file.requests,
    ...file.figures,
    unexplainedBreaks: file.breaks.map(({ request, expectedRead, reason }) => ({
      thread: request.threadId,
      request: request.index,
      startMs: request.startMs,
      gapMs: request.gapMs,
      expectedRead,
      recordedRead: request.read,
      reason,
    })),
    triggers: {
      ...countTriggers([file.triggers]),
      checks: file.triggers.checks,
      unrecordedAt: file.triggers.unrecorded,
    },
    forward: file.forward.kind === 'empty' ? null : file.forward,
    whatIf: file.whatIf,
    leftOut: file.leftOut,
  };
}

/** Puts the results of several files together. */
export function fidelityReport(
  files: readonly FileFidelity[],
  traces: TraceFidelity | null,
  worst: number,
): FidelityReport {
  return {
    files: files.map(fileJson),
    total: totalFidelity(files),
    worst: { blind: worstPoints(files, 'blind', worst), given: worstPoints(files, 'given', worst) },
    traces,
  };
}

import type { ReadClass } from './compare.js';
import type { PredictedCause } from './predict.js';
import type { FileFidelity, Way } from './validate.js';

/** One request of a chart of predicted against recorded. */
export interface FidelityPoint {
  readonly file: string;
  readonly thread: string;
  readonly index: number;
  readonly way: Way;
  readonly startMs: number;
  readonly gapMs: number;
  readonly recordedPrompt: number;
  readonly predictedPrompt: number;
  readonly recordedRead: number;
  readonly predictedRead: number;
  readonly recordedCreation: number;
  readonly predictedCreation: number;
  readonly recordedClass: ReadClass;
  readonly predictedClass: ReadClass;
  readonly cause: PredictedCause;
  readonly recordedReason: string | null;
}

/** The plain numbers behind a chart: every compared request of a file, one way of predicting. */
export function fidelityPoints(file: FileFidelity, way: Way): readonly FidelityPoint[] {
  return file.comparisons[way].map((comparison) => {
    const { request, predicted } = comparison;
    return {
      file: file.file,
      thread: request.threadId,
      index: request.index,
      way,
      startMs: request.startMs,
      gapMs: request.gapMs!,
      recordedPrompt: request.prompt,
      predictedPrompt: comparison.predictedPrompt,
      recordedRead: request.read,
      predictedRead: predicted.cacheRead,
      recordedCreation: request.creation,
      predictedCreation: predicted.cacheWrite5m + predicted.cacheWrite1h,
      recordedClass: comparison.recordedClass,
      predictedClass: comparison.predictedClass,
      cause: comparison.cause,
      recordedReason: request.missReason,
    };
  });
}

/** The requests whose reads were furthest off, largest first; ties keep their order. */
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

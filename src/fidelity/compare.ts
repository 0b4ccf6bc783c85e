import { quantile, ratio } from '../base/stats.js';
import { priceUsage } from '../cache/price.js';
import type { Usage } from '../model/usage.js';
import { cacheWriteTokens } from '../model/usage.js';
import { type PredictedCause, rowOf, type Walk } from './predict.js';
import type { RecordedRequest, Truth } from './truth.js';

/** How much of the previous prefix a request read: 90 % or more, less than half, or between. */
export type ReadClass = 'full' | 'partial' | 'miss';

/** The figures of one way of predicting, as shares between 0 and 1; null where there is nothing to compare. */
export interface FidelityFigures {
  readonly classAgreement: number | null;
  readonly classAgreementOver60s: number | null;
  readonly promptError: number | null;
  readonly readError: number | null;
  readonly creationError: number | null;
  readonly costErrorMedian: number | null;
  readonly costErrorWorst: number | null;
}

/** One request: what was recorded and what was predicted. */
export interface Comparison {
  readonly request: RecordedRequest;
  readonly previousPrefix: number;
  readonly predictedPrompt: number;
  readonly predicted: Usage;
  readonly cause: PredictedCause;
  readonly recordedClass: ReadClass;
  readonly predictedClass: ReadClass;
}

/** Sums of comparisons; those of several files add up. */
export interface Tally {
  readonly requests: number;
  readonly agreeing: number;
  readonly late: number;
  readonly lateAgreeing: number;
  readonly promptOff: number;
  readonly prompt: number;
  readonly readOff: number;
  readonly read: number;
  readonly creationOff: number;
  readonly creation: number;
  readonly predictedNano: number;
  readonly recordedNano: number;
}

/** Gaps beyond this are where lifetimes show. */
const LATE_MS = 60_000;

/** Files with fewer requests do not count for the worst cost error. */
const FEWEST_REQUESTS_FOR_WORST = 50;

/** The class of a read beside the previous prefix. */
export function classOf(read: number, previousPrefix: number): ReadClass {
  if (read >= 0.9 * previousPrefix) return 'full';
  return read < 0.5 * previousPrefix ? 'miss' : 'partial';
}

/** Every request but the first of each thread, beside its prediction. */
export function compareRequests(
  truth: Truth,
  walk: Walk,
  prompts: ReadonlyMap<string, number>,
): readonly Comparison[] {
  const found: Comparison[] = [];
  for (const requests of truth.threads.values()) {
    for (let i = 1; i < requests.length; i++) {
      const request = requests[i]!;
      const previousPrefix = requests[i - 1]!.cached;
      const prediction = walk.predictions.get(request.key)!;
      found.push({
        request,
        previousPrefix,
        predictedPrompt: prompts.get(request.key)!,
        predicted: prediction.usage,
        cause: prediction.cause,
        recordedClass: classOf(request.read, previousPrefix),
        predictedClass: classOf(prediction.usage.cacheRead, previousPrefix),
      });
    }
  }
  return found;
}

function inputNano(model: string, usage: Usage): number {
  return priceUsage(rowOf(model), { ...usage, output: 0 }).totalNano;
}

/** Adds up comparisons. */
export function tally(comparisons: readonly Comparison[]): Tally {
  const sums = {
    requests: 0,
    agreeing: 0,
    late: 0,
    lateAgreeing: 0,
    promptOff: 0,
    prompt: 0,
    readOff: 0,
    read: 0,
    creationOff: 0,
    creation: 0,
    predictedNano: 0,
    recordedNano: 0,
  };
  for (const { request, predicted, predictedPrompt, recordedClass, predictedClass } of comparisons) {
    const agrees = recordedClass === predictedClass ? 1 : 0;
    sums.requests++;
    sums.agreeing += agrees;
    if (request.gapMs! > LATE_MS) {
      sums.late++;
      sums.lateAgreeing += agrees;
    }
    sums.promptOff += Math.abs(predictedPrompt - request.prompt);
    sums.prompt += request.prompt;
    sums.readOff += Math.abs(predicted.cacheRead - request.read);
    sums.read += request.read;
    sums.creationOff += Math.abs(cacheWriteTokens(predicted) - request.creation);
    sums.creation += request.creation;
    sums.predictedNano += inputNano(request.model, predicted);
    sums.recordedNano += inputNano(request.model, request.usage);
  }
  return sums;
}

/** Relative error of a file's input cost. */
function costError(sums: Tally): number | null {
  return ratio(Math.abs(sums.predictedNano - sums.recordedNano), sums.recordedNano);
}

/** The figures of several files: requests and tokens pooled, cost by file. */
export function figuresOf(files: readonly Tally[]): FidelityFigures {
  const pool = (pick: (sums: Tally) => number): number => files.reduce((sum, file) => sum + pick(file), 0);
  const costs = files.flatMap((file) => costError(file) ?? []);
  const large = files.filter((file) => file.requests >= FEWEST_REQUESTS_FOR_WORST);
  const candidates = files.length === 1 ? files : large;
  const worst = candidates.flatMap((file) => costError(file) ?? []);
  return {
    classAgreement: ratio(
      pool((sums) => sums.agreeing),
      pool((sums) => sums.requests),
    ),
    classAgreementOver60s: ratio(
      pool((sums) => sums.lateAgreeing),
      pool((sums) => sums.late),
    ),
    promptError: ratio(
      pool((sums) => sums.promptOff),
      pool((sums) => sums.prompt),
    ),
    readError: ratio(
      pool((sums) => sums.readOff),
      pool((sums) => sums.read),
    ),
    creationError: ratio(
      pool((sums) => sums.creationOff),
      pool((sums) => sums.creation),
    ),
    costErrorMedian: quantile(costs, 0.5),
    costErrorWorst: worst.length === 0 ? null : Math.max(...worst),
  };
}

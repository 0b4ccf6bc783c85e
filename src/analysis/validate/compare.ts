import { quantile, ratio } from '../../core/base/stats.js';
import type { Usage } from '../../core/model/usage.js';
import { cacheWriteTokens } from '../../core/model/usage.js';
import { modelOrUnknown } from '../../provider/prices/models.js';
import { priceUsage } from '../../provider/prices/price.js';
import type { PredictedCause, Walk } from './predict.js';
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
  readonly costErrorP75: number | null;
  readonly costErrorP90: number | null;
  /** Of all files, as the quantiles are. */
  readonly costErrorMax: number | null;
  /** Of files with 50 requests or more, or of a single file: what saved results are held against. */
  readonly costErrorWorst: number | null;
  /** Signed error of all files together, and the same with what unforeseen breaks add on average. */
  readonly netError: number | null;
  readonly netErrorWithHazard: number | null;
  readonly netUsd: number;
  /** Share of the requests that did not read the previous prefix in full which were predicted so. */
  readonly recallNotFull: number | null;
  /** Requests predicted not to read it in full that did. */
  readonly falseAlarms: number;
}

/** One request: what was recorded and what was predicted. */
export interface Comparison {
  readonly request: RecordedRequest;
  readonly previousPrefix: number;
  readonly predictedPrompt: number;
  readonly predicted: Usage;
  readonly cause: PredictedCause;
  /** Chance of a break that nothing foretells, and what it would add. */
  readonly risk: { readonly chance: number; readonly cost: number };
  readonly recordedClass: ReadClass;
  readonly predictedClass: ReadClass;
}

/** Sums of comparisons; those of several files add up. */
export interface Tally {
  readonly requests: number;
  readonly agreeing: number;
  readonly notFull: number;
  readonly notFullFound: number;
  readonly falseAlarms: number;
  readonly late: number;
  readonly lateAgreeing: number;
  readonly promptOff: number;
  readonly prompt: number;
  readonly readOff: number;
  readonly read: number;
  readonly creationOff: number;
  readonly creation: number;
  readonly predictedNano: number;
  readonly hazardNano: number;
  readonly recordedNano: number;
}

/** Gaps beyond this are where lifetimes show. */
const LATE_MS = 60_000;

/** Files with fewer requests do not count for the worst cost error. */
const FEWEST_REQUESTS_FOR_WORST = 50;

/** The class of a read beside the previous prefix. @internal */
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
        risk: prediction.risk,
        recordedClass: classOf(request.read, previousPrefix),
        predictedClass: classOf(prediction.likelyRead ?? prediction.usage.cacheRead, previousPrefix),
      });
    }
  }
  return found;
}

/** Cost of a request without its output. */
export function inputNano(model: string, usage: Usage): number {
  return priceUsage(modelOrUnknown(model), { ...usage, output: 0 }).totalNano;
}

/** Adds up comparisons. */
export function tally(comparisons: readonly Comparison[]): Tally {
  const sums = {
    requests: 0,
    agreeing: 0,
    notFull: 0,
    notFullFound: 0,
    falseAlarms: 0,
    late: 0,
    lateAgreeing: 0,
    promptOff: 0,
    prompt: 0,
    readOff: 0,
    read: 0,
    creationOff: 0,
    creation: 0,
    predictedNano: 0,
    hazardNano: 0,
    recordedNano: 0,
  };
  for (const { request, predicted, predictedPrompt, recordedClass, predictedClass, risk } of comparisons) {
    const agrees = recordedClass === predictedClass ? 1 : 0;
    sums.requests++;
    sums.agreeing += agrees;
    if (recordedClass !== 'full') {
      sums.notFull++;
      if (predictedClass !== 'full') sums.notFullFound++;
    } else if (predictedClass !== 'full') sums.falseAlarms++;
    sums.hazardNano += risk.chance * risk.cost;
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
  const predictedNano = pool((sums) => sums.predictedNano);
  const recordedNano = pool((sums) => sums.recordedNano);
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
    costErrorP75: quantile(costs, 0.75),
    costErrorP90: quantile(costs, 0.9),
    costErrorMax: quantile(costs, 1),
    costErrorWorst: worst.length === 0 ? null : Math.max(...worst),
    netError: ratio(predictedNano - recordedNano, recordedNano),
    netErrorWithHazard: ratio(predictedNano + pool((sums) => sums.hazardNano) - recordedNano, recordedNano),
    netUsd: (predictedNano - recordedNano) / 1e9,
    recallNotFull: ratio(
      pool((sums) => sums.notFullFound),
      pool((sums) => sums.notFull),
    ),
    falseAlarms: pool((sums) => sums.falseAlarms),
  };
}

import { quantile, ratio, sum } from '../../core/base/stats.js';
import { cacheWriteTokens, type Usage } from '../../core/model/usage.js';
import { usd } from '../../metrics/metric.js';
import { recordOf } from '../../metrics/tally.js';
import { modelOrUnknown } from '../../provider/prices/models.js';
import { priceUsage } from '../../provider/prices/price.js';
import type { PredictedCause, Walk } from './predict.js';
import type { ComparedRequest, Truth } from './truth.js';

/** How much of the previous prefix a request read: 90 % or more, less than half, or between. */
export type ReadClass = 'full' | 'partial' | 'miss';

/** How far the costs of sessions are off, as shares between 0 and 1; null if there is nothing to compare. */
export interface CostFigures {
  readonly costErrorMedian: number | null;
  readonly costErrorP75: number | null;
  readonly costErrorP90: number | null;
  readonly costErrorMax: number | null;
  /** Signed error of all of them together, and in dollars. */
  readonly netError: number | null;
  readonly netUsd: number;
}

/** The figures of one way of predicting, as shares between 0 and 1; null if there is nothing to compare. */
export interface FidelityFigures extends CostFigures {
  readonly classAgreement: number | null;
  readonly classAgreementOver60s: number | null;
  readonly promptError: number | null;
  readonly readError: number | null;
  readonly creationError: number | null;
  /** Of files with 50 requests or more, or of a single file: what saved results are held against. */
  readonly costErrorWorst: number | null;
  /** The net error with what unforeseen breaks add on average. */
  readonly netErrorWithHazard: number | null;
  /** Share of the requests that did not read the previous prefix in full which were predicted so. */
  readonly recallNotFull: number | null;
  /** Requests predicted not to read it in full that did. */
  readonly falseAlarms: number;
}

/** One request: what was recorded and what was predicted. */
export interface Comparison {
  readonly request: ComparedRequest;
  readonly previousPrefix: number;
  readonly predictedPrompt: number;
  readonly predicted: Usage;
  readonly cause: PredictedCause;
  /** Chance of an unpredictable break, and what it would add. */
  readonly risk: { readonly chance: number; readonly cost: number };
  readonly recordedClass: ReadClass;
  readonly predictedClass: ReadClass;
}

const SUMS = [
  'requests',
  'agreeing',
  'notFull',
  'notFullFound',
  'falseAlarms',
  'late',
  'lateAgreeing',
  'promptOff',
  'prompt',
  'readOff',
  'read',
  'creationOff',
  'creation',
  'predictedNano',
  'hazardNano',
  'recordedNano',
] as const;

/** Sums of comparisons; those of several files add up. */
export type Tally = Readonly<Record<(typeof SUMS)[number], number>>;

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

/** What a request would cost without its output, had it this usage. */
export function inputNano(
  { model, pricedAtMs }: Pick<ComparedRequest, 'model' | 'pricedAtMs'>,
  usage: Usage,
): number {
  return priceUsage(modelOrUnknown(model), { ...usage, output: 0 }, pricedAtMs).totalNano;
}

/** Adds up comparisons. */
export function tally(comparisons: readonly Comparison[]): Tally {
  const sums = recordOf(SUMS, () => 0);
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
    sums.predictedNano += inputNano(request, predicted);
    sums.recordedNano += inputNano(request, request.usage);
  }
  return sums;
}

/** Relative error of a file's input cost. */
function costError(sums: Tally): number | null {
  return ratio(Math.abs(sums.predictedNano - sums.recordedNano), sums.recordedNano);
}

/** The figures of several files: requests and tokens pooled, cost by file. */
export function figuresOf(files: readonly Tally[]): FidelityFigures {
  const all = recordOf(SUMS, (name) => sum(files.map((file) => file[name])));
  const costs = files.flatMap((file) => costError(file) ?? []);
  const large = files.filter((file) => file.requests >= FEWEST_REQUESTS_FOR_WORST);
  const worst = (files.length === 1 ? files : large).flatMap((file) => costError(file) ?? []);
  const net = all.predictedNano - all.recordedNano;
  return {
    classAgreement: ratio(all.agreeing, all.requests),
    classAgreementOver60s: ratio(all.lateAgreeing, all.late),
    promptError: ratio(all.promptOff, all.prompt),
    readError: ratio(all.readOff, all.read),
    creationError: ratio(all.creationOff, all.creation),
    costErrorMedian: quantile(costs, 0.5),
    costErrorP75: quantile(costs, 0.75),
    costErrorP90: quantile(costs, 0.9),
    costErrorMax: quantile(costs, 1),
    costErrorWorst: quantile(worst, 1),
    netError: ratio(net, all.recordedNano),
    netErrorWithHazard: ratio(all.predictedNano + all.hazardNano - all.recordedNano, all.recordedNano),
    netUsd: usd(net),
    recallNotFull: ratio(all.notFullFound, all.notFull),
    falseAlarms: all.falseAlarms,
  };
}

import type { ToldOutput } from '../../../agent/policy-file/sentences.js';
import { resolveModel } from '../../../provider/prices/models.js';

/** The longest answer that a policy is explained with: one that is given, or that of a model. */
export function toldOutput({
  model,
  maxOutput,
}: {
  readonly model: string;
  readonly maxOutput?: number;
}): ToldOutput {
  return maxOutput === undefined
    ? { maxOutput: resolveModel(model).maxOutput, whose: `that of ${model}` }
    : { maxOutput, whose: 'as given' };
}

import type { PolicyRules } from '../../core/run/policy-rules.js';
import { MIDDLE, parseAmount, type Sizes } from './expression.js';

/** What of a model the amounts of a policy are computed from. */
export interface ModelSizes {
  readonly window: number;
  /** Longest answer; null where nobody knows. */
  readonly maxOutput: number | null;
}

/** Longest answer where nobody knows the model's. */
const DEFAULT_OUTPUT = 32_000;

/** The sizes that a policy's amounts go by on a model. The longest input is the window where a model has no limit of its own. */
export function sizesOf(policy: Pick<PolicyRules, 'base'>, { window, maxOutput }: ModelSizes): Sizes {
  const sizes = { W: window, O: maxOutput ?? DEFAULT_OUTPUT, I: window, B: window };
  return { ...sizes, B: parseAmount(policy.base)(sizes, MIDDLE) };
}

import type { Limit, Limits } from '../../core/run/limit.js';
import type { Comparison, PolicyRules, RulePart } from '../../core/run/policy-rules.js';
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

/** The first whole number of tokens at which a bound from below holds; a jitter counts by its middle. */
export function firstTokens({ op, amount }: Comparison, sizes: Sizes): number {
  const bound = parseAmount(amount)(sizes, MIDDLE);
  return op === '>' ? Math.floor(bound) + 1 : Math.ceil(bound - 1e-9);
}

/** Whether a rule replaces the conversation with another history. @internal */
export function replacesHistory({ replace }: RulePart): boolean {
  return replace === null;
}

/** The first token count at which a rule fires because of its size alone; null when size does not decide. */
export function triggerOf(rule: RulePart, sizes: Sizes): number | null {
  let first: number | null = null;
  for (const { tests } of rule.when) {
    const tokens = tests.find((test) => test.kind === 'tokens');
    if (
      tokens?.kind !== 'tokens' ||
      !tokens.is.op.startsWith('>') ||
      tests.some(({ kind }) => kind === 'event')
    )
      continue;
    const at = firstTokens(tokens.is, sizes);
    if (first === null || at < first) first = at;
  }
  return first;
}

/** The first token count at which a policy replaces the history on a model; null when size does not decide. */
export function compactsAt(policy: PolicyRules, model: ModelSizes): number | null {
  const sizes = sizesOf(policy, model);
  const all = policy.rules.filter(replacesHistory).flatMap((rule) => triggerOf(rule, sizes) ?? []);
  return all.length === 0 ? null : Math.min(...all);
}

/** The same as a limit of a run: of the rules for all threads, or of those for one. Nothing meets it where size does not decide. */
export function compactsLimit(
  limits: Limits,
  { window, maxOutput }: ModelSizes,
  rules: 'all' | 'not-main' = 'all',
): Limit {
  return limits.of(`compacts ${rules} ${window} ${maxOutput}`, 'reached', ({ rules: file }) => {
    const policy = rules === 'all' ? file! : forOthers(file!);
    return compactsAt(policy, { window, maxOutput }) ?? Number.POSITIVE_INFINITY;
  });
}

/** The rules that act in threads besides the main one. */
function forOthers(policy: PolicyRules): PolicyRules {
  return { ...policy, rules: policy.rules.filter(({ threads }) => threads === 'all') };
}

/** The token count from which new input is refused; null when it never is. */
export function blocksAt(policy: PolicyRules, model: ModelSizes): number | null {
  const { block } = policy.guards;
  return block === null ? null : Math.ceil(parseAmount(block)(sizesOf(policy, model), MIDDLE) - 1e-9);
}

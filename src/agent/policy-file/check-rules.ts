import { MS_PER_HOUR } from '../../core/base/clock.js';
import { type Path, type Problems, problemAt } from '../../core/base/errors.js';
import { suggestName } from '../../core/base/nearest.js';
import type { Limit, Limits } from '../../core/run/limit.js';
import type { Comparison, GroupPart, PolicyRules, RulePart, TestPart } from '../../core/run/policy-rules.js';
import type { ModelLimits } from '../layers/thresholds/thresholds.js';
import { MIDDLE, parseAmount, type Sizes } from './expression.js';

/** Longest answer where nobody knows the model's. */
const DEFAULT_OUTPUT = 32_000;

/** The sizes that a policy's amounts go by on a model. The longest input is the window where a model has no limit of its own. */
export function sizesOf(policy: Pick<PolicyRules, 'base'>, { window, maxOutput }: ModelLimits): Sizes {
  const sizes = { W: window, O: maxOutput ?? DEFAULT_OUTPUT, I: window, B: window };
  return { ...sizes, B: parseAmount(policy.base)(sizes, MIDDLE) };
}

/** The first whole number of tokens at which a bound from below holds; a jitter counts by its middle. */
function firstTokens({ op, amount }: Comparison, sizes: Sizes): number {
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
export function compactsAt(policy: PolicyRules, model: ModelLimits): number | null {
  const sizes = sizesOf(policy, model);
  const all = policy.rules.filter(replacesHistory).flatMap((rule) => triggerOf(rule, sizes) ?? []);
  return all.length === 0 ? null : Math.min(...all);
}

/** The same as a limit of a run: of the rules for all threads, or of those for one. Nothing meets it where size does not decide. */
export function compactsLimit(
  limits: Limits,
  { window, maxOutput }: ModelLimits,
  rules: 'all' | 'not-main' = 'all',
): Limit {
  return limits.of(`compacts ${rules} ${window} ${maxOutput}`, 'reached', ({ rules: file }) => {
    const policy =
      rules === 'all' ? file! : { ...file!, rules: file!.rules.filter(({ threads }) => threads === 'all') };
    return compactsAt(policy, { window, maxOutput }) ?? Number.POSITIVE_INFINITY;
  });
}

/** The token count from which new input is refused; null when it never is. */
export function blocksAt(policy: PolicyRules, model: ModelLimits): number | null {
  const { block } = policy.guards;
  return block === null ? null : Math.ceil(parseAmount(block)(sizesOf(policy, model), MIDDLE) - 1e-9);
}

/** Windows that a policy is checked with, and the longest answer. */
const USUAL_WINDOWS = [128_000, 200_000, 1_000_000];
const ALL_WINDOWS = [100_000, 200_000, 1_000_000, 10_000_000];
const USUAL_OUTPUT = 32_000;

/** Rules that are named where one is not known. */
const NAMED_RULES = 50;

/** Tokens that every prompt has. */
const SMALLEST_PROMPT = 1_000;

/** Reports a problem with a rule at a path below the policy. */
type Report = (at: Path, message: string, hint?: string) => void;

/** Checks rules against each other: names, ways back, and what can never come about. */
export function checkRules(policy: PolicyRules, path: Path, problems: Problems): void {
  const refuse: Report = (at, message, hint) =>
    problems(problemAt([...path, ...at], message, { hint: hint ?? null }));
  const warn: Report = (at, message, hint) =>
    problems(problemAt([...path, ...at], message, { hint: hint ?? null, weight: 'warning' }));
  const known = new Set<string>();
  const targets = new Set(
    policy.rules.flatMap(({ fail }) => (fail.else.kind === 'rule' ? fail.else.name : [])),
  );
  checkFallbacks(policy, refuse);
  policy.rules.forEach((rule, i) => {
    const { name, when } = rule;
    if (known.has(name)) refuse([i, 'name'], `two rules are called \`${name}\``);
    known.add(name);
    if (when.length === 0 && !targets.has(name))
      warn(
        [i, 'when'],
        `\`${name}\` never acts: it has no condition, and no rule falls back on it`,
        'give it a condition, or name it in the `fail.else` of another rule',
      );
    when.forEach((group, g) => {
      const at = when.length === 1 ? [i, 'when'] : [i, 'when', g];
      checkConditions(policy, rule, group, at, refuse, warn);
      const tokens = testOf(group, 'tokens');
      if (tokens !== undefined) checkSizes(policy, rule, tokens.is, group, at, warn);
    });
  });
}

/** The rule that another falls back on must exist, and the way must end. Each rule is gone through once. */
function checkFallbacks({ rules }: PolicyRules, refuse: Report): void {
  const places = new Map<string, number>();
  for (const [i, { name }] of rules.entries()) if (!places.has(name)) places.set(name, i);
  const over = new Set<number>();
  for (const start of rules.keys()) {
    const way = new Set<number>();
    for (let i = start; !over.has(i); ) {
      way.add(i);
      over.add(i);
      const { else: next } = rules[i]!.fail;
      if (next.kind !== 'rule') break;
      const target = places.get(next.name);
      const at = [i, 'fail', 'else'];
      if (target === undefined) {
        const names = [...places.keys()].slice(0, NAMED_RULES);
        const meant = suggestName(next.name, names, '`');
        refuse(at, `no rule is called \`${next.name}\``, `${meant}known: go-on, stop, ${names.join(', ')}`);
        break;
      }
      if (way.has(target))
        refuse(at, `\`${rules[i]!.name}\` falls back on \`${next.name}\` again, without end`);
      i = target;
    }
  }
}

function testOf<K extends TestPart['kind']>({ tests }: GroupPart, kind: K) {
  return tests.find((test): test is TestPart & { kind: K } => test.kind === kind);
}

/** Conditions that exclude each other, or that nothing can meet. */
function checkConditions(
  policy: PolicyRules,
  rule: RulePart,
  group: GroupPart,
  at: Path,
  refuse: Report,
  warn: Report,
): void {
  const event = testOf(group, 'event')?.is;
  if ((event === 'refused' || event === 'manual') && !group.at.includes(event))
    refuse(
      at,
      `\`event: ${event}\` and \`at: ${group.at.join(', ')}\` exclude each other`,
      `remove \`at\`, or write at: [${event}]`,
    );
  const idle = testOf(group, 'idle')?.is;
  if (testOf(group, 'warm')?.is === true && idle?.op.startsWith('>') === true && idle.ms > MS_PER_HOUR)
    warn(at, 'no cache entry lives longer than an hour: `warm: true` and this `idle` exclude each other');
  const messages = testOf(group, 'messages');
  const sizes = sizesOf(policy, { window: USUAL_WINDOWS[1]!, maxOutput: USUAL_OUTPUT });
  if (messages !== undefined && isNothing(messages.is, sizes))
    warn(at, `\`${rule.name}\` never acts: a conversation always has a message`, 'write another bound');
}

/** Whether no count can meet a bound. */
function isNothing({ op, amount }: Comparison, sizes: Sizes): boolean {
  const bound = op.startsWith('<') ? parseAmount(amount)(sizes, MIDDLE) : Number.POSITIVE_INFINITY;
  return op === '<' ? bound <= 1 : bound < 1;
}

/** A size that was hardly meant: never reached, reached by the first request, met only by small contexts, or less than what stays. */
function checkSizes(
  policy: PolicyRules,
  { name, replace, select }: RulePart,
  tokens: Comparison,
  group: GroupPart,
  at: Path,
  warn: Report,
): void {
  const sizesAt = (window: number): Sizes => sizesOf(policy, { window, maxOutput: USUAL_OUTPUT });
  const isAlone = group.tests.length === 1;
  if (tokens.op.startsWith('<')) {
    if (replace === null && isAlone)
      warn(
        [...at, 'tokens'],
        `\`${name}\` acts while the context is small, from the first request on`,
        'write >= to act from a size on',
      );
    return;
  }
  const all = USUAL_WINDOWS.map(sizesAt);
  const isLow = (sizes: Sizes): boolean => firstTokens(tokens, sizes) < SMALLEST_PROMPT;
  if (isAlone && parseAmount(tokens.amount)(all[0]!, MIDDLE) > 0 && all.every(isLow))
    warn(
      [...at, 'tokens'],
      `\`${name}\` acts at every request: no prompt has fewer than ${tokens.amount} tokens`,
      'a share of the window is written 0.85·W, thousands 150k',
    );
  const kept = replace === null ? select.keep.tokens : null;
  if (kept !== null && all.every((sizes) => parseAmount(kept)(sizes, MIDDLE) > firstTokens(tokens, sizes)))
    warn(
      [...at.slice(0, at.lastIndexOf('when')), 'select', 'keep', 'tokens'],
      `\`${name}\` finds nothing to replace: ${kept} tokens stay, and it acts from ${tokens.amount} on`,
      'keep less, or act later',
    );
  const isReached = ALL_WINDOWS.some((window) => firstTokens(tokens, sizesAt(window)) <= window);
  if (testOf(group, 'event') === undefined && !isReached)
    warn(
      at,
      `\`${name}\` never acts by itself: ${tokens.amount} is more than the window, and the API refuses before`,
      'take a smaller share, or write event: refused',
    );
}

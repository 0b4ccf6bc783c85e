import { MS_PER_HOUR } from '../../core/base/clock.js';
import { nearestName } from '../../core/base/nearest.js';
import { type Path, type Problem, type Problems, problemAt } from '../../core/base/problem.js';
import type { Comparison, GroupPart, PartsPolicy, RulePart } from '../../core/run/parts.js';
import { MIDDLE, parseAmount, type Sizes } from './expression.js';
import { sizesOf } from './sizes.js';
import { firstTokens } from './triggers.js';

/** Windows at which a rule that can never fire is looked for. */
const LARGEST_WINDOW = 10_000_000;
const USUAL_OUTPUT = 32_000;

/** Checks rules against each other: names, ways back, and what can never come about. */
export function checkRules(policy: PartsPolicy, path: Path, problems: Problems): void {
  const names = policy.rules.map(({ name }) => name);
  policy.rules.forEach((rule, i) => {
    const at = [...path, i];
    if (names.indexOf(rule.name) < i)
      problems(problemAt([...at, 'name'], `two rules are called \`${rule.name}\``));
    checkFallback(policy, rule, at, problems);
    if (rule.when.length === 0 && !policy.rules.some((other) => fallsBackOn(other, rule.name)))
      problems(
        warning(
          [...at, 'when'],
          `\`${rule.name}\` never acts: it has no condition, and no rule falls back on it`,
          'give it a condition, or name it in the `fail.else` of another rule',
        ),
      );
    rule.when.forEach((group, g) => {
      const place = rule.when.length === 1 ? [...at, 'when'] : [...at, 'when', g];
      checkGroup(policy, rule, group, place, problems);
    });
  });
}

function warning(path: Path, message: string, hint: string | null): Problem {
  return problemAt(path, message, { hint, weight: 'warning' });
}

function fallsBackOn({ fail }: RulePart, name: string): boolean {
  return fail.else.kind === 'rule' && fail.else.name === name;
}

/** The rule that another falls back on must exist, and the way must end. */
function checkFallback(policy: PartsPolicy, rule: RulePart, at: Path, problems: Problems): void {
  const seen = new Set<string>([rule.name]);
  let next = rule.fail.else;
  while (next.kind === 'rule') {
    const { name } = next;
    const target = policy.rules.find((other) => other.name === name);
    if (target === undefined) {
      const near = nearestName(
        name,
        policy.rules.map((other) => other.name),
      );
      const known = policy.rules.map((other) => other.name).join(', ');
      problems(
        problemAt([...at, 'fail', 'else'], `no rule is called \`${name}\``, {
          hint: `${near === null ? '' : `did you mean \`${near}\`? `}known: go-on, stop, ${known}`,
        }),
      );
      return;
    }
    if (seen.has(name)) {
      problems(
        problemAt(
          [...at, 'fail', 'else'],
          `\`${rule.name}\` comes back to \`${name}\`: the way out would never end`,
        ),
      );
      return;
    }
    seen.add(name);
    next = target.fail.else;
  }
}

/** Conditions that exclude each other, or that no window reaches. */
function checkGroup(
  policy: PartsPolicy,
  rule: RulePart,
  group: GroupPart,
  at: Path,
  problems: Problems,
): void {
  const test = <K extends GroupPart['tests'][number]['kind']>(kind: K) =>
    group.tests.find((one) => one.kind === kind);
  const event = test('event');
  if (
    event?.kind === 'event' &&
    (event.is === 'refused' || event.is === 'manual') &&
    !group.at.includes(event.is)
  )
    problems(
      problemAt(at, `\`event: ${event.is}\` and \`at: ${group.at.join(', ')}\` exclude each other`, {
        hint: `take \`at\` out, or write at: [${event.is}]`,
      }),
    );
  const idle = test('idle');
  const warm = test('warm');
  if (
    idle?.kind === 'idle' &&
    warm?.kind === 'warm' &&
    warm.is &&
    idle.is.op.startsWith('>') &&
    idle.is.ms > MS_PER_HOUR
  )
    problems(
      warning(
        at,
        'no cache entry lives longer than an hour: `warm: true` and this `idle` exclude each other',
        null,
      ),
    );
  const messages = test('messages');
  if (messages?.kind === 'messages' && isNothing(messages.is))
    problems(
      warning(at, `\`${rule.name}\` never acts: a conversation always has a message`, 'write another bound'),
    );
  const tokens = test('tokens');
  if (tokens?.kind === 'tokens') checkSizes(policy, rule, tokens.is, group, at, problems);
  if (tokens?.kind === 'tokens' && tokens.is.op.startsWith('>') && event === undefined) {
    const reached = [100_000, 200_000, 1_000_000, LARGEST_WINDOW].some((window) => {
      const sizes = sizesOf(policy, { window, maxOutput: USUAL_OUTPUT });
      return firstTokens(tokens.is, sizes) <= window;
    });
    if (!reached)
      problems(
        warning(
          at,
          `\`${rule.name}\` never acts by itself: ${tokens.is.amount} is more than the window, and the API refuses before`,
          'take a smaller share, or write event: refused',
        ),
      );
  }
}

/** Whether no count can meet a bound. */
function isNothing({ op, amount }: Comparison): boolean {
  const bound = op.startsWith('<') ? parseAmount(amount)(NO_SIZES, MIDDLE) : Number.POSITIVE_INFINITY;
  return op === '<' ? bound <= 1 : bound < 1;
}

const NO_SIZES = { W: 0, O: 0, I: 0, B: 0 };

/** Tokens that every prompt has. */
const SMALLEST_PROMPT = 1_000;

/** Windows that a policy is looked at with. */
const WINDOWS = [128_000, 200_000, 1_000_000];

/** A size that was hardly meant: reached by the first request, met only by small contexts, or less than what stays. */
function checkSizes(
  policy: PartsPolicy,
  rule: RulePart,
  tokens: Comparison,
  { tests }: GroupPart,
  at: Path,
  problems: Problems,
): void {
  const others = tests.length > 1;
  const all = WINDOWS.map((window) => sizesOf(policy, { window, maxOutput: USUAL_OUTPUT }));
  const isLow = (sizes: Sizes): boolean => firstTokens(tokens, sizes) < SMALLEST_PROMPT;
  if (tokens.op.startsWith('<')) {
    if (rule.replace === null && !others)
      problems(
        warning(
          [...at, 'tokens'],
          `\`${rule.name}\` acts while the context is small, from the first request on`,
          'write >= to act from a size on',
        ),
      );
    return;
  }
  if (!others && parseAmount(tokens.amount)(all[0]!, MIDDLE) > 0 && all.every(isLow))
    problems(
      warning(
        [...at, 'tokens'],
        `\`${rule.name}\` acts at every request: no prompt has fewer than ${tokens.amount} tokens`,
        'a share of the window is written 0.85·W, thousands 150k',
      ),
    );
  const { keep } = rule.select;
  if (rule.replace !== null || keep.tokens === null) return;
  const kept = parseAmount(keep.tokens);
  if (all.every((sizes) => kept(sizes, MIDDLE) > firstTokens(tokens, sizes)))
    problems(
      warning(
        [...at.slice(0, at.lastIndexOf('when')), 'select', 'keep', 'tokens'],
        `\`${rule.name}\` finds nothing to replace: ${keep.tokens} tokens stay, and it acts from ${tokens.amount} on`,
        'keep less, or act later',
      ),
    );
}

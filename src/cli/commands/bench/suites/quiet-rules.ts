import { replay } from '../../../../engine/run/replay.js';
import { interleave } from '../measure.js';
import { benchPlan, compiledTranscript, NOWHERE } from '../plan.js';
import type { BenchResult } from '../result.js';

const BY_HAND = 'claude-code/2.1.112';
/** Policy files with one rule, with several, and with one that looks at tool results. */
const IN_PARTS = ['peers/codex-local', 'peers/kimi-code', 'peers/opencode-1', 'baselines/prune'] as const;

/** Nothing fires in a window of this size. */
const WINDOW = 100_000_000;

/** Turns replayed before the timed ones. */
const UNTIMED_TURNS = 60_000;

/** What a turn costs in which no rule fires: a policy file against hand-written layers, on the same session. */
export function quietRules(options: { readonly quick: boolean }): Partial<BenchResult> {
  const turns = options.quick ? 500 : 10_000;
  const transcript = compiledTranscript(turns);
  const plans = [BY_HAND, ...IN_PARTS].map((policy) => ({
    ...benchPlan(policy),
    window: WINDOW,
    policy: quiet(benchPlan(policy).policy),
  }));
  const timed = interleave(
    plans.map((plan) => () => replay(plan, transcript, NOWHERE)),
    options.quick ? 1 : { untimed: UNTIMED_TURNS / turns, timed: 11 },
  );
  const [hand, ...rules] = timed.map(({ median }) => median);
  const slowest = Math.max(...rules);
  const micros = (ms: number): string => ((ms * 1_000) / turns).toFixed(1);
  return {
    ratios: [
      {
        name: 'quiet-rules',
        ratio: hand! / slowest,
        promised: 0.77,
        detail: `${turns} turns, µs each: ${BY_HAND} ${micros(hand!)}, ${IN_PARTS.map((name, i) => `${name} ${micros(rules[i]!)}`).join(', ')}`,
      },
    ],
  };
}

/** The same rules with piles that never get high enough. */
function quiet(policy: ReturnType<typeof benchPlan>['policy']): ReturnType<typeof benchPlan>['policy'] {
  if (policy.rules === undefined) return policy;
  const rules = policy.rules.rules.map((rule) => ({
    ...rule,
    when: rule.when.map((group) => ({
      ...group,
      tests: group.tests.map((test) =>
        test.kind === 'piled' ? { ...test, is: { op: '>=', amount: String(WINDOW) } as const } : test,
      ),
    })),
  }));
  return { ...policy, rules: { ...policy.rules, rules } };
}

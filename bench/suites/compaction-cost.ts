import { benchPlan } from '../../src/cli/commands/bench/plan.js';
import type { BenchResult, SuiteOptions } from '../../src/cli/commands/bench/result.js';
import { sum } from '../../src/core/base/stats.js';
import type { Transcript } from '../../src/core/model/transcript.js';
import type { LogEntry } from '../../src/core/run/run-log.js';
import type { RunPlan } from '../../src/core/run/run-plan.js';
import { replay } from '../../src/engine/run/replay.js';
import { compiledTranscript, countEntries, foldAll, interleave, processorTimeOf } from '../measure.js';

/** What a compaction may cost on the machine that the figures in docs/design/speed.md are from. */
const PROMISED_MICROS = 100;

/** Thresholds as shares of the window: compactions are frequent at the low ones and rare at the high ones. */
const LOW = [0.33, 0.34, 0.35, 0.36];
const HIGH = [0.8, 0.82, 0.84, 0.86];

/** Policies, and the setting that holds the threshold. */
const POLICIES: readonly {
  readonly policy: string;
  readonly set: (share: number) => Readonly<Record<string, unknown>>;
}[] = [
  { policy: 'claude-code/2.1.112', set: (share) => ({ 'window.percent': 100 * share }) },
  { policy: 'peers/codex-local', set: tokens },
  { policy: 'peers/zed', set: tokens },
];

function tokens(share: number): Readonly<Record<string, unknown>> {
  return { 'rules.compact.when.0.tokens': `>= ${Math.round(share * 200_000)}` };
}

/** Processor time of a compaction, its metrics included: runs with many compactions less runs with few, over the difference in number. */
export function compactionCost(options: SuiteOptions): Partial<BenchResult> {
  const transcript = compiledTranscript(options.quick ? 300 : 1_000);
  const micros = POLICIES.map(({ policy, set }) => {
    options.onProgress(policy);
    const plansAt = (shares: readonly number[]): readonly RunPlan[] =>
      shares.map((share) => benchPlan(policy, 'on', set(share)));
    const [low, high] = [plansAt(LOW), plansAt(HIGH)];
    const runs = [low, high].map((plans) => () => foldAll(replay, plans, transcript));
    const [many, few] = interleave(
      runs,
      options.quick ? { untimed: 0, timed: 1 } : { untimed: 15, timed: 15 },
      processorTimeOf,
    );
    const compactions = count(low, transcript) - count(high, transcript);
    return ((many!.median - few!.median) * 1_000) / compactions;
  });
  return {
    ratios: [
      {
        name: 'compaction-cost',
        ratio: PROMISED_MICROS / Math.max(...micros, 1),
        promised: 1,
        detail: `${PROMISED_MICROS} µs over the most expensive compaction: ${POLICIES.map(({ policy }, i) => `${policy} ${micros[i]!.toFixed(0)} µs`).join(', ')}`,
      },
    ],
  };
}

function count(plans: readonly RunPlan[], transcript: Transcript): number {
  const isCompaction = (entry: LogEntry): boolean =>
    entry.type === 'layer' && entry.action === 'compact' && entry.outcome === 'done';
  return sum(plans.map((plan) => countEntries(plan, transcript, isCompaction)));
}

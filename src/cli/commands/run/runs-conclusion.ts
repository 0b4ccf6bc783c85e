import { formatCount, formatCounted, formatMoney } from '../../../core/base/format.js';
import { addPricedCalls } from '../../../core/run/priced-calls.js';
import { completionOf } from '../../../metrics/completion.js';
import { pricedCalls } from '../../../metrics/priced-calls.js';
import { formatAtLeast, unpricedText } from '../../../report/text/at-least.js';
import type { Conclusion } from '../../../report/text/conclusion.js';
import { failedSentence, runConclusion } from '../../runs/run-conclusion.js';
import type { RunResult } from './run-result.js';

function transcriptsOf(results: readonly RunResult[]): number {
  return new Set(results.map(({ execution }) => execution.facts.run?.transcript.id)).size;
}

/** The cheapest of several runs of one session; null where they are not to be compared, or cost the same. */
function cheapestOf(results: readonly RunResult[]): RunResult | null {
  if (transcriptsOf(results) > 1) return null;
  if (results.some(({ execution }) => !completionOf(execution.facts).finished)) return null;
  if (results.some(({ execution }) => pricedCalls(execution.facts).unpricedCalls > 0)) return null;
  const [first, ...others] = [...results].sort((a, b) => a.metrics.costUsd! - b.metrics.costUsd!);
  return others.length === 0 || first!.metrics.costUsd === others[0]!.metrics.costUsd ? null : first!;
}

function allCost(results: readonly RunResult[]): string {
  const priced = addPricedCalls(results.map(({ execution }) => pricedCalls(execution.facts)));
  const usd = results.reduce((sum, { metrics }) => sum + (metrics.costUsd ?? 0), 0);
  const unpriced = unpricedText(priced, 'request');
  return `${formatAtLeast(usd, priced)} in all${unpriced === null ? '' : ` (${unpriced})`}`;
}

/** What the runs of one scenario came to. */
export function scenarioConclusion(name: string, file: string, results: readonly RunResult[]): Conclusion {
  if (results.length === 1) {
    const { execution, expectations } = results[0]!;
    return runConclusion(execution.facts, expectations);
  }
  const runs = `${formatCount(results.length)} runs of ${name}`;
  const cheapest = cheapestOf(results);
  const failed = failedSentence(results.flatMap(({ expectations }) => expectations));
  const cut = results.filter(({ execution }) => !completionOf(execution.facts).finished).length;
  const unfinished =
    cut === 0
      ? null
      : `${formatCount(cut)} of them did not finish: do not compare that cost with runs that did.`;
  return {
    result:
      cheapest === null
        ? `${runs} cost ${allCost(results)}.`
        : `Of ${runs} the cheapest is ${cheapest.planned.label}, at ${formatMoney(cheapest.metrics.costUsd!)}.`,
    advice:
      failed ??
      unfinished ??
      (transcriptsOf(results) > 1
        ? `Which of their differences are more than noise: ccbench compare ${file}.`
        : `They are runs of one session: ccbench compare ${file} --transcripts … says what lasts over several.`),
  };
}

/** What the runs of several scenarios came to. */
export function scenariosConclusion(scenarios: number, results: readonly RunResult[]): Conclusion {
  const expectations = results.flatMap((result) => result.expectations);
  const failed = results.filter(({ expectations: own }) => own.some(({ passed }) => !passed));
  const held = expectations.filter(({ passed }) => passed).length;
  return {
    result: `${formatCounted(results.length, 'run')} of ${formatCounted(scenarios, 'scenario')} cost ${allCost(results)}; ${formatCount(held)} of ${formatCounted(expectations.length, 'expectation')} ${held === 1 ? 'holds' : 'hold'}.`,
    advice:
      failed.length === 0
        ? 'What to make of each stands below its tables.'
        : `The first to look at: ${failed[0]!.planned.label}.`,
  };
}

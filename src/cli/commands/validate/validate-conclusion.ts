import type { FidelityReport } from '../../../analysis/validate/report.js';
import type { FileFidelity } from '../../../analysis/validate/validate.js';
import { formatCount, formatCounted } from '../../../core/base/format.js';
import type { Conclusion } from '../../../report/text/conclusion.js';
import { trustSentence } from './forward-text.js';

/** How far to trust a cost, and what that does not say. */
export function validateConclusion(
  files: readonly FileFidelity[],
  { total, traces }: FidelityReport,
  worse: number,
): Conclusion {
  const trust = trustSentence(total, files);
  const within = traces?.statistics.filter(({ verdict }) => verdict === 'within').length ?? 0;
  const result =
    trust ??
    (traces === null
      ? 'No session could be run forward, so nothing says how far a cost is off.'
      : `${formatCount(within)} of ${formatCounted(traces.statistics.length, 'figure')} of the traces ${within === 1 ? 'lies' : 'lie'} where samples of this size do.`);
  if (worse > 0)
    return {
      result,
      advice: `${formatCounted(worse, 'figure is', 'figures are')} worse than the saved ones: see above.`,
    };
  return {
    result,
    advice:
      trust === null
        ? 'Recordings with the usage of their responses say more: ccbench validate ~/.claude/projects.'
        : 'It says how far the simulator is from these sessions as they were; what a change would have done was never recorded.',
  };
}

import { formatCount, formatCounted, formatShare, printable } from '../../../core/base/format.js';
import { ratio } from '../../../core/base/stats.js';
import type { Warning } from '../../../core/run/warning.js';
import * as doc from '../../../report/document/document.js';
import type { Conclusion } from '../../../report/text/conclusion.js';
import { formatAtLeast, shortName, unpricedText } from '../../../report/text/words.js';
import { inputId } from '../../../transcripts/files/read-input.js';
import { mergeWarnings } from '../../files/reading-notes.js';
import type { ProviderSteps, SessionFacts, SessionsTotal } from './session-facts.js';

/** Room that the indent and the columns which always stay need beside the name. */
const FIXED_CHARS = 30;
const SHORTEST_NAME = 12;
const LONGEST_NAME = 34;

/** A session, or all of them. */
interface SessionRow
  extends Pick<SessionsTotal, 'calls' | 'promptTokens' | 'cachedTokens' | 'writtenTokens' | 'outputTokens'>,
    Pick<SessionFacts, 'agent' | 'from' | 'compactions' | 'costUsd' | 'unpricedCalls'> {
  readonly name: string;
  /** Calls that the cost is of. */
  readonly costCalls: number;
}

const COLUMNS: readonly doc.ColumnOf<SessionRow>[] = [
  doc.text('session', ({ name }) => name),
  doc.text('agent', ({ agent }) => agent, 5),
  doc.text('day', ({ from }) => from?.slice(0, 10) ?? '', 4),
  doc.number('calls', ({ calls }) => calls, formatCount),
  doc.number('prompt', ({ promptTokens }) => promptTokens, formatCount, 7),
  doc.number('cached', cachedShare, formatShare, 6),
  doc.number('written', ({ writtenTokens }) => writtenTokens, formatCount, 2),
  doc.number('output', ({ outputTokens }) => outputTokens, formatCount, 3),
  doc.number('compactions', ({ compactions }) => compactions, formatCount, 1),
  doc.amount('cost', ({ costUsd, costCalls, unpricedCalls }) =>
    formatAtLeast(costUsd, { calls: costCalls, unpricedCalls }),
  ),
];

function cachedShare({ promptTokens, cachedTokens }: SessionRow): number | null {
  return promptTokens === null || cachedTokens === null ? null : ratio(cachedTokens, promptTokens);
}

const STEPS: readonly doc.ColumnOf<ProviderSteps>[] = [
  doc.text('provider', ({ provider }) => provider ?? NO_PROVIDER),
  doc.number('sessions', ({ sessions }) => sessions, formatCount, 2),
  doc.number('compact', ({ compactedSessions, sessions }) => ratio(compactedSessions, sessions), formatShare),
  doc.number(
    'mid-loop',
    ({ midLoopCompactions, compactions }) => ratio(midLoopCompactions, compactions),
    formatShare,
  ),
  doc.number('hits: prompts', ({ afterPrompt }) => afterPrompt.hitRate, formatShare),
  doc.number('hits: tools', ({ afterTools }) => afterTools.hitRate, formatShare),
];

/** Shown for an unknown provider. */
const NO_PROVIDER = 'unknown';

function totalNotes(total: SessionsTotal): readonly doc.Said[] {
  const { sessions, withoutCost, unpricedCalls, withoutWrites, outputTokens } = total;
  const estimated = total.estimatedOutputTokens ?? 0;
  const of = formatCounted(sessions, 'session');
  const unpriced = unpricedText({ calls: total.costCalls, unpricedCalls });
  return [
    withoutCost > 0 &&
      `the cost leaves out ${formatCount(withoutCost)} of ${of}: a model without a known price, or no usage`,
    unpriced !== null && total.costUsd !== null && `the cost is a lower bound: ${unpriced}`,
    withoutWrites > 0 &&
      `${formatCount(withoutWrites)} of ${of} ${withoutWrites === 1 ? 'does' : 'do'} not record what was written to the cache`,
    estimated > 0 &&
      `${formatCount(estimated)} of ${formatCount(outputTokens)} output tokens are estimated: the recording has placeholders`,
  ];
}

/** Several sessions in one table; names are cut to what the width leaves them. */
export function sessionsBlocks(
  sessions: readonly SessionFacts[],
  total: SessionsTotal,
  found: {
    readonly notes: readonly string[];
    readonly warnings: readonly Warning[];
    readonly byProvider: readonly ProviderSteps[];
  },
  width: number,
): readonly doc.Block[] {
  const most = Math.min(LONGEST_NAME, Math.max(SHORTEST_NAME, width - FIXED_CHARS));
  const all = { ...total, name: formatCounted(total.sessions, 'session'), agent: '', from: null };
  const rows = sessions.map((facts) => ({
    ...facts,
    name: shortName(printable(inputId(facts.file)), most),
    costCalls: facts.calls,
  }));
  const warnings = mergeWarnings([{ label: '', warnings: found.warnings }]).map(
    ({ code, message, count }) => ({
      code,
      message: `${code}: ${message}`,
      remedy: null,
      count,
    }),
  );
  return [
    doc.table(COLUMNS, [...rows, all], (row) => (row === all ? 'strong' : 'plain')),
    ...doc.notes([...totalNotes(total), ...found.notes]),
    doc.DROPPED,
    doc.section('Compactions and hit rates by provider', doc.table(STEPS, found.byProvider)),
    doc.section('Findings', ...doc.findings(warnings)),
  ];
}

/** What was found in transcripts, and where to continue. */
export function inspectConclusion(total: SessionsTotal, problems: number): Conclusion {
  const { sessions, calls, costUsd, costCalls, unpricedCalls, hitRate } = total;
  const who = `${formatCounted(sessions, 'session')} with ${formatCounted(calls, 'call')}`;
  const found = problems === 0 ? 'no problems found' : `${formatCounted(problems, 'finding')}`;
  const priced = { calls: costCalls, unpricedCalls };
  const unpriced = unpricedText(priced);
  if (costUsd === null)
    return {
      result: `${who}: ${unpriced ?? 'no cost is recorded'}; ${found}.`,
      advice: 'ccbench ttl shows their hit rate at each cache lifetime.',
    };
  const payers = costCalls === calls ? who : `Of ${who}, ${formatCounted(costCalls, 'call')} with usage`;
  const read = hitRate === null ? '' : `, ${formatShare(hitRate)} of the prompts read from the cache`;
  return {
    result: `${payers} cost ${formatAtLeast(costUsd, priced)} as recorded${unpriced === null ? '' : ` (${unpriced})`}${read}; ${found}.`,
    advice: 'ccbench why with the same names shows where the money went and what would have been cheaper.',
  };
}

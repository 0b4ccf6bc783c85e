import type { Block } from '../../../core/model/block.js';
import type { Thread } from '../../../core/model/transcript.js';
import type { WarningList } from '../../../core/run/warning.js';

const AGENT_TOOLS = new Set<string | null>(['Task', 'Agent']);
/** How a result names the agent who gave it, or who was started (transcripts.md 6). */
const NAMED = /agentId: ([\w-]+) \(/g;

/** The agent that a result names; the last one, as an answer may quote another. */
function agentOf({ kind, tool, text, facts }: Block): string | null {
  if (kind !== 'tool_result' || !AGENT_TOOLS.has(tool) || facts.isError === true || text === null)
    return null;
  return [...text.read().matchAll(NAMED)].at(-1)?.[1] ?? null;
}

/** Says of how many agents the results of a conversation tell whose requests are in no file that was read. */
export function tellMissingAgents(
  threads: readonly Thread[],
  known: ReadonlySet<string | null>,
  warnings: WarningList,
): void {
  const missing = new Set<string>();
  for (const { steps } of threads) {
    for (const step of steps) {
      if (step.kind !== 'message') continue;
      for (const block of step.message.blocks) {
        const agent = agentOf(block);
        if (agent !== null && !known.has(agent)) missing.add(agent);
      }
    }
  }
  if (missing.size === 0) return;
  warnings.add(
    'agents-missing',
    'agents were started whose requests are in no file: what they cost is in no sum',
    'put their agent-*.jsonl files into <session>/subagents beside the session file',
    missing.size,
  );
}

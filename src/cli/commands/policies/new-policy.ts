import type { CommandOptions } from '../../commands.generated.js';
import { writeStarter } from '../../files/write-starter.js';
import type { CliSession, ExitCode } from '../../session.js';

/** A policy that can be used as it is, with a comment at every part. */
function policyTemplate(name: string): string {
  return `# How an agent manages its context. Check it with: ccbench policies check ${name}.yaml
# In amounts W is the window, O the longest answer, B the base below; units are k, m, % and, for times, s, min, h.
name: ${name}
description: Clears old tool results, and summarises the conversation when the window is nearly full.

# How the agent measures its context: the latest usage, and characters / 4 of what is newer.
count: { source: usage+new, charsPerToken: 4 }

# B: what thresholds are shares of.
base: { from: window, times: 0.9 }

rules:
  # Asked in order; the first that changes the history ends the pass.
  - name: clear
    when: { prunable: ">= 20k" }
    select: { what: tool-results, keep: { tokens: 40k } }
    replace: { with: placeholder }

  - name: compact
    # Any of these groups; inside a group all must hold.
    when:
      - { tokens: ">= 1·B" }
      - { event: refused }
      - { event: manual }
    select: { what: history, keep: { tokens: 20k } }
    # extend: the main request and an instruction, which reads the cache; own and text pay the full price.
    ask: { shape: extend, output: 20k }
    # The order decides how much of the cached prefix survives.
    layout: [summary, tail]
    accept: [empty, cut]
    fail: { retry: 1, shrink: [{ drop-oldest: 0.2, times: 3 }], else: go-on }

guards:
  breaker: { after: 3, until: success }
`;
}

/** `ccbench policies new`: a starter policy that can be used as it is. */
export async function newPolicyCommand(
  session: CliSession,
  wanted: string,
  options: CommandOptions['policies new'],
): Promise<ExitCode> {
  const starter = { what: 'policy', text: policyTemplate, next: 'ccbench policies check' };
  return writeStarter(session, starter, wanted, options);
}

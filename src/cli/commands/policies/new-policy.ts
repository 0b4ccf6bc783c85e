import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { CcbenchError } from '../../../base/errors.js';
import { NAME_PATTERN, PATTERN_WORDS } from '../../../scenario/schema-words.js';
import { EXIT, type ExitCode } from '../../exit-codes.js';
import { openFile } from '../../files/output.js';
import { type CliSession, printJson } from '../../session.js';

/** Options of `ccbench policies new`. */
export interface NewPolicyOptions {
  readonly force?: boolean;
}

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
  options: NewPolicyOptions,
): Promise<ExitCode> {
  const { cwd, stdout } = session.host;
  const name = wanted.replace(/\.ya?ml$/, '');
  if (!NAME_PATTERN.test(name)) {
    throw new CcbenchError('bad-usage', `"${wanted}" cannot be the name of a policy`, {
      hint: `use ${PATTERN_WORDS[NAME_PATTERN.source]}`,
    });
  }
  const file = `${name}.yaml`;
  if (options.force !== true && existsSync(resolve(cwd, file))) {
    throw new CcbenchError('bad-usage', `${file} is there already`, {
      hint: 'choose another name, or --force to overwrite it',
    });
  }
  const output = openFile(file, cwd);
  await output.write(policyTemplate(name));
  output.commit();
  if (session.json) printJson(session, { file });
  else stdout.write(`wrote ${file}\nnext: ccbench policies check ${file}\n`);
  return EXIT.fine;
}

import { policySentences } from '../../../agent/policy-file/sentences.js';
import { type CcbenchError, formatPlace } from '../../../core/base/errors.js';
import { formatCounted } from '../../../core/base/format.js';
import { type Block, inset } from '../../../report/document/document.js';
import { EXIT, type ExitCode } from '../../exit-codes.js';
import { type PluginOptions, withPlugins } from '../../runs/with-plugins.js';
import type { CliSession } from '../../session.js';
import { present } from '../../terminal/present.js';
import { outputLimit, readNamedFile } from './show-policy.js';

/** What `policies check` goes by. */
export interface CheckOptions extends PluginOptions {
  /** The model whose longest answer the sentences count with. */
  readonly model: string;
}

interface ShownProblem {
  readonly line: number | null;
  readonly column: number | null;
  readonly message: string;
  readonly hint: string | null;
}

function shown({ place, message, hint }: CcbenchError): ShownProblem {
  return { line: place?.line ?? null, column: place?.column ?? null, message, hint };
}

/** `ccbench policies check file`: what is wrong with a policy file, or what it will do, in plain sentences. */
export async function checkPolicyCommand(
  session: CliSession,
  file: string,
  options: CheckOptions,
): Promise<ExitCode> {
  return withPlugins(session, [], options, () => checkPolicy(session, file, options));
}

function checkPolicy(session: CliSession, file: string, options: CheckOptions): ExitCode {
  const { policy, problems, warnings, read } = readNamedFile(file, session.host.cwd);
  const isOk = problems.length === 0 && read !== null;
  const sentences = isOk ? policySentences(read.rules, outputLimit(options)) : [];
  const lines = (errors: readonly CcbenchError[], word: string): readonly Block[] =>
    errors.flatMap(({ place, message, hint }) => [
      `${place === null ? file : formatPlace(place)}: ${word}${message}`,
      ...(hint === null ? [] : [inset(`hint: ${hint}`)]),
    ]);
  const doubts = warnings.length === 0 ? '' : `, with ${formatCounted(warnings.length, 'warning')}`;
  present(session, {
    blocks: [
      ...lines(problems, ''),
      ...lines(warnings, 'warning: '),
      ...(isOk ? ['What it will do:', ''] : []),
      ...sentences.map((sentence) => inset(sentence)),
    ],
    closing: isOk
      ? {
          result: `${policy!.name} can be used${doubts}.`,
          advice: `Next: ccbench run <scenario> --policy ${file}`,
        }
      : {
          result: `${file} cannot be used: ${formatCounted(problems.length, 'problem')}.`,
          advice: 'Fix the first one first: others may come of it.',
        },
    json: { ok: isOk, problems: problems.map(shown), warnings: warnings.map(shown), sentences },
  });
  return isOk ? EXIT.fine : EXIT.input;
}

import { policySentences } from '../../../agent/policy-file/sentences.js';
import { type CcbenchError, formatPlace } from '../../../core/base/errors.js';
import { formatCounted } from '../../../core/base/format.js';
import { EXIT, type ExitCode } from '../../exit-codes.js';
import { type PluginOptions, withPlugins } from '../../runs/with-plugins.js';
import { type CliSession, printJson } from '../../session.js';
import { closingText } from '../../terminal/closing.js';
import { screenFor } from '../../terminal/paint.js';
import { readNamedFile } from './named-policy.js';
import { toldOutput } from './told-output.js';

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
  const { stdout, cwd } = session.host;
  const found = readNamedFile(file, cwd);
  const { problems } = found;
  const isOk = problems.length === 0 && found.read !== null;
  const sentences = isOk ? policySentences(found.read.parts, toldOutput(options)) : [];
  const exit = isOk ? EXIT.fine : EXIT.input;
  if (session.json) {
    printJson(session, {
      ok: isOk,
      problems: problems.map(shown),
      warnings: found.warnings.map(shown),
      sentences,
    });
    return exit;
  }
  const screen = screenFor(stdout, session.colors);
  const lines = (errors: readonly CcbenchError[], word: string): readonly string[] =>
    errors.flatMap(({ place, message, hint }) => [
      `${place === null ? file : formatPlace(place)}: ${word}${message}`,
      ...(hint === null ? [] : [`  hint: ${hint}`]),
    ]);
  const head = isOk ? ['What it will do:', ''] : [];
  const said = [
    ...lines(problems, ''),
    ...lines(found.warnings, 'warning: '),
    ...head,
    ...sentences.map((sentence) => `  ${sentence}`),
  ];
  const doubts = found.warnings.length;
  const closing = isOk
    ? {
        result: `${found.policy!.name} can be used${doubts === 0 ? '' : `, with ${formatCounted(doubts, 'warning')}`}.`,
        advice: `Next: ccbench run <scenario> --policy ${file}`,
      }
    : {
        result: `${file} cannot be used: ${formatCounted(problems.length, 'problem')}.`,
        advice: 'Mend the first one first: others may come of it.',
      };
  stdout.write(`${said.join('\n')}\n\n${closingText(closing, screen)}`);
  return exit;
}

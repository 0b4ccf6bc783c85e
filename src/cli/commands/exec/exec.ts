import { CcbenchError } from '../../../core/base/errors.js';
import { formatCounted } from '../../../core/base/format.js';
import { type ExpectationResult, judge, parseExpectation } from '../../../metrics/expect.js';
import { EXIT, type ExitCode } from '../../exit-codes.js';
import { type CliSession, note, printJson } from '../../session.js';
import type { Ledger } from '../serve/ledger.js';
import { breakLine, totalsText } from '../serve/serve-text.js';
import { type ServerOptions, startServer } from '../serve/start-server.js';
import { SERVED_METRICS, servedValue } from './served-metrics.js';
import { agentEnvironment, runCommand } from './start-command.js';

/** Options of `ccbench exec`. */
export interface ExecOptions extends ServerOptions {
  readonly expect?: readonly string[];
}

/** Breaks that are listed; the rest are counted. */
const MOST_BREAKS = 10;

function breaksText({ totals, calls }: Pick<Ledger, 'totals' | 'calls'>): string {
  const broken = calls.filter(({ missedTokens }) => missedTokens > 0);
  const lines = broken.slice(0, MOST_BREAKS).map((call) => `  ${breakLine(call)}`);
  const more = Object.values(totals.breaks).reduce((sum, count) => sum + count, 0) - lines.length;
  if (more > 0) lines.push(`  and ${more} more (--record keeps all)`);
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`;
}

function expectationsText(results: readonly ExpectationResult[]): string {
  return results
    .map(({ text, passed, message }) => `${passed ? 'ok  ' : 'FAIL'} ${text}: ${message}\n`)
    .join('');
}

/** `ccbench exec`: runs an agent against the fake API, prints its bill, and fails where an expectation does. */
export async function execCommand(
  session: CliSession,
  command: readonly string[],
  options: ExecOptions,
): Promise<ExitCode> {
  const { host, json } = session;
  const expected = (options.expect ?? []).map((text) =>
    parseExpectation(text, { file: '--expect' }, SERVED_METRICS),
  );
  const server = await startServer(session, 0, { ...options, folder: host.cwd }, () => {});
  const env = agentEnvironment(host.env, server.url, options.upstream === undefined ? 'any' : 'own');
  let code: number;
  try {
    code = await runCommand(command, env, host, json ? 'to-stderr' : 'inherit');
  } finally {
    await server.close();
  }
  const { totals, calls } = server.ledger;
  const results = expected.map((expectation) => judge(expectation, servedValue(expectation.metric, totals)));
  if (json) printJson(session, { exitCode: code, totals, calls, expectations: results });
  else host.stdout.write(`\n${totalsText(totals)}${breaksText(server.ledger)}${expectationsText(results)}`);
  if (host.interrupt.aborted) return EXIT.interrupted;
  if (code !== 0) {
    note(session, `${command[0]} ended with exit code ${code}, and so does ccbench`);
    return code;
  }
  if (totals.answered === 0)
    throw new CcbenchError('bad-usage', `${command[0]} sent no request that was answered`, {
      hint: `it must take its address from ANTHROPIC_BASE_URL, OPENAI_BASE_URL or GOOGLE_GEMINI_BASE_URL (${formatCounted(totals.refused, 'request')} refused)`,
    });
  const isDone = server.scriptProblems === 0 && results.every(({ passed }) => passed);
  return isDone ? EXIT.fine : EXIT.expectation;
}

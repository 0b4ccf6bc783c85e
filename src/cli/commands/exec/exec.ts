import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { CcbenchError } from '../../../core/base/errors.js';
import { formatCounted, type MetricUnit } from '../../../core/base/format.js';
import { ownValue } from '../../../core/base/own-value.js';
import { ratio, sum } from '../../../core/base/stats.js';
import { promptTokens } from '../../../core/model/usage.js';
import { BREAK_CAUSES } from '../../../core/run/break-causes.js';
import {
  type ExpectationResult,
  judge,
  type KnownMetrics,
  parseExpectation,
} from '../../../metrics/expect.js';
import type { CommandOptions } from '../../commands.generated.js';
import type { Host } from '../../host.js';
import { type CliSession, EXIT, type ExitCode, note, printJson } from '../../session.js';
import type { Ledger, ServedTotals } from '../serve/ledger.js';
import { breakLine, totalsText } from '../serve/serve.js';
import { startServer } from '../serve/start-server.js';

/** A number about the calls of a server; its name means what it means for a run. */
interface ServedMetric {
  readonly name: string;
  readonly unit: MetricUnit;
  value(totals: ServedTotals): number | null;
}

/** Breaks without those after a summary, which are expected. */
function breaksOf({ breaks }: ServedTotals): number {
  return sum(Object.values(breaks)) - (breaks.compaction ?? 0);
}

const METRICS: readonly ServedMetric[] = [
  { name: 'requests', unit: 'count', value: ({ answered }) => answered },
  { name: 'requestsRefused', unit: 'count', value: ({ refused }) => refused },
  { name: 'conversations', unit: 'count', value: ({ conversations }) => conversations },
  { name: 'compactions', unit: 'count', value: ({ compactions }) => compactions },
  { name: 'costUsd', unit: 'usd', value: ({ costUsd }) => costUsd },
  { name: 'promptTokens', unit: 'tokens', value: ({ usage }) => promptTokens(usage) },
  { name: 'cacheReadTokens', unit: 'tokens', value: ({ usage }) => usage.cacheRead },
  {
    name: 'cacheWriteTokens',
    unit: 'tokens',
    value: ({ usage }) => usage.cacheWrite5m + usage.cacheWrite1h,
  },
  { name: 'uncachedTokens', unit: 'tokens', value: ({ usage }) => usage.input },
  { name: 'outputTokens', unit: 'tokens', value: ({ usage }) => usage.output },
  {
    name: 'cacheHitRate',
    unit: 'share',
    value: ({ usage }) => ratio(usage.cacheRead, promptTokens(usage)),
  },
  { name: 'cacheBreaks', unit: 'count', value: breaksOf },
  { name: 'missedTokens', unit: 'tokens', value: ({ missedTokens }) => missedTokens },
  ...BREAK_CAUSES.map(
    (cause): ServedMetric => ({
      name: `cacheBreaksByCause.${cause}`,
      unit: 'count',
      value: ({ breaks }) => breaks[cause] ?? 0,
    }),
  ),
];

function findServedMetric(name: string): ServedMetric | null {
  return METRICS.find((metric) => metric.name === name) ?? null;
}

/** The value of a metric; null if no call was answered. */
function servedValue(name: string, totals: ServedTotals): number | null {
  return totals.answered === 0 ? null : (findServedMetric(name)?.value(totals) ?? null);
}

/** What `exec --expect` may name. */
const SERVED_METRICS: KnownMetrics = {
  find: findServedMetric,
  names: () => METRICS.map(({ name }) => name),
  listedBy: 'docs/serve.md lists what can be expected',
};

/** What agents read to find their API, and where it is here. */
const ADDRESSES: readonly (readonly [name: string, path: string])[] = [
  ['CCBENCH_URL', ''],
  ['ANTHROPIC_BASE_URL', ''],
  ['OPENAI_BASE_URL', '/v1'],
  ['OPENAI_API_BASE', '/v1'],
  ['GOOGLE_GEMINI_BASE_URL', ''],
];

/** Keys that agents ask for before they start; the server takes any. */
const KEYS = ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GEMINI_API_KEY'];

/** What would lead an agent elsewhere. */
const ELSEWHERE = ['ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_USE_BEDROCK', 'CLAUDE_CODE_USE_VERTEX'];

/** The environment in which an agent finds the server. Its own keys stay where requests are passed on. */
function agentEnvironment(env: Host['env'], url: string, keys: 'own' | 'any'): NodeJS.ProcessEnv {
  const proxies = [env.NO_PROXY, '127.0.0.1'].filter((part) => part !== undefined && part !== '');
  const found = {
    ...env,
    ...Object.fromEntries(ADDRESSES.map(([name, path]) => [name, `${url}${path}`])),
    NO_PROXY: proxies.join(','),
  };
  if (keys === 'own') return found;
  const kept = Object.entries(found).filter(([name]) => !ELSEWHERE.includes(name));
  return { ...Object.fromEntries(kept), ...Object.fromEntries(KEYS.map((name) => [name, 'ccbench'])) };
}

const STDERR = 2;
const FIRST_SIGNAL_CODE = 128;

/** Runs a command to its end and gives its exit code; what it prints goes to the terminal, or all of it to stderr. */
function runCommand(
  [program, ...args]: readonly string[],
  env: NodeJS.ProcessEnv,
  { cwd, interrupt }: Pick<Host, 'cwd' | 'interrupt'>,
  stdout: 'inherit' | 'to-stderr',
): Promise<number> {
  const child = spawn(program!, args, {
    cwd,
    env,
    stdio: ['inherit', stdout === 'inherit' ? 'inherit' : STDERR, 'inherit'],
  });
  const stop = (): void => void child.kill('SIGTERM');
  interrupt.addEventListener('abort', stop, { once: true });
  return new Promise((resolve, reject) => {
    child.once('error', (error: NodeJS.ErrnoException) => {
      const why = error.code === 'ENOENT' ? 'there is no such program' : error.message;
      const hint = 'write the command after --, as in a shell: ccbench exec -- node agent.mjs';
      reject(new CcbenchError('bad-usage', `${program} cannot be started: ${why}`, { hint, cause: error }));
    });
    child.once('close', (code, signal) => {
      interrupt.removeEventListener('abort', stop);
      resolve(code ?? FIRST_SIGNAL_CODE + (ownValue(constants.signals, signal ?? '') ?? 0));
    });
  });
}

/** Breaks that are listed; the rest are counted. */
const MOST_BREAKS = 10;

function breaksText({ totals, calls }: Pick<Ledger, 'totals' | 'calls'>): string {
  const broken = calls.filter(({ missedTokens }) => missedTokens > 0);
  const lines = broken.slice(0, MOST_BREAKS).map((call) => `  ${breakLine(call)}`);
  const more = sum(Object.values(totals.breaks)) - lines.length;
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
  options: CommandOptions['exec'],
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

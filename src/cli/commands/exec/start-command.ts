import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { CcbenchError } from '../../../core/base/errors.js';
import { ownValue } from '../../../core/base/own-value.js';
import type { Host } from '../../host.js';

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
export function agentEnvironment(env: Host['env'], url: string, keys: 'own' | 'any'): NodeJS.ProcessEnv {
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
export function runCommand(
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
      const hint = 'write the command behind --, as a shell would find it: ccbench exec -- node agent.mjs';
      reject(new CcbenchError('bad-usage', `${program} cannot be started: ${why}`, { hint, cause: error }));
    });
    child.once('close', (code, signal) => {
      interrupt.removeEventListener('abort', stop);
      resolve(code ?? FIRST_SIGNAL_CODE + (ownValue(constants.signals, signal ?? '') ?? 0));
    });
  });
}

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

const MAIN = resolve(import.meta.dirname, '../../dist/cli/main.js');

/** How a process finished. */
export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** What a test may change about the process. */
export interface StartOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Where its output goes; a pipe unless a descriptor is given. */
  readonly stdout?: number;
  /** `pipe` to write to it; it gets nothing otherwise. */
  readonly stdin?: 'pipe';
  /** What is started instead of `ccbench`. */
  readonly main?: string;
}

/** Starts the built command line as a process of its own. */
export function startCli(argv: readonly string[], cwd: string, options: StartOptions = {}) {
  if (!existsSync(MAIN)) throw new Error('dist is not built: type `npm run build`');
  const child = spawn(process.execPath, [options.main ?? MAIN, ...argv], {
    cwd,
    env: { ...process.env, ...options.env },
    stdio: [options.stdin ?? 'ignore', options.stdout ?? 'pipe', 'pipe'],
  });
  const out = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name]?.on('data', (data) => {
      out[name] += String(data);
    });
  const ended = new Promise<Ended>((done) =>
    child.on('close', (code, signal) => done({ code, signal, ...out })),
  );
  return { child, ended };
}

import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import type { Host } from '../../src/cli/host.js';
import { runCli } from '../../src/cli/run-cli.js';

/** What a command line came to. */
export interface CliResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** What a test may change about the host. */
export interface CliOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly terminal?: 'stdout' | 'stderr';
  /** Width of stdout. */
  readonly columns?: number;
  readonly interrupt?: AbortSignal;
  /** `as-given` adds no `--verbose`. */
  readonly detail?: 'as-given';
  readonly now?: () => number;
  /** The day it is; 2026-11-17 unless another is given. */
  readonly today?: string;
  /** Sees what is printed on either stream as it comes. */
  readonly onPrinted?: (text: string) => void;
}

/** The cache folder of all tests: never the one of whoever runs them. */
export function testCache(): string {
  const folder = process.env.CCBENCH_CACHE ?? '';
  if (folder === '') throw new Error('test/helpers/setup/test-cache.ts has set no CCBENCH_CACHE');
  return folder;
}

/** Commands with a short form: tests look at everything unless they ask for the short form. */
const WITH_SHORT_FORM = new Set([
  'why',
  'inspect',
  'ttl',
  'validate',
  'diff',
  'run',
  'compare',
  'sweep',
  'tune',
  'report',
]);

function withDetail(argv: readonly string[], detail: CliOptions['detail']): readonly string[] {
  const [command = '', ...rest] = argv;
  const isGiven = rest.some((arg) => ['--notes', '--verbose', '--help'].includes(arg));
  return detail === 'as-given' || isGiven || !WITH_SHORT_FORM.has(command)
    ? argv
    : [command, '--verbose', ...rest];
}

/** Runs a command line in this process. */
export async function cli(argv: readonly string[], options: CliOptions): Promise<CliResult> {
  const out: string[] = [];
  const err: string[] = [];
  let clock = 0;
  const tick = (): number => {
    // Where nothing is drawn again, lines of progress would come by themselves.
    if (options.terminal === 'stderr') clock += 50;
    return clock;
  };
  const host: Host = {
    cwd: options.cwd,
    env: { CCBENCH_CACHE: testCache(), ...options.env },
    stdout: {
      isTerminal: options.terminal === 'stdout',
      columns: options.columns ?? null,
      write: (text) => {
        out.push(text);
        options.onPrinted?.(text);
      },
    },
    stderr: {
      isTerminal: options.terminal === 'stderr',
      columns: null,
      write: (text) => {
        err.push(text);
        options.onPrinted?.(text);
      },
    },
    interrupt: options.interrupt ?? new AbortController().signal,
    now: options.now ?? tick,
    epochMs: () => Date.parse(`${options.today ?? '2026-11-17'}T12:00:00Z`),
  };
  const code = await runCli(withDetail(argv, options.detail), host);
  return { code, stdout: out.join(''), stderr: err.join('') };
}

/** What a command line that succeeds prints. */
export async function printed(argv: readonly string[], options: CliOptions): Promise<string> {
  const { code, stdout, stderr } = await cli(argv, options);
  expect(code, stderr).toBe(0);
  return stdout;
}

/** What a command line that is refused says. */
export async function refused(argv: readonly string[], options: CliOptions): Promise<string> {
  const { code, stderr } = await cli(argv, options);
  expect(code, stderr).toBe(2);
  return stderr;
}

/** A folder that goes away with the test. */
export function tempFolder(files: Readonly<Record<string, string | Uint8Array>> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'ccbench-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const name of Object.keys(files)) writeFileSync(join(folder, name), files[name]!);
  return folder;
}

/** Every file below a folder with its content, by relative path. */
export function snapshot(folder: string): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    const path = join(folder, name);
    found[name] = statSync(path).isDirectory() ? 'folder' : readFileSync(path, 'utf8');
  }
  return found;
}

/** A small scenario over a generated session. */
export function scenario(name: string, rest = ''): string {
  return `name: ${name}\ntranscript: { synthetic: { workload: bugfix, turns: 40, text: none } }\npolicy: none\nseed: 3\n${rest}`;
}

/** A request trace whose figures can be computed by hand: gaps of 20 s, 400 s and 4000 s, 640 tokens reusable each. */
export const TRACE = JSON.stringify({
  id: 'hand',
  models: ['claude-sonnet-4-5'],
  block_size: 64,
  requests: [0, 20, 420, 4_420].map((t) => ({
    t,
    type: 'n',
    model: 'claude-sonnet-4-5',
    in: 1_000,
    out: 10,
    hash_ids: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1_000 + t],
    input_types: ['text'],
    output_types: ['text'],
    stop: 'end_turn',
  })),
});

import { readFileSync } from 'node:fs';
import { PACKAGE_FILE } from '../core/base/built.js';
import { attempt } from '../core/base/errors.js';

/** A stream the command line writes to. */
export interface TextStream {
  readonly isTerminal: boolean;
  /** Columns of the terminal, or those asked for; null when unknown. */
  readonly columns: number | null;
  write(text: string): void;
}

/** Everything the command line takes from its process; tests pass their own. */
export interface Host {
  /** Folder that relative paths start from. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: TextStream;
  readonly stderr: TextStream;
  /** Aborted when the user wants to stop. */
  readonly interrupt: AbortSignal;
  /** Wall clock in milliseconds: for progress on the screen and for answers over the network, never for results of runs. */
  now(): number;
  /** Ms since 1970: for the age of facts and the prices of a server, never for results of runs. */
  epochMs(): number;
}

/** Columns that a user asks for without a terminal, in pipes. */
function askedColumns(env: NodeJS.ProcessEnv): number | null {
  const columns = Number(env.COLUMNS);
  return Number.isInteger(columns) && columns > 0 ? columns : null;
}

/** A stream of the process. Work continues when it fails: a reader that went away is no error, anything else is reported. */
function textStream(stream: NodeJS.WriteStream, onFailure: (reason: string) => void): TextStream {
  let isOpen = true;
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (isOpen && error.code !== 'EPIPE')
      onFailure(error.code === 'ENOSPC' ? 'the disk is full' : error.message);
    isOpen = false;
  });
  return {
    isTerminal: stream.isTTY === true,
    columns: stream.columns ?? askedColumns(process.env),
    write: (text) => {
      if (isOpen) stream.write(text);
    },
  };
}

/** The host of a real process; it is notified when output cannot be written. */
export function processHost(interrupt: AbortSignal, onUnprinted: (reason: string) => void): Host {
  return {
    // The root where the current folder was removed: from there nothing relative is found.
    cwd: attempt(() => process.cwd(), '/'),
    env: process.env,
    stdout: textStream(process.stdout, onUnprinted),
    stderr: textStream(process.stderr, onUnprinted),
    interrupt,
    now: () => performance.now(),
    epochMs: () => Date.now(),
  };
}

/** The version of the package that the program belongs to. */
export function packageVersion(): string {
  const text = readFileSync(PACKAGE_FILE, 'utf8');
  return (JSON.parse(text) as { readonly version: string }).version;
}

/** A stream the command line writes to. */
export interface TextStream {
  readonly isTerminal: boolean;
  /** Columns of the terminal; null when unknown. */
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
}

function textStream(stream: NodeJS.WriteStream): TextStream {
  return {
    isTerminal: stream.isTTY === true,
    columns: stream.columns ?? null,
    write: (text) => void stream.write(text),
  };
}

/** The host of a real process. */
export function processHost(interrupt: AbortSignal): Host {
  return {
    cwd: process.cwd(),
    env: process.env,
    stdout: textStream(process.stdout),
    stderr: textStream(process.stderr),
    interrupt,
    now: () => performance.now(),
  };
}

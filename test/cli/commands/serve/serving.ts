import { onTestFinished } from 'vitest';
import { type CliResult, cli } from '../../cli.js';

/** A server of `ccbench serve` that runs while a test does. */
export interface Serving {
  readonly url: string;
  /** Everything printed so far. */
  readonly printed: () => string;
  /** Time of the server; it stands still otherwise. */
  readonly pass: (seconds: number) => void;
  /** Ctrl-C; resolves to what the command came to. */
  readonly stop: () => Promise<CliResult>;
}

/** Starts `ccbench serve` at a free port in this process, one token for four characters, answers at once unless another API gives them. */
export async function serving(cwd: string, argv: readonly string[] = []): Promise<Serving> {
  const controller = new AbortController();
  let nowMs = 0;
  let printed = '';
  let found: (url: string) => void = () => {};
  const listening = new Promise<string>((resolve) => {
    found = resolve;
  });
  const atOnce = argv.includes('--upstream') ? [] : ['--latency-scale', '0'];
  const plain = ['--port', '0', ...atOnce, '--count-with', 'heuristic'];
  const ended = cli(['serve', ...plain, ...argv], {
    cwd,
    interrupt: controller.signal,
    now: () => nowMs,
    onPrinted(text) {
      printed += text;
      const url = /listening at (\S+)/.exec(printed)?.[1];
      if (url !== undefined) found(url);
    },
  });
  const stop = (): Promise<CliResult> => {
    controller.abort();
    return ended;
  };
  onTestFinished(async () => void (await stop()));
  const url = await Promise.race([listening, ended.then(({ stderr }) => Promise.reject(new Error(stderr)))]);
  const pass = (seconds: number): void => {
    nowMs += seconds * 1_000;
  };
  return { url, printed: () => printed, pass, stop };
}

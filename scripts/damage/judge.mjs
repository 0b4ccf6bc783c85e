import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** How a command may end, whatever it is given. */
const FINE = new Set([0, 2, 98, 99, 130]);

/** Time after which a case is stopped as by Ctrl-C: a large session may take its time, and must let itself be stopped. */
const STOP_MS = 3_000;

/** Longest time of a case. */
export const MOST_MS = 10_000;

/** Most memory of the process. */
export const MOST_BYTES = 1_073_741_824;

/** Lays the files of a case out in a folder that is empty otherwise. */
export function layOut(folder, files) {
  rmSync(folder, { recursive: true, force: true });
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
}

/** Runs a case in its folder and says what is wrong with how it ended; null for nothing. */
export async function judge({ argv, files }, runCli, folder) {
  layOut(folder, files);
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), STOP_MS);
  const startMs = performance.now();
  const { code, stdout, stderr } = await runCli(argv, folder, stop.signal);
  clearTimeout(timer);
  const ms = performance.now() - startMs;
  return { code, ms, problem: problemOf({ code, stdout, stderr, ms }), stderr };
}

function problemOf({ code, stdout, stderr, ms }) {
  if (!FINE.has(code)) return `exit code ${code}`;
  if (ms > MOST_MS) return `it took ${Math.round(ms)} ms`;
  if (/^\s+at .*:\d+:\d+/m.test(stderr)) return 'a stack trace';
  if (code === 2 && !stderr.includes('error[') && !/unfinished|lost|no call was answered/.test(stderr))
    return 'exit code 2 without a reason';
  if (/\bNaN\b|\bundefined\b/.test(stdout) || (stdout + stderr).includes('[object '))
    return 'a value that is none is shown';
  return null;
}

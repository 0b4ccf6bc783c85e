import { createHash } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** How a command may end, whatever it is given. */
const FINE = new Set([0, 2, 98, 99, 130]);

/** Time after which a case is stopped as by Ctrl-C: a large session may take its time, and must let itself be stopped. */
const STOP_MS = 3_000;

/** Longest time of a case, on the clock and of the processor: on a busy machine the clock alone says nothing. */
export const MOST_MS = 10_000;

/** Says how long something took: by the clock or by the processor, whichever is less. */
function startTimer() {
  const startMs = performance.now();
  const before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    return Math.min(performance.now() - startMs, (user + system) / 1_000);
  };
}

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

/** What sound inputs came to, by their files and command: many cases damage the same ones. */
const sound = new Map();

async function soundResult(right, runCli, folder) {
  const { argv, files } = right.as;
  const key = createHash('sha256').update(JSON.stringify([folder, argv]));
  for (const [name, content] of Object.entries(files)) key.update(name).update(content);
  const digest = key.digest('hex');
  if (!sound.has(digest)) {
    layOut(folder, files);
    sound.set(digest, await runCli(argv, folder));
  }
  return sound.get(digest);
}

/** What must not differ: the answer without what tells how it was come by. */
function answerOf({ stdout }, leftOut = /$^/gm) {
  return stdout.replace(leftOut, '');
}

/**
 * Says whether a case came to what it must. `same`: the answer of the sound input, byte for byte. `named`: the damage is named, which the
 * answer of the sound input does not. `either`: one of them. Without `right` nobody knows: any result or sentence will do.
 */
function wrongAnswer({ right }, result, whole) {
  if (right === undefined || result.code === 130) return null;
  if (whole.code !== 0 && whole.code !== 99) return `the sound input is refused: ${whole.stderr}`;
  if (right.by?.test(whole.stdout + whole.stderr) === true)
    return `the sound input has ${right.by} in its answer`;
  const isNamed = right.by?.test(result.stdout + result.stderr) === true;
  const isRefused = result.code !== 0 && result.code !== 99;
  if (right.is !== 'same' && isNamed) return null;
  if (right.is === 'named')
    return isRefused ? `refused without ${right.by}` : `exit code ${result.code} and no word of ${right.by}`;
  const isSame =
    result.code === whole.code && answerOf(result, right.leftOut) === answerOf(whole, right.leftOut);
  if (isSame) return null;
  return isRefused ? 'a harmless change is refused' : 'another answer without a word';
}

/** Runs a case in its folder and says what is wrong with how it ended; null for nothing. */
export async function judge(item, runCli, folder) {
  const took = startTimer();
  if (item.check !== undefined) {
    const { code, problem } = await item.check(folder);
    return { code, ms: took(), problem, stderr: '' };
  }
  const whole = item.right === undefined ? null : await soundResult(item.right, runCli, folder);
  layOut(folder, item.files);
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), STOP_MS);
  const result = await runCli(item.argv, folder, stop.signal);
  clearTimeout(timer);
  const { code, stderr } = result;
  const ms = took();
  return { code, ms, problem: problemOf({ ...result, ms }) ?? wrongAnswer(item, result, whole), stderr };
}

function problemOf({ code, stdout, stderr, ms }) {
  if (!FINE.has(code)) return `exit code ${code}`;
  if (ms > MOST_MS) return `it took ${Math.round(ms)} ms`;
  if (/^\s+at .*:\d+:\d+/m.test(stderr)) return 'a stack trace';
  if (
    code === 2 &&
    !stderr.includes('error[') &&
    !/unfinished|lost|no call was answered|no run answered a call|is damaged/.test(stderr)
  )
    return 'exit code 2 without a reason';
  if ((code !== 2 && /\bNaN\b|\bundefined\b/.test(stdout)) || (stdout + stderr).includes('[object '))
    return 'a value that is none is shown';
  return null;
}

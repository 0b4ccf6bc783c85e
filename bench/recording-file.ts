import { execFile } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { builtModule } from '../src/core/base/built.js';
import { FileDigests } from '../src/transcripts/files/file-digests.js';
import { loadTranscript } from '../src/transcripts/files/transcripts.js';

/** Whether the memory of a fresh process can be measured here: the system must say it, and the program must be built. */
export function canProbe(): boolean {
  return builtModule('cli/main') !== null && process.platform === 'linux';
}

/** Highest memory in bytes of a fresh process of the probe with some arguments. */
async function probe(...args: readonly string[]): Promise<number> {
  const file = fileURLToPath(builtModule('bench/probe')!);
  const { stdout } = await promisify(execFile)(process.execPath, [file, ...args]);
  return Number(stdout) * 1_024;
}

/** Highest memory in bytes of a fresh process that replays this many turns; null where it cannot be measured. */
export async function peakOfReplay(policy: string, turns: number): Promise<number | null> {
  return canProbe() ? probe('replay', policy, String(turns)) : null;
}

const FILE_NAME = 'recording.jsonl';
/** Characters written at a time. */
const BATCH_CHARS = 1_048_576;

function writeRecording(lines: Iterable<string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'ccbench-bench-'));
  const file = openSync(join(folder, FILE_NAME), 'w');
  try {
    let batch = '';
    for (const line of lines) {
      batch += line;
      if (batch.length < BATCH_CHARS) continue;
      writeSync(file, batch);
      batch = '';
    }
    writeSync(file, batch);
  } finally {
    closeSync(file);
  }
  return folder;
}

/** Long after a recording was written: its digest is kept. */
const LATER_MS = Number.MAX_SAFE_INTEGER;

/** A recording in a folder of its own, with its compiled form beside it. */
export function recordToDisk(lines: Iterable<string>) {
  const folder = writeRecording(lines);
  const cache = { folder: join(folder, 'cache') };
  return {
    /** Forgets the compiled form and the digest. */
    forget: () => rmSync(cache.folder, { recursive: true, force: true }),
    /** Loads the recording up to its first turn, keeping or using the compiled form. */
    load: () => {
      const digests = new FileDigests(cache.folder, LATER_MS);
      loadTranscript(FILE_NAME, { cwd: folder, cache, digests });
      digests.save();
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** What a process prints at its end: its processor time, and the most memory that it held. */
const PRINT_USE = `
import { writeSync } from 'node:fs';
process.on('exit', () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  writeSync(1, 'used ' + (userCPUTime + systemCPUTime) / 1e6 + ' s ' + maxRSS + ' kB\\n');
});
`;
/** Characters that it may print. */
const MOST_PRINTED = 1 << 26;

/** Highest memory in bytes of a fresh process that reads these lines from a file; null where it cannot be measured. */
export async function peakMemory(lines: Iterable<string>): Promise<number | null> {
  if (!canProbe()) return null;
  const folder = writeRecording(lines);
  try {
    return await probe('read', FILE_NAME, folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Processor time and highest memory of a fresh process that validates a file of these lines; null where it cannot be measured. */
export async function validatedFile(
  lines: Iterable<string>,
): Promise<{ readonly seconds: number; readonly bytes: number } | null> {
  if (!canProbe()) return null;
  const main = fileURLToPath(builtModule('cli/main')!);
  const folder = writeRecording(lines);
  try {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [
        '--import',
        `data:text/javascript,${encodeURIComponent(PRINT_USE)}`,
        main,
        'validate',
        FILE_NAME,
        '--no-cache',
      ],
      { cwd: folder, env: { ...process.env, CCBENCH_CACHE: folder }, maxBuffer: MOST_PRINTED },
    );
    const [, seconds, kilobytes] = /used (\S+) s (\d+) kB\n$/.exec(stdout)!;
    return { seconds: Number(seconds), bytes: Number(kilobytes) * 1_024 };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

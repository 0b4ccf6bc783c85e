import { execFile } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { builtModule } from '../src/core/base/built.js';
import { FileDigests } from '../src/transcripts/files/file-digests.js';
import { loadTranscript } from '../src/transcripts/files/transcripts.js';

/** How a probe ends: it prints the most memory its process ever held, in kilobytes. */
const PRINT_PEAK = `
import { readFileSync } from 'node:fs';
const status = readFileSync('/proc/self/status', 'utf8');
process.stdout.write(/VmHWM:\\s+(\\d+)/.exec(status)[1]);
`;

/** Whether the memory of a fresh process can be measured here: the system must say it, and the program must be built. */
export function canProbe(): boolean {
  return builtModule('cli/main') !== null && process.platform === 'linux';
}

/** Highest memory in bytes of a fresh process that runs a module's text with some arguments. */
async function probe(module: string, args: readonly string[]): Promise<number> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--input-type=module',
    '--eval',
    module + PRINT_PEAK,
    ...args,
  ]);
  return Number(stdout) * 1_024;
}

const REPLAY = `
const { benchPlan, benchTranscript, NOWHERE } = await import(process.argv[1]);
const { replay } = await import(process.argv[2]);
replay(benchPlan(process.argv[3]), benchTranscript(Number(process.argv[4])), NOWHERE);
`;

/** Highest memory in bytes of a fresh process that replays this many turns; null where it cannot be measured. */
export async function peakOfReplay(policy: string, turns: number): Promise<number | null> {
  if (!canProbe()) return null;
  const modules = ['cli/commands/bench/plan', 'engine/run/replay'].map((name) => builtModule(name)!.href);
  return probe(REPLAY, [...modules, policy, String(turns)]);
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

const READ = `
const { loadTranscript } = await import(process.argv[1]);
loadTranscript(process.argv[2], { cwd: process.argv[3], cache: 'off' });
`;

/** Highest memory in bytes of a fresh process that reads these lines from a file; null where it cannot be measured. */
export async function peakMemory(lines: Iterable<string>): Promise<number | null> {
  if (!canProbe()) return null;
  const folder = writeRecording(lines);
  try {
    return await probe(READ, [builtModule('transcripts/files/transcripts')!.href, FILE_NAME, folder]);
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

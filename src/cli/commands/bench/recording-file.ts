import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builtModule } from '../../../core/base/built.js';
import { loadTranscript } from '../../../transcripts/files/transcripts.js';
import { canProbe, probe } from './peak-memory.js';
import type { CachedRecording } from './suites/compiled-cache.js';

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

/** A recording in a folder of its own, with its compiled form beside it. */
export function recordToDisk(lines: Iterable<string>): CachedRecording {
  const folder = writeRecording(lines);
  const cache = { folder: join(folder, 'cache') };
  return {
    forget: () => rmSync(cache.folder, { recursive: true, force: true }),
    load: () => void loadTranscript(FILE_NAME, { cwd: folder, cache }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

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

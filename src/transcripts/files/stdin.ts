import { mkdtempSync, readSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { isatty } from 'node:tty';
import { CcbenchError } from '../../core/base/errors.js';

/** What stands for standard input where a file is read. */
export const STDIN = '-';

const DESCRIPTOR = 0;
const CHUNK_BYTES = 65_536;
/** Time to wait for a writer who has nothing to say yet. */
const WAIT_MS = 20;

let spooled: string | null = null;

function readAll(): Buffer {
  const chunks: Buffer[] = [];
  const pause = new Int32Array(new SharedArrayBuffer(4));
  while (true) {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    let bytes: number;
    try {
      bytes = readSync(DESCRIPTOR, chunk, 0, CHUNK_BYTES, null);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EOF') break;
      if (code !== 'EAGAIN')
        throw new CcbenchError('file-unreadable', `standard input cannot be read: ${code}`, {
          place: { file: STDIN },
          hint: 'name a file instead',
          cause: error,
        });
      Atomics.wait(pause, 0, 0, WAIT_MS);
      continue;
    }
    if (bytes === 0) break;
    chunks.push(chunk.subarray(0, bytes));
  }
  return Buffer.concat(chunks);
}

/** The file that holds what came in on standard input: readers go back and forth in it. It is read once, and goes away with the process. */
function stdinFile(): string {
  if (spooled !== null) return spooled;
  if (isatty(DESCRIPTOR))
    throw new CcbenchError('bad-usage', '- reads standard input, and nothing is piped into it', {
      hint: 'name a file, or pipe one: cat session.jsonl | ccbench inspect -',
    });
  const bytes = readAll();
  const folder = mkdtempSync(join(tmpdir(), 'ccbench-stdin-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  spooled = join(folder, 'stdin');
  writeFileSync(spooled, bytes, { mode: 0o600 });
  return spooled;
}

/** Where a file that a user named lies on disk. */
export function pathOnDisk(cwd: string, path: string): string {
  return path === STDIN ? stdinFile() : resolve(cwd, path);
}

import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openFile } from '../../files/output.js';

/** Characters that are written at a time. */
const PART_CHARS = 1 << 16;

/** Where a line of an export belongs. */
export interface LinePlace {
  readonly session: string;
  /** When its request was sent: since 1970, or since the start of a session without a clock. */
  readonly ms: number;
  readonly clock: 'wall' | 'none';
}

/** Takes the lines of an export. */
export interface LineOutput {
  add(line: string, place: LinePlace): void;
  /** Writes what is not written yet. */
  finish(): void;
  /** Leaves nothing behind, whether it was finished or not. */
  close(): void;
}

/** Lines in the order in which they come. */
export function plainLines(write: (text: string) => void): LineOutput & { add(line: string): void } {
  let part = '';
  const flush = (): void => {
    if (part !== '') write(part);
    part = '';
  };
  return {
    add(line) {
      part += `${line}\n`;
      if (part.length >= PART_CHARS) flush();
    },
    finish: flush,
    close() {},
  };
}

/**
 * Lines by time, each with its `timestamp` in ms since the first of them. They wait in a file of their own, so that memory holds no
 * more than where each of them lies.
 */
export function timedLines(write: (text: string) => void): LineOutput {
  const folder = mkdtempSync(join(tmpdir(), 'ccbench-export-'));
  const file = openSync(join(folder, 'lines'), 'w+');
  const times: number[] = [];
  const clocks: boolean[] = [];
  const ends: number[] = [];
  let written = 0;
  const waiting = plainLines((text) => {
    writeSync(file, text);
  });
  const lineAt = (i: number): string => {
    const start = i === 0 ? 0 : ends[i - 1]!;
    const bytes = Buffer.alloc(ends[i]! - start - 1);
    readSync(file, bytes, 0, bytes.length, start);
    return bytes.toString('latin1');
  };
  return {
    add(line, { ms, clock }) {
      waiting.add(line);
      written += line.length + 1;
      times.push(ms);
      clocks.push(clock === 'wall');
      ends.push(written);
    },
    finish() {
      waiting.finish();
      const firstMs = times.reduce((first, ms, i) => (clocks[i] ? Math.min(first, ms) : first), Infinity);
      for (let i = 0; i < times.length; i++) if (clocks[i]) times[i]! -= firstMs;
      const order = Uint32Array.from(times, (_, i) => i).sort((a, b) => times[a]! - times[b]! || a - b);
      const sorted = plainLines(write);
      for (const i of order) sorted.add(`{"timestamp":${Math.round(times[i]!)},${lineAt(i)}`);
      sorted.finish();
    },
    close() {
      closeSync(file);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A file in a folder for each session. */
export function sessionFiles(folder: string, cwd: string): LineOutput {
  return {
    add(line, { session }) {
      const file = openFile(join(folder, `${session}.json`), cwd);
      file.appendNow(`${line}\n`);
      file.commit();
    },
    finish() {},
    close() {},
  };
}

import { createHash } from 'node:crypto';
import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import type { Place } from '../../core/base/errors.js';
import { createWarnings } from '../../core/run/warning.js';
import { beginsPacked, unpackBytes } from '../lines/json-lines.js';
import type { SessionFile, SessionStream } from '../readers/claude-code/read.js';
import { memorySource, type TextSource } from '../readers/claude-code/recorded-text.js';
import { unreadable } from './read-input.js';

/** A file that is read in chunks, and again where a text of it is wanted. */
export interface DiskFile {
  /** How readers call it. */
  readonly name: string;
  /** Absolute path. */
  readonly path: string;
  /** How problems call it. */
  readonly place: Place;
}

/** Bytes read at a time. */
const CHUNK_BYTES = 524_288;
/** Bytes at the start of a file that tell its format, even when they are packed. */
const HEAD_BYTES = 262_144;
/** Files kept open for texts. */
const MOST_OPEN = 16;

function readInto(file: DiskFile, descriptor: number, buffer: Uint8Array, position: number | null): number {
  try {
    return readSync(descriptor, buffer, 0, buffer.length, position);
  } catch (error) {
    throw unreadable(file.place.file, file.place, error);
  }
}

function open(file: DiskFile): number {
  try {
    return openSync(file.path, 'r');
  } catch (error) {
    throw unreadable(file.place.file, file.place, error);
  }
}

/** The file in chunks that share one buffer; it is opened anew each time it is gone through. */
export function fileChunks(file: DiskFile): Iterable<Uint8Array> {
  return {
    *[Symbol.iterator]() {
      const descriptor = open(file);
      try {
        const buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES);
        for (;;) {
          const bytes = readInto(file, descriptor, buffer, null);
          if (bytes === 0) return;
          yield buffer.subarray(0, bytes);
        }
      } finally {
        closeSync(descriptor);
      }
    },
  };
}

/** SHA-256 of the whole file, in hexadecimal. */
export function hashFile(file: DiskFile): string {
  const hash = createHash('sha256');
  for (const chunk of fileChunks(file)) hash.update(chunk);
  return hash.digest('hex');
}

/** The start of a file: enough to tell its format. */
export function fileHead(file: DiskFile): Uint8Array {
  const descriptor = open(file);
  try {
    const buffer = Buffer.alloc(HEAD_BYTES);
    let bytes = 0;
    for (;;) {
      const more = readInto(file, descriptor, buffer.subarray(bytes), null);
      bytes += more;
      if (more === 0 || bytes === buffer.length) return buffer.subarray(0, bytes);
    }
  } finally {
    closeSync(descriptor);
  }
}

/** Size and time of the latest change: when both stay, the file was not written to. */
export function fileState(file: DiskFile): { readonly bytes: number; readonly mtimeMs: number } {
  try {
    const { size, mtimeMs } = statSync(file.path);
    return { bytes: size, mtimeMs };
  } catch (error) {
    throw unreadable(file.place.file, file.place, error);
  }
}

/** True when the file is gzip or zstd. */
export function isPacked(file: DiskFile): boolean {
  const descriptor = open(file);
  try {
    const magic = new Uint8Array(4);
    return beginsPacked(magic.subarray(0, readInto(file, descriptor, magic, 0)));
  } finally {
    closeSync(descriptor);
  }
}

/** Open files by path, the latest used last. */
const descriptors = new Map<string, number>();

function descriptorOf(file: DiskFile): number {
  const known = descriptors.get(file.path);
  descriptors.delete(file.path);
  const descriptor = known ?? open(file);
  descriptors.set(file.path, descriptor);
  if (descriptors.size > MOST_OPEN) {
    const [oldest, unused] = descriptors.entries().next().value!;
    descriptors.delete(oldest);
    closeSync(unused);
  }
  return descriptor;
}

function readAll(file: DiskFile): Uint8Array {
  try {
    return readFileSync(file.path);
  } catch (error) {
    throw unreadable(file.place.file, file.place, error);
  }
}

/** Where texts of the file are read: at their place in a plain file, from memory in a packed one. */
export function fileSource(file: DiskFile): TextSource {
  let source: TextSource | null = null;
  const plain: TextSource = {
    read(offset, length) {
      const bytes = Buffer.alloc(length);
      readInto(file, descriptorOf(file), bytes, offset);
      return bytes;
    },
  };
  return {
    read(offset, length) {
      source ??= isPacked(file)
        ? memorySource(unpackBytes(readAll(file), { name: file.name, warnings: createWarnings() }))
        : plain;
      return source.read(offset, length);
    },
  };
}

/** The file as the reader of sessions takes it: a plain one as a stream, a packed one whole. */
export function sessionFile(file: DiskFile): SessionFile | SessionStream {
  if (isPacked(file)) return { name: file.name, bytes: readAll(file) };
  return { name: file.name, chunks: fileChunks(file), source: fileSource(file) };
}

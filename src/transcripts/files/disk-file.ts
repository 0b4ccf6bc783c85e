import { createHash } from 'node:crypto';
import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import type { Place } from '../../core/base/errors.js';
import { createWarnings } from '../../core/run/warning.js';
import { packingOf, unpackBytes } from '../lines/json-lines.js';
import type { SessionFile, SessionStream } from '../readers/claude-code/read.js';
import { memorySource, type TextPlace, type TextSource } from '../readers/claude-code/recorded-text.js';
import { unreadable } from './read-input.js';

/** A file that is read in chunks, and again where a text of it is wanted. */
export interface DiskFile {
  /** How readers call it. */
  readonly name: string;
  /** Absolute path. */
  readonly path: string;
  /** How problems call it. */
  readonly place: Place;
  /** What is read instead of the whole file: the lines of one session in a file of many. */
  readonly bytes?: Uint8Array;
  /** Its format, where that is known already. */
  readonly format?: string;
}

/** Bytes read at a time. */
const CHUNK_BYTES = 524_288;
/** Bytes at the start of a file that tell its format, even when they are packed. */
const HEAD_BYTES = 262_144;
/** Bytes that tell a packed file. */
const MAGIC_BYTES = 4;
/** Files kept open for texts. */
const MOST_OPEN = 16;

/** What a file says to whoever asks it; where it cannot be read, an error with its place. */
function attempt<T>({ place }: DiskFile, ask: () => T): T {
  try {
    return ask();
  } catch (error) {
    throw unreadable(place.file, place, error);
  }
}

/** Bytes of a file from an offset on: as many as are asked for, fewer at its end. */
export function readPart(path: string, offset: number, length: number): Buffer {
  return readParts(path, [offset, offset + length])[0]!;
}

/** The same for several parts, given by their starts and ends in turn. */
export function readParts(path: string, places: readonly number[]): readonly Buffer[] {
  const descriptor = openSync(path, 'r');
  try {
    const parts: Buffer[] = [];
    for (let i = 0; i < places.length; i += 2)
      parts.push(readAt(descriptor, places[i]!, places[i + 1]! - places[i]!));
    return parts;
  } finally {
    closeSync(descriptor);
  }
}

/** The same of an open file. */
export function readAt(descriptor: number, offset: number, length: number): Buffer {
  const buffer = Buffer.alloc(length);
  let bytes = 0;
  for (;;) {
    const more = readSync(descriptor, buffer, bytes, length - bytes, offset + bytes);
    bytes += more;
    if (more === 0 || bytes === length) return buffer.subarray(0, bytes);
  }
}

/** The file in chunks that share one buffer; it is opened again each time it is gone through. */
export function fileChunks(file: DiskFile): Iterable<Uint8Array> {
  return {
    *[Symbol.iterator]() {
      if (file.bytes !== undefined) {
        yield file.bytes;
        return;
      }
      const descriptor = attempt(file, () => openSync(file.path, 'r'));
      try {
        const buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES);
        for (;;) {
          const bytes = attempt(file, () => readSync(descriptor, buffer, 0, buffer.length, null));
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

/** The start of a file: enough to tell what it says of itself. */
export function fileHead(file: DiskFile, most = HEAD_BYTES): Uint8Array {
  return file.bytes?.subarray(0, most) ?? attempt(file, () => readPart(file.path, 0, most));
}

/** Size and time of the latest change: when both stay, the file was not written to. */
export function fileState(file: DiskFile): { readonly bytes: number; readonly mtimeMs: number } {
  const { size, mtimeMs } = attempt(file, () => statSync(file.path));
  return { bytes: file.bytes?.length ?? size, mtimeMs };
}

/** True when the file is gzip or zstd. */
export function isPacked(file: DiskFile): boolean {
  return packingOf(file.bytes ?? attempt(file, () => readPart(file.path, 0, MAGIC_BYTES))) !== undefined;
}

/** Open files, the latest used last. Not by path: another file may be there when the path is read again. */
const descriptors = new Map<DiskFile, number>();

function descriptorOf(file: DiskFile): number {
  const known = descriptors.get(file);
  descriptors.delete(file);
  const descriptor = known ?? attempt(file, () => openSync(file.path, 'r'));
  descriptors.set(file, descriptor);
  if (descriptors.size > MOST_OPEN) {
    const [oldest, unused] = descriptors.entries().next().value!;
    descriptors.delete(oldest);
    closeSync(unused);
  }
  return descriptor;
}

function readAll(file: DiskFile): Uint8Array {
  return attempt(file, () => readFileSync(file.path));
}

/** Where texts of the file are read: at their place in a plain file, from memory in a packed one. */
export function fileSource(file: DiskFile): TextSource {
  let source: TextSource | null = null;
  const plain: TextSource = {
    read(offset, length) {
      const bytes = Buffer.alloc(length);
      attempt(file, () => readSync(descriptorOf(file), bytes, 0, length, offset));
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
export function sessionFile(file: DiskFile, texts: TextPlace = 'in-file'): SessionFile | SessionStream {
  if (isPacked(file)) return { name: file.name, bytes: readAll(file) };
  return { name: file.name, chunks: fileChunks(file), source: fileSource(file), texts };
}

/** The file in chunks, unpacked. */
export function plainChunks(file: DiskFile): Iterable<Uint8Array> {
  return isPacked(file)
    ? [unpackBytes(readAll(file), { name: file.name, warnings: createWarnings() })]
    : fileChunks(file);
}

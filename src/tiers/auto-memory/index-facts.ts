import type { StoredFile } from '../../base/files.js';
import { isBinary } from '../../model/memory.js';

/** What is known of an index without reading it again. */
export interface IndexFacts {
  /** Lines that are not empty. */
  readonly lines: number;
  /** Line ends. */
  readonly ends: number;
  readonly bytes: number;
  readonly isBinary: boolean;
  /** The last line has no end. */
  readonly isOpen: boolean;
  /** Its beginning when that alone fills the limits: lines that are added at the end leave it as it is. */
  readonly cut: CutIndex | null;
}

/** The beginning of an index that goes beyond its limits. */
export interface CutIndex {
  readonly limits: IndexLimits;
  /** The lines that are shown. */
  readonly text: string;
  readonly lines: number;
  readonly by: 'lines' | 'bytes';
}

/** Limits of the index (AUT-3). */
export interface IndexLimits {
  readonly lines: number;
  readonly bytes: number;
  /** A line stays below this. */
  readonly lineChars: number;
}

const KNOWN = new WeakMap<StoredFile, IndexFacts>();

/** The facts of an index file, found once for each writing of it. */
export function indexFacts(file: StoredFile): IndexFacts {
  let facts = KNOWN.get(file);
  if (facts === undefined) {
    const { text } = file;
    const lines = text.split('\n');
    facts = {
      lines: lines.filter((line) => line !== '').length,
      ends: lines.length - 1,
      bytes: byteLength(text),
      isBinary: isBinary(text),
      isOpen: lines.at(-1) !== '',
      cut: null,
    };
    KNOWN.set(file, facts);
  }
  return facts;
}

/** Takes note of facts that are known without reading. */
export function knowIndex(file: StoredFile, facts: IndexFacts): void {
  KNOWN.set(file, facts);
}

/** Bytes of a text in UTF-8. */
export function byteLength(text: string): number {
  return Buffer.byteLength(text);
}

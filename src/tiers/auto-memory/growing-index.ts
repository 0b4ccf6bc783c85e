import type { StoredFile } from '../../base/files.js';
import { type IndexFacts, indexFacts, knowIndex } from './index-facts.js';
import type { IndexLine } from './memory-index.js';

const NOTHING: IndexFacts = { lines: 0, ends: 0, bytes: 0, isBinary: false, isOpen: false, cut: null };

/** An index that lines are added to: what is known of it grows with them. */
export class GrowingIndex {
  text: string;
  private facts: IndexFacts;

  constructor(file: StoredFile | null) {
    this.text = file?.text ?? '';
    this.facts = file === null ? NOTHING : indexFacts(file);
  }

  add(line: IndexLine): void {
    const { lines, ends, bytes, isBinary: was, isOpen, cut } = this.facts;
    this.text += `${line.text}\n`;
    this.facts = {
      lines: isOpen || line.text === '' ? lines : lines + 1,
      ends: ends + 1,
      bytes: bytes + line.bytes + 1,
      isBinary: was || line.isBinary,
      isOpen: false,
      // What goes on in an unfinished line may still be shown.
      cut: isOpen ? null : cut,
    };
  }

  /** The text is in this file now. */
  settle(file: StoredFile | null): void {
    if (file !== null && file.content === this.text) knowIndex(file, this.facts);
  }

  /** Lines that have an end. */
  get lines(): number {
    return this.facts.ends;
  }

  get bytes(): number {
    return this.facts.bytes;
  }
}

import { type Meaning, meaningOf } from '../../../core/memory/meaning.js';
import type { Memory } from '../../../core/model/memory.js';

/** One thing that a memory says. */
export interface MemoryLine {
  readonly text: string;
  readonly meaning: Meaning;
}

const LINES = new WeakMap<Memory, readonly MemoryLine[]>();

/** What a memory says, line by line, worked out once. */
export function memoryLines(memory: Memory): readonly MemoryLine[] {
  let lines = LINES.get(memory);
  if (lines === undefined) {
    lines = memory.body
      .split('\n')
      .filter((text) => text.trim() !== '')
      .map((text) => ({ text, meaning: meaningOf(text) }));
    LINES.set(memory, lines);
  }
  return lines;
}

import { withDates } from '../../../core/memory/dates.js';
import { type Meaning, relate } from '../../../core/memory/meaning.js';
import type { Memory } from '../../../core/model/memory.js';
import { type MemoryLine, memoryLines } from '../auto-memory/known-memories.js';
import type { StoredMemory } from '../auto-memory/memory-store.js';

/** Wall-clock time of the simulated time 0 where a transcript tells none (assumed: a Monday). */
const ASSUMED_START_MS = Date.UTC(2026, 0, 5);

/** A memory that is written again, as it was read and as it shall be. */
interface Rewritten {
  readonly read: StoredMemory;
  readonly memory: Memory;
  /** Characters of the lines that are new in this file or changed. */
  readonly changedChars: number;
}

/** What a consolidation changes (DRM-3). */
export interface Consolidation {
  readonly write: readonly Rewritten[];
  /** Memories whose files go: their lines stand in another memory now, or were contradicted. */
  readonly remove: readonly StoredMemory[];
  /** Memories that went into another one on the same subject. */
  readonly merged: number;
  /** Memories that lost a line to a later one that contradicts it. */
  readonly contradicted: number;
  /** Memories in which relative dates became absolute. */
  readonly dated: number;
}

/** Merges by subject, removes what a later memory contradicts, and makes relative dates absolute (DRM-3, C33). */
export function consolidate(memories: readonly StoredMemory[], startedAtMs: number | null): Consolidation {
  const startMs = startedAtMs ?? ASSUMED_START_MS;
  const newestFirst = [...memories].sort((a, b) => b.mtimeMs - a.mtimeMs || (a.path < b.path ? 1 : -1));
  const kept = new Map<StoredMemory, MemoryLine[]>();
  const bySubject = new Map<string, Meaning[]>();
  const contradicted = new Set<StoredMemory>();
  const dated = new Set<StoredMemory>();
  for (const memory of newestFirst) {
    const lines: MemoryLine[] = [];
    kept.set(memory, lines);
    for (const { text, meaning } of memoryLines(memory)) {
      const others = bySubject.get(meaning.subject) ?? [];
      const relations = others.map((other) => relate(other, meaning));
      if (relations.includes('contradicts')) contradicted.add(memory);
      else if (!relations.includes('same')) {
        const absolute = withDates(text, startMs + memory.mtimeMs);
        if (absolute !== text) dated.add(memory);
        lines.push({ text: absolute, meaning });
        others.push(meaning);
        bySubject.set(meaning.subject, others);
      }
    }
  }
  foldBySubject(newestFirst, kept);
  const remove = memories.filter((memory) => kept.get(memory)!.length === 0);
  return {
    write: newestFirst.flatMap((memory) => rewritten(memory, kept.get(memory)!)),
    remove,
    merged: remove.filter((memory) => !contradicted.has(memory)).length,
    contradicted: contradicted.size,
    dated: dated.size,
  };
}

/** Moves the lines of older memories into the newest one of their type and subject. */
function foldBySubject(newestFirst: readonly StoredMemory[], kept: Map<StoredMemory, MemoryLine[]>): void {
  const first = new Map<string, StoredMemory>();
  for (const memory of newestFirst) {
    const lines = kept.get(memory)!;
    const subject = lines[0]?.meaning.subject ?? '';
    if (subject === '') continue;
    const key = `${memory.type} ${subject}`;
    const home = first.get(key);
    if (home === undefined) first.set(key, memory);
    else {
      kept.get(home)!.push(...lines);
      kept.set(memory, []);
    }
  }
}

function rewritten(read: StoredMemory, kept: readonly MemoryLine[]): readonly Rewritten[] {
  if (kept.length === 0) return [];
  const lines = kept.map(({ text }) => text);
  const before = new Set(memoryLines(read).map(({ text }) => text));
  const isSame = lines.length === before.size && lines.every((line) => before.has(line));
  if (isSame) return [];
  const { name, description, type } = read;
  const changedChars = lines.reduce((sum, line) => sum + (before.has(line) ? 0 : line.length + 1), 0);
  return [{ read, memory: { name, description, type, body: lines.join('\n') }, changedChars }];
}

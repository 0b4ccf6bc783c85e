import type { Memory } from '../../model/memory.js';
import type { StoredMemory } from '../auto-memory/memory-store.js';

/** Date of the simulated time 0: relative dates become absolute against it (assumed: a Monday). */
const EPOCH_MS = Date.UTC(2026, 0, 5);
const DAY_MS = 86_400_000;

/** Earlier words on a topic that a merged memory keeps. */
const KEPT_WORDS = 3;

/** What a consolidation changes (DRM-3). */
export interface Consolidation {
  readonly write: readonly { readonly path: string; readonly memory: Memory }[];
  readonly remove: readonly string[];
  readonly merged: number;
  readonly contradicted: number;
  readonly dated: number;
}

const ON_TOPIC = /^On (\S+) the user (wants|refuses): (.*)$/m;

interface Opinion {
  readonly memory: StoredMemory;
  readonly stance: string;
  readonly words: string;
}

/** Merges what says the same, deletes what a later memory contradicts, and makes relative dates absolute (DRM-3). */
export function consolidate(memories: readonly StoredMemory[]): Consolidation {
  const ordered = [...memories].sort((a, b) => a.mtimeMs - b.mtimeMs || (a.path < b.path ? -1 : 1));
  const remove = new Set<string>();
  const bodies = new Map<string, string>();
  const lastWithBody = new Map<string, StoredMemory>();
  const byTopic = new Map<string, Opinion[]>();
  let merged = 0;
  let contradicted = 0;
  for (const memory of ordered) {
    const match = ON_TOPIC.exec(memory.body);
    if (match !== null) {
      const list = byTopic.get(match[1]!) ?? [];
      list.push({ memory, stance: match[2]!, words: match[3]! });
      byTopic.set(match[1]!, list);
      continue;
    }
    const key = `${memory.type}\n${memory.body}`;
    const earlier = lastWithBody.get(key);
    if (earlier !== undefined) {
      remove.add(earlier.path);
      merged++;
    }
    lastWithBody.set(key, memory);
  }
  for (const opinions of byTopic.values()) {
    const newest = opinions.at(-1)!;
    const same = opinions.filter(({ stance }) => stance === newest.stance);
    contradicted += opinions.length - same.length;
    merged += same.length - 1;
    for (const { memory } of opinions) if (memory !== newest.memory) remove.add(memory.path);
    if (same.length < 2) continue;
    const earlier = same
      .slice(-1 - KEPT_WORDS, -1)
      .map(({ words, memory }) => `Also: ${dateIn(words, memory)}`);
    bodies.set(newest.memory.path, [newest.memory.body, ...earlier].join('\n'));
  }
  let dated = 0;
  const write: { path: string; memory: Memory }[] = [];
  for (const memory of ordered) {
    if (remove.has(memory.path)) continue;
    const body = bodies.get(memory.path) ?? memory.body;
    const absolute = dateIn(body, memory);
    if (absolute !== body) dated++;
    if (absolute === memory.body) continue;
    const { name, description, type } = memory;
    write.push({ path: memory.path, memory: { name, description, type, body: absolute } });
  }
  return { write, remove: [...remove].sort(), merged, contradicted, dated };
}

/** A text with the date in the place of words that only made sense on the day they were written. */
function dateIn(text: string, { mtimeMs }: StoredMemory): string {
  const day = (ms: number): string => new Date(EPOCH_MS + ms).toISOString().slice(0, 10);
  return text
    .replace(/\bNoted today\b/g, `Noted on ${day(mtimeMs)}`)
    .replace(/\bNoted yesterday\b/g, `Noted on ${day(mtimeMs - DAY_MS)}`);
}

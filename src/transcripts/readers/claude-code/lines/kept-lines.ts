import type { CompactLine, Line } from './lines.js';

/** Lines that a compaction kept, by uuid, and how many of them are not among those before it. */
export interface KeptLines {
  readonly uuids: readonly string[];
  readonly missing: number;
}

/** What a compaction kept of the lines before it: the ones it lists, or everything between the ends it gives. */
export function keptLines(line: CompactLine, before: readonly Line[]): KeptLines {
  const { keptRange, keptUuids } = line;
  if (keptUuids.length === 0 && keptRange === null) return { uuids: [], missing: 0 };
  const order = new Map(before.map(({ uuid }, i) => [uuid, i]));
  let uuids = keptUuids;
  if (uuids.length === 0 && keptRange !== null) {
    const head = order.get(keptRange.head);
    const tail = order.get(keptRange.tail);
    const isKnown = head !== undefined && tail !== undefined;
    uuids = isKnown ? before.slice(head, tail + 1).map((kept) => kept.uuid) : [keptRange.head];
  }
  return { uuids, missing: uuids.filter((uuid) => !order.has(uuid)).length };
}

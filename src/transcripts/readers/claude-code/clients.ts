import type { WarningList } from '../../../core/run/warning.js';
import type { Line } from './lines/lines.js';

/** The lines of one client's conversation. */
export interface ClientLines {
  readonly lines: readonly Line[];
  /** Lines at the start that it took over from the conversation of another client. */
  readonly shared: number;
}

/** Lines in a row that one client wrote. */
interface Stretch {
  readonly key: string;
  readonly start: number;
  readonly end: number;
}

function stretchesOf(lines: readonly Line[]): readonly Stretch[] {
  const found: Stretch[] = [];
  let start = 0;
  let { sessionId, version } = lines[0]!;
  for (let i = 1; i <= lines.length; i++) {
    const line = lines[i];
    const isSame =
      line !== undefined &&
      (line.version === version || line.version === null) &&
      (line.sessionId === sessionId || line.sessionId === null);
    if (isSame) continue;
    found.push({ key: `${sessionId ?? ''} ${version ?? ''}`, start, end: i });
    start = i;
    if (line === undefined) break;
    version = line.version ?? version;
    sessionId = line.sessionId ?? sessionId;
  }
  return found;
}

/** Where the parents of a stretch's lines lie that are not in it, as numbers of earlier stretches. */
function parentsOf(
  lines: readonly Line[],
  { start, end }: Stretch,
  stretchOf: ReadonlyMap<string, number>,
): readonly number[] {
  const found: number[] = [];
  for (let i = start; i < end; i++) {
    const parent = lines[i]!.parentUuid;
    const stretch = parent === null ? undefined : stretchOf.get(parent);
    if (stretch !== undefined) found.push(stretch);
  }
  return found;
}

function hasResponse(lines: readonly Line[], { start, end }: Stretch): boolean {
  for (let i = start; i < end; i++) {
    const line = lines[i]!;
    if (line.type === 'assistant' && !line.synthetic) return true;
  }
  return false;
}

/**
 * The clients whose lines alternate while each goes on from its own: coming back to the file, it never continues what
 * another wrote there. Fewer than two are none: then one client took up what the other left.
 */
function alternating(
  lines: readonly Line[],
  stretches: readonly Stretch[],
  parents: readonly (readonly number[])[],
): readonly string[] {
  const seen = new Set<string>();
  const answering = new Set<string>();
  const own = new Set<string>();
  for (const [i, stretch] of stretches.entries()) {
    if (hasResponse(lines, stretch)) answering.add(stretch.key);
    if (seen.has(stretch.key)) {
      for (const parent of parents[i]!) {
        if (stretches[parent]!.key !== stretch.key) return [];
        own.add(stretch.key);
      }
    }
    seen.add(stretch.key);
  }
  const clients = [...own].filter((key) => answering.has(key));
  return clients.length < 2 ? [] : [...seen].filter((key) => clients.includes(key));
}

/** The same line with blocks of its own: each conversation computes its tokens. */
function copyOf(line: Line): Line {
  if (line.type !== 'user' && line.type !== 'assistant' && line.type !== 'attachment') return line;
  const blocks = line.blocks === null ? null : line.blocks.map((block) => ({ ...block }));
  return { ...line, blocks } as Line;
}

/** What is left of lines after their last compaction, its summary first. */
function sinceCompaction(lines: readonly Line[]): readonly Line[] {
  return lines.slice(lines.findLastIndex((line) => line.type === 'compact') + 1);
}

/**
 * Tells apart the conversations of clients that write one file in turns (K15): by session and version alternating back and
 * forth, and by the parents of the lines. In doubt, and nearly always, there is one.
 */
export function splitClients(lines: readonly Line[], warnings: WarningList): readonly ClientLines[] {
  const whole = [{ lines, shared: 0 }];
  if (lines.length === 0) return whole;
  const stretches = stretchesOf(lines);
  if (new Set(stretches.map(({ key }) => key)).size === stretches.length) return whole;
  const stretchOf = new Map<string, number>();
  const parents = stretches.map((stretch, n) => {
    const found = parentsOf(lines, stretch, stretchOf);
    for (let i = stretch.start; i < stretch.end; i++) stretchOf.set(lines[i]!.uuid, n);
    return found;
  });
  const keys = alternating(lines, stretches, parents);
  if (keys.length === 0) return whole;
  warnings.add(
    'clients-in-turns',
    'clients of different versions or sessions wrote the file in turns; each has a conversation of its own',
    null,
    keys.length,
  );
  const clients: { readonly lines: Line[]; readonly shared: number }[] = [];
  const clientOf: number[] = [];
  for (const [n, { key, start, end }] of stretches.entries()) {
    const origin = parents[n]![0] ?? n - 1;
    const before = origin < 0 ? 0 : clientOf[origin]!;
    const own = keys.indexOf(key);
    const client = own === -1 ? before : own;
    clientOf.push(client);
    if (clients[client] === undefined) {
      const isFresh = client === 0 || lines[start]!.parentUuid === null;
      const shared = isFresh ? [] : sinceCompaction(clients[before]!.lines).map(copyOf);
      clients[client] = { lines: shared, shared: shared.length };
    }
    for (let i = start; i < end; i++) clients[client]!.lines.push(lines[i]!);
  }
  return clients;
}

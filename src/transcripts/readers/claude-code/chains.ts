import { getOrMake } from '../../../core/base/once.js';
import type { WarningList } from '../../../core/run/warning.js';
import type { AssistantLine, CompactLine, Line } from './lines/lines.js';

/** The lines of one conversation, in file order. */
export interface Chain {
  readonly id: string;
  readonly label: string;
  readonly isMain: boolean;
  readonly lines: readonly Line[];
  /** Lines at the start that are another conversation's. */
  readonly shared: number;
}

/** False when no line is distinguished by its root and none names a parent that comes later, so that there is no circle. */
function needsRoots(lines: readonly Line[]): boolean {
  const uuids = new Set<string>();
  const unseen = new Set<string>();
  let latest: string | null = null;
  for (const { uuid, parentUuid, sidechain, agentId } of lines) {
    if (sidechain && agentId === null) return true;
    if (parentUuid === uuid || (unseen.size > 0 && unseen.has(uuid))) return true;
    if (parentUuid !== latest && parentUuid !== null && !uuids.has(parentUuid)) unseen.add(parentUuid);
    const known: number = uuids.size;
    if (uuids.add(uuid).size === known) return true;
    latest = uuid;
  }
  return false;
}

/** Finds the first line of the tree a line hangs on, without leaving its kind (side or main). */
function createRootFinder(lines: readonly Line[], warnings: WarningList): (line: Line) => string {
  const byUuid = new Map<string, Line>();
  for (const line of lines) byUuid.set(line.uuid, line);
  const roots = new Map<string, string>();
  return (from) => {
    const path: string[] = [];
    const walked = new Set<string>();
    let current = from;
    let root: string | undefined;
    while (root === undefined) {
      const known = roots.get(current.uuid);
      if (known !== undefined) {
        root = known;
        break;
      }
      if (walked.has(current.uuid)) {
        warnings.add('parent-cycle', 'lines name each other as parent; the circle was cut', null);
        root = current.uuid;
        break;
      }
      walked.add(current.uuid);
      path.push(current.uuid);
      const parent = current.parentUuid === null ? undefined : byUuid.get(current.parentUuid);
      if (parent === undefined || parent.sidechain !== current.sidechain) root = current.uuid;
      else current = parent;
    }
    for (const uuid of path) roots.set(uuid, root);
    return root;
  };
}

/** Responses this much earlier than the one before them show that a file is out of order. */
const DISORDER_MS = 1_000;

/** True when no line of a response is earlier than one before it. */
function isInOrder(lines: readonly Line[]): boolean {
  let latest = Number.NEGATIVE_INFINITY;
  for (const line of lines) {
    if (line.type !== 'assistant' || line.synthetic || line.timeMs === null) continue;
    if (line.timeMs < latest) return false;
    latest = line.timeMs;
  }
  return true;
}

/** The lines of a conversation in the order of their times, where its responses run backwards; else as they are. */
function inTimeOrder(lines: readonly Line[], warnings: WarningList): readonly Line[] {
  if (isInOrder(lines)) return lines;
  const seen = new Set<string>();
  let latest = Number.NEGATIVE_INFINITY;
  let backwards = 0;
  for (const line of lines) {
    if (line.type !== 'assistant' || line.synthetic || line.timeMs === null || seen.has(line.responseKey))
      continue;
    seen.add(line.responseKey);
    if (line.timeMs < latest - DISORDER_MS) backwards++;
    else latest = line.timeMs;
  }
  if (backwards === 0) return lines;
  warnings.add(
    'out-of-order',
    'responses stand out of order in time; the lines were put in the order of their times',
    'gaps between requests follow the times, not the order of the file',
    backwards,
  );
  let time = Number.NEGATIVE_INFINITY;
  const timed = lines.map((line) => {
    time = line.timeMs ?? time;
    return { line, time };
  });
  return timed.sort((a, b) => (a.time === b.time ? 0 : a.time - b.time)).map(({ line }) => line);
}

function isCopy(line: Line, other: Line): boolean {
  const { type, timeMs, agentId, sidechain, sessionId } = line;
  return (
    other.type === type &&
    other.timeMs === timeMs &&
    other.agentId === agentId &&
    other.sidechain === sidechain &&
    other.sessionId === sessionId
  );
}

/** The lines that are no copy of one before them: a line that stands there twice was written once. */
function withoutRepeats(lines: readonly Line[], warnings: WarningList): readonly Line[] {
  const first = new Map<string, Line>();
  const kept = lines.filter((line) => {
    const known = first.get(line.uuid);
    if (known === undefined) first.set(line.uuid, line);
    return known === undefined || !isCopy(line, known);
  });
  const repeats = lines.length - kept.length;
  if (repeats > 0)
    warnings.add('repeated-line', 'lines stand in the file more than once; each counts once', null, repeats);
  return kept;
}

/** Splits the lines of one or more files into conversations: the main one first, then the others as they appear. */
export function splitChains(all: readonly Line[], warnings: WarningList): readonly Chain[] {
  const isTangled = needsRoots(all);
  const lines = isTangled ? withoutRepeats(all, warnings) : all;
  const rootOf = isTangled ? createRootFinder(lines, warnings) : () => '';
  const main: Line[] = [];
  const others = new Map<string, { readonly id: string; readonly label: string; readonly lines: Line[] }>();
  let sidechains = 0;
  for (const line of lines) {
    const root = rootOf(line);
    if (!line.sidechain && line.agentId === null) {
      main.push(line);
      continue;
    }
    const key = line.agentId === null ? `root ${root}` : `agent ${line.agentId}`;
    const chain = getOrMake(others, key, () => {
      const id = line.agentId === null ? `sidechain-${++sidechains}` : `agent-${line.agentId}`;
      return { id, label: line.agentId ?? id, lines: [] };
    });
    chain.lines.push(line);
  }
  const chains: Chain[] = [...others.values()].map((chain) => ({
    ...chain,
    isMain: false,
    lines: inTimeOrder(chain.lines, warnings),
    shared: 0,
  }));
  if (main.length === 0) return chains;
  const mains = splitClients(main, warnings).map((client, i): Chain => {
    const id = i === 0 ? 'main' : `main-${i + 1}`;
    return { id, label: id, isMain: true, lines: inTimeOrder(client.lines, warnings), shared: client.shared };
  });
  return [...mains, ...chains];
}

/** The lines of one client's conversation. */
interface ClientLines {
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
function splitClients(lines: readonly Line[], warnings: WarningList): readonly ClientLines[] {
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

/** The lines of a compaction that come after it and nowhere else, though it kept them; none if nothing was said before. */
function keptBehind(
  compact: CompactLine,
  lines: readonly Line[],
  counted: ReadonlySet<string>,
): ReadonlySet<Line> {
  const at = lines.indexOf(compact);
  const before = new Set(lines.slice(0, at).map(({ uuid }) => uuid));
  const wanted = new Set(compact.keptUuids.filter((uuid) => !before.has(uuid)));
  const found = wanted.size === 0 ? [] : lines.slice(at).filter(({ uuid }) => wanted.has(uuid));
  const isCounted = found.some((line) => line.type === 'assistant' && counted.has(line.responseKey));
  return new Set(isCounted || !lines.slice(0, at).some(({ type }) => type === 'assistant') ? [] : found);
}

/** Lines with those that compactions kept in front of them, also where the client wrote them behind alone: they were sent (K24). */
export function withKeptInFront(lines: readonly Line[]): readonly Line[] {
  const counted = new Set(
    lines.flatMap((line) =>
      line.type === 'assistant' && line.usage.state === 'counts' ? [line.responseKey] : [],
    ),
  );
  let ordered = lines;
  for (const compact of lines) {
    if (compact.type !== 'compact' || compact.keptUuids.length === 0) continue;
    const kept = keptBehind(compact, ordered, counted);
    if (kept.size === 0) continue;
    const sent = [...kept].map((line) =>
      line.type === 'assistant' && line.usage.state === 'zero' && line.usage.sent !== null
        ? ({ ...line, usage: line.usage.sent } as AssistantLine)
        : line,
    );
    ordered = ordered.flatMap((line) => (line === compact ? [...sent, line] : kept.has(line) ? [] : [line]));
  }
  return ordered;
}

import type { WarningList } from '../../../core/run/warning.js';
import { splitClients } from './clients.js';
import type { Line } from './lines/lines.js';

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

/** The lines of a conversation in the order of their times, where its responses run backwards; else as they stand. */
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
    let chain = others.get(key);
    if (chain === undefined) {
      const id = line.agentId === null ? `sidechain-${++sidechains}` : `agent-${line.agentId}`;
      chain = { id, label: line.agentId ?? id, lines: [] };
      others.set(key, chain);
    }
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

import type { WarningList } from '../../model/warning.js';
import type { Line } from './lines.js';

/** The lines of one conversation, in file order. */
export interface Chain {
  readonly id: string;
  readonly label: string;
  readonly isMain: boolean;
  readonly lines: readonly Line[];
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

/** Splits the lines of one or more files into conversations: the main one first, then the others as they appear. */
export function splitChains(lines: readonly Line[], warnings: WarningList): readonly Chain[] {
  const rootOf = createRootFinder(lines, warnings);
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
  const chains: Chain[] = [...others.values()].map((chain) => ({ ...chain, isMain: false }));
  return main.length === 0 ? chains : [{ id: 'main', label: 'main', isMain: true, lines: main }, ...chains];
}

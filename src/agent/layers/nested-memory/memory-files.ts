import { isInside, normalisePath } from '../../../core/base/files.js';
import { entryOf, oncePer } from '../../../core/base/once.js';
import { ownValue } from '../../../core/base/own-value.js';

/** A memory file: where it lies and how large it is. */
export interface MemoryFile {
  readonly path: string;
  readonly tokens: number;
}

/** Folder of a normalised path. */
function folderOf(path: string): string {
  const end = path.lastIndexOf('/');
  return end <= 0 ? '/' : path.slice(0, end);
}

/** A path in its plain form, from the working directory when it is relative; null when it climbs above the root. */
export function resolvePath(path: string, workingDirectory: string): string | null {
  try {
    return normalisePath(path.startsWith('/') ? path : `${workingDirectory}/${path}`);
  } catch {
    return null;
  }
}

/** The memory files of a project by folder. */
export class MemoryFiles {
  /** Listed paths that lead nowhere. */
  readonly broken: readonly string[];
  private readonly byFolder = new Map<string, MemoryFile[]>();
  /** What was found on the way to a folder. */
  private readonly ways = new Map<string, readonly MemoryFile[]>();
  /** The same by paths as they are written; null for those that lead nowhere. */
  private readonly touched = new Map<string, readonly MemoryFile[] | null>();

  constructor(
    private readonly workingDirectory: string,
    listed: Readonly<Record<string, number>>,
  ) {
    const broken: string[] = [];
    for (const name of Object.keys(listed).sort()) {
      const path = resolvePath(name, workingDirectory);
      if (path === null) broken.push(name);
      else {
        const folder = folderOf(path);
        const files = this.byFolder.get(folder) ?? [];
        files.push({ path, tokens: ownValue(listed, name)! });
        this.byFolder.set(folder, files);
      }
    }
    this.broken = broken;
  }

  get isEmpty(): boolean {
    return this.byFolder.size === 0;
  }

  /** Files in the folders from the working directory down to a path, outermost first (NES-1). */
  onTheWayTo(path: string): readonly MemoryFile[] {
    const folder = folderOf(path);
    let way = this.ways.get(folder);
    if (way === undefined) {
      way = this.walk(folder);
      this.ways.set(folder, way);
    }
    return way;
  }

  /** Files on the way to a path as a session writes it; null when it climbs above the root. */
  wayTo(path: string): readonly MemoryFile[] | null {
    let way = this.touched.get(path);
    if (way === undefined) {
      const resolved = resolvePath(path, this.workingDirectory);
      way = resolved === null ? null : this.onTheWayTo(resolved);
      this.touched.set(path, way);
    }
    return way;
  }

  private walk(last: string): readonly MemoryFile[] {
    const found: MemoryFile[][] = [];
    let folder = last;
    while (isInside(folder, this.workingDirectory)) {
      found.push(this.byFolder.get(folder) ?? []);
      folder = folderOf(folder);
    }
    if (folder === this.workingDirectory) found.push(this.byFolder.get(folder) ?? []);
    return found.reverse().flat();
  }
}

/** Projects by the list of their memory files: what is found on the ways of one holds in every run over it. */
const projectsOf = oncePer((_listed: Readonly<Record<string, number>>) => new Map<string, MemoryFiles>());

/** The memory files of a list, in a project whose paths start at a folder. */
export function memoryFilesIn(
  workingDirectory: string,
  listed: Readonly<Record<string, number>>,
): MemoryFiles {
  return entryOf(projectsOf(listed), workingDirectory, () => new MemoryFiles(workingDirectory, listed));
}

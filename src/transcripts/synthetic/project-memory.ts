import type { Random } from '../../core/base/random.js';
import { compileDistribution } from './distribution.js';
import { FACTS, type SessionShape } from './synthetic.generated.js';
import { TREE_FOLDERS } from './tools/file-tree.js';

/** The agent's own memory: an index and files on subjects. */
export class AgentMemory {
  #files = 0;

  constructor(private readonly random: Random) {}

  /** The next write: to a new file, or as an edit of the index or of a known one. */
  next(): { readonly tool: 'Write' | 'Edit'; readonly path: string } {
    const isNew = this.random.chance(FACTS.newMemoryShare);
    const ofIndex = this.random.chance(FACTS.indexShare);
    if (this.#files === 0 || isNew)
      return { tool: 'Write', path: `${FACTS.memoryFolder}/subject-${++this.#files}.md` };
    const path = ofIndex ? 'MEMORY.md' : `subject-${this.#files}.md`;
    return { tool: 'Edit', path: `${FACTS.memoryFolder}/${path}` };
  }
}

/** Distance between the folders that hold memory files; it leads through all of them. */
const STRIDE = 5;

/** Memory files of the project's folders with their sizes, for NES-1; null when there are none. */
export function memoryFilesOf(shape: SessionShape, random: Random): Readonly<Record<string, number>> | null {
  const places = random.split('memory folders');
  const sizes = random.split('memory file tokens');
  const tokens = compileDistribution('memoryFileTokens', shape.memoryFileTokens);
  const folders = TREE_FOLDERS.length;
  const count = Math.min(folders, Math.floor(folders * shape.memoryFolderShare + places.next()));
  const first = places.integer(0, folders - 1);
  const files: Record<string, number> = {};
  for (let i = 0; i < count; i++) {
    const folder = TREE_FOLDERS[(first + i * STRIDE) % folders]!;
    files[`${folder}/CLAUDE.md`] = Math.max(1, Math.round(tokens(sizes.next())));
  }
  return count === 0 ? null : files;
}

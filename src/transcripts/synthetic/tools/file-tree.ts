import type { Random } from '../../../core/base/random.js';
import { compileDistribution } from '../distribution.js';
import { FACTS, type SessionShape } from '../synthetic.generated.js';

/** A file of the imagined repository. */
export interface TreeFile {
  readonly path: string;
  readonly chars: number;
  /** How it was read first. */
  readonly read: 'whole' | 'part';
  /** Changes with every edit. */
  readonly contentSeed: number;
}

/** The folders of the imagined repository. */
const TREE_FOLDERS: readonly string[] = FACTS.folders.map((name) => `${FACTS.sourceFolder}/${name}`);

/** Files that are still fresh in mind: the ones a session comes back to. */
const RECENT = 16;

/** The files a session works on: new ones appear, recent ones are visited again with the same size. */
export class FileTree {
  readonly #recent: TreeFile[] = [];
  #made = 0;
  #edits = 0;

  constructor(
    private readonly random: Random,
    private readonly revisitShare: number,
  ) {}

  /** A file to read; a new one has the given size. What was read in parts is not read whole. */
  visit(newChars: number, read: TreeFile['read']): TreeFile {
    const again = this.random.chance(this.revisitShare);
    const slot = this.random.integer(0, RECENT - 1);
    const known = again ? this.#recent[slot % Math.max(1, this.#recent.length)] : undefined;
    const fits = known !== undefined && (read === 'part' || known.read === 'whole');
    return fits ? known : this.#create(slot, newChars, read);
  }

  /** A file to edit: one that was seen. */
  pick(newChars: number): TreeFile {
    const slot = this.random.integer(0, RECENT - 1);
    return this.#recent[slot % Math.max(1, this.#recent.length)] ?? this.#create(0, newChars, 'whole');
  }

  /** A file that did not exist. */
  add(chars: number): TreeFile {
    return this.#create(this.random.integer(0, RECENT - 1), chars, 'whole');
  }

  /** A file has another content now: this many characters more or less, or as many as given. */
  change(file: TreeFile, chars: { readonly by: number } | { readonly to: number }): void {
    const index = this.#recent.findIndex(({ path }) => path === file.path);
    const now = this.#recent[index];
    if (now === undefined) return;
    this.#recent[index] = {
      ...now,
      chars: 'to' in chars ? chars.to : Math.max(0, now.chars + chars.by),
      contentSeed: now.contentSeed + ++this.#edits * 0x1_0001,
    };
  }

  #create(slot: number, chars: number, read: TreeFile['read']): TreeFile {
    const n = this.#made++;
    const folder = FACTS.folders[n % FACTS.folders.length]!;
    const name = FACTS.fileNames[Math.floor(n / FACTS.folders.length) % FACTS.fileNames.length]!;
    const round = Math.floor(n / (FACTS.folders.length * FACTS.fileNames.length));
    const part = round === 0 ? '' : `part-${round}/`;
    const path = `${FACTS.sourceFolder}/${folder}/${part}${name}${FACTS.extensions[n % FACTS.extensions.length]!}`;
    const file: TreeFile = { path, chars, read, contentSeed: n * 0x9e37_79b1 + 7 };
    if (this.#recent.length < RECENT) this.#recent.push(file);
    else this.#recent[slot] = file;
    return file;
  }
}

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

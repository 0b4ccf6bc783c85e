import type { Random } from '../../base/random.js';

/** A file of the imagined repository. */
export interface TreeFile {
  readonly path: string;
  readonly chars: number;
  /** Changes with every edit. */
  readonly contentSeed: number;
}

const FOLDERS = [
  'api',
  'auth',
  'cache',
  'cli',
  'core',
  'db',
  'jobs',
  'lib',
  'model',
  'routes',
  'ui',
  'util',
] as const;
const NAMES = [
  'client',
  'config',
  'errors',
  'format',
  'handler',
  'index',
  'limits',
  'loader',
  'parser',
  'queue',
] as const;
const EXTENSIONS = ['.ts', '.ts', '.ts', '.test.ts', '.tsx', '.json', '.md'] as const;

/** Files that are still fresh in mind: the ones a session comes back to. */
const RECENT = 16;

/** The files a session works on: new ones appear, recent ones are visited again with the same size. */
export class FileTree {
  readonly #random: Random;
  readonly #revisitShare: number;
  readonly #recent: TreeFile[] = [];
  #made = 0;
  #edits = 0;

  constructor(random: Random, revisitShare: number) {
    this.#random = random;
    this.#revisitShare = revisitShare;
  }

  /** A file to read; a new one has the given size. */
  visit(newChars: number): TreeFile {
    const again = this.#random.chance(this.#revisitShare);
    const slot = this.#random.integer(0, RECENT - 1);
    const known = again ? this.#recent[slot % Math.max(1, this.#recent.length)] : undefined;
    return known ?? this.#create(slot, newChars);
  }

  /** A file to edit: one that was seen, with another content afterwards. */
  edit(newChars: number): TreeFile {
    const slot = this.#random.integer(0, RECENT - 1);
    if (this.#recent.length === 0) this.#create(0, newChars);
    const index = slot % this.#recent.length;
    const file = this.#recent[index]!;
    this.#recent[index] = { ...file, contentSeed: file.contentSeed + ++this.#edits * 0x1_0001 };
    return file;
  }

  #create(slot: number, chars: number): TreeFile {
    const n = this.#made++;
    const folder = FOLDERS[n % FOLDERS.length]!;
    const name = NAMES[Math.floor(n / FOLDERS.length) % NAMES.length]!;
    const round = Math.floor(n / (FOLDERS.length * NAMES.length));
    const part = round === 0 ? '' : `part-${round}/`;
    const path = `/repo/src/${folder}/${part}${name}${EXTENSIONS[n % EXTENSIONS.length]!}`;
    const file: TreeFile = { path, chars, contentSeed: n * 0x9e37_79b1 + 7 };
    if (this.#recent.length < RECENT) this.#recent.push(file);
    else this.#recent[slot] = file;
    return file;
  }
}

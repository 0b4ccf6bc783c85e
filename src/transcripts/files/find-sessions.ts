import { type Dirent, readdirSync, realpathSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { attempt, CcbenchError, type Place } from '../../core/base/errors.js';
import { expandGlob, isGlob } from './glob.js';
import { withHome } from './home.js';
import { inputId, kindOfInput, unreadable } from './read-input.js';
import { isAgentFile, sessionOfAgent, sessionsOf } from './transcripts.js';

/** Where paths start from. */
export interface FindOptions {
  readonly cwd: string;
  readonly home: string;
  /** Where the paths were named; each path itself where absent. */
  readonly place?: Place;
  /** Whether a file is known to hold one session: such a file is not looked into. Absolute paths. */
  isKnown?(path: string): boolean;
}

/** What lies in a folder and is no session, and why. */
export interface LeftOut {
  readonly file: string;
  readonly reason: string;
}

/** The files of sessions behind the paths a user named, and what else was found there. */
export interface FoundSessions {
  readonly files: readonly string[];
  readonly leftOut: readonly LeftOut[];
}

/** Endings of files that may hold a session; others are not opened. */
const MAY_BE_SESSION = /\.(?:jsonl?|ndjson|csv|tsv|traj|db|sqlite3?)(?:\.(?:gz|zst))?$/i;

/** Folders in which no agent keeps sessions, and those of what a session put aside. */
const NOT_SEARCHED = new Set(['node_modules', 'tool-results']);

function entriesOf(folder: string, cwd: string): readonly Dirent[] {
  try {
    const entries = readdirSync(resolve(cwd, folder), { withFileTypes: true });
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    throw unreadable(folder, { file: folder }, error);
  }
}

/** The sessions in a file, or why it has none; the file itself where only reading it can tell. */
function lookInto(
  path: string,
  cwd: string,
  how: 'named' | 'matched' | 'found',
): readonly string[] | { readonly reason: string } {
  if (how === 'found' && !MAY_BE_SESSION.test(path)) return { reason: 'no recording by its name' };
  try {
    return sessionsOf(path, { cwd });
  } catch (error) {
    if (!(error instanceof CcbenchError)) throw error;
    if (how === 'named') return [path];
    if (error.code === 'not-supported')
      return { reason: error.hint === null ? error.message : `${error.message} (${error.hint})` };
    return error.code === 'bad-transcript' ? { reason: error.message } : [path];
  }
}

class Search {
  readonly #files = new Map<string, string>();
  readonly #leftOut: LeftOut[] = [];
  /** Subagents by absolute path, and whether a user named them. */
  readonly #agents = new Map<string, { readonly path: string; readonly isNamed: boolean }>();
  readonly #folders = new Set<string>();

  constructor(readonly options: FindOptions) {}

  add(written: string): void {
    const { cwd, home, place } = this.options;
    const path = withHome(written, home);
    const kind = this.#kindOf(path);
    if (kind === 'folder') this.#addFolder(path);
    else if (kind === 'file' || !isGlob(path)) this.#addFile(path, 'named');
    else {
      const found = expandGlob(path, cwd);
      for (const each of found) {
        if (this.#kindOf(each) === 'folder') this.#below(each);
        else this.#addFile(each, 'matched');
      }
      if (found.length === 0)
        this.#leftOut.push({ file: place?.file ?? written, reason: `no file matches ${written}` });
    }
  }

  #kindOf(path: string): 'file' | 'folder' | null {
    return attempt(() => kindOfInput(path, this.options), null);
  }

  #addFolder(path: string): void {
    const before = this.#files.size + this.#agents.size;
    this.#below(path);
    if (this.#files.size + this.#agents.size === before)
      this.#leftOut.push({ file: path, reason: `the folder ${path} holds no recording` });
  }

  #below(folder: string): void {
    const { cwd } = this.options;
    const real = realpathSync(resolve(cwd, folder));
    if (this.#folders.has(real)) return;
    this.#folders.add(real);
    for (const entry of entriesOf(folder, cwd)) {
      const path = join(folder, entry.name);
      const absolute = resolve(cwd, path);
      if (entry.name.startsWith('.') || NOT_SEARCHED.has(entry.name)) continue;
      // What it links to; null for a link that leads nowhere.
      const found = attempt(() => (entry.isSymbolicLink() ? statSync(absolute) : entry), null);
      if (found?.isDirectory()) this.#belowQuietly(path);
      else if (found?.isFile()) this.#addFile(path, 'found');
    }
  }

  /** A folder inside that cannot be read is left out, not fatal. */
  #belowQuietly(folder: string): void {
    try {
      this.#below(folder);
    } catch (error) {
      if (!(error instanceof CcbenchError)) throw error;
      this.#leftOut.push({ file: folder, reason: error.message });
    }
  }

  #addFile(path: string, how: 'named' | 'matched' | 'found'): void {
    const absolute = resolve(this.options.cwd, path);
    if (this.#files.has(absolute)) return;
    if (isAgentFile(path)) {
      const isNamed = how !== 'found' || this.#agents.get(absolute)?.isNamed === true;
      this.#agents.set(absolute, { path, isNamed });
      return;
    }
    const isKnown = this.options.isKnown?.(absolute) === true;
    const found = isKnown ? [path] : lookInto(path, this.options.cwd, how);
    if ('reason' in found) this.#leftOut.push({ file: path, reason: found.reason });
    else for (const each of found) this.#files.set(resolve(this.options.cwd, each), each);
  }

  finish(): FoundSessions {
    const sessions = new Set([...this.#files.keys()].map((path) => join(path, '..', inputId(path))));
    const alone: string[] = [];
    for (const [absolute, { path, isNamed }] of this.#agents) {
      const session = sessionOfAgent(absolute);
      if (session !== null && sessions.has(session)) continue;
      if (isNamed) alone.push(path);
      else
        this.#leftOut.push({
          file: path,
          reason: 'a subagent whose session is missing (name the file itself to read it alone)',
        });
    }
    return { files: [...this.#files.values(), ...alone], leftOut: this.#leftOut };
  }
}

/**
 * The sessions behind the paths a user named: files as they are, folders with all that lies below them, patterns, and `~` for the
 * home folder. What is named comes in that order, what is found in the order of its names, each file once. Subagents belong to
 * their sessions.
 */
export function findSessions(paths: readonly string[], options: FindOptions): FoundSessions {
  const search = new Search(options);
  for (const path of paths) search.add(path);
  return search.finish();
}

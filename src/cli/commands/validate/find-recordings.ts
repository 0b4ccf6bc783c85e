import { type Dirent, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { CcbenchError } from '../../../base/errors.js';
import { kindOfInput, unreadable } from '../../../files/read-input.js';

const RECORDING = /\.jsonl?(?:\.gz)?$/;

/** Folders inside a session's own: their files are read together with the session. */
const PARTS_OF_SESSIONS = new Set(['subagents', 'tool-results', 'node_modules']);

function entriesOf(folder: string, cwd: string): Dirent[] {
  try {
    return readdirSync(resolve(cwd, folder), { withFileTypes: true });
  } catch (error) {
    throw unreadable(folder, { file: folder }, error);
  }
}

function below(folder: string, cwd: string): readonly string[] {
  const found: string[] = [];
  for (const entry of entriesOf(folder, cwd).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && !PARTS_OF_SESSIONS.has(entry.name) && !entry.name.startsWith('.'))
      found.push(...below(path, cwd));
    else if (entry.isFile() && RECORDING.test(entry.name)) found.push(path);
  }
  return found;
}

/** The recordings behind the paths a user named: files as they are, folders with all that lies below them. */
export function findRecordings(paths: readonly string[], cwd: string): readonly string[] {
  return paths.flatMap((path) => {
    let kind: 'file' | 'folder' = 'file';
    try {
      kind = kindOfInput(path, { cwd });
    } catch {
      return [path];
    }
    if (kind === 'file') return [path];
    const found = below(path, cwd);
    if (found.length === 0) {
      throw new CcbenchError('bad-input', `the folder ${path} holds no recording`, {
        place: { file: path },
        hint: 'recordings end in .jsonl, .jsonl.gz, .json or .json.gz',
      });
    }
    return found;
  });
}

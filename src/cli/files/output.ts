import type ChildProcess from 'node:child_process';
import {
  appendFileSync,
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  promises,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';
import { CcbenchError, succeeds } from '../../core/base/errors.js';
import type { FileContent } from '../../study/results/part-file.js';
import { nameOfPart, removeLitter } from '../../transcripts/files/litter.js';
import { makeFolder } from '../../transcripts/files/make-folder.js';
import { whyUnwritable } from '../../transcripts/files/why-unwritable.js';
import { type CliSession, warnUnwritten } from '../session.js';
import { tellWritten } from '../terminal/present.js';
import { pagesWritten } from './last-page.js';

/** Exchanges two folders in one step where the system can, otherwise moves one aside and the other in. */
const SWITCH =
  'mv --exchange -T -- "$1" "$2" 2>/dev/null || { mv -- "$2" "$3" && { mv -- "$1" "$2" || { mv -- "$3" "$2"; exit 1; }; }; }';

/** A process of another group: Ctrl-C does not reach it. */
const APART = { detached: true, stdio: 'ignore' } as const;

function switchHere(fresh: string, target: string, old: string): void {
  renameSync(target, old);
  try {
    renameSync(fresh, target);
  } catch (error) {
    renameSync(old, target);
    throw error;
  }
}

/**
 * Replaces a whole folder with another. No system call for it is at hand, so a process of its own makes the switch: whoever
 * kills this one at whatever moment finds the old folder or the new one, never none.
 */
function replaceFolder(fresh: string, target: string, old: string): void {
  if (!existsSync(target)) {
    renameSync(fresh, target);
    return;
  }
  // Loaded here: it takes long, and a first report replaces nothing.
  const { spawnSync } = createRequire(import.meta.url)('node:child_process') as typeof ChildProcess;
  const { status } = spawnSync('sh', ['-c', SWITCH, 'sh', fresh, target, old], APART);
  if (status !== 0) switchHere(fresh, target, old);
  rmSync(old, { recursive: true, force: true });
  rmSync(fresh, { recursive: true, force: true });
}

/** What a report folder holds besides folders of variants and transcripts. */
const REPORT_FILES = [
  'run.jsonl',
  'summary.json',
  'requests.csv',
  'events.csv',
  'prompts.csv',
  'timings.json',
  'report.html',
  'why.html',
  'index.html',
  'charts',
  'compare.json',
  'compare.md',
  'compare.csv',
] as const;

/** Characters that some file systems do not take, and those that would lead elsewhere. */
const UNSAFE = /[<>:"|?*/\\\p{Cc}]/gu;

/** Names of a folder itself or the one above, empty names, and endings that some file systems drop. */
const NO_NAME = /^\.*$|[. ]$/;

/** A report folder being made: nothing of it is seen until it is whole. */
export interface ReportFolder {
  /** As the user would write it. */
  readonly shown: string;
  /** Where the previous report lies, if there is one. */
  readonly target: string;
  /** Writes a file of the new report; `folder` is below the report, empty for its top. */
  write(folder: string, name: string, text: FileContent): Promise<void>;
  /** Appends to a file of the new report. */
  append(folder: string, name: string, text: string): void;
  /** Replaces the previous report with the new one; says whether it is in place. */
  commit(): boolean;
  /** Leaves everything as it was before. */
  discard(): void;
}

/** A part of a path from a name, different from those that were taken before. */
export function folderName(name: string, taken: Set<string>): string {
  const safe = name.replace(UNSAFE, '_');
  const isTaken = NO_NAME.test(safe) || (REPORT_FILES as readonly string[]).includes(safe.toLowerCase());
  const base = isTaken ? `${safe}_` : safe;
  let unique = base;
  for (let n = 2; taken.has(unique.toLowerCase()); n++) unique = `${base}-${n}`;
  taken.add(unique.toLowerCase());
  return unique;
}

/** What is made of sessions is as private as they are: clients keep them for their owner alone. */
const PRIVATE_FOLDER = 0o700;
const PRIVATE_FILE = { mode: 0o600 };

/** Takes what kept something from being written, and throws it as the user named the place. */
const failAt =
  (shown: string, of: typeof unwritable = unwritable) =>
  (error: unknown): never => {
    throw error instanceof CcbenchError ? error : of(shown, error);
  };

/** A file that a user named, or that a command keeps: no report, and nothing that --no-files leaves out. */
function unwritableFile(shown: string, error: unknown): CcbenchError {
  const why = `${shown} cannot be written: ${whyUnwritable(error)}`;
  return new CcbenchError('output-unwritable', why, { hint: 'choose another place for it', cause: error });
}

function unwritable(shown: string, error: unknown): CcbenchError {
  return new CcbenchError(
    'output-unwritable',
    `the report cannot be written to ${shown}: ${whyUnwritable(error)}`,
    {
      hint: 'choose another folder with --out, or --no-files to write none',
      cause: error,
    },
  );
}

/** A file that is not part of a report, or null: such a folder is never replaced. */
function foreignFile(folder: string, depth = 0): string | null {
  for (const name of readdirSync(folder).sort()) {
    if ((REPORT_FILES as readonly string[]).includes(name)) continue;
    const path = join(folder, name);
    if (!lstatSync(path).isDirectory() || depth >= 2) return path;
    const inside = foreignFile(path, depth + 1);
    if (inside !== null) return inside;
  }
  return null;
}

function checkTarget(target: string, shown: string): void {
  if (!existsSync(target)) return;
  if (!lstatSync(target).isDirectory()) throw unwritable(shown, { code: 'ENOTDIR' });
  const foreign = foreignFile(target);
  if (foreign === null) return;
  throw new CcbenchError(
    'output-unwritable',
    `${shown} holds ${foreign.slice(target.length + 1)}, which is no part of a report`,
    {
      hint: 'a report folder is replaced whole: move the file away, or choose another folder with --out',
    },
  );
}

/** Text at hand is written at once: Node's asynchronous files start four threads, which takes a short command 10 ms. */
async function writeContent(path: string, content: FileContent): Promise<void> {
  if (typeof content === 'string') writeFileSync(path, content, PRIVATE_FILE);
  else await promises.writeFile(path, content, PRIVATE_FILE);
}

/** Prepares a report folder; what would keep it from being written is found here, before the run. */
export function openReport(root: string, name: string, cwd: string): ReportFolder {
  const shown = join(root, name);
  const folder = resolve(cwd, root);
  const target = join(folder, name);
  const fresh = join(folder, nameOfPart(`.${name}`, 'new'));
  const old = join(folder, nameOfPart(`.${name}`, 'old'));
  const pages: string[] = [];
  const fail = failAt(shown);
  let created: string | undefined;
  try {
    removeLitter(folder, (owner) => owner.startsWith('.'));
    checkTarget(target, shown);
    created = makeFolder(folder);
    rmSync(fresh, { recursive: true, force: true });
    mkdirSync(fresh, { mode: PRIVATE_FOLDER });
  } catch (error) {
    fail(error);
  }
  const pathIn = (below: string, file: string): string => {
    makeFolder(join(fresh, below), PRIVATE_FOLDER);
    return join(fresh, below, file);
  };
  return {
    shown,
    target,
    async write(below, file, text) {
      try {
        await writeContent(pathIn(below, file), text);
      } catch (error) {
        fail(error);
      }
      pages.push(join(target, below, file));
    },
    append(below, file, text) {
      try {
        appendFileSync(pathIn(below, file), text, PRIVATE_FILE);
      } catch (error) {
        fail(error);
      }
    },
    commit() {
      try {
        replaceFolder(fresh, target, old);
        pagesWritten(pages);
        return true;
      } catch (error) {
        return fail(error);
      }
    },
    discard() {
      rmSync(fresh, { recursive: true, force: true });
      if (created !== undefined) removeEmpty(folder, dirname(created));
    },
  };
}

/** Removes folders that were made for a report that did not come, up to the one that was there before. */
function removeEmpty(folder: string, stop: string): void {
  let path = folder;
  while (path !== stop && path !== dirname(path) && succeeds(() => rmdirSync(path))) path = dirname(path);
}

/** What a command makes beside its answer. */
interface Output {
  write(...values: never[]): Promise<void>;
  append(...values: never[]): void;
  commit(): boolean;
  discard(): void;
}

/**
 * Opens what a command makes beside its answer, as an option says. Where it cannot be written, now or later, that costs a warning, and nothing is left of it;
 * the answer is not lost.
 */
export function openSoftly<Kind extends Output>(
  session: CliSession,
  option: string,
  open: () => Kind,
): Kind | null {
  let output: Kind;
  try {
    output = open();
  } catch (error) {
    warnUnwritten(session, option, error);
    return null;
  }
  let isLost = false;
  const lose = (error: unknown): void => {
    isLost = true;
    warnUnwritten(session, option, error);
    output.discard();
  };
  const guarded =
    <Values extends never[]>(act: (...values: Values) => void | Promise<void>) =>
    async (...values: Values): Promise<void> => {
      if (isLost) return;
      try {
        await act(...values);
      } catch (error) {
        lose(error);
      }
    };
  return {
    ...output,
    write: guarded(output.write),
    append: guarded(output.append),
    commit() {
      try {
        return !isLost && output.commit();
      } catch (error) {
        lose(error);
        return false;
      }
    },
  };
}

/** A file that grows while a command runs: after a kill it has everything that was added. */
interface GrowingFile {
  /** Adds to the file at once; the first time, it takes the place of the previous one. */
  add(text: string): void;
  /** Adds nothing more; where nothing was added, the previous file stays. */
  close(): void;
}

/** Prepares a file that grows; what would keep it from being written is found here, before the run. */
export function openGrowing(path: string, cwd: string): GrowingFile {
  const target = resolve(cwd, path);
  const fresh = openFile(path, cwd);
  const file = openSync(nameOfPart(target, 'new'), 'a');
  let hasBegun = false;
  return {
    add(text) {
      try {
        appendFileSync(file, text);
        if (!hasBegun) fresh.commit();
        hasBegun = true;
      } catch (error) {
        failAt(path)(error);
      }
    },
    close() {
      closeSync(file);
      if (!hasBegun) fresh.discard();
    },
  };
}

/** A single file being made: the previous one stays until the new one is whole. */
export interface OutputFile {
  write(text: FileContent): Promise<void>;
  append(text: string): void;
  commit(): boolean;
  discard(): void;
}

/** Prepares a file; what would keep it from being written is found here, before the run. */
export function openFile(path: string, cwd: string): OutputFile {
  const target = resolve(cwd, path);
  const fresh = nameOfPart(target, 'new');
  const fail = failAt(path, unwritableFile);
  try {
    removeLitter(dirname(target), (owner) => owner === basename(target));
    if (existsSync(target) && lstatSync(target).isDirectory()) throw { code: 'EISDIR' };
    makeFolder(dirname(target));
    writeFileSync(fresh, '', PRIVATE_FILE);
  } catch (error) {
    fail(error);
  }
  return {
    write: (text) => writeContent(fresh, text).catch(fail),
    append(text) {
      try {
        appendFileSync(fresh, text);
      } catch (error) {
        fail(error);
      }
    },
    commit() {
      renameSync(fresh, target);
      pagesWritten([target]);
      return true;
    },
    discard: () => rmSync(fresh, { force: true }),
  };
}

/** A file of a folder that holds other things too; `folder` is below it, empty for its top. */
interface OutFile {
  readonly folder: string;
  readonly name: string;
  readonly content: FileContent;
}

/** Writes files that belong to an answer that was printed, and says where they are: what cannot be written costs a warning. */
export async function writeSoftly(
  session: CliSession,
  out: string,
  files: AsyncIterable<OutFile> | Iterable<OutFile>,
  page: string,
): Promise<void> {
  try {
    await writeFiles(out, session.host.cwd, files);
    tellWritten(session, page);
  } catch (error) {
    warnUnwritten(session, '--out', error);
  }
}

/** Writes files into a folder one by one, each whole or not at all. */
async function writeFiles(
  out: string,
  cwd: string,
  files: AsyncIterable<OutFile> | Iterable<OutFile>,
): Promise<void> {
  for await (const { folder, name, content } of files) {
    const output = openFile(join(out, folder, name), cwd);
    await output.write(content);
    output.commit();
  }
}

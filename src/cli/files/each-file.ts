import { CcbenchError, ProblemList } from '../../base/errors.js';
import { expandInputs } from '../../files/read-input.js';
import { reasonLine } from '../fail.js';
import { type CliSession, note } from '../session.js';
import { breathe, withoutPause } from '../terminal/interrupt.js';
import { createProgress } from '../terminal/progress.js';

/** A file that could not be used, and why. */
export interface SkippedFile {
  readonly file: string;
  readonly reason: string;
}

/** What came of several files: the usable ones, and those left out. */
export interface FileResults<T> {
  readonly used: readonly T[];
  readonly skipped: readonly SkippedFile[];
}

interface FileProblem {
  readonly file: string;
  readonly error: CcbenchError;
}

/** One line for each thing that is wrong: files with the same fault share one. */
function problemLines(problems: readonly FileProblem[]): readonly string[] {
  const byFault = new Map<string, FileProblem[]>();
  for (const problem of problems) {
    const fault = `${problem.error.code} ${problem.error.message}`;
    byFault.set(fault, [...(byFault.get(fault) ?? []), problem]);
  }
  return [...byFault.values()].map(([first, ...others]) => {
    const line = reasonLine(first!.error);
    return others.length === 0 ? line : `${line} (and ${others.length} more like it)`;
  });
}

/**
 * Reads files one by one, and shows how far it is. A broken one is reported and left out while there is a good one; when none is
 * usable, all problems are thrown.
 */
export async function eachFile<T>(
  session: CliSession,
  doing: string,
  paths: readonly string[],
  read: (path: string) => T,
): Promise<FileResults<T>> {
  const used: T[] = [];
  const problems: FileProblem[] = [];
  const { host } = session;
  const files = expandInputs(paths, { cwd: host.cwd });
  const progress = createProgress(host, session.json ? 'silent' : 'shown', 'files');
  progress.start(doing, files.length);
  try {
    for (const [i, file] of files.entries()) {
      progress.update(i);
      await breathe(host.interrupt);
      try {
        used.push(await withoutPause(host.interrupt, () => read(file)));
      } catch (error) {
        if (!(error instanceof CcbenchError)) throw error;
        problems.push({ file, error });
      }
    }
  } finally {
    progress.clear();
  }
  if (used.length === 0) {
    const errors = problems.map(({ error }) => error);
    throw errors.length === 1 ? errors[0]! : new ProblemList('bad-input', 'no file is usable', errors);
  }
  for (const line of problemLines(problems)) note(session, line);
  if (problems.length > 0) {
    note(session, `${problems.length} of ${problems.length + used.length} files left out; the rest is used`);
  }
  return { used, skipped: problems.map(({ file, error }) => ({ file, reason: error.message })) };
}

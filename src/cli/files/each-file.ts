import { CcbenchError, ProblemList } from '../../base/errors.js';
import { findSessions, type LeftOut } from '../../files/find-sessions.js';
import { homeFolder } from '../../files/home.js';
import { formatCount } from '../../report/format.js';
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

/** Files named in a note; the rest is counted. */
const NAMED_FILES = 3;

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

/** What a reason says of any file. */
function reasonOf({ file, reason }: LeftOut): string {
  const name = file.slice(Math.max(file.lastIndexOf('/'), file.lastIndexOf('\\')) + 1);
  return reason.replaceAll(name, 'the file');
}

/** One line for each reason why something in a folder is no session. */
export function leftOutLines(leftOut: readonly LeftOut[]): readonly string[] {
  const byReason = new Map<string, string[]>();
  for (const item of leftOut) {
    const reason = reasonOf(item);
    byReason.set(reason, [...(byReason.get(reason) ?? []), item.file]);
  }
  return [...byReason].map(([reason, files]) => {
    const named = files.slice(0, NAMED_FILES).join(', ');
    const more = files.length - NAMED_FILES;
    const count = files.length === 1 ? '' : `${formatCount(files.length)} files: `;
    return `left out: ${count}${named}${more > 0 ? ` … and ${formatCount(more)} more` : ''}: ${reason}`;
  });
}

/** The error when nothing of what was named can be used. */
function nothingUsable(problems: readonly FileProblem[], leftOut: readonly LeftOut[]): CcbenchError {
  const found = leftOut.map(
    ({ file, reason }) =>
      new CcbenchError(reason.startsWith('no file matches') ? 'file-missing' : 'bad-input', reason, {
        place: { file },
        ...(reason.startsWith('no file matches')
          ? { hint: 'put the pattern in quotes; * stands for names, ** for folders at any depth' }
          : {}),
        ...(reason.endsWith('holds no recording')
          ? { hint: 'ccbench inspect without an argument lists the sessions it finds in their usual places' }
          : {}),
      }),
  );
  const errors = [...problems.map(({ error }) => error), ...found];
  return errors.length === 1 ? errors[0]! : new ProblemList('bad-input', 'no file is usable', errors);
}

/**
 * Reads the sessions behind paths one by one, and shows how far it is. A broken one is reported and left out while there is a
 * good one, as is what is no session; when none is usable, all problems are thrown.
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
  const progress = createProgress(host, session.json ? 'silent' : 'shown', 'files');
  const { files, leftOut } = await withoutPause(host.interrupt, () =>
    findSessions(paths, { cwd: host.cwd, home: homeFolder(host.env) }),
  );
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
  if (used.length === 0) throw nothingUsable(problems, leftOut);
  for (const line of [...problemLines(problems), ...leftOutLines(leftOut)]) note(session, line);
  if (problems.length > 0) {
    note(session, `${problems.length} of ${problems.length + used.length} files left out; the rest is used`);
  }
  const broken = problems.map(({ file, error }) => ({ file, reason: error.message }));
  return { used, skipped: [...broken, ...leftOut] };
}

import {
  type CallIds,
  containedFiles,
  type Identified,
  type Repeated,
  repeatedCalls,
} from '../../analysis/validate/contained.js';
import { sha256Hex } from '../../core/base/digest.js';
import { CcbenchError, ProblemList } from '../../core/base/errors.js';
import { formatCount, formatCounted } from '../../core/base/format.js';
import { addTo, groupBy } from '../../core/base/groups.js';
import type { Shard } from '../../study/batches.js';
import type { FoundSessions, LeftOut } from '../../transcripts/files/find-sessions.js';
import { inputId } from '../../transcripts/files/read-input.js';
import { reasonLine } from '../fail.js';
import { type CliSession, note, remark } from '../session.js';
import { runInterruptible, yieldToEventLoop } from '../terminal/interrupt.js';
import { createProgress } from '../terminal/progress.js';

/** Hexadecimal digits that a share is drawn by. */
const DRAWN_DIGITS = 8;

/** Sessions by the calls they have in common, directly or through others; each group with its least key. */
class Groups {
  readonly #parents: number[] = [];
  readonly #least: string[] = [];
  readonly #holders = new Map<string, number>();

  add(keys: readonly string[], otherwise: string): void {
    const own = this.#parents.length;
    this.#parents.push(own);
    this.#least.push(keys.reduce((least, key) => (key < least ? key : least), keys[0] ?? otherwise));
    for (const key of keys) {
      const holder = this.#holders.get(key);
      if (holder === undefined) this.#holders.set(key, own);
      else this.#join(holder, own);
    }
  }

  keyOf(session: number): string {
    return this.#least[this.#root(session)]!;
  }

  #root(session: number): number {
    let at = session;
    while (this.#parents[at] !== at) {
      this.#parents[at] = this.#parents[this.#parents[at]!]!;
      at = this.#parents[at]!;
    }
    return at;
  }

  #join(a: number, b: number): void {
    const [one, other] = [this.#root(a), this.#root(b)];
    if (this.#least[other]! < this.#least[one]!) this.#least[one] = this.#least[other]!;
    this.#parents[other] = one;
  }
}

/**
 * The share of some sessions that a shard has to do with; all of them without one. Which one a session falls into follows from its calls, not from where it
 * lies; sessions with calls in common fall into the same, so that each shard counts calls once as one run over all would.
 */
export async function shareOf(
  session: CliSession,
  chosen: FoundSessions,
  shard: Shard | undefined,
  callKeys: (file: string) => readonly string[],
): Promise<FoundSessions> {
  if (shard === undefined) return chosen;
  const { files, leftOut } = chosen;
  const { index, of } = shard;
  const groups = new Groups();
  const progress = createProgress(session, 'files');
  try {
    progress.start('looking for copies', files.length);
    const read = oneByOne(session, (file) => groups.add(callKeys(file), inputId(file)));
    await read(files, progress.update);
  } finally {
    progress.clear();
  }
  const drawn = (key: string): number => Number.parseInt(sha256Hex(key).slice(0, DRAWN_DIGITS), 16) % of;
  const own = files.filter((_, i) => drawn(groups.keyOf(i)) === index - 1);
  note(session, `share ${index} of ${of}: ${own.length} of ${files.length} sessions`);
  return { files: own, leftOut };
}

/** What came of several files: the usable ones, and those left out. */
interface FileResults<T> {
  readonly used: readonly T[];
  readonly skipped: readonly LeftOut[];
}

interface FileProblem {
  readonly file: string;
  readonly error: CcbenchError;
}

/** Small sessions are read together for so long: beginning and ending work that Ctrl-C can break off takes milliseconds. */
const BATCH_MS = 40;

/** Files named in a note; the rest is counted. */
const NAMED_FILES = 3;

/** One line for each thing that is wrong: files with the same fault share one. */
function problemLines(problems: readonly FileProblem[]): readonly string[] {
  const byFault = groupBy(problems, ({ error }) => `${error.code} ${error.message}`);
  return [...byFault.values()].map(([first, ...others]) => {
    const line = reasonLine(first!.error);
    return others.length === 0 ? line : `${line} (and ${others.length} more like it)`;
  });
}

/** What is left out by why. */
function byReason(leftOut: readonly LeftOut[]): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>();
  for (const { file, reason } of leftOut) addTo(groups, reason, file);
  return groups;
}

/** One line for each reason why something in a folder is no session. */
export function leftOutLines(leftOut: readonly LeftOut[]): readonly string[] {
  return [...byReason(leftOut)].map(([reason, files]) => {
    const named = files.slice(0, NAMED_FILES).join(', ');
    const more = files.length - NAMED_FILES;
    const count = files.length === 1 ? '' : `${formatCount(files.length)} files: `;
    return `left out: ${count}${named}${more > 0 ? ` … and ${formatCount(more)} more` : ''}: ${reason}`;
  });
}

function nothingAt(reason: string, [first, ...others]: readonly string[]): CcbenchError {
  const isMissing = reason.startsWith('no file matches');
  return new CcbenchError(
    isMissing ? 'file-missing' : 'bad-input',
    others.length === 0 ? reason : `${reason} (and ${formatCount(others.length)} more like it)`,
    {
      place: { file: first! },
      hint: isMissing
        ? 'put the pattern in quotes; * stands for names, ** for folders at any depth'
        : 'ccbench inspect without an argument lists the sessions that it finds in their usual places',
    },
  );
}

/** The error when nothing of what was named can be used. */
function nothingUsable(problems: readonly FileProblem[], leftOut: readonly LeftOut[]): CcbenchError {
  const found = [...byReason(leftOut)].map(([reason, files]) => nothingAt(reason, files));
  const errors = [...problems.map(({ error }) => error), ...found];
  return errors.length === 1 ? errors[0]! : new ProblemList('bad-input', 'no file is usable', errors);
}

/** Reads all of some files and says how many are done: what came of each, in their order. */
export type ReadAll<T> = (
  files: readonly string[],
  update: (done: number) => void,
) => Promise<readonly (T | CcbenchError)[]>;

/** Reads files one by one in a way that Ctrl-C can break off. */
function oneByOne<T>({ host }: CliSession, read: (path: string) => T): ReadAll<T> {
  return async (files, update) => {
    const found: (T | CcbenchError)[] = [];
    const readOne = (file: string): T | CcbenchError => {
      try {
        return read(file);
      } catch (error) {
        if (error instanceof CcbenchError) return error;
        throw error;
      }
    };
    while (found.length < files.length) {
      update(found.length);
      await yieldToEventLoop(host.interrupt);
      const untilMs = host.now() + BATCH_MS;
      await runInterruptible(host.interrupt, () => {
        do found.push(readOne(files[found.length]!));
        while (found.length < files.length && host.now() < untilMs);
      });
    }
    return found;
  };
}

/**
 * Reads sessions that were found one by one, and shows how far it is. A broken one is reported and left out while there is a
 * good one, as is what is no session; when none is usable, all problems are thrown.
 */
export function eachFile<T>(
  session: CliSession,
  doing: string,
  found: FoundSessions,
  read: (path: string) => T,
): Promise<FileResults<T>> {
  return allFiles(session, doing, found, oneByOne(session, read));
}

/** The same with a reader of all of them. */
export async function allFiles<T>(
  session: CliSession,
  doing: string,
  { files, leftOut }: FoundSessions,
  readAll: ReadAll<T>,
): Promise<FileResults<T>> {
  const used: T[] = [];
  const problems: FileProblem[] = [];
  const progress = createProgress(session, 'files');
  try {
    progress.start(doing, files.length);
    for (const [i, found] of (await readAll(files, progress.update)).entries())
      if (found instanceof CcbenchError) problems.push({ file: files[i]!, error: found });
      else used.push(found);
  } finally {
    progress.clear();
  }
  if (used.length === 0) throw nothingUsable(problems, leftOut);
  for (const line of problemLines(problems)) note(session, line);
  for (const line of leftOutLines(leftOut)) remark(session, line);
  const broken = problems.map(({ file, error }) => ({ file, reason: error.message }));
  const skipped = [...broken, ...leftOut].sort((a, b) => (a.file < b.file ? -1 : 1));
  if (skipped.length > 0)
    note(session, `${skipped.length} of ${skipped.length + used.length} files left out; the rest is used`);
  return { used, skipped };
}

/** A session with the keys of its calls. */
interface Keyed {
  readonly file: string;
  readonly callKeys: CallIds;
}

/** Whether calls that sessions have in common count once, or in each of them: a replay needs them in each. */
type Counting = 'once' | 'in each';

/** What is left of sessions without copies. */
interface WithoutCopies<T> {
  readonly kept: readonly T[];
  readonly copies: readonly LeftOut[];
  /** Those kept that share some calls with one before. */
  readonly sharedCalls: readonly Repeated[];
}

/** Sessions without those of which another one holds every call: forks and resumed sessions copy lines. Each is reported. */
export function withoutCopies<T extends Keyed>(
  session: CliSession,
  items: readonly T[],
  counting: Counting,
): WithoutCopies<T> {
  const identified = ({ file, callKeys }: Keyed): Identified => ({ file, callIds: callKeys });
  const contained = containedFiles(items.map(identified));
  const copies = contained.map(({ file, within, responses }) => ({
    file,
    reason: `all of its ${formatCounted(responses, 'call')} are in ${within} too`,
  }));
  for (const { file, reason } of copies) remark(session, `left out: ${file}: ${reason}`);
  const out = new Set(copies.map(({ file }) => file));
  const kept = items.filter(({ file }) => !out.has(file));
  const sharedCalls = repeatedCalls(kept.map(identified));
  noteRepeated(session, sharedCalls, counting);
  return { kept, copies, sharedCalls };
}

/** Says which sessions share calls with one before, and what that means for sums over all. */
export function noteRepeated(session: CliSession, repeated: readonly Repeated[], counting: Counting): void {
  for (const { file, calls } of repeated) {
    const shared = `${formatCounted(calls, 'call')} of ${file} ${calls === 1 ? 'is' : 'are'} in an earlier session too`;
    const elsewhere = counting === 'once' ? '' : '; ccbench inspect counts such calls once';
    remark(session, `counted ${counting}: ${shared}${elsewhere}`);
  }
}

import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CcbenchError } from '../../core/base/errors.js';
import { formatCounted } from '../../core/base/format.js';
import { makeFolder } from '../../transcripts/files/make-folder.js';
import { KeptRuns, type StoredResult } from '../kept-runs.js';
import { sealedLine, unsealed } from '../result-rows.js';
import { removeUnfinished, unwritable, writeWhole } from './part-file.js';

/** Version of the file; results of other versions are not used. */
const FORMAT = 3;

const FILE = 'sweep.jsonl';

/** The finished runs of a report folder: what is in it is not run again, whatever study wanted it first. */
export interface RunStore {
  /** By their address, those of earlier starts included. */
  readonly results: KeptRuns;
  /** The addresses of those that earlier starts finished. */
  readonly earlier: ReadonlySet<string>;
  /** What the user should know about the file. */
  readonly notes: readonly string[];
  /** Writes a result down at once: a kill loses none. */
  append(result: StoredResult): void;
  /** Puts the file in order once all is done: workers finish in any. */
  sort(): void;
}

function headerLine(program: string): string {
  return `${JSON.stringify({ type: 'sweep', version: FORMAT, program })}\n`;
}

/** What made a file that cannot be used, in words; null for one of this version. */
function otherMaker(line: string, program: string): string | null {
  let header: Readonly<Record<string, unknown>> | null;
  try {
    header = JSON.parse(line) as typeof header;
  } catch {
    header = null;
  }
  if (header?.type !== 'sweep') return 'no header of a sweep';
  if (header.version !== FORMAT) return `format ${JSON.stringify(header.version) ?? 'unknown'}`;
  if (header.program === program) return null;
  return `ccbench ${typeof header.program === 'string' ? header.program : 'of no version'}`;
}

function unusedName(file: string): string {
  for (let n = 1; ; n++) {
    const name = file.replace(/\.jsonl$/, `.old-${n}.jsonl`);
    if (!existsSync(name)) return name;
  }
}

/** The lines that hold a result as it was written. */
function goodLines(
  lines: readonly string[],
  each: (result: StoredResult, line: string) => void,
): readonly string[] {
  return lines.flatMap((line) => {
    const result = unsealed<StoredResult>(line);
    if (result === null) return [];
    each(result, `${line}\n`);
    return [`${line}\n`];
  });
}

/** Opens the finished runs of a report folder: those of another version are put aside, broken lines are left out. */
export function openRunStore(
  folder: string,
  shown: string,
  { program, elsewhere }: { readonly program: string; readonly elsewhere: string },
): RunStore {
  const file = join(folder, FILE);
  const shownFile = join(shown, FILE);
  const fail = (error: unknown): CcbenchError => unwritable(shown, error, elsewhere);
  const notes: string[] = [];
  const results = new KeptRuns();
  try {
    makeFolder(folder, 0o700); // as private as the sessions
    for (const place of [folder, join(folder, 'charts')]) removeUnfinished(place);
    const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
    const [header, ...lines] = text.split('\n').filter((line) => line.trim() !== '');
    const other = header === undefined ? null : otherMaker(header, program);
    if (other !== null) {
      const aside = unusedName(file);
      renameSync(file, aside);
      const kept = join(shown, aside.slice(folder.length + 1));
      notes.push(
        `${shownFile} was written by another version (${other}): it is kept as ${kept} and all points are run again`,
      );
    } else {
      const good = goodLines(lines, (result) => results.set(result.key, result));
      const broken = lines.length - good.length;
      if (broken > 0) {
        notes.push(
          `${formatCounted(broken, 'broken line')} of ${shownFile} left out; the ${results.size} good ones are used`,
        );
        writeWhole(file, [headerLine(program), ...good], fail);
      } else if (header !== undefined && !text.endsWith('\n')) appendFileSync(file, '\n');
    }
    if (other !== null || header === undefined) writeFileSync(file, headerLine(program));
  } catch (error) {
    throw fail(error);
  }
  return {
    results,
    earlier: new Set(results.keys()),
    notes,
    append(result) {
      try {
        appendFileSync(file, sealedLine(result));
      } catch (error) {
        throw unwritable(shownFile, error, elsewhere);
      }
    },
    sort() {
      // Read again: another process may have written into it too.
      const lines = readFileSync(file, 'utf8').split('\n').slice(1);
      const all = new Map<string, string>();
      goodLines(lines, ({ key }, line) => all.set(key, line));
      const sorted = [...all].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, line]) => line);
      writeWhole(file, [headerLine(program), ...sorted], fail);
    },
  };
}

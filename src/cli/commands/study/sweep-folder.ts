import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { CcbenchError } from '../../../core/base/errors.js';
import { parseResults, resultLine, resultsHeader, type StoredResult } from '../../../study/results-file.js';
import { nameOfPart, removeLitter } from '../../../transcripts/files/litter.js';
import { remedyFor, whyUnwritable } from '../../../transcripts/files/why-unwritable.js';
import { pagesWritten } from '../../files/last-page.js';
import { packageVersion } from '../../version.js';

/** The results file of a sweep and what is written beside it. Results stay; everything else is replaced. */
export interface SweepFolder {
  /** As the user would write it. */
  readonly shown: string;
  /** Finished runs by their address, those of earlier starts included. */
  readonly results: Map<string, StoredResult>;
  /** The addresses of those that earlier starts finished. */
  readonly earlier: ReadonlySet<string>;
  /** What the user should know about the results file. */
  readonly notes: readonly string[];
  append(result: StoredResult): void;
  write(folder: string, name: string, text: string): Promise<void>;
}

const RESULTS = 'sweep.jsonl';

function unwritable(shown: string, error: unknown): CcbenchError {
  return new CcbenchError('output-unwritable', `${shown} cannot be written: ${whyUnwritable(error)}`, {
    hint: remedyFor(error, 'choose another folder with --out, or --no-files'),
    cause: error,
  });
}

function unusedName(file: string): string {
  for (let n = 1; ; n++) {
    const name = file.replace(/\.jsonl$/, `.old-${n}.jsonl`);
    if (!existsSync(name)) return name;
  }
}

/** Opens the folder of a sweep: finished results are read, a file of another version is put aside, broken lines are left out. */
export function openSweepFolder(root: string, name: string, cwd: string): SweepFolder {
  const shown = join(root, name);
  const folder = resolve(cwd, root, name);
  const file = join(folder, RESULTS);
  const notes: string[] = [];
  const results = new Map<string, StoredResult>();
  const version = packageVersion();
  try {
    mkdirSync(folder, { recursive: true });
    for (const place of [folder, join(folder, 'charts')]) removeLitter(place, () => true);
    const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
    const read = text === '' ? null : parseResults(text, version);
    if (read?.state === 'foreign') {
      const aside = unusedName(file);
      renameSync(file, aside);
      notes.push(
        `${join(shown, RESULTS)} was written by another version (${read.found}): it is kept as ${join(shown, aside.slice(folder.length + 1))} and all points are run again`,
      );
    } else if (read !== null) {
      for (const [key, result] of read.results) results.set(key, result);
      if (read.broken > 0) {
        notes.push(
          `${read.broken} broken line${read.broken === 1 ? '' : 's'} of ${join(shown, RESULTS)} left out; the ${results.size} good ones are used`,
        );
        const good = [...results.values()].map(resultLine).join('');
        const fresh = nameOfPart(file, 'new');
        writeFileSync(fresh, resultsHeader(version) + good);
        renameSync(fresh, file);
      } else if (!text.endsWith('\n')) appendFileSync(file, '\n');
    }
    if (!existsSync(file)) writeFileSync(file, resultsHeader(version));
  } catch (error) {
    throw unwritable(shown, error);
  }
  return {
    shown,
    results,
    earlier: new Set(results.keys()),
    notes,
    append(result) {
      try {
        appendFileSync(file, resultLine(result));
      } catch (error) {
        throw unwritable(join(shown, RESULTS), error);
      }
    },
    async write(below, name, text) {
      const path = join(folder, below, name);
      try {
        await mkdir(dirname(path), { recursive: true });
        const fresh = nameOfPart(path, 'new');
        await writeFile(fresh, text);
        await rename(fresh, path);
        pagesWritten([path]);
      } catch (error) {
        throw unwritable(shown, error);
      }
    },
  };
}

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { attempt, succeeds } from '../../core/base/errors.js';
import { makeFolder } from '../../transcripts/files/make-folder.js';

/** Name of the note below the cache folder. */
const NOTE = 'last-page.json';

/** The page that this process has put in place last. */
let written: string | null = null;

/** Tells that pages of a report are in place, by absolute path: the one nearest to the top of the report is the one to open. */
export function pagesWritten(paths: readonly string[]): void {
  const depth = (path: string): number => path.split(/[\\/]/).length;
  const [first] = [...paths].filter((path) => path.endsWith('.html')).sort((a, b) => depth(a) - depth(b));
  if (first !== undefined) written = first;
}

/** Notes the page that was written last, for `ccbench open`; where nothing can be written, nothing is noted. */
export function rememberPage(cacheFolder: string): void {
  if (written === null) return;
  try {
    makeFolder(cacheFolder, 0o700);
    writeFileSync(join(cacheFolder, NOTE), `${JSON.stringify({ page: written })}\n`);
  } catch {
    // It is a convenience: the path was printed.
  }
  written = null;
}

/** The page that was written last, by whatever command; null if none is known. */
export function lastPage(cacheFolder: string): string | null {
  const { page } = attempt(() => JSON.parse(readFileSync(join(cacheFolder, NOTE), 'utf8')), null) ?? {};
  return typeof page === 'string' ? page : null;
}

/** Forgets which page was written last. */
export function forgetPage(cacheFolder: string): void {
  succeeds(() => rmSync(join(cacheFolder, NOTE), { force: true }));
}

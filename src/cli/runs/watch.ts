import { readFileSync, statSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { attempt, CcbenchError } from '../../core/base/errors.js';
import { formatCounted } from '../../core/base/format.js';
import { homeFolder, withHome } from '../../transcripts/files/home.js';
import { reportFailure } from '../fail.js';
import { type CliSession, EXIT, type ExitCode, note } from '../session.js';
import { Interrupted } from '../terminal/interrupt.js';

/** Time between two looks at the files. Nothing runs before they were the same twice, so that a file is not read half written. */
const LOOK_MS = 250;

/** Files of more than this hold recordings and no names of other files. */
const LARGEST_TEXT_BYTES = 1_048_576;

/** Texts that could be names of files: in quotes, or without spaces. */
const NAMES = /"([^"\n]+)"|'([^'\n]+)'|([^\s,'"[\]{}]+)/g;

function statOf(path: string) {
  return attempt(() => statSync(path, { throwIfNoEntry: false }), undefined);
}

/** The folder of a pattern before its first wildcard; the name itself where it has none. */
function withoutPattern(name: string): string {
  const wild = name.search(/[*?[]/);
  return wild < 0 ? name : dirname(`${name.slice(0, wild)}x`);
}

/** The files that a text names, seen from a folder. */
function namedIn(text: string, folder: string, home: string): readonly string[] {
  return [...text.matchAll(NAMES)]
    .map(([, double, single, bare]) => (double ?? single ?? bare)!)
    .filter((name) => /[./\\]/.test(name))
    .map(withoutPattern)
    .filter((name) => !/^\.*$/.test(name))
    .map((name) => resolve(folder, withHome(name, home)))
    .filter((path) => statOf(path) !== undefined);
}

/** The given files and folders, all that scenario and policy files among them name, and so on. */
function watchedPaths(names: readonly string[], { cwd, env }: CliSession['host']): readonly string[] {
  const home = homeFolder(env);
  const found = new Set<string>();
  const waiting = names.map((name) => resolve(cwd, withHome(withoutPattern(name), home)));
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    if (found.has(path)) continue;
    found.add(path);
    const stat = statOf(path);
    if (stat?.isFile() !== true || stat.size > LARGEST_TEXT_BYTES || !/\.ya?ml$/i.test(path)) continue;
    // Where it cannot be read, the run says why.
    waiting.push(...attempt(() => namedIn(readFileSync(path, 'utf8'), dirname(path), home), []));
  }
  return [...found];
}

/** The state of a file: another one after each change. */
function look(path: string): string {
  const stat = statOf(path);
  return stat === undefined ? 'absent' : `${stat.mtimeMs} ${stat.size} ${stat.ino}`;
}

/** Waits until a file has changed and all have come to rest; the one that changed first. */
async function changedFile(paths: readonly string[], before: readonly string[], signal: AbortSignal) {
  let last = before;
  let changed: string | undefined;
  while (true) {
    try {
      await setTimeout(LOOK_MS, undefined, { signal });
    } catch {
      throw new Interrupted();
    }
    const now = paths.map(look);
    const isAtRest = now.every((state, i) => state === last[i]);
    changed ??= paths.find((_path, i) => now[i] !== before[i]);
    if (changed !== undefined && isAtRest) return changed;
    last = now;
  }
}

/** Runs once; with `watch`, again after each change of the files it reads, until the user ends it. */
export async function watching(
  session: CliSession,
  watch: boolean | undefined,
  names: readonly string[],
  run: () => Promise<ExitCode>,
): Promise<ExitCode> {
  if (watch !== true) return run();
  if (session.json)
    throw new CcbenchError('bad-usage', '--watch prints a result after each change, and --json prints one', {
      hint: 'leave out one of the two',
    });
  if (names.includes('-'))
    throw new CcbenchError('bad-usage', '--watch needs files and cannot watch standard input', {
      hint: 'write the scenario into a file and name it',
    });
  const { interrupt } = session.host;
  while (true) {
    const paths = watchedPaths(names, session.host);
    const before = paths.map(look);
    try {
      await run();
    } catch (error) {
      if (reportFailure(session, error) === EXIT.interrupted) return EXIT.interrupted;
    }
    note(session, `watching ${formatCounted(paths.length, 'file')}; a change runs again, Ctrl-C ends`);
    const changed = await changedFile(paths, before, interrupt);
    note(session, `\n${basename(changed)} changed`);
  }
}

import { spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { CcbenchError } from '../../core/base/errors.js';
import { ownValue } from '../../core/base/own-value.js';
import type { CommandOptions } from '../commands.generated.js';
import { cacheFolder } from '../files/cache-folder.js';
import { lastPage } from '../files/last-page.js';
import { type CliSession, EXIT, type ExitCode, note, printJson } from '../session.js';

/** The name of a page in a report folder. */
const PAGE = 'report.html';

/** How a page is opened: a program with its arguments. */
export type Opener = readonly [command: string, ...args: string[]];

type Environment = Readonly<Record<string, string | undefined>>;

/** The program that opens a page; null without a display. */
export function openerFor(page: string, platform: NodeJS.Platform, env: Environment): Opener | null {
  const isSet = (name: string): boolean => (ownValue(env, name) ?? '') !== '';
  if (isSet('CI')) return null;
  const hasDisplay = isSet('DISPLAY') || isSet('WAYLAND_DISPLAY');
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler', page];
  if (platform === 'darwin') return isSet('SSH_CONNECTION') && !hasDisplay ? null : ['open', page];
  return hasDisplay ? ['xdg-open', page] : null;
}

function isAt(path: string, kind: 'file' | 'folder'): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found !== undefined && (kind === 'folder' ? found.isDirectory() : found.isFile());
}

/** The page that the user means: a page, the one of a report folder, or the one that was written last. */
function wantedPage({ host }: CliSession, named: string | undefined): string {
  if (named !== undefined) {
    const path = resolve(host.cwd, named);
    const page = isAt(path, 'folder') ? join(path, PAGE) : path;
    if (isAt(page, 'file')) return page;
    throw new CcbenchError('file-missing', page === path ? 'there is no such page' : `it holds no ${PAGE}`, {
      place: { file: named },
      hint: `name a page, or a report folder with a ${PAGE} in it; without a name the last page is opened`,
    });
  }
  const last = lastPage(cacheFolder(host));
  if (last === null)
    throw new CcbenchError('file-missing', 'no page has been written yet', {
      hint: 'ccbench run <scenario> writes one; ccbench open <page or report folder> opens any',
    });
  if (isAt(last, 'file')) return last;
  throw new CcbenchError('file-missing', 'the last page is no longer there', {
    place: { file: last },
    hint: 'run the command that wrote it again, or name another page: ccbench open <page or report folder>',
  });
}

/** Starts a program that keeps running; false if it cannot be started. */
function startProgram([command, ...args]: Opener, env: Environment): Promise<boolean> {
  return new Promise((done) => {
    const child = spawn(command, args, { detached: true, stdio: 'ignore', env: { ...env } });
    child.once('error', () => done(false));
    child.once('spawn', () => {
      child.unref();
      done(true);
    });
  });
}

/** `ccbench open`: shows a page in the browser, or prints where it is. */
export async function openCommand(
  session: CliSession,
  named: string | undefined,
  options: CommandOptions['open'],
): Promise<ExitCode> {
  const { env, stdout } = session.host;
  const page = wantedPage(session, named);
  const opener = options.print === true ? null : openerFor(page, process.platform, env);
  const isOpened = opener !== null && (await startProgram(opener, env));
  if (opener !== null && !isOpened) note(session, `${opener[0]} cannot be started; open the page yourself`);
  if (session.json) printJson(session, { page, opened: isOpened });
  else stdout.write(`${isOpened ? 'opened ' : ''}${page}\n`);
  return EXIT.fine;
}

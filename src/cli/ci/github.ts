import { appendFileSync } from 'node:fs';
import { isAbsolute, relative, resolve } from 'node:path';
import type { Place } from '../../core/base/errors.js';
import { type CliSession, note } from '../session.js';

const escapeText = (text: string): string =>
  text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
const escapeProperty = (text: string): string =>
  escapeText(text).replaceAll(':', '%3A').replaceAll(',', '%2C');

/** A file as a pull request shows it: from the top of the workspace, with slashes. */
function shownFile(file: string, { cwd, env }: CliSession['host']): string {
  const path = relative(resolve(env.GITHUB_WORKSPACE ?? cwd), resolve(cwd, file));
  return path.startsWith('..') || isAbsolute(path) ? file : path.replaceAll('\\', '/');
}

/** Marks a line of a pull request, in GitHub Actions. It goes to stderr, where a workflow reads it too: stdout may be JSON. */
export function annotate(session: CliSession, title: string, message: string, place: Place | null): void {
  if (session.github !== 'on') return;
  const properties = [
    ...(place === null ? [] : [['file', shownFile(place.file, session.host)]]),
    ...(place?.line === undefined ? [] : [['line', String(place.line)]]),
    ...(place?.column === undefined ? [] : [['col', String(place.column)]]),
    ['title', title],
  ].map(([name, value]) => `${name}=${escapeProperty(value!)}`);
  note(session, `::error ${properties.join(',')}::${escapeText(message)}`);
}

/** Adds to the summary of the workflow's step, in GitHub Actions where it names a file for it. */
export function summarise(session: CliSession, markdown: string): void {
  const file = session.host.env.GITHUB_STEP_SUMMARY ?? '';
  if (session.github !== 'on' || file === '') return;
  try {
    appendFileSync(resolve(session.host.cwd, file), `${markdown}\n`);
  } catch (error) {
    note(session, `the step summary ${file} cannot be written: ${(error as Error).message}`);
  }
}

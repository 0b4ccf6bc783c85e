import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { NAME_PATTERN, NAME_WORDS } from '../../config/schema/schema-sessions.js';
import { CcbenchError } from '../../core/base/errors.js';
import type { CommandOptions } from '../commands.generated.js';
import { type CliSession, EXIT, type ExitCode, printJson } from '../session.js';
import { openFile } from './output.js';

/** A file that a user starts from. */
export interface Starter {
  /** `scenario` or `policy`. */
  readonly what: string;
  /** Its text, by the name it gets. */
  text(name: string): string;
  /** What to type next, before the file. */
  readonly next: string;
}

/** Writes a starter under a name that a user chose, with or without the ending; a file that is there stays unless forced. */
export async function writeStarter(
  session: CliSession,
  { what, text, next }: Starter,
  wanted: string,
  { force }: CommandOptions['init'],
): Promise<ExitCode> {
  const { cwd, stdout } = session.host;
  const name = wanted.replace(/\.ya?ml$/, '');
  if (!NAME_PATTERN.test(name)) {
    throw new CcbenchError('bad-usage', `"${wanted}" cannot be the name of a ${what}`, {
      hint: `use ${NAME_WORDS}`,
    });
  }
  const file = `${name}.yaml`;
  if (force !== true && existsSync(resolve(cwd, file))) {
    throw new CcbenchError('bad-usage', `${file} is there already`, {
      hint: 'choose another name, or --force to overwrite it',
    });
  }
  const output = openFile(file, cwd);
  await output.write(text(name));
  output.commit();
  if (session.json) printJson(session, { file });
  else stdout.write(`wrote ${file}\nnext: ${next} ${file}\n`);
  return EXIT.fine;
}

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { NAME_PATTERN, NAME_WORDS } from '../../config/schema/schema-sessions.js';
import { CcbenchError } from '../../core/base/errors.js';
import type { CommandOptions } from '../commands.generated.js';
import { openFile } from '../files/output.js';
import { type CliSession, EXIT, type ExitCode, printJson } from '../session.js';
import { STARTERS } from '../starters.generated.js';

/** What to type next, before the file. */
const NEXT = { scenario: 'ccbench run', policy: 'ccbench policies check' } as const;

/** The text of a starter under a name: in the files of `starters` each has that which it gets where none is given. */
export function starterText(what: keyof typeof STARTERS, name: string): string {
  const { text, usualName } = STARTERS[what];
  return text.replaceAll(usualName, name);
}

/**
 * `ccbench init` and `ccbench policies new`: writes a file to start from under a name that a user chose, with or without the ending. A
 * file that is there stays unless forced.
 */
export const starterCommand =
  (what: keyof typeof STARTERS) =>
  async (session: CliSession, wanted: string, { force }: CommandOptions['init']): Promise<ExitCode> => {
    const { cwd, stdout } = session.host;
    const name = wanted.replace(/\.ya?ml$/, '');
    if (!NAME_PATTERN.test(name))
      throw new CcbenchError('bad-usage', `"${wanted}" cannot be the name of a ${what}`, {
        hint: `use ${NAME_WORDS}`,
      });
    const file = `${name}.yaml`;
    if (force !== true && existsSync(resolve(cwd, file)))
      throw new CcbenchError('bad-usage', `${file} already exists`, {
        hint: 'choose another name, or --force to overwrite it',
      });
    const output = openFile(file, cwd);
    await output.write(starterText(what, name));
    output.commit();
    if (session.json) printJson(session, { file });
    else stdout.write(`wrote ${file}\nnext: ${NEXT[what]} ${file}\n`);
    return EXIT.fine;
  };

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { CcbenchError } from '../../base/errors.js';
import { NAME_PATTERN, PATTERN_WORDS } from '../../scenario/schema-words.js';
import { scenarioTemplate } from '../../scenario/template.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { openFile } from '../files/output.js';
import { type CliSession, printJson } from '../session.js';

/** Options of `ccbench init`. */
export interface InitOptions {
  readonly force?: boolean;
}

/** `ccbench init`: a starter scenario that runs as it is. */
export async function initCommand(
  session: CliSession,
  wanted: string,
  options: InitOptions,
): Promise<ExitCode> {
  const { cwd, stdout } = session.host;
  const name = wanted.replace(/\.ya?ml$/, '');
  if (!NAME_PATTERN.test(name)) {
    throw new CcbenchError('bad-usage', `"${wanted}" cannot be the name of a scenario`, {
      hint: `use ${PATTERN_WORDS[NAME_PATTERN.source]}`,
    });
  }
  const file = `${name}.yaml`;
  if (options.force !== true && existsSync(resolve(cwd, file))) {
    throw new CcbenchError('bad-usage', `${file} is there already`, {
      hint: 'choose another name, or --force to overwrite it',
    });
  }
  const output = openFile(file, cwd);
  await output.write(scenarioTemplate({ name, schema: null }));
  output.commit();
  if (session.json) printJson(session, { file });
  else stdout.write(`wrote ${file}\nnext: ccbench run ${file}\n`);
  return EXIT.fine;
}

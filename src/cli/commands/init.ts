import { scenarioTemplate } from '../../config/files/template.js';
import type { ExitCode } from '../exit-codes.js';
import { type StarterOptions, writeStarter } from '../files/write-starter.js';
import type { CliSession } from '../session.js';

/** `ccbench init`: a starter scenario that runs as it is. */
export async function initCommand(
  session: CliSession,
  wanted: string,
  options: StarterOptions,
): Promise<ExitCode> {
  const starter = {
    what: 'scenario',
    text: (name: string) => scenarioTemplate({ name, schema: null }),
    next: 'ccbench run',
  };
  return writeStarter(session, starter, wanted, options);
}
